"""Changes to a record by hand: edit, confirm, correct, forget, revert, link. Each keeps what was; none lets trust rise by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from memctl.consolidate import apply
from memctl.core import clock
from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.frozen import replace
from memctl.core.model import OPERATOR_SAID, RELATIONS, Actor, Memory, Relation, Status
from memctl.curate import promote
from memctl.records import drafts, relations
from memctl.records.views import fresh, views
from memctl.results.records import ChangeReport, Refusal
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import entities, event_log, evidence, links, records, tombstones
from memctl.store.database import Db

_CONFIRMED = 0.95
_LIVING = ("active", "contradicted", "inbox")
# The words that a reader is served; a date or a flag is not among them.
_WORDING = ("title", "content", "summary", "rationale", "alternatives")


def edit(
    db: Db,
    config: Config,
    actor: Actor,
    record_id: str,
    changes: Mapping[str, Any],
    *,
    reason: str | None,
) -> ChangeReport:
    """Set fields in place; an agent's wording of what the operator said falls to the agent's trust. Raises UsageError, RefusedByPolicy."""
    with db.write():
        memory = records.resolve(db, record_id)
        _demand(policy.why_not_change(memory, actor))
        changed = _reworded(memory, drafts.changed_fields(memory, changes), actor)
        _demand(policy.why_not_stand(changed, actor))
        if changed.fingerprint != memory.fingerprint:
            _demand(promote.why_not_again(db, changed, actor))
        if (
            changed.content != memory.content and actor.is_operator
        ):  # It is the operator's word of now.
            changed = replace(changed, confirmed_at=clock.now())
        records.replace(
            db,
            memory,
            replace(changed, updated_at=clock.now()),
            verb="edited",
            actor=actor.name,
            cause=_cause(reason, "edit"),
        )
        if changed.content != memory.content:
            evidence.insert(
                db, [drafts.manual_evidence(replace(changed, updated_at=clock.now()), actor)]
            )
            if (
                actor.is_operator
            ):  # What stood against the old words need not stand against the new ones.
                relations.settle(db, memory.id, actor=actor.name, cause="edit")
            _weigh_anew(db, memory.id, actor)
        relations.weigh(db, memory.id, actor=actor.name, cause="edit")
    return ChangeReport("edited", fresh(db, [memory.id]))


def confirm(
    db: Db, config: Config, actor: Actor, ids: list[str], *, reason: str | None
) -> ChangeReport:
    """The operator vouches for records: their word becomes evidence, trust and confidence rise. Raises RefusedByPolicy, NotFound."""
    if not actor.is_operator:
        raise RefusedByPolicy(f"raising trust {policy.AT_A_TERMINAL}")
    with db.write():
        chosen = promote.chosen(db, ids)
        refused = [Refusal(m.id, f"it is {m.status}") for m in chosen if m.status not in _LIVING]
        allowed = [memory for memory in chosen if memory.status in _LIVING]
        for memory in allowed:
            now = clock.now()
            sure = replace(
                memory,
                trust=OPERATOR_SAID,
                confidence=max(memory.confidence, _CONFIRMED),
                confirmed_at=now,
                updated_at=now,
            )
            evidence.insert(db, [drafts.manual_evidence(sure, actor)])
            records.replace(
                db,
                memory,
                sure,
                verb="confirmed",
                actor=actor.name,
                cause=_cause(reason, "confirm"),
            )
            relations.weigh(db, memory.id, actor=actor.name, cause="confirm")
    return ChangeReport("confirmed", fresh(db, [memory.id for memory in allowed]), tuple(refused))


def correct(
    db: Db,
    config: Config,
    actor: Actor,
    record_id: str,
    content: str,
    *,
    reason: str | None,
    rationale: str | None,
    valid_from: str | None = None,
    valid_until: str | None = None,
) -> ChangeReport:
    """Write the new truth: the old record is superseded and linked. An agent's correction of stronger words is only proposed.

    The new words hold as long as the old ones, unless it is said from when or until when they do.
    """
    why = drafts.note(reason)
    with db.write():
        old = relations.head(db, records.resolve(db, record_id))
        _demand(policy.why_not_correct(old, actor))
        if old.status not in _LIVING:
            raise UsageError(f"{old.id} is {old.status}: correct the record that is in force")
        new = _corrected(_holding(old, valid_from, valid_until), content, actor, rationale)
        if new.fingerprint == old.fingerprint:
            raise UsageError("the correction says the same as the record")
        _demand(promote.why_not_again(db, new, actor))
        proposed = not actor.is_operator and old.trust > actor.trust
        proof = drafts.manual_evidence(new, actor)
        new = replace(
            new,
            evidence_ref=proof.id,
            status="inbox" if proposed or old.status == "inbox" else "active",
        )
        _demand(policy.why_not_stand(new, actor))
        named = entities.of_memories(db, [old.id]).get(old.id, [])
        records.insert(
            db,
            new,
            actor=actor.name,
            cause=_cause(reason, "correct"),
            names=[ref.name for ref in named],
        )
        evidence.insert(db, [proof])
        entities.attach(db, new.id, named, new.created_at)
        if proposed:
            relations.propose(
                db, new, old, reason=why or "a correction", actor=actor.name, cause="correct"
            )
        else:
            relations.supersede(
                db, new, old, reason=why, actor=actor.name, cause=_cause(reason, "correct")
            )
        apply.relate_new(db, config, new, actor=actor, cause="correct")
    return ChangeReport("proposed" if proposed else "corrected", fresh(db, [new.id, old.id]))


def forget(
    db: Db, config: Config, actor: Actor, ids: list[str], *, reason: str | None, dry_run: bool
) -> ChangeReport:
    """Archive records under a tombstone: not served, not proposed, not imported again. Raises NotFound."""
    with db.snapshot() if dry_run else db.write():
        chosen = promote.chosen(db, ids)
        refused = tuple(
            Refusal(m.id, why) for m in chosen if (why := _why_not_forget(db, m, actor))
        )
        allowed = [
            memory for memory in chosen if memory.id not in {refusal.id for refusal in refused}
        ]
        if dry_run:
            return ChangeReport("forgotten", tuple(views(db, allowed)), refused, dry_run=True)
        for memory in allowed:
            promote.archive(
                db, memory, verdict="forgotten", reason=drafts.note(reason), actor=actor
            )
    return ChangeReport("forgotten", fresh(db, [memory.id for memory in allowed]), refused)


def link(
    db: Db,
    config: Config,
    actor: Actor,
    from_id: str,
    relation: Relation,
    to_id: str,
    *,
    reason: str | None,
    remove: bool,
) -> ChangeReport:
    """Link two records, with what the relation means for their states. Raises UsageError, NotFound, RefusedByPolicy."""
    drafts.one_of(relation, RELATIONS, "relation")
    with db.write():
        first, second = records.resolve(db, from_id), records.resolve(db, to_id)
        if first.id == second.id:
            raise UsageError("a record cannot be linked with itself")
        if remove:
            _part(db, actor, first, relation, second)
        else:
            _connect(db, actor, first, relation, second, drafts.note(reason))
    return ChangeReport("parted" if remove else "linked", fresh(db, [first.id, second.id]))


def _supersede(db: Db, actor: Actor, first: Memory, second: Memory, reason: str | None) -> None:
    """Put one record in the place of another, or of what stands in its place by now."""
    relations.demand_no_circle(db, first, second)
    old = relations.head(db, second)
    _demand(policy.why_not_supersede(first, old, actor))
    if not policy.is_in_force(first) or old.status not in _LIVING:
        states = f"{first.id} is {first.status}, {old.id} is {old.status}"
        raise UsageError(f"{states}: only a record in force supersedes a living one")
    relations.supersede(db, first, old, reason=reason, actor=actor.name, cause="link")
    relations.mark(db, first.id, actor=actor.name, cause="link")


def _connect(
    db: Db, actor: Actor, first: Memory, relation: Relation, second: Memory, reason: str | None
) -> None:
    if relation == "supersedes":
        _supersede(db, actor, first, second, reason)
    elif relation == "contradicts":
        relations.contradict(
            db, first, second, reason=reason or "said so by hand", actor=actor.name, cause="link"
        )
    else:
        weaker = relation == "derived_from" and first.trust > second.trust
        if weaker:
            _demand(policy.why_not_change(first, actor))
        relations.connect(db, first.id, relation, second.id, reason=reason, actor=actor.name)
        if weaker:
            now = replace(first, trust=second.trust, updated_at=clock.now())
            records.replace(
                db, first, now, verb="weakened", actor=actor.name, cause=f"derived from {second.id}"
            )
            relations.weigh(db, first.id, actor=actor.name, cause="link")


def _part(db: Db, actor: Actor, first: Memory, relation: Relation, second: Memory) -> None:
    ends = (first, second) if relation != "contradicts" or first.id < second.id else (second, first)
    for end in ends:
        _demand(policy.why_not_change(end, actor))
    if relation == "contradicts":
        done = links.dismiss(db, ends[0].id, ends[1].id, clock.now())
    else:
        done = links.delete(db, first.id, relation, second.id)
    if not done:
        raise NotFound(f"{first.id} is not linked by {relation} to {second.id}")
    if relation == "supersedes" and second.status == "superseded":
        restored = replace(
            second, status=_status_before(db, second), status_reason=None, updated_at=clock.now()
        )
        _demand(_why_not_restore(db, second, restored, actor))
        records.replace(
            db, second, restored, verb="restored", actor=actor.name, cause="link --remove"
        )
        _weigh_anew(db, second.id, actor)
    for end in ends:
        relations.mark(db, end.id, actor=actor.name, cause="link --remove")


def _reworded(memory: Memory, changed: Memory, actor: Actor) -> Memory:
    """A record whose words were changed is no more trusted than who changed them; only the operator's hand leaves trust as it is."""
    same = all(getattr(memory, name) == getattr(changed, name) for name in _WORDING)
    return changed if same else replace(changed, trust=min(changed.trust, actor.trust))


