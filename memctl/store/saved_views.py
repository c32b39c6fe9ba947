"""Saved views as stored: a name, a kind, and a definition in JSON that other modules interpret."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.typing_lite import Any
from memctl.store.database import Database, Row
from memctl.store.rows import parse_json_column, to_canonical_json


def put_view(
    db: Database, name: str, kind: str, definition: Mapping[str, Any], at: str, *, replace: bool
) -> str | None:
    """Save a view: `saved`, `replaced`, or None if the name is taken and `replace` is False."""
    words = {
        "name": name,
        "kind": kind,
        "definition": to_canonical_json(definition),
        "updated_at": at,
    }
    if db.run("saved_views.insert", created_at=at, **words):
        return "saved"
    return "replaced" if replace and db.run("saved_views.replace", **words) else None


def find_view(db: Database, name: str) -> dict[str, Any] | None:
    """Return one view, or None."""
    row = db.one("saved_views.get", name=name)
    return None if row is None else _from_row(row)


def list_views(db: Database) -> list[dict[str, Any]]:
    """List all views by name."""
    return [_from_row(row) for row in db.all("saved_views.all")]


def delete_view(db: Database, name: str) -> bool:
    """Delete a view; False if there was none."""
    return db.run("saved_views.delete", name=name) == 1


def _from_row(row: Row) -> dict[str, Any]:
    return {**dict(row), "definition": parse_json_column(row["definition"])}
