"""Queries for pattern mining and weekly digests."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core.model import Memory
from memctl.store.database import Database, Row
from memctl.store.records import from_row
from memctl.store.rows import to_json_array


def list_projects(db: Database, since: str | None) -> list[str]:
    """List the projects of which a session was captured or grew since a time."""
    return [row["project_id"] for row in db.all("patterns.projects", since=since)]


def list_sessions(db: Database, project_id: str, limit: int) -> list[Row]:
    """List the newest sessions of a project with the episode of each, newest first."""
    return db.all("patterns.sessions", project_id=project_id, limit=limit)


def list_derived(db: Database, project_id: str, rules: Iterable[str]) -> list[Memory]:
    """List everything ever derived in a project by some rules, oldest first."""
    return [
        from_row(row)
        for row in db.all(
            "patterns.derived", project_id=project_id, rules=to_json_array(rules) or "[]"
        )
    ]


def list_statements(db: Database, project_id: str) -> list[str]:
    """List what the records of a project say, episodes excepted."""
    return [row["content"] for row in db.all("patterns.told", project_id=project_id)]


def list_weeks(db: Database, digest: str, since: str | None) -> list[tuple[str, str]]:
    """List project and time of every episode (digests excepted) that changed since a time."""
    return [
        (row["project_id"], row["observed_at"])
        for row in db.all("patterns.weeks", digest=digest, since=since)
    ]


def list_episodes(
    db: Database, project_id: str, digest: str, first: str, last: str
) -> list[tuple[Memory, str]]:
    """List the episodes of a project between two times, in order, with the agent of each."""
    rows = db.all("patterns.episodes", project_id=project_id, digest=digest, first=first, last=last)
    return [(from_row(row), row["agent"] or "") for row in rows]
