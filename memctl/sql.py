"""The SQL that ships with the package: named statements by topic, and the migrations.

A statement is asked for as `topic.name` and stands in `queries/<topic>.sql` under `-- name: name`, with one sentence on what it does.
A name given twice in a topic is refused.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_HEADING = re.compile(r"^-- name: (\w+)[ \t]*$", re.MULTILINE)
_HERE = Path(__file__).resolve().parent


def folder() -> Path:
    """Where the SQL files stand: inside the installed package, or beside it in a checkout."""
    installed = _HERE / "_sql"
    return installed if installed.is_dir() else _HERE.parent / "sql"


@cache
def topic(name: str) -> dict[str, str]:
    """The statements of one topic by name."""
    text = (folder() / "queries" / f"{name}.sql").read_text(encoding="utf-8")
    pieces = _HEADING.split(text)
    names, bodies = pieces[1::2], pieces[2::2]
    twice = {n for n in names if names.count(n) > 1}
    if twice:
        raise ValueError(f"{name}.sql names a statement twice: {', '.join(sorted(twice))}")
    return {n: body.strip() for n, body in zip(names, bodies, strict=True)}


def statement(name: str) -> str:
    """The text of `topic.name`. Raises KeyError for a name that does not exist."""
    group, _, short = name.partition(".")
    return topic(group)[short]


def all_topics() -> list[str]:
    """Every topic that has a file, sorted."""
    return sorted(path.stem for path in (folder() / "queries").glob("*.sql"))


def migrations() -> list[tuple[int, Path]]:
    """The migration scripts with their versions, oldest first."""
    return sorted((int(path.name[:4]), path) for path in (folder() / "migrations").glob("[0-9]" * 4 + "_*.sql"))