def _weigh_anew(db: Db, memory_id: str, actor: Actor) -> None:
    """Find out what a record contradicts as it stands now."""
    memory = records.get(db, memory_id)
    if memory.status in _LIVING:
        apply.contradict_new(db, memory, actor=actor.name, cause="changed")
        relations.weigh(db, memory_id, actor=actor.name, cause="changed")


def _why_not_restore(db: Db, memory: Memory, restored: Memory, actor: Actor) -> str | None:
    """Why this actor may not bring a record back into an earlier state, or None."""
    risen = restored.trust > memory.trust or policy.is_in_force(restored) > policy.is_in_force(
        memory
    )
    judged = (
        restored.status in _LIVING and tombstones.find(db, restored.fingerprint, []) is not None
    )
    if not actor.is_operator and (risen or judged or tombstones.of_memory(db, memory.id)):
        return f"undoing this raises trust or brings back what was judged, which {policy.AT_A_TERMINAL}"
    return policy.why_not_stand(restored, actor) if restored.status in _LIVING else None


def _status_before(db: Db, memory: Memory) -> Status:
    """What a superseded record was before it was."""
    changes = [
        event
        for event in event_log.of_memory(db, memory.id)
        if event.before and (event.after or {}).get("status") == "superseded"
    ]
    return cast(Status, (changes[-1].before or {}).get("status", "inbox")) if changes else "inbox"


