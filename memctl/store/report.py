"""What the report of a store is drawn from: days, links, mentions, retrievals, contradictions.

An agent sees nothing here that is private to another.
"""

from __future__ import annotations

from memctl.store.database import Database, Row

# How many of each are read at most: what one page can show. Chosen by hand.
_RETRIEVALS = 20_000
_LINKS = 150
_ENTITIES = 14
_MENTIONS = 60
_CONFLICTS = 50


def read_days(db: Database, what: str) -> list[Row]:
    """Read what was `created`, or of what `ages` the records in force are, by day."""
    return db.all(f"report.{what}", viewer=_find_viewer(db))


def read_decisions(db: Database) -> list[Row]:
    """Count approvals and refusals by day."""
    return db.all("report.decisions")


def read_retrievals(db: Database) -> list[Row]:
    """Read the latest searches and contexts."""
    return db.all("report.retrievals", limit=_RETRIEVALS)


def read_links(db: Database) -> list[Row]:
    """Read the newest links between records."""
    return db.all("report.links", viewer=_find_viewer(db), limit=_LINKS)


def read_mentions(db: Database) -> list[Row]:
    """Read which records mention the most mentioned entities."""
    viewer = _find_viewer(db)
    return db.all("report.mentions", viewer=viewer, entities=_ENTITIES, limit=_MENTIONS)


def read_conflicts(db: Database) -> list[Row]:
    """Read the open contradictions, the oldest first."""
    return db.all("report.conflicts", viewer=_find_viewer(db), limit=_CONFLICTS)


def _find_viewer(db: Database) -> str | None:
    actor: str = db.acting[0]
    return actor.removeprefix("agent:") if actor.startswith("agent:") else None
