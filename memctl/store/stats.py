"""Counts over a whole store."""

from __future__ import annotations

from memctl.core.frozen import dataclass
from memctl.store.database import Database, Row


@dataclass(frozen=True, slots=True)
class WaitingWork:
    """How many candidates and open contradictions wait for the operator, and captured sessions for
    maintenance.
    """

    candidates: int
    conflicts: int
    sessions: int


def count_by_name(db: Database, what: str) -> dict[str, int]:
    """Count the `statuses`, `links`, `entities` or `sessions` by name, most frequent first."""
    return {row["name"]: row["count"] for row in db.all(f"stats.{what}")}


def count_in_force(db: Database) -> list[Row]:
    """Count the active records by type, kind, scope, trust and project."""
    return db.all("stats.in_force")


def count_evidence(db: Database) -> tuple[int, int]:
    """Count the quotes that support records, and their sources."""
    row = db.one("stats.evidence")
    assert row is not None
    return row["quotes"], row["origins"]


def count_turns(db: Database) -> int:
    """Count the captured turns."""
    return sum(row["turns"] for row in db.all("stats.sessions"))


def count_since(db: Database, at: str) -> tuple[int, int, int]:
    """Count the changes, captures and retrievals since a time."""
    row = db.one("stats.recent", since=at)
    assert row is not None
    return row["changes"], row["captures"], row["retrievals"]


def count_waiting(db: Database) -> tuple[str | None, int]:
    """Return since when the oldest candidate waits, and how many proposals are open."""
    row = db.one("stats.waiting")
    assert row is not None
    return row["oldest"], row["proposals"]


def count_waiting_work(db: Database) -> WaitingWork:
    """Count what waits for the operator and for maintenance."""
    row = db.one("stats.waiting_work")
    assert row is not None
    return WaitingWork(row["candidates"], row["conflicts"], row["sessions"])