def _cause(reason: str | None, command: str) -> str:
    return drafts.note(reason) or command


def _holding(memory: Memory, valid_from: str | None, valid_until: str | None) -> Memory:
    start, end = drafts.moment(valid_from, "valid_from"), drafts.moment(valid_until, "valid_until")
    return drafts.fitting(
        replace(
            memory, valid_from=start or memory.valid_from, valid_until=end or memory.valid_until
        )
    )


def _corrected(old: Memory, content: str, actor: Actor, rationale: str | None) -> Memory:
    now, text = clock.now(), drafts.clean(content)
    if not text:
        raise UsageError("a correction needs the right content")
    words = {
        "title": drafts.shortened(text, drafts.TITLE_LENGTH),
        "content": text,
        "summary": drafts.shortened(text, drafts.SUMMARY_LENGTH),
        "rationale": drafts.clean(rationale) if rationale else old.rationale,
    }
    fresh_state = {
        "id": clock.new_id(),
        "created_at": now,
        "updated_at": now,
        "observed_at": now,
        "access_count": 0,
        "last_accessed_at": None,
    }
    standing = {
        "trust": actor.trust,
        "source_kind": "manual",
        "source_ref": f"manual:{actor.name}",
        "status_reason": None,
    }
    confidence = _CONFIRMED if actor.is_operator else min(old.confidence, 0.6)
    return drafts.fingerprinted(
        drafts.fitting(replace(old, **words, **fresh_state, **standing, confidence=confidence))
    )


def _why_not_forget(db: Db, memory: Memory, actor: Actor) -> str | None:
    if memory.status == "archived":
        return "it is archived already"
    return policy.why_not_change(memory, actor) or _why_not_settle(db, memory, actor)


def _why_not_settle(db: Db, memory: Memory, actor: Actor) -> str | None:
    """Why this actor may not end a contradiction by taking the better trusted side away, or None."""
    if actor.is_operator or memory.trust <= actor.trust:
        return None
    is_open = any(
        link.relation == "contradicts" and link.resolved_at is None
        for link in links.of_memory(db, memory.id)
    )
    return (
        f"it stands in an open contradiction, and settling it {policy.AT_A_TERMINAL}"
        if is_open
        else None
    )


def _demand(refusal: str | None) -> None:
    if refusal:
        raise RefusedByPolicy(refusal)
