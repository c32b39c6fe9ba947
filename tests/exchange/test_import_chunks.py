"""An import in short transactions: others get their turn, a kill loses nothing and leaves nothing
that lies, and what others change meanwhile is looked at again.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memctl.core import clock, process_identity
from memctl.core.bounded_work import BoundedWork
from memctl.core.model import Filter
from memctl.exchange import import_, staging
from memctl.history import rebuild
from memctl.maintain import doctor
from memctl.store import chunks, event_log, records, staged_imports, unfinished, upkeep
from memctl.store.database import Database
from memctl.store.migrate import open_store
from tests.exchange.houses import (
    AGENT,
    OPERATOR,
    add,
    bury,
    change,
    exported,
    furnished,
    memory,
    settings,
    take,
)
from tests.killing import Killed


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Database]:
    """An empty store."""
    db = open_store(tmp_path / "here.db", create=True)
    yield db
    db.close()


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each unit is a transaction of its own."""
    monkeypatch.setattr(staging, "BATCH_LINES", 1)
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 0.0)


def between_chunks(monkeypatch: pytest.MonkeyPatch, happens: dict[int, object]) -> list[int]:
    """Let something happen after a chunk, by its number; the list counts the chunks."""
    counted: list[int] = []

    def pause() -> None:
        counted.append(len(counted) + 1)
        action = happens.get(len(counted))
        if callable(action):
            action()

    monkeypatch.setattr(chunks, "pause_between_chunks", pause)
    return counted


def die() -> None:
    raise Killed


