"""A backup is whole, private and checked; a restore replaces only by what it has checked, and
keeps what was there.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memctl.core import clock
from memctl.core.errors import (
    RefusedByPolicy,
    StoreDamaged,
    StoreFull,
    StoreTooNew,
    UsageError,
)
from memctl.core.frozen import replace
from memctl.core.model import Filter
from memctl.engine.memory_engine import MemoryEngine
from memctl.settings.config import Config
from memctl.store import backup, drafts, records, restore, upkeep
from memctl.store.database import Database
from memctl.store.migrate import open_store
from tests.exchange import houses
from tests.exchange.houses import AGENT, OPERATOR, add, exported, memory


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the store stands."""
    return tmp_path / "store" / "memory.db"


@pytest.fixture
def db(place: Path) -> Iterator[Database]:
    store = open_store(place, create=True)
    add(store, memory("The lighthouse blinks twice"))
    yield store
    store.close()


@pytest.fixture
def config(place: Path) -> Config:
    return houses.settings(place)


def texts(path: Path) -> set[str]:
    """The contents of the records of a store."""
    db = open_store(path, create=False)
    try:
        return {each.content for each in records.select_records(db, Filter())}
    finally:
        db.close()


def saved(db: Database, config: Config) -> Path:
    return Path(backup.make_backup(db, config, None).path)


def test_a_backup_is_a_whole_private_store_of_its_own(db: Database, config: Config) -> None:
    path = saved(db, config)
    assert (
        stat.S_IMODE(path.stat().st_mode) == 0o600
        and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    )
    copy = open_store(path, create=False)
    assert exported(copy) == exported(db)
    assert (
        upkeep.find_drifted(copy) == ([], [])
        and upkeep.index_is_sound(copy)
        and copy.pragma("journal_mode") == "wal"
    )
    copy.close()
    assert sorted(each.name for each in path.parent.iterdir()) == [path.name]


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_a_backup_is_private_under_any_umask(db: Database, config: Config, umask: int) -> None:
    old = os.umask(umask)
    try:
        path = saved(db, config)
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_backup_goes_where_it_is_told(db: Database, config: Config, tmp_path: Path) -> None:
    target = tmp_path / "here.db"
    report = backup.make_backup(db, config, target)
    assert report.path == str(target) and report.counts["memories"] == {"copied": 1}
    assert texts(target) == {"The lighthouse blinks twice"}
    with pytest.raises(UsageError):
        backup.make_backup(db, config, config.db)
    with pytest.raises(UsageError):
        backup.make_backup(db, config, tmp_path / "missing" / "here.db")


def test_a_path_that_is_no_text_is_refused_in_a_line(
    db: Database, config: Config, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="UTF-8"):
        backup.make_backup(db, config, tmp_path / os.fsdecode(b"odd\xff") / "copy.db")


def test_a_store_at_a_path_that_is_no_text_is_copied_to_one_that_is(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"odd\xff")
    folder.mkdir()
    with MemoryEngine.open(folder / "memory.db", actor="operator") as engine:
        engine.create_store()
        with pytest.raises(UsageError, match="text in UTF-8") as refused:
            engine.upkeep.backup()
        assert refused.value.hint == "name one: memctl backup PATH"
        assert engine.upkeep.backup(tmp_path / "copy.db").path == str(tmp_path / "copy.db")


def test_only_the_newest_automatic_backups_are_kept(db: Database, config: Config) -> None:
    few = replace_setting(config, "backup.keep", 2)
    paths = [saved(db, few) for _ in range(4)]
    assert sorted(config.backups.iterdir()) == sorted(paths[-2:])


