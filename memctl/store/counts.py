"""The numbers of a store."""

from __future__ import annotations

from memctl.store.database import Database, Row


def count_records(db: Database) -> list[Row]:
    """How many records stand in each project, type and status."""
    return db.all("records.tally")


def count_sources(db: Database) -> dict[str, int]:
    """How many originals were captured, their size, and the size of what is kept of them."""
    row = db.one("sources.sizes")
    assert row is not None
    return {key: row[key] for key in ("sources", "original_bytes", "stored_bytes")}


def count_at(db: Database, at: str) -> dict[str, int]:
    """How many projects and originals there were at a time, and the size of the originals."""
    row = db.one("as_of.counts", at=at)
    assert row is not None
    return {key: row[key] for key in ("projects", "sources", "original_bytes", "stored_bytes")}


def count_projects(db: Database) -> int:
    """How many projects there are."""
    return len(db.all("projects.names"))
