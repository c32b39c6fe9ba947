"""Contradiction and supersession between records: links written, statuses kept in line with
them. Stands on the store alone.
"""

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
    return links.insert_link(
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
    """Give a record another status with the reason for it; the rest of it stays as it is in the
    store.
    """
    known = records.get_record(db, memory.id)
    changed = replace(known, status=status, status_reason=reason, updated_at=clock.now())
    records.replace_record(db, known, changed, verb=verb, actor=actor, cause=cause)
    return changed


def add_contradiction(
    db: Database, a: Memory, b: Memory, *, reason: str, actor: str, cause: str
) -> bool:
    """Make a contradiction explicit: one open link, and the status `contradicted` where it is due.

    False if that link was there.
    """
    first, second = sorted((a, b), key=lambda memory: memory.id)
    fresh = add_link(
        db, first.id, "contradicts", second.id, reason=reason, actor=actor
    ) or links.reopen_contradiction(db, first.id, second.id, reason)
    update_contradicted_status(db, a.id, actor=actor, cause=cause)
    update_contradicted_status(db, b.id, actor=actor, cause=cause)
    return fresh


def propose_replacement(
    db: Database, new: Memory, old: Memory, *, reason: str, actor: str, cause: str
) -> bool:
    """Add a contradiction that is settled when `new` takes the place of `old`. False if it was
    open before.
    """
    return add_contradiction(
        db,
        new,
        old,
        reason=links.build_replacement_reason(new.id, reason),
        actor=actor,
        cause=cause,
    )


def update_contradicted_status(db: Database, memory_id: str, *, actor: str, cause: str) -> None:
    """Bring a record's status in line with its open contradictions.

    Only an approved record of at least the same trust makes another one `contradicted`: what waits
    in the inbox, or what an agent claims against the operator's word, is linked and shown but takes
    nothing away. Settled contradictions release the status.
    """
    memory = records.get_record(db, memory_id)
    due = find_due_status(db, memory)
    if due is not None:
        set_status(
            db,
            memory,
            due[0],
            reason=due[1],
            verb="contradicted" if due[0] == "contradicted" else "settled",
            actor=actor,
            cause=cause,
        )


def find_due_status(db: Database, memory: Memory) -> tuple[str, str | None] | None:
    """The status, with its reason, that a record in force is due by its open contradictions; None
    if it has that status.
    """
    if memory.status not in ("active", "contradicted"):
        return None
    weighty = [
        other.id
        for other in list_opponents(db, memory.id)
        if other.status != "inbox" and other.trust >= memory.trust
    ]
    wanted = "contradicted" if weighty else "active"
    if wanted == memory.status:
        return None
    return wanted, f"contradicted by {', '.join(sorted(weighty))}" if weighty else None


def update_status_and_opponents(db: Database, memory_id: str, *, actor: str, cause: str) -> None:
    """Bring a record whose trust or status changed, and all that it contradicts, in line with
    their open contradictions.
    """
    for each in (memory_id, *(other.id for other in list_opponents(db, memory_id))):
        update_contradicted_status(db, each, actor=actor, cause=cause)


def list_opponents(db: Database, memory_id: str) -> list[Memory]:
    """List the living records in open contradiction with one, in the order of their ids."""
    ids = sorted(
        {
            link.find_other_end(memory_id)
            for link in links.list_of_memory(db, memory_id)
            if link.is_open_contradiction
        }
    )
    opponents = records.list_by_ids(db, ids)
    return [
        opponents[each]
        for each in ids
        if each in opponents and opponents[each].status in _CONTRADICTABLE
    ]


def resolve_contradictions(db: Database, memory_id: str, *, actor: str, cause: str) -> None:
    """Close the contradictions of a record that was taken out of use, and release the other
    sides.
    """
    others = {
        end
        for link in links.list_of_memory(db, memory_id)
        if link.relation == "contradicts"
        for end in (link.from_id, link.to_id)
    }
    links.settle_contradictions(db, memory_id, clock.now())
    for other in sorted(others - {memory_id}):
        update_contradicted_status(db, other, actor=actor, cause=cause)


def supersede(
    db: Database, new: Memory, old: Memory, *, reason: str | None, actor: str, cause: str
) -> Memory:
    """Let one record supersede another and return the superseded one; of a chain, that is its head.

    The old one stays, linked, and out of use. Raises UsageError where a record would supersede
    itself, directly or through others.
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
    """Raise UsageError where a record would supersede itself, directly or through others."""
    if find_head(db, old).id == new.id:
        raise UsageError(f"{new.id} stands in the place of {old.id} already")
    if old.id in succession.list_successors(db, new.id):
        raise UsageError(
            f"that would be a supersession cycle: "
            f"{new.id} was itself superseded by {old.id}, directly or through others"
        )


def find_head(db: Database, memory: Memory) -> Memory:
    """Find the record at the head of a superseded one's chain; else the record itself."""
    chain = succession.read_chain(db, memory.id) if memory.status == "superseded" else []
    return records.get_record(db, chain[-1]) if chain else memory
