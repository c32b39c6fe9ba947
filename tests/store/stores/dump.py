"""Write a store as SQL text that any SQLite can read back, so that old stores can be kept in the
repository.

python tests/store/stores/dump.py memory.db > tests/store/stores/NNNN.sql
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def dump(path: Path) -> Iterator[str]:
    """The statements that make the same store again: tables, rows, then indexes and triggers."""
    store = sqlite3.connect(path)
    objects = store.execute(
        "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE "
        "'sqlite!_%' ESCAPE '!'"
        " AND name NOT LIKE 'memories!_fts!_%' ESCAPE '!'"
        " AND name NOT LIKE 'turns!_fts!_%' ESCAPE '!' ORDER BY rowid"
    ).fetchall()
    (application,), (version,) = (
        store.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
    )
    yield f"PRAGMA application_id = {application};"
    yield from (f"{sql};" for kind, _, sql in objects if kind == "table")
    for kind, name, _ in objects:
        # The index of turns cannot be read back; it is made anew.
        if kind == "table" and name not in ("turns_fts", "turn_sources"):
            rows = store.execute(
                f"SELECT {'rowid, ' if name == 'memories_fts' else ''}* FROM {name}"
            )
            columns = ", ".join(column[0] for column in rows.description)
            yield from (
                f"INSERT INTO {name} ({columns}) VALUES ({', '.join(map(literal, row))});"
                for row in rows
            )
    yield from (f"{sql};" for kind, _, sql in objects if kind != "table")
    yield f"PRAGMA user_version = {version};"
    store.close()


def literal(value: Any) -> str:
    """A value as SQL writes it."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    return "NULL" if value is None else repr(value)


if __name__ == "__main__":
    print("\n".join(dump(Path(sys.argv[1]))))
