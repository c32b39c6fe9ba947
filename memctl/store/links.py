"""Links between records: supports, contradicts, supersedes, applies_to, derived_from, related_to."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.data import asdict
from memctl.db import Db
from memctl.model import Link, Relation
from memctl.store.rows import array, build

# The reason of a contradiction that was taken back by hand.
DISMISSED = "dismissed: both hold"


def insert(db: Db, link: Link) -> bool:
    """Add a link; False if it was there."""
    return db.run("links.insert", **asdict(link)) > 0


def of_memories(db: Db, ids: Iterable[str]) -> list[Link]:
    """The links that touch any of the records, in either direction."""
    return [build(Link, row) for row in db.all("links.of_memories", ids=array(ids) or "[]")]


def of_memory(db: Db, memory_id: str) -> list[Link]:
    """The links that touch one record."""
    return of_memories(db, [memory_id])


def open_contradictions(db: Db) -> list[Link]:
    """Unsettled contradictions between living records."""
    return [build(Link, row) for row in db.all("links.open_contradictions")]


def settle(db: Db, memory_id: str, at: str) -> int:
    """Mark the contradictions that touch a record as settled; how many there were."""
    return db.run("links.resolve", id=memory_id, at=at)


def reopen(db: Db, from_id: str, to_id: str, reason: str) -> bool:
    """Open a settled contradiction again; False if there was none."""
    return db.run("links.reopen", from_id=from_id, to_id=to_id, reason=reason) > 0


def dismiss(db: Db, from_id: str, to_id: str, at: str) -> bool:
    """Note that two records do not contradict each other, so that nothing but a hand says so again; False if no link was open."""
    return db.run("links.dismiss", from_id=from_id, to_id=to_id, at=at, reason=DISMISSED) > 0


def delete(db: Db, from_id: str, relation: Relation, to_id: str) -> bool:
    """Take one link away; False if there was none."""
    return db.run("links.delete", from_id=from_id, relation=relation, to_id=to_id) > 0
