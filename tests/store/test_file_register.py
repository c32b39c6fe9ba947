"""Every file that the program makes is in one register, by which erasing, the search for secrets,
tidying and doctor go; what a killed process left is found wherever it is.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memctl.core import clock, process_identity
from memctl.core.errors import UsageError
from memctl.settings.config import Config
from memctl.store import backup, drafts, file_register, files
from memctl.store.file_register import FILE_KINDS
from memctl.store.migrate import open_store
from tests.exchange import houses
from tests.exchange.houses import add, memory

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "memctl").rglob("*.py"))
WAYS_OF_ERASING = {"rows", "words", "whole", "named", "left", "none"}

# Calls that make a file, by their last name; each with what must stand before it, if anything.
MAKERS = {
    "TemporaryDirectory": None,
    "NamedTemporaryFile": None,
    "TemporaryFile": None,
    "SpooledTemporaryFile": None,
    "mkstemp": None,
    "mkdtemp": None,
    "write_text": None,
    "write_bytes": None,
    "touch": None,
    "symlink_to": None,
    "hardlink_to": None,
    "rename": None,
    "copyfile": "shutil",
    "copyfileobj": "shutil",
    "copy": "shutil",
    "copy2": "shutil",
    "copytree": "shutil",
    "move": "shutil",
    "link": "os",
    "symlink": "os",
    "mkfifo": "os",
    "mknod": "os",
    "backup": "self._conn",
}
# What makes no file that stays: a device, /proc, standard output.
NO_FILES = {
    "llm/agent_process:answer_request",
    "llm/agent_process:_set_limits",
    "llm/child_process:answer_request",
    "llm/child_process:_set_limits",
    "store/obstacles:_try_to_write",
}


def makes_file(call: ast.Call) -> bool:
    """Whether a call creates a file, or gives one a name."""
    name, text = ast.unparse(call.func), ast.unparse(call)
    owner, _, last = name.rpartition(".")
    if name == "os.open":
        return "O_CREAT" in text or "O_TMPFILE" in text
    if last in ("open", "fdopen") and name != "os.open":
        modes = [*call.args, *(word.value for word in call.keywords)]
        return any(
            isinstance(mode, ast.Constant)
            and isinstance(mode.value, str)
            and len(mode.value) <= 3
            and {*mode.value} & {*"wax"}
            for mode in modes
        )
    if last == "replace":  # that of a path; a text's takes two values, a dataclass's has no owner
        return bool(owner) and len(call.args) == 1 and not call.keywords
    if last == "run" and call.args:
        return ast.unparse(call.args[0]) == "'upkeep.vacuum_into'"
    return last in MAKERS and MAKERS[last] in (None, owner)


def find_makers(tree: ast.AST, inside: str, module: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(tree):
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        name = child.name if is_function else inside
        if isinstance(child, ast.Call) and makes_file(child):
            yield f"{module}:{inside}"
        yield from find_makers(child, name, module)


def test_whatever_creates_a_file_is_in_the_register() -> None:
    found = {
        maker
        for path in SOURCES
        for maker in find_makers(
            ast.parse(path.read_text(encoding="utf-8")),
            "",
            path.relative_to(ROOT / "memctl").with_suffix("").as_posix(),
        )
    }
    known = {maker for kind in FILE_KINDS for maker in kind.made_by}
    assert found - known - NO_FILES == set(), "say in store/file_register.py what these files are"
    assert known - found == set(), "these create no file any more"


def test_the_register_says_of_every_kind_what_it_holds_and_who_removes_it() -> None:
    assert len({kind.name for kind in FILE_KINDS}) == len(FILE_KINDS)
    for kind in FILE_KINDS:
        assert kind.erasing in WAYS_OF_ERASING, kind.name
        assert kind.place and kind.holds and kind.removed_by and kind.made_by, kind.name
        assert (kind.erasing == "none") == (kind.holds == "nothing"), kind.name


def test_the_page_on_privacy_has_a_line_for_every_kind() -> None:
    page = (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")
    for kind in FILE_KINDS:
        line = f"| {kind.name} | `{kind.place}` | {kind.holds} | {kind.removed_by} |"
        assert line in page, line


# -- what killed processes left -------------------------------------------------------------------


@pytest.fixture
def config(tmp_path: Path) -> Config:
    place = tmp_path / "store" / "memory.db"
    db = open_store(place, create=True)
    add(db, memory("The lighthouse blinks twice"))
    db.close()
    return houses.settings(place)


KILLED = """
import os, signal, sys
from pathlib import Path
from memctl import MemoryEngine
from memctl.store import drafts, restore
def die(*_given, **_named):
    os.kill(os.getpid(), signal.SIGKILL)
drafts._give_name = restore._replace_living = die
with MemoryEngine.open(sys.argv[1], actor="operator") as engine:
    target = Path(sys.argv[3])
    {"backup": lambda: engine.upkeep.backup(target),
     "own": lambda: engine.upkeep.backup(),
     "export": lambda: engine.export(target),
     "restore": lambda: engine.upkeep.restore(target)}[sys.argv[2]]()
"""


def kill_in_the_middle(config: Config, what: str, target: Path) -> None:
    """Run a command in a process that is killed before its file gets its name."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(config.db), what, str(target)], check=False
    )
    assert done.returncode < 0


