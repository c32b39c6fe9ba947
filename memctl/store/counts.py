"""Row counts and sizes of a store."""

from __future__ import annotations

from memctl.store.database import Database, Row


def count_records(db: Database) -> list[Row]:
    """Count the records of each project, type and status."""
    return db.all("records.tally")


def count_sources(db: Database) -> dict[str, int]:
    """Count the captured originals, their size, and the size of what is kept of them."""
    row = db.one("sources.sizes")
    assert row is not None
    return {key: row[key] for key in ("sources", "original_bytes", "stored_bytes")}


def count_at(db: Database, at: str) -> dict[str, int]:
    """Count projects and originals at a time, and the size of the originals."""
    row = db.one("as_of.counts", at=at)
    assert row is not None
    return {key: row[key] for key in ("projects", "sources", "original_bytes", "stored_bytes")}


def count_projects(db: Database) -> int:
    """Count the projects."""
    return len(db.all("projects.names"))
