"""Observability: what was retrieved, for whom, with every candidate's score parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from memctl.core.errors import NotFound, StoreDamaged
from memctl.core.typing_lite import Any
from memctl.store.database import Database, Row
from memctl.store.rows import (
    copy_row,
    parse_json_column,
    resolve_id,
    to_canonical_json,
    to_json_array,
)

# What the log calls the moment before a session is compacted, when it loses what it was told.
COMPACTION = "compaction"
# The log lines that tell what a session has before it.
SESSION_COMMANDS = ("context", COMPACTION)
# Retrievals of one session or day that are looked through for an earlier use; chosen by hand.
_MOST_COMPARED = 2000
# Characters of a time that name its day.
_DAY_LENGTH = 10
# How many values the column `asked` of the statement `given_to` holds.
ASKED_FIELDS = 5
_JSON = ("filters", "candidates", "returned", "flags", "asked")
TEXTS = ("id", "command", "query", "actor", "at")
COLUMNS = {*_JSON, *TEXTS, "duration_ms"} - {"asked"}


def build_compaction(log_id: str, agent: str, session_id: str, at: str) -> dict[str, Any]:
    """Return the log line of a session that is about to be compacted."""
    return {
        "id": log_id,
        "command": COMPACTION,
        "query": "",
        "filters": {},
        "candidates": [],
        "returned": [],
        "flags": [],
        "actor": f"agent:{agent}",
        "session_id": session_id,
        "duration_ms": 0.0,
        "at": at,
    }


def insert_log(db: Database, entry: Mapping[str, Any]) -> None:
    """Add one retrieval."""
    values = {
        key: to_canonical_json(value) if key in _JSON else value for key, value in entry.items()
    }
    db.run("logs.insert", **{"session_id": None, **values})


def resolve_log(db: Database, text: str) -> dict[str, Any]:
    """Return one retrieval by its id or a unique prefix. Raises NotFound."""
    row = db.one("logs.get", id=resolve_id(db, "logs.by_prefix", text, "retrieval"))
    if row is None:
        raise NotFound(f"no retrieval has the id {text}")
    return parse_row(row)


def list_recent(db: Database, *, limit: int, since: str | None = None) -> list[dict[str, Any]]:
    """List the newest retrievals first."""
    return [parse_row(row) for row in db.all("logs.recent", limit=limit, since=since)]


def iterate_given_to(db: Database, session_id: str, limit: int) -> Iterator[dict[str, Any]]:
    """Yield the newest contexts given to a session, and its compactions, newest first.

    `asked` holds what is wanted of the filters: level, session_start, prompt_only, texts and
    withdrawn; null where they cannot be read.
    """
    for row in db.all("logs.given_to", session_id=session_id, limit=limit):
        # A damaged line is one that nobody was told.
        with suppress(StoreDamaged):
            yield parse_row(row)


def list_ids_given(
    db: Database, sessions: list[str], actor: str, start: str | None, end: str | None
) -> set[str]:
    """Return the ids of all records given to some sessions.

    Without sessions: to this actor between two times.
    """
    rows = db.all(
        "logs.given_while", sessions=to_canonical_json(sessions), actor=actor, start=start, end=end
    )
    return {
        memory_id
        for row in rows
        for memory_id in parse_json_column(row["returned"])
        if isinstance(memory_id, str)
    }


def list_new_uses(db: Database, entry: Mapping[str, Any], ids: Sequence[str]) -> list[str]:
    """List the living records whose use by a retrieval counts: one of a session, else of a day.

    A session counts as one if a hook was answered in it: a name alone proves none. Everything else
    that one actor asks for on a day (UTC) is one use of each record. Call it before `insert_log`.
    """
    if not ids:
        return []
    wanted = to_json_array(ids)
    session = entry.get("session_id")
    if session and (_is_of_hook(entry) or db.one("logs.is_hooked", session_id=session)):
        rows = db.all("logs.unused_in_session", ids=wanted, session_id=session, most=_MOST_COMPARED)
    else:
        day = str(entry["at"])[:_DAY_LENGTH]
        rows = db.all(
            "logs.unused_in_day",
            ids=wanted,
            actor=entry["actor"],
            start=day,
            end=f"{day}~",
            most=_MOST_COMPARED,
        )
    return [row["id"] for row in rows]


def _is_of_hook(entry: Mapping[str, Any]) -> bool:
    filters = entry["filters"]
    return isinstance(filters, Mapping) and bool(
        filters.get("session_start") or filters.get("prompt_only")
    )


def prune_logs(db: Database, before: str) -> int:
    """Delete retrievals from before a time; return how many."""
    return db.run("logs.prune", before=before)


def parse_row(row: Row) -> dict[str, Any]:
    """Return a row with its JSON columns parsed."""
    values = copy_row(row)
    return values | {name: parse_json_column(values[name]) for name in _JSON if name in values}