@pytest.fixture(params=["backup", "own", "export", "restore"])
def leftover(request: pytest.FixtureRequest, config: Config, tmp_path: Path) -> Path:
    """What a killed command left behind, with everything in it."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if request.param == "restore":
        db = open_store(config.db, create=False)
        backup.make_backup(db, config, elsewhere / "copy.db")
        db.close()
    kill_in_the_middle(config, request.param, elsewhere / "copy.db")
    [found] = [path for path in tmp_path.rglob(".*.tmp") if path.is_file()]
    assert b"The lighthouse blinks twice" in found.read_bytes()
    return found


def test_what_a_killed_process_left_is_known_at_once_and_removed(
    config: Config, leftover: Path, tmp_path: Path
) -> None:
    [known] = file_register.list_abandoned(config)
    assert known.path == leftover
    assert file_register.tidy_files(config) == [leftover]
    assert list(tmp_path.rglob(".*.tmp*")) == []
    assert file_register.list_leftovers(config) == []


def test_a_file_that_is_being_written_is_left_alone(config: Config, tmp_path: Path) -> None:
    with drafts.write_draft(config, tmp_path / "copy.db") as draft:
        [known] = file_register.list_leftovers(config)
        assert known.path == draft and known.is_being_written
        assert file_register.tidy_files(config) == []
        draft.write_bytes(b"whole")
    assert (tmp_path / "copy.db").read_bytes() == b"whole"


def test_a_clock_that_jumps_makes_no_living_draft_a_dead_one(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with drafts.write_draft(config, tmp_path / "copy.db"):
        for now in ("1970-01-01T00:00:00.000Z", "2031-01-01T00:00:00.000Z"):
            monkeypatch.setattr(clock, "now", lambda now=now: now)
            assert file_register.list_abandoned(config) == []


def test_a_draft_from_before_the_machine_was_started_again_is_abandoned(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_in_the_middle(config, "backup", tmp_path / "copy.db")
    identity = {**process_identity.describe_process(), "machine": "after the next start"}
    monkeypatch.setattr(process_identity, "describe_process", lambda: identity)
    assert len(file_register.list_abandoned(config)) == 1


def test_a_file_that_came_meanwhile_is_not_replaced(config: Config, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    with (
        pytest.raises(UsageError, match="is there already"),
        drafts.write_draft(config, target) as draft,
    ):
        draft.write_bytes(b"new")
        target.write_bytes(b"another's")
    assert target.read_bytes() == b"another's" and drafts.list_drafts(config) == []


def test_copies_that_somebody_asked_for_are_known_until_they_are_gone(
    config: Config, tmp_path: Path
) -> None:
    db = open_store(config.db, create=False)
    target = tmp_path / "elsewhere.db"
    backup.make_backup(db, config, target)
    backup.make_backup(db, config, None)
    db.close()
    assert drafts.list_requested_copies(config) == [target]
    target.unlink()
    file_register.tidy_files(config)
    assert drafts.list_requested_copies(config) == []
    assert list(drafts.locate_notes(config).iterdir()) == []


def test_a_copy_on_a_disk_that_is_not_here_is_remembered(config: Config, tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    db = open_store(config.db, create=False)
    backup.make_backup(db, config, stick / "copy.db")
    db.close()
    stick.rename(tmp_path / "pulled")
    file_register.tidy_files(config)
    assert drafts.list_unreachable(config) == [stick / "copy.db"]


NAMED = {
    "a spool file": "memory.db.spool/01JV3KQX2M.capture.{}.partial",
    "the list of seen sessions": "memory.db.spool/swept.01JV3KQX2M.{}.partial",
    "a log that was being rewritten": "hook.log.0123456789ab.{}.partial",
}


@pytest.mark.parametrize("name", NAMED.values(), ids=NAMED)
def test_half_written_files_of_dead_processes_go_at_once(config: Config, name: str) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    gone, stays = (config.db.parent / name.format(pid) for pid in (dead.pid, os.getpid()))
    gone.parent.mkdir(exist_ok=True)
    for path in (gone, stays):
        path.write_text("half")
    assert file_register.tidy_files(config) == [gone]
    assert stays.exists() and not gone.exists()


def test_copies_in_the_temporary_folder_are_found_by_their_process(
    config: Config, tmp_path: Path
) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    scratch = Path(os.environ["TMPDIR"])
    folder = scratch / f"memctl-{dead.pid}-abcd_012"
    folder.mkdir()
    (folder / "state.vscdb").write_bytes(b"a conversation")
    edited = scratch / f"memctl-{dead.pid}-abcd_013.yaml"
    edited.write_text("content: a record")
    others = scratch / "memctl-notes.txt"
    others.write_text("somebody's own")
    linked = scratch / f"memctl-{dead.pid}-abcd_014"
    linked.symlink_to(tmp_path)
    assert sorted(file_register.tidy_files(config)) == sorted([folder, edited])
    assert others.exists() and linked.is_symlink() and tmp_path.is_dir()


def test_reading_a_file_that_sqlite_has_open_keeps_its_locks(config: Config) -> None:
    db = open_store(config.db, create=False)
    probe = (
        "import fcntl, sys; handle = open(sys.argv[1], 'r+b')\n"
        "fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 512, 0x40000000)"
    )
    db.all("records.everything")
    assert b"The lighthouse" in files.read_open_file(config.db)
    done = subprocess.run(
        [sys.executable, "-c", probe, str(config.db)], capture_output=True, check=False
    )
    assert done.returncode != 0, "the lock that a reader holds was dropped"
    db.close()
