"""Files and commands that records cite, and whether they were there when last looked for. Derived from records and disks, not history."""

from __future__ import annotations

from memctl.core.frozen import dataclass
from memctl.core.model import Memory
from memctl.store.database import Database
from memctl.store.records import from_row
from memctl.store.rows import build_from_row


@dataclass(frozen=True, slots=True)
class Citation:
    """Something that a record cites. kind: `path` or `command`; state: `here`, `missing` or `unknown` (it cannot be told)."""

    kind: str
    value: str
    state: str
    checked_at: str


def list_of_memory(db: Database, memory_id: str) -> list[Citation]:
    """What one record cites."""
    return [
        build_from_row(Citation, row) for row in db.all("citations.of_memory", memory_id=memory_id)
    ]


def list_due(db: Database, after: str, limit: int) -> list[tuple[Memory, str]]:
    """The next records in force after an id whose project lies in a known folder, each with that folder."""
    return [
        (from_row(row), row["root"]) for row in db.all("citations.due", after=after, limit=limit)
    ]


def put_citation(db: Database, memory_id: str, found: Citation) -> None:
    """Note whether something is there."""
    db.run(
        "citations.put",
        memory_id=memory_id,
        kind=found.kind,
        value=found.value,
        state=found.state,
        checked_at=found.checked_at,
    )


def drop_citation(db: Database, memory_id: str, old: Citation) -> None:
    """Forget something that a record does not cite any more."""
    db.run("citations.drop", memory_id=memory_id, kind=old.kind, value=old.value)


def list_with_missing(db: Database) -> list[str]:
    """The living records that cite what is missing."""
    return [row["memory_id"] for row in db.all("citations.with_missing")]
