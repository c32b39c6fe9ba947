"""Reading on where the text of a row is damaged: it is left out or marked, and named once.

For answers to a person, and for what is derived. What changes, compares or erases rows must not
overlook one, nor take marks for what was said.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

from memctl.core.errors import StoreDamaged
from memctl.core.typing_lite import Any
from memctl.store import damaged_text
from memctl.store.database import Database, Row

# What is said of a row whose text is damaged: by SQLite, and by `rows.parse_json_column`.
_OF_ROWS = ("Could not decode", "no JSON any more")


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


@contextmanager
def read_on(db: Database) -> Iterator[None]:
    """Meanwhile, read damaged text with marks: for what is derived from rows and can be again."""
    before, db.derives = db.derives, True
    try:
        yield
    finally:
        db.derives = before


def list_left_out(db: Database) -> list[str]:
    """Return what was told of the rows that were left out so far."""
    return [str(told) for key, told in db.warnings.items() if key.startswith(damaged_text.KEY)]


def _warn_of_damage(db: Database, row: Row) -> bool:
    """Whether a row holds what is no text, of which the person is then told."""
    try:
        "".join(value for value in tuple(row) if isinstance(value, str)).encode()
    except UnicodeEncodeError:
        tell_left_out(db, row)
        return True
    return False


def is_about_a_row(error: StoreDamaged) -> bool:
    """Whether it is a row whose text cannot be read, in a store that else can."""
    return any(mark in str(error) for mark in _OF_ROWS)


def tell_left_out(db: Database, row: Row) -> None:
    """Let the person be told that a row is left out."""
    damaged_text.warn(db, row, "is left out")
