"""The stream: every change ever made to durable memory, in order, each row chained to the one before by a hash."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.db import Db, Row
from memctl.model import Event
from memctl.store.rows import build, canonical, digest, parsed
from memctl.typed import Any

GENESIS = "0" * 64


def append(
    db: Db, memory_id: str, verb: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, *, actor: str, cause: str, at: str
) -> None:
    """Add one change to the stream."""
    row = {
        "memory_id": memory_id,
        "verb": verb,
        "before": None if before is None else canonical(before),
        "after": None if after is None else canonical(after),
        "actor": actor,
        "cause": cause,
        "at": at,
    }
    db.run("stream.append", **row, chain=link(db.value("stream.head") or GENESIS, row))


def link(previous: str, row: Mapping[str, Any]) -> str:
    """The chain value of a row that follows `previous`."""
    return digest(previous + canonical({key: row[key] for key in ("memory_id", "verb", "before", "after", "actor", "cause", "at")}))


def of_memory(db: Db, memory_id: str) -> list[Event]:
    """The history of one record, oldest first."""
    return [event(row) for row in db.all("stream.of_memory", memory_id=memory_id)]


def recent(db: Db, *, limit: int, since: str | None = None) -> list[Event]:
    """The newest changes, newest first."""
    return [event(row) for row in db.all("stream.recent", limit=limit, since=since)]


def by_seq(db: Db, seq: int) -> Event | None:
    """One change by its number."""
    row = db.one("stream.by_seq", seq=seq)
    return None if row is None else event(row)


def as_of(db: Db, memory_id: str, at: str) -> dict[str, Any] | None:
    """The fields that a record had at a time, replayed from the stream; None if it did not exist yet."""
    state: dict[str, Any] = {}
    for row in db.all("stream.status_at", memory_id=memory_id, at=at):
        if row["after"]:
            state.update(parsed(row["after"]))
    return state or None


def broken_links(db: Db) -> list[int]:
    """The numbers of the rows whose chain value does not follow from the row before."""
    broken, previous = [], GENESIS
    for row in db.all("stream.everything"):
        if row["chain"] != link(previous, row):
            broken.append(int(row["seq"]))
        previous = row["chain"]
    return broken


def event(row: Row) -> Event:
    """A stream row as data."""
    read = {key: parsed(row[key]) if row[key] else None for key in ("before", "after")}
    return build(Event, row, **read)
