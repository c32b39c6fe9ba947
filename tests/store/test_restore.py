"""A restore beside other processes: what they were told is written stands in the store or in the
kept copy, whatever has the store open sees the new content, and a damaged store is replaced too.
"""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from bench import jsonl

from memctl.core.errors import (
    RefusedByPolicy,
    StoreDamaged,
    StoreFull,
    StoreLocked,
    UsageError,
)
from memctl.core.model import Filter
from memctl.engine.memory_engine import MemoryEngine
from memctl.settings.config import Config
from memctl.store import backup, drafts, handover, migrate, records, restore, upkeep, witness
from memctl.store.database import Database
from memctl.store.migrate import open_store
from tests.exchange import houses
from tests.exchange.houses import OPERATOR, add, memory

STORES = Path(__file__).parent / "stores"
OLD, NEW, LATER = "The lighthouse blinks twice", "The lighthouse is gone", "The pier was painted"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the store stands."""
    return tmp_path / "store" / "memory.db"


@pytest.fixture
def config(place: Path) -> Config:
    return houses.settings(place)


@pytest.fixture
def copy(place: Path, config: Config, tmp_path: Path) -> Path:
    """A backup that holds OLD; the store holds NEW too."""
    db = open_store(place, create=True)
    add(db, memory(OLD))
    made = Path(backup.make_backup(db, config, tmp_path / "copy.db").path)
    add(db, memory(NEW))
    db.close()
    return made


@pytest.fixture
def other(place: Path, copy: Path) -> Iterator[Database]:
    """The same store, open in another place."""
    db = open_store(place, create=False)
    yield db
    db.close()


def read_texts(path: Path) -> set[str]:
    db = open_store(path, create=False)
    try:
        return read_contents(db)
    finally:
        db.close()


def read_contents(db: Database) -> set[str]:
    return {each.content for each in records.select_records(db, Filter())}


def list_kept(place: Path) -> list[Path]:
    """The copies that restores kept, without SQLite's files beside them."""
    found = place.parent.glob(f"{place.name}.before-restore-*")
    return sorted(path for path in found if not path.name.endswith(("-wal", "-shm")))


def check_sound(db: Database) -> None:
    assert upkeep.find_structure_faults(db) == upkeep.find_dangling(db) == []
    assert upkeep.find_unindexed(db) == [] and upkeep.index_is_sound(db)
    assert upkeep.find_damaged_records(db) == []


def test_whoever_has_the_store_open_sees_the_new_content_and_writes_into_it(
    place: Path, config: Config, copy: Path, other: Database
) -> None:
    inode = place.stat().st_ino
    assert read_contents(other) == {OLD, NEW}
    restore.restore_backup(config, OPERATOR, copy)
    assert place.stat().st_ino == inode
    assert read_contents(other) == {OLD}
    add(other, memory(LATER))
    assert read_texts(place) == {OLD, LATER}
    check_sound(other)


def test_a_reader_in_the_middle_of_a_snapshot_reads_on_undisturbed(
    config: Config, copy: Path, other: Database
) -> None:
    with other.snapshot():
        assert read_contents(other) == {OLD, NEW}
        restore.restore_backup(config, OPERATOR, copy)
        assert read_contents(other) == {OLD, NEW}
    assert read_contents(other) == {OLD}


