"""Whatever changes behind memctl's back, in any column of any table, is seen by `doctor`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memctl.core import process_identity
from memctl.maintain import doctor
from memctl.settings.config import Config
from memctl.store import checksums, meta, row_checks, statements
from memctl.store.database import Database, sqlite_library
from memctl.store.migrate import open_store
from tests.exchange import houses
from tests.exchange.houses import furnished

# Tables that are derived from the records and compared with them, each by its own check.
DERIVED = {"memories_fts", "turns_fts"}
# What has its own hash or chain.
HASHED_OTHERWISE = {"memories", "memory_events"}


def read_columns() -> list[tuple[str, str]]:
    """Every table and column of the present schema."""
    db = Database(Path(":memory:"))
    try:
        for _, script in statements.list_migrations():
            db.script(script.read_text(encoding="utf-8"))
        tables = [row["name"] for row in db.all("upkeep.objects") if row["type"] == "table"]
        return [
            (table, row["name"])
            for table in tables
            for row in db.all("checksums.columns", table=table)
        ]
    finally:
        db.close()


COLUMNS = read_columns()
OPEN = {(table, column) for table, names in checksums.OPEN.items() for column in names}


def test_every_table_has_a_checksum_or_another_proof_of_its_content() -> None:
    with_checksum = {table for table, column in COLUMNS if column == checksums.COLUMN}
    assert with_checksum == set(checksums.TABLES)
    assert {table for table, _ in COLUMNS} - with_checksum == DERIVED | HASHED_OTHERWISE


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with at least one row in every table."""
    path = Path(tmp_path_factory.mktemp("sweep")) / "memory.db"
    db = furnished(path)
    with db.write():
        for table in checksums.TABLES:
            if not db._conn.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone():
                insert_any(db, table)
    db._conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return path


# Values that fit where a column refers to others or takes few.
FITTING: dict[str, Any] = {
    "verdict": "good",
    "state": "done",
    "kind": "import",
    "dimensions": 3,
    "model_id": 1,
    "memory_n": 1,
    "audience": "own",
}
LISTS = {("memory_documents", "lines"), ("memory_documents", "diary"), ("sync_changes", "parents")}


def insert_any(db: Database, table: str) -> None:
    """Insert a row as memctl would, with any content."""
    checksums.add_function(db._conn)
    checksums.watch_table(db._conn, table, "checksums.watch_inserts")
    kinds = {
        "citations": "path",
        "proposals": "mute",
        "saved_views": "search",
        "sync_places": "folder",
    }
    row = {}
    for column in db.all("checksums.columns", table=table):
        name = column["name"]
        if name in ("memory_id", "newer_id"):
            row[name] = db._conn.execute("SELECT id FROM memories LIMIT 1").fetchone()[0]
        elif (table, name) in (("turn_sources", "source_id"), ("turn_sources", "turns_hash")):
            column_of_source = "id" if name == "source_id" else name
            found = db._conn.execute(f"SELECT {column_of_source} FROM sources LIMIT 1").fetchone()
            row[name] = found[0]
        elif name in ("project_id", "from_project", "to_project"):
            row[name] = db._conn.execute("SELECT id FROM projects LIMIT 1").fetchone()[0]
        elif name == "kind":
            row[name] = kinds.get(table, "import")
        elif (table, name) in LISTS:
            row[name] = "[]"
        elif (table, name) == ("sync_sets", "place"):
            row[name] = "x"
        elif (table, name) == ("sync_projects", "here"):
            row[name] = db._conn.execute("SELECT id FROM projects LIMIT 1").fetchone()[0]
        elif (table, name) == ("unfinished_operations", "data"):
            row[name] = "{}"
        elif name == "worker":  # One that lives: nothing was cut off.
            row[name] = json.dumps(
                {**process_identity.describe_process(), "until": "9999-12-31T00:00:00.000Z"}
            )
        elif name == "state":
            known = {
                "citations": "here",
                "proposals": "open",
                "memory_documents": "past",
                "sync_changes": "taken",
            }
            row[name] = known.get(table, "done")
        elif name == "indexed":
            row[name] = 0
        elif name not in (checksums.COLUMN, "adopted_into", "merged_into", "previous_id"):
            row[name] = FITTING.get(name, 1 if column["type"] != "TEXT" else "x")
            if column["type"] == "BLOB":
                row[name] = b"\1\2\3"
    names = ", ".join(row)
    values = ", ".join(f":{name}" for name in row)
    db._conn.execute(f"INSERT INTO {table} ({names}) VALUES ({values})", row)


def open_raw(path: Path) -> Any:
    """Open a store as another program would: nothing of memctl is at work."""
    connection = sqlite_library().connect(str(path), isolation_level=None)
    connection.executescript("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;")
    return connection


