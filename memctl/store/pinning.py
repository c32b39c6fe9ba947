"""What contexts may begin with, place by place."""

from __future__ import annotations

from itertools import groupby

from memctl.core.model import OPERATOR_IMPLIED, Memory
from memctl.store.database import Database
from memctl.store.records import from_row


def list_pinned(db: Database) -> list[tuple[str | None, str | None, list[Memory]]]:
    """List pinned records by project: its id and name (None for global) and its records."""
    rows = db.all("pinning.pinned")
    groups = groupby(rows, key=lambda row: (row["project_id"], row["project_name"]))
    return [
        (project_id, name, [from_row(row) for row in group]) for (project_id, name), group in groups
    ]


def list_candidates(db: Database, project_id: str | None) -> list[Memory]:
    """List what contexts of one project (None: of all) may begin with."""
    return [
        from_row(row)
        for row in db.all("pinning.candidates", project_id=project_id, implied=OPERATOR_IMPLIED)
    ]


def list_projects(db: Database) -> list[str]:
    """List the projects that have active records."""
    return [row["project_id"] for row in db.all("pinning.projects")]
