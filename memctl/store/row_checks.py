"""Rows compared with their checksums, and checksums for the rows of an older version."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any
from memctl.store import checksums, meta
from memctl.store.database import Database, Row

# The note that every row has its checksum.
COMPLETE = "checksums_complete"
# Faults named of one table, at most; rows filled in one transaction. Chosen by hand.
_MOST_NAMED = 20
_BATCH = 100


@dataclass(frozen=True, slots=True)
class WrongRow:
    """A row that does not match its checksum, or has none where all have one."""

    table: str
    key: tuple[Any, ...]

    def describe(self) -> str:
        """Return how the row is named to a person."""
        return f"{self.table} {' '.join(map(str, self.key))}"


def find_wrong_rows(db: Database, table: str) -> list[WrongRow]:
    """Return the first rows of a table that were changed behind memctl's back or damaged.

    A table that is gone has none; the check of the schema names it.
    """
    if not _read_columns(db, table):
        return []
    found = _find_rows(db, table, missing=False)
    if meta.get_note(db, COMPLETE):
        found += _find_rows(db, table, missing=True)
    return found


def count_unfilled(db: Database) -> int:
    """Return 1 while rows of an older version may have no checksum, else 0."""
    return int(not meta.get_note(db, COMPLETE))


def iterate_fills(db: Database, table: str) -> Iterator[int]:
    """Give the rows of a table their checksums, in short transactions; yield the rows of each."""
    after = checksums.list_lowest(_read_columns(db, table))
    while True:
        start = _name_values("after", after)
        keys = db.check_rows("checksums.next", table, **start, limit=_BATCH)
        if not keys:
            return
        last = _read_key(keys[-1])
        with db.write():
            db.check_rows("checksums.fill", table, **start, **_name_values("last", last))
        yield len(keys)
        after = last


def note_complete(db: Database) -> None:
    """Note that every row has its checksum; inside `write()`."""
    meta.put_note(db, COMPLETE, "1")


def _find_rows(db: Database, table: str, *, missing: bool) -> list[WrongRow]:
    after = checksums.list_lowest(_read_columns(db, table))
    rows = db.check_rows(
        "checksums.wrong",
        table,
        **_name_values("after", after),
        missing=missing,
        limit=_MOST_NAMED,
    )
    return [WrongRow(table, tuple(_read_key(row))) for row in rows]


def _read_columns(db: Database, table: str) -> list[Row]:
    return db.all("checksums.columns", table=table)


def _read_key(row: Row) -> list[Any]:
    return list(row)


def _name_values(name: str, values: list[Any]) -> dict[str, Any]:
    return {f"{name}_{number}": value for number, value in enumerate(values)}