@pytest.mark.parametrize("first", ["2028-01-02T03:04:05.678Z", "9021-01-02T03:04:05.678Z"])
def test_the_copy_just_made_is_kept_after_a_clock_that_was_ahead(
    db: Database, config: Config, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    few = replace_setting(config, "backup.keep", 2)
    monkeypatch.setattr(clock, "now", lambda: first)
    ahead = [saved(db, few) for _ in range(2)]
    for now in ("2026-11-28T16:37:05.371Z", "1970-01-01T00:00:00.000Z"):
        monkeypatch.setattr(clock, "now", lambda now=now: now)
        report = backup.make_backup(db, few, None)
        made = Path(report.path)
        assert texts(made) == {"The lighthouse blinks twice"}
        assert list(report.removed) == [str(ahead.pop(0))]
        assert sorted(config.backups.iterdir()) == sorted([*ahead, made])
        ahead.append(made)


def test_copies_of_an_earlier_version_go_before_numbered_ones(db: Database, config: Config) -> None:
    few = replace_setting(config, "backup.keep", 2)
    first = saved(db, few)
    (config.backups / "2028-01-02T03-04-05.678Z.db").write_bytes(first.read_bytes())
    second = saved(db, few)
    assert sorted(config.backups.iterdir()) == sorted([first, second])


def test_a_copy_that_somebody_asked_for_is_never_removed(db: Database, config: Config) -> None:
    few = replace_setting(config, "backup.keep", 1)
    config.backups.mkdir()
    named = [
        config.backups / "2026-before-the-upgrade.db",
        config.backups / "2020-01-02T03-04-05.678Z.db",
        config.backups / "1.db",
    ]
    for path in named:
        backup.make_backup(db, few, path)
    repairs = [Path(backup.copy_unchecked(db, few)) for _ in range(2)]
    made = [saved(db, few) for _ in range(3)]
    assert sorted(config.backups.iterdir()) == sorted([*named, repairs[-1], made[-1]])


@pytest.mark.parametrize("keep", [0, -5])
def test_the_copy_just_made_is_there_whatever_the_setting(
    db: Database, config: Config, keep: int
) -> None:
    report = backup.make_backup(db, replace_setting(config, "backup.keep", keep), None)
    assert Path(report.path).is_file() and report.removed == ()


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_told_as_such_and_leaves_nothing(
    db: Database, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    def fill(_path: Path) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(drafts, "touch_private", fill)
    with pytest.raises(StoreFull, match=r"copy\.db"):
        backup.make_backup(db, config, tmp_path / "copy.db")
    assert [path for path in tmp_path.rglob("*copy.db*") if path.is_file()] == []
    assert list(drafts.locate_notes(config).iterdir()) == []


def replace_setting(config: Config, key: str, value: object) -> Config:
    return replace(config, values={**config.values, key: value})


def test_a_backup_among_writers_is_one_moment_of_the_store(
    db: Database, config: Config, place: Path
) -> None:
    stop = threading.Event()

    def write() -> None:
        own = open_store(place, create=False)
        while not stop.is_set():
            add(own, memory("Noise"))
        own.close()

    writers = [threading.Thread(target=write) for _ in range(3)]
    for each in writers:
        each.start()
    try:
        paths = [saved(db, config) for _ in range(3)]
    finally:
        stop.set()
        for each in writers:
            each.join()
    for path in paths:
        copy = open_store(path, create=False)
        assert (
            upkeep.find_structure_faults(copy) == []
            and upkeep.find_dangling(copy) == []
            and upkeep.find_unindexed(copy) == []
        )
        copy.close()


def test_a_copy_for_which_sqlite_finds_no_room_names_the_copy(
    db: Database, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(store: Database, _draft: Path) -> None:
        raise StoreFull(f"{store.path}: no room is left on the disk for it")

    monkeypatch.setattr(upkeep, "copy_into", fill)
    with pytest.raises(StoreFull) as refused:
        backup.make_backup(db, config, tmp_path / "copy.db")
    assert str(refused.value).startswith(f"{tmp_path / 'copy.db'}: no room")


def test_a_restore_brings_back_what_was_and_keeps_what_is(
    db: Database, config: Config, place: Path
) -> None:
    path = saved(db, config)
    add(db, memory("The lighthouse is gone"))
    db.close()
    report = restore.restore_backup(config, OPERATOR, path)
    assert texts(place) == {"The lighthouse blinks twice"}
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    (kept,) = place.parent.glob("memory.db.before-restore-*")
    assert texts(kept) == {"The lighthouse blinks twice", "The lighthouse is gone"}
    assert report.text and str(kept) in report.text
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert path.exists()


def test_rows_that_only_the_log_holds_are_kept_too(
    db: Database, config: Config, place: Path
) -> None:
    path = saved(db, config)
    add(db, memory("The lighthouse is gone"))
    assert place.with_name("memory.db-wal").stat().st_size > 0
    restore.restore_backup(config, OPERATOR, path)
    db.close()
    (kept,) = [
        each
        for each in place.parent.glob("memory.db.before-restore-*")
        if not each.name.endswith(("-wal", "-shm"))
    ]
    assert "The lighthouse is gone" in texts(kept)
    assert texts(place) == {"The lighthouse blinks twice"}


def test_a_copied_live_store_is_restored_with_its_log(
    db: Database, config: Config, place: Path, tmp_path: Path
) -> None:
    add(db, memory("Only in the log"))
    for ending in ("", "-wal"):
        shutil.copyfile(f"{place}{ending}", tmp_path / f"copy.db{ending}")
    db.close()
    restore.restore_backup(config, OPERATOR, tmp_path / "copy.db")
    assert "Only in the log" in texts(place)


def test_a_stale_log_beside_no_store_is_not_taken_for_the_new_ones(
    db: Database, config: Config, place: Path
) -> None:
    path = saved(db, config)
    add(db, memory("The lighthouse is gone"))
    log = place.with_name("memory.db-wal").read_bytes()
    db.close()
    place.unlink()
    place.with_name("memory.db-wal").write_bytes(log)
    restore.restore_backup(config, OPERATOR, path)
    assert texts(place) == {"The lighthouse blinks twice"}


def test_a_restore_where_no_store_is_makes_one_for_the_operator_alone(
    db: Database, config: Config, tmp_path: Path
) -> None:
    path = saved(db, config)
    elsewhere = houses.settings(tmp_path / "new" / "house.db")
    with pytest.raises(RefusedByPolicy):
        restore.restore_backup(elsewhere, AGENT, path)
    assert not elsewhere.db.exists()
    restore.restore_backup(elsewhere, OPERATOR, path)
    assert texts(elsewhere.db) == {"The lighthouse blinks twice"}
    assert stat.S_IMODE(elsewhere.db.parent.stat().st_mode) == 0o700


def test_only_the_operator_replaces_a_store(db: Database, config: Config) -> None:
    path = saved(db, config)
    with pytest.raises(RefusedByPolicy):
        restore.restore_backup(config, AGENT, path)


def spoil(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:8192] = b"\xa5" * 4096
    path.write_bytes(data)


def altered(statement: str):
    def alter(path: Path) -> None:
        db = Database(path)
        db.script(statement)
        db.close()

    return alter


REFUSED = {
    "a damaged page": (spoil, StoreDamaged),
    "half a file": (
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        StoreDamaged,
    ),
    "a text": (lambda path: path.write_text("no store at all"), StoreDamaged),
    "an empty file": (lambda path: path.write_bytes(b""), StoreDamaged),
    "a newer store": (altered("PRAGMA user_version = 99"), StoreTooNew),
    "another program's database": (altered("PRAGMA application_id = 7"), StoreDamaged),
    "a foreign trigger": (
        altered(
            "CREATE TRIGGER up AFTER INSERT ON memories BEGIN UPDATE memories SET trust = 5; END"
        ),
        StoreDamaged,
    ),
    "a foreign view": (altered("CREATE VIEW spy AS SELECT content FROM memories"), StoreDamaged),
    "a foreign table": (altered("CREATE TABLE spy (content)"), StoreDamaged),
    "a foreign virtual table": (altered("CREATE VIRTUAL TABLE spy USING fts5 (c)"), StoreDamaged),
    "a missing table": (altered("DROP TABLE tombstones"), StoreDamaged),
    "a stream without its guard": (altered("DROP TRIGGER memory_events_no_update"), StoreDamaged),
}


@pytest.mark.parametrize(("spoiled", "error"), REFUSED.values(), ids=REFUSED)
def test_a_backup_that_is_not_whole_replaces_nothing(
    db: Database, config: Config, place: Path, spoiled, error
) -> None:
    path = saved(db, config)
    add(db, memory("The lighthouse is gone"))
    db.close()
    spoiled(path)
    with pytest.raises(error):
        restore.restore_backup(config, OPERATOR, path)
    assert texts(place) == {"The lighthouse blinks twice", "The lighthouse is gone"}
    assert sorted(each.name for each in place.parent.iterdir()) == [
        "memory.db",
        "memory.db.backups",
        "memory.db.drafts",
    ]
    assert list(drafts.locate_notes(config).iterdir()) == []


def test_a_damaged_store_can_be_replaced_and_is_kept(
    db: Database, config: Config, place: Path
) -> None:
    path = saved(db, config)
    db.close()
    place.write_bytes(b"ruined" * 1000)
    restore.restore_backup(config, OPERATOR, path)
    assert texts(place) == {"The lighthouse blinks twice"}
    (kept,) = place.parent.glob("memory.db.before-restore-*")
    assert kept.read_bytes() == b"ruined" * 1000


def test_a_missing_backup_is_a_usage_error(db: Database, config: Config, tmp_path: Path) -> None:
    for path in (tmp_path / "missing.db", tmp_path, config.db):
        with pytest.raises(UsageError):
            restore.restore_backup(config, OPERATOR, path)
