"""The SQL of hubs: named statements by topic and the migrations, in sql/postgres. The one module
that reads them.

A name in braces stands for a name of the server, which no parameter can be: `{owner}`, `{vectors}`.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from memctl.core.typing_lite import TYPE_CHECKING
from memctl.store import statements

if TYPE_CHECKING:
    from psycopg import sql


@cache
def load_topic(name: str) -> dict[str, str]:
    """Return the statements of one topic of hubs by name."""
    return statements.read_statements(_find_folder() / "queries" / f"{name}.sql")


def list_topics() -> list[str]:
    """List every topic of hubs, sorted."""
    return sorted(path.stem for path in (_find_folder() / "queries").glob("*.sql"))


def list_migrations() -> list[tuple[int, Path]]:
    """List the migrations of hubs with their versions, oldest first."""
    home = _find_folder() / "migrations"
    return [(int(name[:4]), home / name) for name in sorted(os.listdir(home)) if name[:4].isdigit()]


def compose(name: str, **names: str | sql.Composable) -> sql.Composed:
    """Return the statement `topic.name` with names of the server put in. Raises KeyError."""
    topic, _, short = name.partition(".")
    return put_names_in(load_topic(topic)[short], **names)


def put_names_in(text: str, **names: str | sql.Composable) -> sql.Composed:
    """Return SQL with names of the server, or what is composed already, in the place of braces."""
    from psycopg import sql

    composed = {
        key: sql.Identifier(name) if isinstance(name, str) else name for key, name in names.items()
    }
    return sql.SQL(text).format(**composed)


def _find_folder() -> Path:
    return statements.find_folder() / "postgres"
