"""Upgrading an old store: the same as SQLite would make of the migrations' text, without keeping
others from writing while every row is read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl.store import chunks, migrate, statements, upgrade, upgrade_draft, upkeep
from memctl.store.database import Database, OperationalError, sqlite_library
from memctl.store.migrate import open_store

STORES = Path(__file__).parent / "stores"
OLD = pytest.mark.parametrize("old", sorted(STORES.glob("*.sql")), ids=lambda path: path.stem)


def make(path: Path, old: Path, *, records: int = 0, mentioned: int = 0) -> Any:
    """A store as an earlier version left it, with more records, each with a number of entities."""
    raw = sqlite_library().connect(str(path), isolation_level=None)
    raw.executescript(old.read_text())
    raw.execute("PRAGMA journal_mode = WAL")
    columns = [row[1] for row in raw.execute("PRAGMA table_info(memories)")]
    own = {"n": "NULL", "id": "'M' || printf('%06d', value)"}
    copied = ", ".join(own.get(column, column) for column in columns)
    raw.execute("BEGIN")
    raw.execute(
        "WITH RECURSIVE generate (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM generate "
        f"WHERE value < {records}) INSERT INTO memories ({', '.join(columns)}) SELECT {copied} "
        f"FROM generate, (SELECT * FROM memories LIMIT 1) WHERE {records}"
    )
    for number in range(mentioned):
        raw.execute(
            "INSERT INTO entities (id, kind, name, created_at) VALUES (?, 'person', ?, ?)",
            (f"E{number}", f"Name {number}", "2026-01-01T00:00:00.000Z"),
        )
    raw.execute(
        "INSERT INTO memory_entities (memory_id, entity_id) SELECT m.id, e.id "
        "FROM memories AS m, entities AS e WHERE m.id LIKE 'M%' AND e.id LIKE 'E%'"
    )
    raw.execute("COMMIT")
    return raw


def upgrade_as_written(path: Path) -> None:
    """What SQLite makes of the text of the migrations."""
    raw = sqlite_library().connect(str(path), isolation_level=None)
    (version,) = raw.execute("PRAGMA user_version").fetchone()
    for number, script in statements.list_migrations():
        if number > version:
            raw.executescript(script.read_text(encoding="utf-8"))
    raw.close()


def read_all(path: Path) -> dict[str, list[Any]]:
    """The schema and every row of every ordinary table."""
    raw = sqlite_library().connect(str(path))
    found = {
        "": sorted(raw.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"), key=str)
    }
    for kind, name, _, sql in found[""]:
        if kind == "table" and "VIRTUAL" not in str(sql) and "memories_vec" not in name:
            found[name] = sorted(raw.execute(f'SELECT * FROM "{name}"'), key=str)
    assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert raw.execute("PRAGMA foreign_key_check").fetchall() == []
    raw.close()
    return found


def upgrade_both(tmp_path: Path, old: Path, **more: int) -> tuple[Path, Path]:
    """One store upgraded as the text says, and one by memctl."""
    written, carried = tmp_path / "written.db", tmp_path / "carried.db"
    for path in (written, carried):
        make(path, old, **more).close()
    upgrade_as_written(written)
    open_store(carried, create=False).close()
    return written, carried


@OLD
def test_an_upgraded_store_is_what_the_text_of_the_migrations_says(
    tmp_path: Path, old: Path
) -> None:
    written, carried = upgrade_both(
        tmp_path, old, records=40, mentioned=3 if old.stem < "0003" else 0
    )
    assert read_all(carried) == read_all(written)


@OLD
def test_a_sqlite_that_forbids_changes_of_definitions_upgrades_too(
    tmp_path: Path, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(db: Database, changes: object) -> None:
        raise OperationalError("table sqlite_master may not be modified")

    monkeypatch.setattr(upgrade, "_change_definitions", refuse)
    written, carried = upgrade_both(tmp_path, old, records=5)
    assert read_all(carried) == read_all(written)


def count_steps(monkeypatch: pytest.MonkeyPatch, path: Path) -> int:
    """The steps of SQLite's machine in the longest migration, in hundreds."""
    counted: list[int] = []
    carry_out = upgrade.carry_out

    def count(db: Database, number: int, script: str) -> None:
        steps = [0]

        def tick() -> None:
            steps[0] += 1

        db._conn.set_progress_handler(tick, 100)
        carry_out(db, number, script)
        db._conn.set_progress_handler(None, 100)
        counted.append(steps[0])

    with monkeypatch.context() as patch:
        patch.setattr(upgrade, "carry_out", count)
        open_store(path, create=False).close()
    return max(counted)


