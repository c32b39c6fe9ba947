"""Reading on where the text of a row is damaged: that row is left out, and named once.

For answers to a person only. What changes, compares or erases rows must not overlook one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from memctl.core.errors import MemctlError, StoreDamaged
from memctl.core.typing_lite import Any
from memctl.store.database import Database, Row

# What the keys of these warnings begin with.
_KEY = "unreadable "


def read_leniently(db: Database, name: str, /, **params: Any) -> list[Row]:
    """Return the rows of a named statement that can be read. Raises StoreDamaged."""
    rows = db.each_leniently(name, **params)
    return [row for row in rows if not _warn_of_damage(db, row)]


def read_each(db: Database, name: str, /, **params: Any) -> Iterator[Row]:
    """Yield the rows that can be read, one by one; inside `snapshot()`. Raises StoreDamaged."""
    count = 0
    try:
        for row in db.each(name, **params):
            yield row
            count += 1
        return
    except StoreDamaged:
        rows = islice(db.each_leniently(name, **params), count, None)
    for row in rows:
        if not _warn_of_damage(db, row):
            yield row


def list_left_out(db: Database) -> list[str]:
    """Return what was told of the rows that were left out so far."""
    return [str(told) for key, told in db.warnings.items() if key.startswith(_KEY)]


def _warn_of_damage(db: Database, row: Row) -> bool:
    """Whether a row holds what is no text, of which the person is then told."""
    try:
        "".join(value for value in tuple(row) if isinstance(value, str)).encode()
    except UnicodeEncodeError:
        values = dict(row)
        name = (
            str(values.get("id") or next(iter(values.values()))).encode("ascii", "replace").decode()
        )
        told = f"{db.path}: {name} holds what is no text any more, and is left out"
        hint = "`memctl doctor` says what is damaged; `memctl restore` brings a backup back"
        db.warnings[f"{_KEY}{name}"] = MemctlError(told, hint=hint)
        return True
    return False
