"""Records and entities as entries of a tree of folders: no more of each than that needs."""

from __future__ import annotations

from memctl.core.frozen import dataclass
from memctl.store.database import Database, Row
from memctl.store.rows import build_from_row


@dataclass(frozen=True, slots=True)
class RecordEntry:
    """What says where a record lies and what it is called."""

    id: str
    type: str
    kind: str
    scope: str
    status: str
    project_id: str | None
    agent_id: str | None
    session_id: str | None
    title: str


def list_records(db: Database, *, viewer: str | None, session_id: str | None) -> list[Row]:
    """List all records, newest first, for an agent without what is private to others.

    The rows are those of `build_entry`: of many records most are counted only.
    """
    return db.all("browse.records", viewer=viewer, session=session_id)


def build_entry(row: Row) -> RecordEntry:
    """Build the entry of a row."""
    return build_from_row(RecordEntry, row)


def list_entities(db: Database) -> list[Row]:
    """List all entities by kind and name, without tags."""
    return db.all("browse.entities")
