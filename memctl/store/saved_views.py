"""Saved views as they are stored: a name, a kind, and a definition in JSON that is read here and understood elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memctl.store.database import Database, Row
from memctl.store.rows import canonical, parsed


def put(
    db: Database, name: str, kind: str, definition: Mapping[str, Any], at: str, *, replace: bool
) -> str | None:
    """Save a view: `saved`, `replaced`, or None where the name is taken and is not to be replaced."""
    words = {"name": name, "kind": kind, "definition": canonical(definition), "updated_at": at}
    if db.run("views.insert", created_at=at, **words):
        return "saved"
    return "replaced" if replace and db.run("views.replace", **words) else None


def get(db: Database, name: str) -> dict[str, Any] | None:
    """One view, or None."""
    row = db.one("views.get", name=name)
    return None if row is None else _read(row)


def every(db: Database) -> list[dict[str, Any]]:
    """All views, by name."""
    return [_read(row) for row in db.all("views.all")]


def delete(db: Database, name: str) -> bool:
    """Forget a view; whether there was one."""
    return db.run("views.delete", name=name) == 1


def _read(row: Row) -> dict[str, Any]:
    return {key: parsed(row[key]) if key == "definition" else row[key] for key in row.keys()}  # noqa: SIM118
