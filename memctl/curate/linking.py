"""Links between records, added and removed by hand, with their effect on the records' states."""

from __future__ import annotations

from memctl.core import clock
from memctl.core.errors import NotFound, UsageError
from memctl.core.frozen import replace
from memctl.core.model import RELATIONS, Actor, Memory, Relation, Status
from memctl.core.typing_lite import cast
from memctl.curate import refusals
from memctl.records import drafts, relations
from memctl.records.views import read_views
from memctl.redact.redactor import make_redactor
from memctl.results.records import ChangeReport
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import event_log, links, records
from memctl.store.database import Database

_LIVING_STATUSES = ("active", "contradicted", "inbox")


def link_records(
    db: Database,
    config: Config,
    actor: Actor,
    from_id: str,
    relation: Relation,
    to_id: str,
    *,
    reason: str | None,
    remove: bool,
) -> ChangeReport:
    """Add or remove a link between two records and update their states.

    Raises UsageError, NotFound, RefusedByPolicy.
    """
    drafts.require_one_of(relation, RELATIONS, "relation")
    with db.write():
        first, second = records.resolve_record(db, from_id), records.resolve_record(db, to_id)
        if first.id == second.id:
            raise UsageError("a record cannot be linked with itself")
        if remove:
            _remove_link(db, actor, first, relation, second)
        else:
            why = drafts.clean_reason(reason, make_redactor(config))
            _add_link(db, actor, first, relation, second, why)
    return ChangeReport("parted" if remove else "linked", read_views(db, [first.id, second.id]))


def _add_link(
    db: Database,
    actor: Actor,
    first: Memory,
    relation: Relation,
    second: Memory,
    reason: str | None,
) -> None:
    if relation == "supersedes":
        _link_superseding(db, actor, first, second, reason)
    elif relation == "contradicts":
        relations.add_contradiction(
            db, first, second, reason=reason or "linked by hand", actor=actor.name, cause="link"
        )
    else:
        outranks_parent = relation == "derived_from" and first.trust > second.trust
        if outranks_parent:
            refusals.require_allowed(policy.why_not_change(first, actor))
        relations.add_link(db, first.id, relation, second.id, reason=reason, actor=actor.name)
        if outranks_parent:
            _cap_trust_at_parent(db, actor, first, second)


def _cap_trust_at_parent(db: Database, actor: Actor, derived: Memory, parent: Memory) -> None:
    capped = replace(derived, trust=parent.trust, updated_at=clock.now())
    cause = f"derived from {parent.id}"
    records.replace_record(db, derived, capped, verb="weakened", actor=actor.name, cause=cause)
    relations.update_status_and_opponents(db, derived.id, actor=actor.name, cause="link")


def _link_superseding(
    db: Database, actor: Actor, first: Memory, second: Memory, reason: str | None
) -> None:
    """Let one record supersede another, or the current successor of that."""
    relations.require_no_circle(db, first, second)
    old = relations.find_head(db, second)
    refusals.require_allowed(policy.why_not_supersede(first, old, actor))
    if not policy.is_in_force(first) or old.status not in _LIVING_STATUSES:
        states = f"{first.id} is {first.status}, {old.id} is {old.status}"
        raise UsageError(f"{states}: only a record in force can supersede one in use")
    relations.supersede(db, first, old, reason=reason, actor=actor.name, cause="link")
    relations.update_contradicted_status(db, first.id, actor=actor.name, cause="link")


def _remove_link(
    db: Database, actor: Actor, first: Memory, relation: Relation, second: Memory
) -> None:
    ends = (first, second) if relation != "contradicts" or first.id < second.id else (second, first)
    for end in ends:
        refusals.require_allowed(policy.why_not_change(end, actor))
    if relation == "contradicts":
        done = links.dismiss_contradiction(db, ends[0].id, ends[1].id, clock.now())
    else:
        done = links.delete_link(db, first.id, relation, second.id)
    if not done:
        raise NotFound(f"{first.id} is not linked by {relation} to {second.id}")
    if relation == "supersedes" and second.status == "superseded":
        restored = replace(
            second,
            status=read_status_before(db, second),
            status_reason=None,
            updated_at=clock.now(),
        )
        _require_restorable(db, second, restored, actor)
        records.replace_record(
            db, second, restored, verb="restored", actor=actor.name, cause="link --remove"
        )
        refresh_contradictions(db, second.id, actor)
    for end in ends:
        relations.update_contradicted_status(db, end.id, actor=actor.name, cause="link --remove")


def _require_restorable(db: Database, memory: Memory, restored: Memory, actor: Actor) -> None:
    refusals.require_allowed(refusals.why_not_restore(db, memory, restored, actor))
    if restored.status in _LIVING_STATUSES:
        refusals.require_allowed(policy.why_not_stand(restored, actor))


def read_status_before(db: Database, memory: Memory) -> Status:
    """The status that a superseded or archived record had before."""
    changes = [
        event
        for event in event_log.list_of_memory(db, memory.id)
        if event.before and (event.after or {}).get("status") == memory.status
    ]
    return cast(Status, (changes[-1].before or {}).get("status", "inbox")) if changes else "inbox"


def refresh_contradictions(db: Database, memory_id: str, actor: Actor) -> None:
    """Mark what a record contradicts as it is now."""
    memory = records.get_record(db, memory_id)
    if memory.status in _LIVING_STATUSES:
        from memctl.consolidate import apply  # here, because most changes compare nothing

        apply.contradict_new_record(db, memory, actor=actor.name, cause="changed")
        relations.update_status_and_opponents(db, memory_id, actor=actor.name, cause="changed")