@pytest.fixture
def write_meanwhile(other: Database, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Others write and fold the log in between the long copy and the swap, but not in the swap."""
    copy_present, copy_log = restore._copy_present, restore._copy_log
    copies: list[int] = []

    def write_afterwards(reader: Database, spare: Path) -> None:
        copy_present(reader, spare)
        copies.append(1)
        for number in range(3):
            add(other, memory(f"{LATER} {number}"))
            with suppress(StoreLocked):
                other.pragma("wal_checkpoint(RESTART)")

    def try_to_write(log: Path, place: Path) -> None:
        with pytest.raises(StoreLocked), other.write(0):
            raise AssertionError("somebody could write while the store was being replaced")
        copy_log(log, place)

    monkeypatch.setattr(restore, "_copy_present", write_afterwards)
    monkeypatch.setattr(restore, "_copy_log", try_to_write)
    return copies


WRITTEN = {OLD, NEW, f"{LATER} 0", f"{LATER} 1", f"{LATER} 2"}


@pytest.mark.parametrize("is_folded", [False, True])
def test_what_is_written_between_copy_and_swap_is_kept_without_a_second_copy(
    place: Path,
    config: Config,
    copy: Path,
    other: Database,
    write_meanwhile: list[int],
    is_folded: bool,
) -> None:
    if is_folded:
        other.pragma("wal_checkpoint(TRUNCATE)")
    restore.restore_backup(config, OPERATOR, copy)
    [kept] = list_kept(place)
    assert len(write_meanwhile) == 1
    assert not kept.with_name(f"{kept.name}-wal").exists()
    assert read_texts(kept) == WRITTEN and read_texts(place) == {OLD}
    with closing(Database(kept)) as db:
        check_sound(db)


def test_a_copy_is_whole_where_the_restore_is_killed_after_the_swap(
    place: Path,
    config: Config,
    copy: Path,
    write_meanwhile: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(restore, "_fold_kept", lambda kept: None)
    restore.restore_backup(config, OPERATOR, copy)
    [kept] = list_kept(place)
    assert kept.with_name(f"{kept.name}-wal").exists()
    assert read_texts(kept) == WRITTEN and read_texts(place) == {OLD}


def test_a_restore_waits_for_a_writer_and_then_gives_up_with_nothing_changed(
    place: Path, config: Config, copy: Path, other: Database
) -> None:
    with other.write(), pytest.raises(StoreLocked, match=str(place)):
        restore.restore_backup(config, OPERATOR, copy, patience=0.05)
    assert read_texts(place) == {OLD, NEW}
    assert list_kept(place) == [] and drafts.list_drafts(config) == []


def test_a_linked_store_stays_a_link_and_everybody_sees_the_restored_one(
    place: Path, config: Config, copy: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").mkdir()
    link = tmp_path / "link" / "memory.db"
    link.symlink_to(place)
    restore.restore_backup(houses.settings(link), OPERATOR, copy)
    assert link.is_symlink() and not place.is_symlink()
    assert read_texts(place) == read_texts(link) == {OLD}
    [kept] = list_kept(place)
    assert not kept.is_symlink() and read_texts(kept) == {OLD, NEW}


def test_a_link_to_a_disk_that_is_not_there_is_refused(copy: Path, tmp_path: Path) -> None:
    link = tmp_path / "gone.db"
    link.symlink_to(tmp_path / "unmounted" / "memory.db")
    with pytest.raises(UsageError, match="is a link to"):
        restore.restore_backup(houses.settings(link), OPERATOR, copy)
    assert link.is_symlink()


def test_a_store_with_pages_of_another_size_takes_the_backup(
    place: Path, config: Config, copy: Path
) -> None:
    db = Database(place)
    db.pragma("journal_mode", "DELETE")
    db.pragma("page_size", 8192)
    db.run("erase.vacuum")
    db.close()
    restore.restore_backup(config, OPERATOR, copy)
    assert read_texts(place) == {OLD}


def overwrite_start(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"ruined" * 1000)


def overwrite_pages(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "its header overwritten": overwrite_start,
    "all pages but the first overwritten": overwrite_pages,
    "cut in the middle of a page": lambda path: os.truncate(path, path.stat().st_size // 2 + 100),
    "cut to a few bytes": lambda path: os.truncate(path, 20),
    "a text in its place": lambda path: path.write_text("no store at all"),
    "another program's journal mode": lambda path: patch(path, 18, b"\x07\x07"),
}


def patch(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_store_is_replaced_in_its_own_file_and_kept(
    place: Path, config: Config, copy: Path, damage: Callable[[Path], object]
) -> None:
    damage(place)
    before, inode = place.read_bytes(), place.stat().st_ino
    restore.restore_backup(config, OPERATOR, copy)
    assert read_texts(place) == {OLD} and place.stat().st_ino == inode
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    [kept] = list_kept(place)
    assert kept.read_bytes()[4096:] == before[4096:]
    check_sound(open_store(place, create=False))
    assert drafts.list_drafts(config) == []


def test_a_store_whose_log_is_lost_is_replaced(place: Path, config: Config, copy: Path) -> None:
    db = open_store(place, create=False)
    add(db, memory(LATER))
    for ending in ("", "-wal"):
        shutil.copyfile(f"{place}{ending}", f"{place}{ending}.aside")
    db.close()
    shutil.copyfile(f"{place}.aside", place)
    restore.restore_backup(config, OPERATOR, copy)
    assert read_texts(place) == {OLD}


def test_a_damaged_store_that_another_process_has_open_is_not_replaced_under_it(
    place: Path, config: Config, copy: Path
) -> None:
    script = (
        "import sys, pathlib; from memctl.store.migrate import open_store;"
        "db = open_store(pathlib.Path(sys.argv[1]), create=False); db.pragma('data_version');"
        "print(flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin is not None and holder.stdout is not None
    holder.stdout.readline()
    overwrite_start(place)
    before = place.read_bytes()
    with pytest.raises(StoreLocked, match="another process has it open"):
        restore.restore_backup(config, OPERATOR, copy, patience=0.05)
    assert place.read_bytes() == before and list_kept(place) == []
    holder.communicate()
    restore.restore_backup(config, OPERATOR, copy)
    assert read_texts(place) == {OLD}


def test_who_opens_a_damaged_store_while_it_is_replaced_waits_and_finds_the_new_content(
    place: Path, copy: Path, tmp_path: Path
) -> None:
    overwrite_start(place)
    probe = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], timeout=0)\n"
        "try: db.execute('SELECT count(*) FROM memories')\n"
        "except sqlite3.OperationalError as error: print(error)"
    )
    with handover._hold_alone(place, 0):
        seen = subprocess.run(
            [sys.executable, "-c", probe, str(place)], capture_output=True, text=True, check=True
        )
    assert "locked" in seen.stdout
    handover.replace_content(place, copy, tmp_path / "kept.db", 0)
    assert read_texts(place) == {OLD}


def test_a_replacement_that_was_cut_off_leaves_what_is_no_database_and_the_kept_copy(
    place: Path, config: Config, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    overwrite_start(place)
    before = place.read_bytes()

    def fail(*_given: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as cut:
        cut.setattr(handover.os, "ftruncate", fail)
        with pytest.raises(KeyboardInterrupt):
            restore.restore_backup(config, OPERATOR, copy)
    with pytest.raises(StoreDamaged):
        open_store(place, create=False)
    [kept] = list_kept(place)
    assert kept.read_bytes() == before
    restore.restore_backup(config, OPERATOR, copy)
    assert read_texts(place) == {OLD}


def test_a_full_disk_changes_nothing_and_says_so(
    place: Path, config: Config, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(*_given: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(restore.shutil, "copyfile", fill)
    with pytest.raises(StoreFull):
        restore.restore_backup(config, OPERATOR, copy)
    assert read_texts(place) == {OLD, NEW} and list_kept(place) == []


def test_an_error_about_a_backup_names_the_backup(place: Path, config: Config, copy: Path) -> None:
    for spoiled in (b"no store at all", b"", copy.read_bytes()[:30000]):
        copy.write_bytes(spoiled)
        with pytest.raises(StoreDamaged) as refused:
            restore.restore_backup(config, OPERATOR, copy)
        assert str(copy) in str(refused.value) and ".tmp" not in str(refused.value)
    assert read_texts(place) == {OLD, NEW}


def test_a_backup_that_is_being_written_is_not_taken(
    place: Path, config: Config, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copyfile = shutil.copyfile

    def write_meanwhile(source: Path, target: Path) -> None:
        copyfile(source, target)
        copy.write_bytes(copy.read_bytes() + b"more")

    monkeypatch.setattr(restore.shutil, "copyfile", write_meanwhile)
    with pytest.raises(UsageError, match="is being written"):
        restore.restore_backup(config, OPERATOR, copy)
    assert read_texts(place) == {OLD, NEW}


def test_an_empty_file_counts_as_no_store(config: Config, copy: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.db"
    empty.touch()
    report = restore.restore_backup(houses.settings(empty), OPERATOR, copy)
    assert report.text is None and read_texts(empty) == {OLD}


def test_a_refused_restore_announces_nothing_to_the_witness(
    place: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    announced: list[str] = []
    monkeypatch.setattr(witness, "announce_rewriting", lambda _config, why: announced.append(why))
    with MemoryEngine.open(place, actor="agent:testpilot") as agent:
        with pytest.raises(RefusedByPolicy):
            agent.upkeep.restore(copy)
        assert announced == []
    with MemoryEngine.open(place, actor="operator") as engine:
        engine.upkeep.restore(copy)
    assert set(announced) == {"restore of copy.db"}


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_backup_of_an_older_version_is_migrated_before_anybody_sees_it(
    place: Path, config: Config, other: Database, tmp_path: Path, version: int
) -> None:
    old = tmp_path / "old.db"
    with sqlite3.connect(old) as made:
        made.executescript((STORES / f"{version:04}.sql").read_text())
    made.close()
    restore.restore_backup(config, OPERATOR, old)
    assert other.pragma("user_version") == migrate.get_latest_version()
    assert read_contents(other) and read_contents(other) == read_texts(place)
    add(other, memory(LATER))
    check_sound(other)


# -- beside real commands -------------------------------------------------------------------------


RESTORER = """
import sys
from pathlib import Path
from memctl import MemoryEngine
with MemoryEngine.open(sys.argv[1], actor="operator") as engine:
    engine.upkeep.restore(Path(sys.argv[2]))
"""


class Loop(threading.Thread):
    """Runs one command after the other until told to stop; `told` is what was acknowledged."""

    def __init__(self, run: Callable[[int], str | None], stop: threading.Event) -> None:
        super().__init__()
        self._call, self._stop_asked = run, stop
        self.told: list[str] = []
        self.failure: AssertionError | None = None

    def run(self) -> None:
        try:
            for number in itertools.count():
                said = self._call(number)
                self.told += [said] if said is not None else []
                if self._stop_asked.is_set():
                    return
        except AssertionError as error:
            self.failure = error


def run_beside_restores(place: Path, copy: Path, folder: Path, restores: int) -> list[Loop]:
    """Restore `restores` times while loops of real commands write."""

    def call(*args: object) -> bool:
        done = subprocess.run(
            [sys.executable, "-m", "memctl", "--db", str(place), *map(str, args)],
            capture_output=True,
            check=False,
        )
        # Busy, or cut through by a restore: nothing was acknowledged. A command that ended at the
        # moment of the swap may also tell that another store stands there now.
        is_told = b"`memctl doctor` says more" in done.stderr
        assert is_told or done.returncode in (0, StoreLocked.exit_code), done.stderr.decode()
        return done.returncode == 0

    def ingest(name: str, number: int) -> str | None:
        words = f"Writer {name} wrote down number {number} of the tide"
        return words if call("ingest", words, "--scope", "global") else None

    def capture(number: int) -> str | None:
        session = f"5e551011-0000-4000-8000-{number:012d}"
        file = folder / f"{session}.jsonl"
        file.write_bytes(jsonl(("user", f"tide {number}"), ("assistant", "ok"), session=session))
        return session if call("capture-session", file) else None

    stop = threading.Event()
    loops = [
        Loop(lambda number: ingest("one", number), stop),
        Loop(lambda number: ingest("two", number), stop),
        Loop(capture, stop),
    ]
    for loop in loops:
        loop.start()
    for _ in range(restores):
        subprocess.run([sys.executable, "-c", RESTORER, str(place), str(copy)], check=True)
    stop.set()
    for loop in loops:
        loop.join()
    return loops


def read_everything(place: Path) -> set[str]:
    """Every text and session in the store, in the kept copies and in the spool."""
    found: set[str] = set()
    for path in (place, *list_kept(place)):
        db = open_store(path, create=False)
        check_sound(db)
        found |= read_contents(db) | {row["session_id"] for row in db.all("erase.read_sources")}
        db.close()
    spool = place.with_name(f"{place.name}.spool")
    waiting = [file.read_text() for file in spool.glob("*.json")] if spool.is_dir() else []
    return found | {
        f"5e551011-0000-4000-8000-{number:012d}"
        for number in range(1000)
        for text in waiting
        if f"5e551011-0000-4000-8000-{number:012d}" in text
    }


def test_restores_beside_writing_commands_lose_nothing_that_was_acknowledged(
    place: Path, copy: Path, tmp_path: Path
) -> None:
    loops = run_beside_restores(place, copy, tmp_path, restores=3)
    told = {words for loop in loops for words in loop.told}
    assert told and [loop.failure for loop in loops if loop.failure] == []
    assert told - read_everything(place) == set()


@pytest.mark.proof
@pytest.mark.parametrize("attempt", range(5))
def test_eight_restores_beside_three_writers_lose_nothing_and_damage_nothing(
    place: Path, copy: Path, tmp_path: Path, attempt: int
) -> None:
    loops = run_beside_restores(place, copy, tmp_path, restores=8)
    told = {words for loop in loops for words in loop.told}
    lost = told - read_everything(place)
    print(f"round {attempt}: {len(told)} acknowledged, {len(lost)} lost, 8 restores")
    assert told and not lost and [loop.failure for loop in loops if loop.failure] == []
    assert sqlite3.connect(place).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert len(list_kept(place)) == 8
