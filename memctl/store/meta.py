"""Notes about the store itself, by key."""

from __future__ import annotations

from memctl.store.database import Database


def get_note(db: Database, key: str) -> str | None:
    """Return one note, or None."""
    value: str | None = db.value("meta.get", key=key)
    return value


def put_note(db: Database, key: str, value: str) -> None:
    """Set a note."""
    db.run("meta.set", key=key, value=value)