def test_a_new_column_costs_the_same_whatever_the_store_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = []
    for records in (10, 2000):
        make(tmp_path / f"{records}.db", STORES / "0003.sql", records=records).close()
        steps.append(count_steps(monkeypatch, tmp_path / f"{records}.db"))
    assert steps[1] <= steps[0] + 2, "2,000 records are read again"


def be_slow(monkeypatch: pytest.MonkeyPatch, at_each_pause: Callable[[int], None]) -> None:
    """Two mentions in each short transaction; something happens after each of them."""
    pauses = [0]

    def pause() -> None:
        pauses[0] += 1
        at_each_pause(pauses[0])

    ticks = iter(range(10**9))
    monkeypatch.setattr(upgrade_draft, "_PIECE", 2)
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 0.5)
    monkeypatch.setattr(upgrade_draft.clock, "read_monotonic", lambda: float(next(ticks)) / 2)
    monkeypatch.setattr(chunks, "pause_between_chunks", pause)


CHANGES = (
    "INSERT INTO memory_entities VALUES ('M000001', 'NEW')",
    "INSERT INTO memory_entities VALUES ('M000029', 'NEW')",
    "DELETE FROM memory_entities WHERE memory_id = 'M000002'",
    "DELETE FROM memory_entities WHERE memory_id = 'M000030'",
    "UPDATE memory_entities SET entity_id = 'NEW' WHERE memory_id = 'M000003' AND entity_id = 'E0'",
    "UPDATE entities SET name = 'Another' WHERE id = 'E1'",
)


def test_what_an_earlier_version_writes_while_a_store_is_upgraded_is_there_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, carried = tmp_path / "written.db", tmp_path / "carried.db"
    others = [
        make(path, STORES / "0002.sql", records=30, mentioned=2) for path in (written, carried)
    ]
    for other in others:
        other.execute("PRAGMA foreign_keys = ON")
        other.execute(
            "INSERT INTO entities VALUES ('NEW', 'person', 'New', '2026-01-01T00:00:00Z')"
        )

    def write(number: int) -> None:
        if number == 10:
            for other in others:
                for change in CHANGES:
                    other.execute(change)

    be_slow(monkeypatch, write)
    open_store(carried, create=False).close()
    for other in others:
        other.close()
    upgrade_as_written(written)
    assert read_all(carried) == read_all(written)
    assert ("M000001", "NEW", "New", None) in read_all(carried)["memory_entities"]


def test_an_upgrade_that_was_cut_off_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, carried = tmp_path / "written.db", tmp_path / "carried.db"
    for path in (written, carried):
        make(path, STORES / "0002.sql", records=30, mentioned=2).close()

    def stop(number: int) -> None:
        if number == 8:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        be_slow(patch, stop)
        with pytest.raises(KeyboardInterrupt):
            open_store(carried, create=False)
    half = sqlite3.connect(carried)
    assert half.execute("PRAGMA user_version").fetchone() == (2,)
    copied = half.execute("SELECT count(*) FROM mentions").fetchone()[0]
    assert 0 < copied < half.execute("SELECT count(*) FROM memory_entities").fetchone()[0]
    half.close()
    db = Database(carried)
    assert upkeep.find_strange_objects(db, 2) == [], "a copy of it can be restored"
    db.close()
    open_store(carried, create=False).close()
    upgrade_as_written(written)
    assert read_all(carried) == read_all(written)


def test_two_that_upgrade_at_once_share_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, carried = tmp_path / "written.db", tmp_path / "carried.db"
    for path in (written, carried):
        make(path, STORES / "0002.sql", records=30, mentioned=2).close()

    def meet(number: int) -> None:
        if number == 5:
            monkeypatch.setattr(chunks, "pause_between_chunks", lambda: None)
            open_store(carried, create=False).close()

    be_slow(monkeypatch, meet)
    db = open_store(carried, create=False)
    assert db.pragma("user_version") == migrate.get_latest_version()
    db.close()
    upgrade_as_written(written)
    assert read_all(carried) == read_all(written)
