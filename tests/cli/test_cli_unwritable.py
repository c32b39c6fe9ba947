"""What the commands and the hook do on a disk that takes nothing more."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memctl.core.errors import StoreLocked
from memctl.engine.memory_engine import MemoryEngine
from memctl.hook import run_hook
from memctl.store import database, obstacles
from memctl.store.database import Database

ORDINARY = Database._connect
NUMBERS = pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC])
START = json.dumps(
    {"session_id": "s", "cwd": "/", "hook_event_name": "SessionStart", "source": "startup"}
).encode()


@pytest.fixture
def known(here: Callable, operator: None) -> str:
    """The id of the one record in a store that was closed cleanly."""
    del operator
    here("init")
    stored = here("ingest", "The ferry leaves at nine", "--global", "--json")
    return str(stored.data["items"][0]["record"]["id"])


@pytest.fixture
def stop_writing(monkeypatch: pytest.MonkeyPatch, db: Path) -> Callable[[int], None]:
    """Let the store's disk refuse what an ordinary connection needs; such a one opens no file."""

    def stop(number: int) -> None:
        def refuse(opened: Database) -> object:
            if opened.path != db:
                return ORDINARY(opened)
            raise database.OperationalError("unable to open database file")

        monkeypatch.setattr(Database, "_connect", refuse)
        monkeypatch.setattr(obstacles, "_find_error_number", lambda _folder: number)

    return stop


def list_reads(record_id: str, export: Path) -> list[tuple[object, ...]]:
    return [
        ("search", "ferry"),
        ("status",),
        ("list",),
        ("context",),
        ("show", record_id),
        ("explain", record_id),
        ("log",),
        ("stats",),
        ("digest",),
        ("inbox",),
        ("export", export),
    ]


@NUMBERS
def test_every_command_that_reads_answers_and_every_one_that_writes_exits_with_11(
    here: Callable, known: str, stop_writing: Callable, number: int, tmp_path: Path
) -> None:
    export = tmp_path / "export.jsonl"
    stop_writing(number)
    for words in list_reads(known, export):
        done = here(*words)
        assert (done.code, done.stderr) == (0, ""), words
    assert "ferry" in here("search", "ferry").stdout
    assert "ferry" in export.read_text()
    for words in [("pin", known), ("forget", known), ("maintain",)]:
        done = here(*words)
        assert done.code == 11, words
        assert len(done.stderr.splitlines()) == 2, "the cause, and the next step"


@NUMBERS
def test_doctor_says_what_to_do_where_nothing_can_be_written(
    here: Callable, known: str, stop_writing: Callable, number: int
) -> None:
    del known
    stop_writing(number)
    done = here("doctor", "--json")
    assert done.code == 1
    step = "make it writable" if number == errno.EROFS else "make room"
    assert done.data["next_step"].startswith(step)
    problems = [check["name"] for check in done.data["checks"] if check["state"] == "problem"]
    assert problems == ["writing"]


@NUMBERS
def test_doctor_finds_a_full_disk_also_where_the_store_opens_as_usual(
    here: Callable, known: str, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    del known
    monkeypatch.setattr(obstacles, "_find_error_number", lambda _folder: number)
    assert here("doctor", "--json").data["next_step"]


@NUMBERS
def test_a_session_begins_with_its_context_where_nothing_can_be_written(
    known: str, stop_writing: Callable, number: int
) -> None:
    del known
    stop_writing(number)
    assert "ferry" in run_hook("claude-code", "SessionStart", START)


def test_one_engine_writes_again_once_there_is_room(
    known: str, stop_writing: Callable, monkeypatch: pytest.MonkeyPatch, db: Path
) -> None:
    del known
    stop_writing(errno.ENOSPC)
    with MemoryEngine.open(db, actor="operator") as engine:
        assert engine.open_to_read().obstacle is not None
        with pytest.raises(StoreLocked):
            engine.open_to_write()
        monkeypatch.setattr(Database, "_connect", ORDINARY)
        assert engine.open_to_write().obstacle is None


def test_a_copy_elsewhere_needs_no_note_on_a_full_disk(
    here: Callable, known: str, stop_writing: Callable, tmp_path: Path, db: Path
) -> None:
    del known
    stop_writing(errno.ENOSPC)
    notes = db.with_name(f"{db.name}.drafts")
    refused = os.mkdir

    def refuse(path: object, *words: object, **named: object) -> None:
        if str(path) == str(notes):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        refused(path, *words, **named)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as full:
        full.setattr(os, "mkdir", refuse)
        assert here("backup", tmp_path / "copy.db").code == 0
    assert (tmp_path / "copy.db").is_file() and not notes.exists()


@pytest.fixture(params=["size=1400k", "size=4m,nr_inodes=2"])
def small_disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A real file system with little room, or with room for one file."""
    folder = tmp_path / "disk"
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", request.param, "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError as error:
        pytest.skip(f"not run: {error}")
    if mounted.returncode:
        pytest.skip(f"not run: nothing can be mounted here ({mounted.stderr.strip()})")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.proof
@pytest.mark.parametrize("is_read_only", [False, True])
def test_a_real_disk_without_room_is_read(
    memctl: Callable, known: str, db: Path, small_disk: Path, tmp_path: Path, is_read_only: bool
) -> None:
    store = small_disk / "memory.db"
    store.write_bytes(db.read_bytes())
    if is_read_only:
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    else:
        fill(small_disk / "fill")
    env = {"MEMCTL_DB": str(store)}
    for words in list_reads(known, tmp_path / "export.jsonl"):
        done = memctl(*words, env=env)
        assert done.code == 0, (words, done.stderr)
    assert "ferry" in memctl("search", "ferry", env=env).stdout
    assert memctl("maintain", env=env).code == 11
    done = memctl("doctor", "--json", env=env)
    assert done.code == 1 and done.json["data"]["next_step"].startswith("make ")


def fill(path: Path) -> None:
    """Write a file until no room is left; without inodes, there is not even the file."""
    try:
        with path.open("wb", buffering=0) as stream:
            while stream.write(bytes(4096)):
                pass
    except OSError as error:
        assert error.errno == errno.ENOSPC
