"""What became of the records of one project, event by event."""

from __future__ import annotations

from memctl.store.database import Database, Row


def read_events(db: Database, project_id: str, limit: int) -> list[Row]:
    """Read the newest events; an agent sees none of records that are private to another."""
    actor: str = db.acting[0]
    viewer = actor.removeprefix("agent:") if actor.startswith("agent:") else None
    return db.all("timeline.events", project_id=project_id, viewer=viewer, limit=limit)
