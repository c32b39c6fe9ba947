"""Counts over a whole store."""

from __future__ import annotations

from memctl.store.database import Database, Row


def count_by_name(db: Database, what: str) -> dict[str, int]:
    """How many there are of each: of `statuses`, `links`, `entities` or `sessions`, the most first."""
    return {row["name"]: row["count"] for row in db.all(f"stats.{what}")}


def count_in_force(db: Database) -> list[Row]:
    """The records in force by type, kind, scope, trust and project."""
    return db.all("stats.in_force")


def count_evidence(db: Database) -> tuple[int, int]:
    """How many quotes vouch for records, and how many originals they come from."""
    row = db.one("stats.evidence")
    assert row is not None
    return row["quotes"], row["origins"]


def count_turns(db: Database) -> int:
    """How many turns were captured."""
    return sum(row["turns"] for row in db.all("stats.sessions"))


def count_since(db: Database, at: str) -> tuple[int, int, int]:
    """How many changes, captures and retrievals there were since a time."""
    row = db.one("stats.recent", since=at)
    assert row is not None
    return row["changes"], row["captures"], row["retrievals"]


def count_waiting(db: Database) -> tuple[str | None, int]:
    """Since when the oldest candidate waits, and how many proposals do."""
    row = db.one("stats.waiting")
    assert row is not None
    return row["oldest"], row["proposals"]
