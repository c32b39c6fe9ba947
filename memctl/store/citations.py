"""Files and commands that records cite, and whether they existed when last checked.

Derived from records and disks, not part of the history.
"""

from __future__ import annotations

from memctl.core.frozen import dataclass
from memctl.core.model import Memory
from memctl.store.database import Database
from memctl.store.records import from_row
from memctl.store.rows import build_from_row


@dataclass(frozen=True, slots=True)
class Citation:
    """Something that a record cites.

    kind: `path` or `command`; state: `here`, `missing`, or `unknown` if it cannot be checked.
    """

    kind: str
    value: str
    state: str
    checked_at: str


def list_of_memory(db: Database, memory_id: str) -> list[Citation]:
    """List what one record cites."""
    return [
        build_from_row(Citation, row) for row in db.all("citations.of_memory", memory_id=memory_id)
    ]


def list_due(db: Database, after: str, limit: int) -> list[tuple[Memory, str]]:
    """List the next active records after an id whose project has a known folder, with that
    folder.
    """
    return [
        (from_row(row), row["root"]) for row in db.all("citations.due", after=after, limit=limit)
    ]


def put_citation(db: Database, memory_id: str, found: Citation) -> None:
    """Note whether something exists."""
    db.run(
        "citations.put",
        memory_id=memory_id,
        kind=found.kind,
        value=found.value,
        state=found.state,
        checked_at=found.checked_at,
    )


def drop_citation(db: Database, memory_id: str, old: Citation) -> None:
    """Forget something that a record no longer cites."""
    db.run("citations.drop", memory_id=memory_id, kind=old.kind, value=old.value)


def list_with_missing(db: Database) -> list[str]:
    """List the living records that cite something missing."""
    return [row["memory_id"] for row in db.all("citations.with_missing")]
