"""Notes about the store itself, by key.

What is read as a number or a time is derived from the rest of the store: where something else wrote
over it, it counts as missing, and whoever needs it makes it again.
"""

from __future__ import annotations

from memctl.core import timestamps
from memctl.core.errors import StoreDamaged
from memctl.store.database import Database

# What SQLite takes as a number.
_MOST = 2**63 - 1


def get_note(db: Database, key: str) -> str | None:
    """Return one note, or None; one that is no text any more counts as missing."""
    try:
        value: str | None = db.value("meta.get", key=key)
    except StoreDamaged as error:
        if "Could not decode" not in str(error):
            raise
        return None
    return value


def get_number(db: Database, key: str) -> int | None:
    """Return a note that is a count, a position or an id; None if missing or unreadable."""
    text = get_note(db, key)
    return parse_number(text) if text else None


def get_time(db: Database, key: str) -> str | None:
    """Return a note that is a time in the form that is stored; None if missing or unreadable."""
    text = get_note(db, key)
    return text if text and is_time(text) else None


def parse_number(text: str) -> int | None:
    """Return the number from 0 on that a part of a note is, or None."""
    if not text.isascii() or not text.isdigit() or len(text) > len(str(_MOST)):
        return None
    number = int(text)
    return number if number <= _MOST else None


def is_time(text: str) -> bool:
    """Whether a part of a note is a time in the form that is stored."""
    try:
        return timestamps.format_iso(timestamps.parse_iso(text))[:19] == text[:19]
    except (ValueError, OverflowError):
        return False


def put_note(db: Database, key: str, value: str) -> None:
    """Set a note."""
    db.run("meta.set", key=key, value=value)
