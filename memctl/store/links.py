"""Links between records: supports, contradicts, supersedes, applies_to, derived_from, related_to."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.data import asdict, replace
from memctl.db import Db
from memctl.model import Link, Relation
from memctl.store import stream
from memctl.store.rows import array, build

# The reason of a contradiction that was taken back by hand.
DISMISSED = "dismissed: both hold"


def insert(db: Db, link: Link) -> bool:
    """Add a link; False if it was there."""
    if not db.run("links.insert", **asdict(link)):
        return False
    stream.note(db, "link", link.from_id, link.id, None, asdict(link), verb="linked")
    return True


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
    touched = [link for link in of_memory(db, memory_id) if link.relation == "contradicts" and link.resolved_at is None]
    return sum(_set(db, link, replace(link, resolved_at=at), "settled") for link in touched)


def reopen(db: Db, from_id: str, to_id: str, reason: str) -> bool:
    """Open a settled contradiction again; False if there was none."""
    link = between(db, from_id, "contradicts", to_id)
    return link is not None and link.resolved_at is not None and _set(db, link, replace(link, resolved_at=None, reason=reason), "reopened")


def dismiss(db: Db, from_id: str, to_id: str, at: str) -> bool:
    """Note that two records do not contradict each other, so that nothing but a hand says so again; False if no link was open."""
    link = between(db, from_id, "contradicts", to_id)
    return link is not None and link.resolved_at is None and _set(db, link, replace(link, resolved_at=at, reason=DISMISSED), "dismissed")


def between(db: Db, from_id: str, relation: Relation, to_id: str) -> Link | None:
    """The link of one record with another, if there is one."""
    row = db.one("links.between", from_id=from_id, relation=relation, to_id=to_id)
    return None if row is None else build(Link, row)


def delete(db: Db, from_id: str, relation: Relation, to_id: str) -> bool:
    """Take one link away; False if there was none."""
    link = between(db, from_id, relation, to_id)
    if link is None:
        return False
    db.run("links.delete", from_id=from_id, relation=relation, to_id=to_id)
    stream.note(db, "link", from_id, link.id, asdict(link), None, verb="parted")
    return True


def _set(db: Db, old: Link, new: Link, verb: str) -> bool:
    db.run("links.set", id=new.id, reason=new.reason, resolved_at=new.resolved_at)
    stream.note(db, "link", new.from_id, new.id, *stream.differing(asdict(old), asdict(new)), verb=verb)
    return True
