"""Records for contexts: pinned ones, the newest of a type or kind, disputed ones, and short ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core.errors import StoreDamaged
from memctl.core.model import Memory
from memctl.store.database import Database, Row
from memctl.store.records import from_row
from memctl.store.rows import (
    parse_json_column,
    read_readable,
    to_canonical_json,
    to_json_array,
)

_SHORTEST_ID = 10


def list_pinned(
    db: Database, project_id: str | None, limit: int, since: str | None = None
) -> list[Memory]:
    """List the records that every context begins with, most trusted and newest first.

    Private records of all agents are among them.
    """
    return [
        from_row(row)
        for row in read_readable(
            db, "context_records.always", project_id=project_id, limit=limit, since=since
        )
    ]


def list_newest(
    db: Database, project_id: str | None, type_: str, limit: int, since: str | None = None
) -> list[Memory]:
    """List the newest living records of a type in one project, or of those without a project."""
    return [
        from_row(row)
        for row in read_readable(
            db,
            "context_records.newest",
            project_id=project_id,
            type=type_,
            limit=limit,
            since=since,
        )
    ]


def list_newest_of_kind(
    db: Database, project_id: str | None, kind: str, limit: int, since: str | None = None
) -> list[Memory]:
    """List the newest living records of a kind in one project, or of those without a project."""
    return [
        from_row(row)
        for row in read_readable(
            db,
            "context_records.newest_of_kind",
            project_id=project_id,
            kind=kind,
            limit=limit,
            since=since,
        )
    ]


def count_of_kind(db: Database, project_id: str | None, kind: str) -> int:
    """Count the living records of a kind in one project, or of those without a project."""
    return int(db.value("context_records.count_of_kind", project_id=project_id, kind=kind))


def list_disputed(
    db: Database, project_id: str | None, limit: int, since: str | None = None
) -> list[Memory]:
    """List the newest records of a project that another one contradicts.

    With None, records without a project.
    """
    return [
        from_row(row)
        for row in read_readable(
            db, "context_records.disputed", project_id=project_id, limit=limit, since=since
        )
    ]


def compute_loaded_key(project_id: str | None) -> str:
    """Return the meta key for what contexts of a project (None: of all) begin with."""
    return f"loaded:{project_id or ''}"


def list_loaded(db: Database, project_id: str | None) -> dict[str, str]:
    """List what contexts of a project begin with by rule and use, as ids with the reason.

    Global records come first.
    """
    found: dict[str, str] = {}
    for of in dict.fromkeys((None, project_id)):
        text: str | None = db.value("meta.get", key=compute_loaded_key(of))
        found |= _parse_loaded(text) if text else {}
    return found


def _parse_loaded(text: str) -> dict[str, str]:
    """What maintenance chose last; nothing if that cannot be read: the next run chooses anew."""
    try:
        chosen = parse_json_column(text)
    except StoreDamaged:
        return {}
    return chosen if isinstance(chosen, dict) else {}


def shorten_ids(db: Database, ids: Iterable[str]) -> dict[str, str]:
    """Return for each id the shortest prefix that no other record shares."""
    return shorten_among(db.all("context_records.neighbours", ids=to_json_array(ids) or "[]"))


def shorten_among(rows: Iterable[Row]) -> dict[str, str]:
    """Return for the id of each row the shortest prefix that differs from its neighbours.

    The neighbours are the columns `before` and `after`.
    """
    return {
        row["id"]: row["id"][
            : max(
                _SHORTEST_ID,
                *(1 + _count_shared(row["id"], row[side]) for side in ("before", "after")),
            )
        ]
        for row in rows
    }


def list_changed_since_told(db: Database, told: Mapping[str, str], now: str) -> list[Memory]:
    """List the records that changed since they were told (ids with times), or hold no more."""
    rows = read_readable(
        db, "context_records.changed_since_told", told=to_canonical_json(told), now=now
    )
    return [from_row(row) for row in rows]


def read_newer(db: Database, ids: Iterable[str]) -> dict[str, tuple[Memory, float]]:
    """Return the newer record that may replace each record that is marked, and how near it is.

    Nothing where the marks are damaged or gone: maintenance makes them anew.
    """
    wanted = to_json_array(ids)
    if wanted is None:
        return {}
    try:
        rows = read_readable(db, "context_records.newer_of", ids=wanted)
    except StoreDamaged:
        return {}
    return {row["older_id"]: (from_row(row), row["nearness"]) for row in rows}


def list_changed_after(db: Database, at: str) -> list[str]:
    """Return the ids of the records whose words changed after a time."""
    return [row["memory_id"] for row in db.all("context_records.changed_after", at=at)]


def find_project_name(db: Database, project_id: str | None) -> str | None:
    """Return the name of a project, or None."""
    name: str | None = (
        db.value("context_records.project_name", id=project_id) if project_id else None
    )
    return name


def _count_shared(a: str, b: str | None) -> int:
    return next(
        (i for i, (x, y) in enumerate(zip(a, b or "", strict=False)) if x != y),
        min(len(a), len(b or "")),
    )