def abandon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that worked on an import is gone."""
    monkeypatch.setattr(process_identity, "is_alive", lambda *_: False)


def sound(db: Database) -> bool:
    ills = (
        event_log.find_broken_links(db),
        *upkeep.find_drifted(db),
        upkeep.find_unindexed(db),
        upkeep.find_dangling(db),
        rebuild.find_differences(db),
    )
    return not any(ills)


@pytest.mark.usefixtures("one_by_one")
@pytest.mark.parametrize("is_empty", [True, False])
@pytest.mark.parametrize("actor", [OPERATOR, AGENT])
def test_an_import_killed_after_any_chunk_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_empty: bool, actor
) -> None:
    text = exported(furnished(tmp_path / "a.db"))
    whole = open_store(tmp_path / "whole.db", create=True)
    if not is_empty:
        add(whole, memory("Something was here before", id="0" * 26))
    with monkeypatch.context() as patch:
        counted = between_chunks(patch, {})
        take(whole, text, actor)
    assert len(counted) > 15
    wanted = [each.content for each in records.select_records(whole, Filter())]
    wanted_text = exported(whole)
    whole.close()
    for kill in counted[::3]:
        db = open_store(tmp_path / f"{kill}-{is_empty}-{actor.name[:5]}.db", create=True)
        if not is_empty:
            add(db, memory("Something was here before", id="0" * 26))
        with monkeypatch.context() as patch, pytest.raises(Killed):
            between_chunks(patch, {kill: die})
            take(db, text, actor)
        config = settings(db.path)
        assert len(unfinished.list_operations(db, "import")) == 1
        with monkeypatch.context() as patch:
            abandon(patch)
            assert import_.finish_imports(db, config) == 1
        assert unfinished.list_operations(db) == [] and staged_imports.list_staged(config) == []
        assert sorted(each.content for each in records.select_records(db, Filter())) == sorted(
            wanted
        )
        if is_empty and actor is OPERATOR:
            assert exported(db) == wanted_text
        assert sound(db)
        db.close()


@pytest.mark.usefixtures("one_by_one")
def test_the_same_import_run_again_finishes_what_was_cut_off(
    here: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = exported(furnished(tmp_path / "a.db"))
    with monkeypatch.context() as patch, pytest.raises(Killed):
        between_chunks(patch, {12: die})
        take(here, text)
    abandon(monkeypatch)
    assert take(here, text).problems == ()
    assert exported(here) == text and unfinished.list_operations(here) == []


@pytest.mark.usefixtures("one_by_one")
def test_finishing_stops_when_its_time_is_over_and_goes_on_later(
    here: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = exported(furnished(tmp_path / "a.db"))
    with monkeypatch.context() as patch, pytest.raises(Killed):
        between_chunks(patch, {5: die})
        take(here, text)
    abandon(monkeypatch)
    config = settings(here.path)
    asked = iter([False] * 4 + [True] * 9)
    assert import_.finish_imports(here, config, BoundedWork(lambda: next(asked))) == 0
    assert len(unfinished.list_operations(here, "import")) == 1
    assert import_.finish_imports(here, config) == 1 and exported(here) == text


@pytest.mark.usefixtures("one_by_one")
def test_doctor_names_an_import_that_was_cut_off(
    here: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, pytest.raises(Killed):
        between_chunks(patch, {12: die})
        take(here, exported(furnished(tmp_path / "a.db")))
    abandon(monkeypatch)
    told = [
        check
        for check in doctor.doctor(settings(here.path), repair=False).checks
        if check.state != "ok"
    ]
    assert any("import" in check.detail for check in told)


def test_nothing_is_in_the_store_before_the_whole_file_was_read(
    here: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = exported(furnished(tmp_path / "a.db"))
    before = exported(here)

    def die_at_the_end(*_: object) -> None:
        raise Killed

    from memctl.exchange.reading import ExportReader

    monkeypatch.setattr(ExportReader, "_compare_checksums", die_at_the_end)
    with pytest.raises(Killed):
        take(here, text)
    assert exported(here) == before and unfinished.list_operations(here) == []


@pytest.mark.usefixtures("one_by_one")
def test_others_can_write_between_two_chunks(
    here: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = exported(furnished(tmp_path / "a.db"))
    other = open_store(here.path, create=False)
    written = []

    def write() -> None:
        with other.write(wait=0):
            pass
        written.extend(add(other, memory("Written meanwhile")))

    between_chunks(monkeypatch, {3: write, 9: write, 15: write})
    assert take(here, text).problems == ()
    assert len(written) == 3 and all(records.find_record(here, each) for each in written)
    assert sound(here)
    other.close()


@pytest.mark.usefixtures("one_by_one")
def test_what_was_edited_or_forgotten_between_two_chunks_stays_so(
    here: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = open_store(tmp_path / "there.db", create=True)
    edited, forgotten, gone = add(
        there, memory("Tea is at four"), memory("Ginger is hot"), memory("The cat is Gearbox")
    )
    take(here, exported(there))
    text = exported(there)
    there.close()
    other = open_store(here.path, create=False)

    def meddle() -> None:
        change(other, edited, clock.now(), content="Tea is at five")
        bury(other, forgotten)
        bury(other, gone, "purged")

    between_chunks(monkeypatch, {1: meddle})
    take(here, text)
    other.close()
    assert records.get_record(here, edited).content == "Tea is at five"
    for each in (forgotten, gone):
        assert records.get_record(here, each).status == "archived"
    assert sound(here)


@pytest.mark.usefixtures("one_by_one")
def test_all_chunks_of_an_import_are_one_operation(here: Database, tmp_path: Path) -> None:
    add(here, memory("Something was here before"))
    there = open_store(tmp_path / "there.db", create=True)
    add(there, *(memory(f"Number {n}") for n in range(5)))
    lines = [line for line in exported(there).splitlines() if '"section":"stream"' not in line]
    there.close()
    take(here, "\n".join(lines) + "\n")
    found = {event.operation for event in event_log.read_all(here) if event.verb == "imported"}
    assert len(found) == 1


def test_a_dry_run_asks_for_no_write_lock(here: Database, tmp_path: Path) -> None:
    add(here, memory("Something was here before"))
    text = exported(furnished(tmp_path / "a.db"))
    other = open_store(here.path, create=False)
    with other.write():
        planned = take(here, text, dry_run=True)
    other.close()
    assert planned.counts == take(here, text).counts


def test_a_dry_run_leaves_no_file_and_makes_no_store(tmp_path: Path) -> None:
    text = exported(furnished(tmp_path / "a.db"))
    (tmp_path / "in.jsonl").write_text(text)
    config = settings(tmp_path / "none" / "store.db")
    report = import_.import_file(
        None, config, OPERATOR, tmp_path / "in.jsonl", origin="mine", dry_run=True
    )
    assert report.counts["memories"]["inserted"] == 4
    assert not (tmp_path / "none").exists()
    (tmp_path / "some").mkdir()
    db = open_store(tmp_path / "some" / "store.db", create=True)
    import_.import_file(
        db, settings(db.path), OPERATOR, tmp_path / "in.jsonl", origin="mine", dry_run=True
    )
    db.close()
    left = {path.name for path in (tmp_path / "some").rglob("*") if path.is_file()}
    assert not [name for name in left if "import" in name or name.endswith((".tmp", ".json"))]


def test_the_staged_file_is_private_and_gone_afterwards(
    here: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def look(*_: object) -> None:
        seen.extend(staged_imports.list_staged(settings(here.path)))
        seen.extend(path.stat().st_mode & 0o777 for path in list(seen))

    monkeypatch.setattr(import_.merge, "finish_batch", _before(look, import_.merge.finish_batch))
    take(here, exported(furnished(tmp_path / "a.db")))
    assert 0o600 in seen and staged_imports.list_staged(settings(here.path)) == []


def _before(first, then):
    def run(*given):
        first()
        return then(*given)

    return run


@pytest.mark.proof
def test_an_import_killed_at_any_moment_is_finished_by_maintain(tmp_path: Path) -> None:
    """Real kills: the process ends at its nth chunk without cleaning up anything."""
    text = exported(furnished(tmp_path / "a.db"))
    (tmp_path / "in.jsonl").write_text(text)
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from memctl.engine.memory_engine import MemoryEngine\n"
        "from memctl.exchange import staging\n"
        "from memctl.store import chunks\n"
        "staging.BATCH_LINES, chunks.CHUNK_SECONDS = 1, 0.0\n"
        "left = [int(sys.argv[3])]\n"
        "def pause():\n"
        "    left[0] -= 1\n"
        "    if left[0] < 0: os.kill(os.getpid(), 9)\n"
        "chunks.pause_between_chunks = pause\n"
        "with MemoryEngine.open(Path(sys.argv[1]), actor='operator') as engine:\n"
        "    engine.import_(Path(sys.argv[2]), origin='mine')\n"
    )
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    for kill in range(0, 40, 5):
        store = tmp_path / f"{kill}.db"
        file = str(tmp_path / "in.jsonl")
        done = subprocess.run(
            [sys.executable, "-c", script, str(store), file, str(kill)], env=env, check=False
        )
        assert done.returncode in (-9, 0)
        maintain = [sys.executable, "-m", "memctl", "maintain", "--step", "finish"]
        ran = subprocess.run(
            maintain, env={**env, "MEMCTL_DB": str(store)}, capture_output=True, check=False
        )
        assert ran.returncode == 0, ran.stderr
        db = open_store(store, create=False)
        assert exported(db) == text and sound(db)
        db.close()
