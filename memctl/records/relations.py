"""Contradiction and supersession between records in the store: links written, states kept explicit, settled ones released."""

from __future__ import annotations

from memctl.core import clock
from memctl.core.errors import UsageError
from memctl.core.frozen import replace
from memctl.core.model import Link, Memory, Relation
from memctl.store import links, records, succession
from memctl.store.database import Database

# What can stand in an open contradiction.
_CONTRADICTABLE = ("active", "contradicted", "inbox")


def add_link(
    db: Database,
    from_id: str,
    relation: Relation,
    to_id: str,
    *,
    reason: str | None,
    actor: str,
    confidence: float = 1.0,
) -> bool:
    """Add a link between two records; False if it was there."""
    return links.insert(
        db, Link(clock.new_id(), from_id, relation, to_id, actor, clock.now(), reason, confidence)
    )


def set_status(
    db: Database,
    memory: Memory,
    status: str,
    *,
    reason: str | None,
    verb: str,
    actor: str,
    cause: str,
) -> Memory:
    """The record in another state, with the reason for it; the rest of it stays as it stands in the store."""
    known = records.get(db, memory.id)
    changed = replace(known, status=status, status_reason=reason, updated_at=clock.now())
    records.replace(db, known, changed, verb=verb, actor=actor, cause=cause)
    return changed


def add_contradiction(
    db: Database, a: Memory, b: Memory, *, reason: str, actor: str, cause: str
) -> bool:
    """Make a contradiction explicit: one open link, and the state `contradicted` where it is due. False if that link was there."""
    first, second = sorted((a, b), key=lambda memory: memory.id)
    fresh = add_link(
        db, first.id, "contradicts", second.id, reason=reason, actor=actor
    ) or links.reopen(db, first.id, second.id, reason)
    update_contradicted_status(db, a.id, actor=actor, cause=cause)
    update_contradicted_status(db, b.id, actor=actor, cause=cause)
    return fresh


def propose_replacement(
    db: Database, new: Memory, old: Memory, *, reason: str, actor: str, cause: str
) -> bool:
    """Make a contradiction explicit that is settled when `new` takes the place of `old`. False if it was open before."""
    return add_contradiction(
        db, new, old, reason=links.proposal(new.id, reason), actor=actor, cause=cause
    )


def update_contradicted_status(db: Database, memory_id: str, *, actor: str, cause: str) -> None:
    """Bring a record's state in line with its open contradictions.

    Only an approved record of at least the same trust makes another one `contradicted`: what waits in the inbox, or what an agent
    claims against the operator's word, is linked and shown but takes nothing away. Settled contradictions release the state.
    """
    memory = records.get(db, memory_id)
    if memory.status not in ("active", "contradicted"):
        return
    weighty = [
        other.id
        for other in _list_opponents(db, memory_id)
        if other.status != "inbox" and other.trust >= memory.trust
    ]
    wanted = "contradicted" if weighty else "active"
    if wanted != memory.status:
        reason = f"contradicted by {', '.join(sorted(weighty))}" if weighty else None
        set_status(
            db,
            memory,
            wanted,
            reason=reason,
            verb=wanted if weighty else "settled",
            actor=actor,
            cause=cause,
        )


def update_status_and_opponents(db: Database, memory_id: str, *, actor: str, cause: str) -> None:
    """Bring a record whose trust or state changed, and all that it stands against, in line with their open contradictions."""
    for each in (memory_id, *(other.id for other in _list_opponents(db, memory_id))):
        update_contradicted_status(db, each, actor=actor, cause=cause)


def _list_opponents(db: Database, memory_id: str) -> list[Memory]:
    """The living records that stand in an unsettled contradiction with one, in the order of their ids."""
    ids = sorted(
        {
            link.find_other_end(memory_id)
            for link in links.of_memory(db, memory_id)
            if link.is_open_contradiction
        }
    )
    opponents = records.by_ids(db, ids)
    return [
        opponents[each]
        for each in ids
        if each in opponents and opponents[each].status in _CONTRADICTABLE
    ]


def resolve_contradictions(db: Database, memory_id: str, *, actor: str, cause: str) -> None:
    """Close the contradictions that touch a record which left the field, and release the others."""
    others = {
        end
        for link in links.of_memory(db, memory_id)
        if link.relation == "contradicts"
        for end in (link.from_id, link.to_id)
    }
    links.settle(db, memory_id, clock.now())
    for other in sorted(others - {memory_id}):
        update_contradicted_status(db, other, actor=actor, cause=cause)


def supersede(
    db: Database, new: Memory, old: Memory, *, reason: str | None, actor: str, cause: str
) -> Memory:
    """Let one record take another's place: the old one stays, linked, and out of the way; of a chain, its head is superseded.

    The record that was superseded. Raises UsageError where a record would supersede itself, directly or by way of others.
    """
    require_no_circle(db, new, old)
    old = find_head(db, old)
    add_link(db, new.id, "supersedes", old.id, reason=reason, actor=actor)
    set_status(
        db,
        old,
        "superseded",
        reason=f"superseded by {new.id}",
        verb="superseded",
        actor=actor,
        cause=cause,
    )
    resolve_contradictions(db, old.id, actor=actor, cause=cause)
    return old


def require_no_circle(db: Database, new: Memory, old: Memory) -> None:
    """Raises UsageError where a record would supersede itself, directly or by way of others."""
    if find_head(db, old).id == new.id:
        raise UsageError(f"{new.id} stands in the place of {old.id} already")
    if old.id in succession.above(db, new.id):
        raise UsageError(
            f"that would be a circle: {new.id} was itself superseded by {old.id}, directly or by way of others"
        )


def find_head(db: Database, memory: Memory) -> Memory:
    """The record that stands where a superseded one stood: what superseded it, and what superseded that; else the record itself."""
    chain = succession.chain(db, memory.id) if memory.status == "superseded" else []
    return records.get(db, chain[-1]) if chain else memory