def change_one_value(path: Path, table: str, column: str) -> bool:
    """Change one value to another one of its type; False if the schema lets none in."""
    raw = open_raw(path)
    kind = {row[1]: row[2] for row in raw.execute(f"PRAGMA table_info({table})")}[column]
    (present,) = raw.execute(
        f"SELECT {column} FROM {table} ORDER BY {column} IS NULL LIMIT 1"
    ).fetchone()
    if kind == "INTEGER":
        other: Any = (present or 0) + 1000
    elif kind == "REAL":
        other = (present or 0.0) / 2 + 0.03
    elif kind == "BLOB":
        other = bytes([(present or b"\0")[0] ^ 1]) + (present or b"\0")[1:]
    else:
        other = (present or "") + "!"
    triggers = raw.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        raw.execute(f"DROP TRIGGER {name}")
    changed = raw.execute(
        f"UPDATE {table} SET {column} = ? WHERE {column} IS ? "
        f"AND NOT EXISTS (SELECT 1 FROM {table} AS b WHERE b.{column} = ?)",
        (other, present, other),
    ).rowcount
    for _, text in triggers:
        raw.execute(text)
    raw.close()
    return bool(changed > 0)


def copy_store(source: Path, folder: Path) -> Config:
    path = folder / "memory.db"
    shutil.copyfile(source, path)
    path.chmod(0o600)
    return houses.settings(path)


def find_problems(config: Config) -> set[str]:
    report = doctor.doctor(config, repair=False)
    return {check.name for check in report.checks if check.state == "problem"} - FOLLOWS


# What is said of a store that meets others at a place, and has no key to do so.
FOLLOWS = {"network", "sync_group"}
SWEPT = [
    each
    for each in COLUMNS
    if each not in OPEN and each[0] not in DERIVED and each[1] != checksums.COLUMN
]


def test_what_nobody_changed_is_no_problem(filled: Path, tmp_path: Path) -> None:
    assert find_problems(copy_store(filled, tmp_path)) == set()


@pytest.mark.parametrize(("table", "column"), SWEPT, ids=[".".join(each) for each in SWEPT])
def test_a_value_changed_behind_its_back_is_seen(
    filled: Path, tmp_path: Path, table: str, column: str
) -> None:
    config = copy_store(filled, tmp_path)
    assert change_one_value(config.db, table, column)
    assert find_problems(config)


@pytest.mark.parametrize("table", checksums.TABLES)
def test_a_checksum_that_was_changed_or_taken_away_is_seen(
    filled: Path, tmp_path: Path, table: str
) -> None:
    config = copy_store(filled, tmp_path)
    for value in ("checksum + 1", "NULL"):
        raw = open_raw(config.db)
        raw.execute(f"UPDATE {table} SET checksum = {value}")
        raw.close()
        db = open_store(config.db, create=False)
        assert row_checks.find_wrong_rows(db, table)
        db.close()


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    opened = furnished(tmp_path / "own.db")
    yield opened
    opened.close()


def test_every_flipped_bit_of_stored_turns_is_seen(db: Database) -> None:
    source_id, part, turns = db._conn.execute(
        "SELECT source_id, part, turns FROM source_parts LIMIT 1"
    ).fetchone()
    raw = open_raw(db.path)
    for place in range(0, len(turns) * 8, 5):
        flipped = bytearray(turns)
        flipped[place // 8] ^= 1 << place % 8
        raw.execute(
            "UPDATE source_parts SET turns = ? WHERE source_id = ? AND part = ?",
            (bytes(flipped), source_id, part),
        )
        (wrong,) = row_checks.find_wrong_rows(db, "source_parts")
        assert wrong.key == (source_id, part)
    raw.close()


def test_what_memctl_writes_keeps_its_checksums(db: Database) -> None:
    with db.write():
        meta.put_note(db, "a", "1")
        meta.put_note(db, "a", "2")
    assert [
        each for name in checksums.TABLES for each in row_checks.find_wrong_rows(db, name)
    ] == []


def test_a_transaction_that_was_rolled_back_leaves_the_next_one_its_checksums(db: Database) -> None:
    with pytest.raises(KeyError), db.write():
        meta.put_note(db, "a", "1")
        raise KeyError
    with db.write():
        meta.put_note(db, "b", "2")
    assert row_checks.find_wrong_rows(db, "meta") == []


def test_a_transaction_that_sqlite_rolled_back_by_itself_does_so_too(db: Database) -> None:
    with pytest.raises(OSError), db.write():
        meta.put_note(db, "a", "1")
        # What SQLite does after some errors of the disk.
        db._conn.execute("ROLLBACK")
        raise OSError
    with db.write():
        meta.put_note(db, "a", "2")
        meta.put_note(db, "a", "3")
    assert row_checks.find_wrong_rows(db, "meta") == []


def test_rows_of_an_older_version_get_their_checksums_in_short_transactions(db: Database) -> None:
    raw = open_raw(db.path)
    for table in checksums.TABLES:
        raw.execute(f"UPDATE {table} SET checksum = NULL")
    raw.execute("DELETE FROM meta WHERE key = 'checksums_complete'")
    raw.close()
    assert row_checks.count_unfilled(db) == 1
    assert row_checks.find_wrong_rows(db, "sources") == []
    for table in checksums.TABLES:
        list(row_checks.iterate_fills(db, table))
    with db.write():
        row_checks.note_complete(db)
    assert row_checks.count_unfilled(db) == 0
    assert [
        each for name in checksums.TABLES for each in row_checks.find_wrong_rows(db, name)
    ] == []
