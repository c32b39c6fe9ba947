"""Evidence: the exact words that a record rests on, with the hash that proves them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from memctl.data import asdict
from memctl.db import Db
from memctl.model import Evidence
from memctl.store.rows import array, build, digest


def insert(db: Db, items: Iterable[Evidence]) -> None:
    """Add evidence."""
    db.run_many("evidence.insert", [{**asdict(item), "quote_hash": digest(item.quote)} for item in items])


def of_memories(db: Db, ids: Iterable[str]) -> dict[str, list[Evidence]]:
    """The evidence of each record, strongest first."""
    found: dict[str, list[Evidence]] = defaultdict(list)
    for row in db.all("evidence.of_memories", ids=array(ids) or "[]"):
        found[row["memory_id"]].append(build(Evidence, row))
    return dict(found)


def of_memory(db: Db, memory_id: str) -> list[Evidence]:
    """The evidence of one record, strongest first."""
    return of_memories(db, [memory_id]).get(memory_id, [])


def places(db: Db, ids: Iterable[str]) -> list[tuple[str, str, int]]:
    """Where records were said: record, source and turn, for each quote that has a place."""
    return [(row["memory_id"], row["source_id"], row["turn"]) for row in db.all("evidence.places", ids=array(ids) or "[]")]


def memories_quoting(db: Db, quote: str, source_id: str | None) -> list[str]:
    """The records that rest on exactly these words of one source."""
    return [row["memory_id"] for row in db.all("evidence.by_quote", quote_hash=digest(quote), source_id=source_id)]


def memories_quoting_at(db: Db, quote: str, at: str, *, agent: str, beside: str) -> list[str]:
    """The records that rest on exactly these words, spoken at that moment in a session of an agent beside the one of that id."""
    return [row["memory_id"] for row in db.all("evidence.by_moment", quote_hash=digest(quote), at=at, agent=agent, beside=beside)]


def drop(db: Db, memory_id: str) -> None:
    """Drop the evidence of a record, to replace it by what its source says now."""
    db.run("evidence.delete_of_memory", memory_id=memory_id)
