"""Rows that hold what is no text: read with marks in its place, and told of once.

A database (`database`) asks this where it meets one; `db` is that.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.errors import MemctlError
from memctl.core.typing_lite import Any

# What the keys of these warnings begin with.
KEY = "unreadable "


def read_with_marks(db: Any, name: str, params: Mapping[str, Any]) -> list[Any]:
    """Return the rows of a named statement with U+FFFD for what is no text; tell of such rows.

    All rows are read at once, and no other statement meanwhile.
    """
    damaged = False

    def decode(raw: bytes) -> str:
        nonlocal damaged
        try:
            return raw.decode()
        except UnicodeDecodeError:
            damaged = True
            return raw.decode(errors="replace")

    rows = []
    for row in db.fetch_with_marks(name, params, decode):
        rows.append(row)
        if damaged:
            warn(db, row, "is shown with marks in its place")
            damaged = False
    return rows


def warn(db: Any, row: Any, what_happens: str) -> None:
    """Let the person be told of a row that holds what is no text."""
    values = dict(row)
    name = str(values.get("id") or next(iter(values.values()))).encode("ascii", "replace").decode()
    told = f"{db.path}: {name} holds what is no text any more, and {what_happens}"
    hint = "`memctl doctor` says what is damaged; `memctl restore` brings a backup back"
    db.warnings.setdefault(f"{KEY}{name}", MemctlError(told, hint=hint))
