"""The SQL that ships with the package: named statements by topic, and the migrations.

`topic.name` is in `queries/<topic>.sql` under `-- name: name`, with one sentence on what it does. A
topic is named like the module of the store that uses it. A name given twice is refused.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

_HEADING = "\n-- name: "
_HERE = Path(__file__).resolve().parents[1]


@cache
def find_folder() -> Path:
    """Return where the SQL files are: in the installed package, or beside it in a checkout."""
    installed = _HERE / "_sql"
    return installed if installed.is_dir() else _HERE.parent / "sql"


@cache
def load_topic(name: str) -> dict[str, str]:
    """Return the statements of one topic by name."""
    return read_statements(find_folder() / "queries" / f"{name}.sql")


def read_statements(path: Path) -> dict[str, str]:
    """Return the statements of a file by name. Raises ValueError for a name given twice."""
    with open(path, encoding="utf-8") as file:
        pieces = [piece.partition("\n") for piece in f"\n{file.read()}".split(_HEADING)[1:]]
    found = {head.strip(): body.strip() for head, _, body in pieces}
    if len(found) < len(pieces):
        heads = [head.strip() for head, _, _ in pieces]
        repeated = sorted({head for head in heads if heads.count(head) > 1})
        raise ValueError(f"{path.name} names a statement twice: {', '.join(repeated)}")
    return found


def get_statement(name: str) -> str:
    """Return the text of `topic.name`. Raises KeyError for an unknown name."""
    group, _, short = name.partition(".")
    return load_topic(group)[short]


def list_topics() -> list[str]:
    """List every topic that has a file, sorted."""
    return sorted(path.stem for path in (find_folder() / "queries").glob("*.sql"))


def list_migrations() -> list[tuple[int, Path]]:
    """List the migration scripts with their versions, oldest first."""
    home = find_folder() / "migrations"
    return [
        (int(name[:4]), home / name)
        for name in sorted(os.listdir(home))
        if name[:4].isdigit() and name.endswith(".sql")
    ]
