"""Observability: what was retrieved, for whom, with every candidate's score parts."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.errors import NotFound
from memctl.core.typing_lite import Any
from memctl.store.database import Database, Row
from memctl.store.rows import canonical, parsed, resolve_id

_JSON = ("filters", "candidates", "returned", "flags")
TEXTS = ("id", "command", "query", "actor", "at")
COLUMNS = {*_JSON, *TEXTS, "duration_ms"}


def insert(db: Database, entry: Mapping[str, Any]) -> None:
    """Note one retrieval."""
    values = {key: canonical(value) if key in _JSON else value for key, value in entry.items()}
    db.run("logs.insert", **{"session_id": None, **values})


def resolve(db: Database, text: str) -> dict[str, Any]:
    """One retrieval by its id or a unique prefix. Raises NotFound."""
    row = db.one("logs.get", id=resolve_id(db, "logs.by_prefix", text, "retrieval"))
    if row is None:
        raise NotFound(f"no retrieval has the id {text}")
    return read(row)


def recent(db: Database, *, limit: int, since: str | None = None) -> list[dict[str, Any]]:
    """The newest retrievals first."""
    return [read(row) for row in db.all("logs.recent", limit=limit, since=since)]


def given_to(db: Database, session_id: str, limit: int) -> list[dict[str, Any]]:
    """The newest contexts that a session was given, as far as they say what it knows."""
    return [read(row) for row in db.all("logs.given_to", session_id=session_id, limit=limit)]


def given_while(
    db: Database, sessions: list[str], actor: str, start: str | None, end: str | None
) -> set[str]:
    """The ids of all records that were handed to one of these sessions, or to this actor between two times (if both are known)."""
    rows = db.all(
        "logs.given_while", sessions=canonical(sessions), actor=actor, start=start, end=end
    )
    return {
        memory_id
        for row in rows
        for memory_id in parsed(row["returned"])
        if isinstance(memory_id, str)
    }


def prune(db: Database, before: str) -> int:
    """Drop retrievals from before a time; how many."""
    return db.run("logs.prune", before=before)


def read(row: Row) -> dict[str, Any]:
    """A row with its JSON columns read."""
    return {key: parsed(row[key]) if key in _JSON else row[key] for key in row.keys()}  # noqa: SIM118
