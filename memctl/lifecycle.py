"""Changes to a record by hand: edit, confirm, correct, forget, revert, link. Each keeps what was; none lets trust rise by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memctl import clock, drafts, policy, relate
from memctl.config import Config
from memctl.data import fields, replace
from memctl.db import Db
from memctl.errors import NotFound, RefusedByPolicy, UsageError
from memctl.model import OPERATOR_SAID, RELATIONS, Actor, Event, Memory, Relation
from memctl.promote import archive
from memctl.results import ChangeReport, Refusal
from memctl.store import evidence, links, records, stream, tombstones
from memctl.views import fresh, views

_CONFIRMED = 0.95


def edit(db: Db, config: Config, actor: Actor, record_id: str, changes: Mapping[str, Any], *, reason: str | None) -> ChangeReport:
    """Set fields in place; an agent's wording of what the operator said falls to the agent's trust. Raises UsageError, RefusedByPolicy."""
    memory = records.resolve(db, record_id)
    _demand(policy.why_not_change(memory, actor))
    changed = drafts.changed_fields(memory, changes)
    if changed.type == "profile" and memory.type != "profile" and not actor.is_operator and memory.status != "inbox":
        raise RefusedByPolicy(f"a profile fact {policy.AT_A_TERMINAL}")
    if changed.content != memory.content:
        changed = replace(changed, trust=min(memory.trust, actor.trust))
    changed = replace(changed, updated_at=clock.now())
    with db.write():
        records.replace(db, memory, changed, verb="edited", actor=actor.name, cause=reason or "edit")
        if changed.content != memory.content:
            evidence.insert(db, [drafts.manual_evidence(changed, actor)])
    return ChangeReport("edited", fresh(db, [memory.id]))


def confirm(db: Db, config: Config, actor: Actor, ids: list[str], *, reason: str | None) -> ChangeReport:
    """The operator vouches for records: their word becomes evidence, trust and confidence rise. Raises RefusedByPolicy, NotFound."""
    if not actor.is_operator:
        raise RefusedByPolicy(f"raising trust {policy.AT_A_TERMINAL}")
    chosen = [records.resolve(db, text) for text in ids]
    refused = [Refusal(m.id, f"it is {m.status}") for m in chosen if m.status not in ("active", "contradicted", "inbox")]
    allowed = [memory for memory in chosen if memory.status in ("active", "contradicted", "inbox")]
    with db.write():
        for memory in allowed:
            now = clock.now()
            sure = replace(memory, trust=OPERATOR_SAID, confidence=max(memory.confidence, _CONFIRMED), updated_at=now)
            evidence.insert(db, [drafts.manual_evidence(sure, actor)])
            records.replace(db, memory, sure, verb="confirmed", actor=actor.name, cause=reason or "confirm")
            relate.mark(db, memory.id, actor=actor.name, cause="confirm")
    return ChangeReport("confirmed", fresh(db, [memory.id for memory in allowed]), tuple(refused))


def correct(
    db: Db, config: Config, actor: Actor, record_id: str, content: str, *, reason: str | None, rationale: str | None
) -> ChangeReport:  # fmt: skip
    """Write the new truth: the old record is superseded and linked. An agent's correction of stronger words is only proposed."""
    old = records.resolve(db, record_id)
    _demand(policy.why_not_change(old, actor))
    if old.status in ("archived", "superseded"):
        raise UsageError(f"{old.id} is {old.status}: correct the record that is in force")
    new = _corrected(old, content, actor, rationale)
    if new.fingerprint == old.fingerprint:
        raise UsageError("the correction says the same as the record")
    proposed = not actor.is_operator and old.trust > actor.trust
    proof = drafts.manual_evidence(new, actor)
    new = replace(new, evidence_ref=proof.id, status="inbox" if proposed or old.status == "inbox" else "active")
    with db.write():
        records.insert(db, new, actor=actor.name, cause=reason or "correct")
        evidence.insert(db, [proof])
        if proposed:
            relate.contradict(db, new, old, reason=reason or "proposed correction", actor=actor.name, cause="correct")
        else:
            relate.supersede(db, new, old, reason=reason, actor=actor.name, cause=reason or "correct")
    return ChangeReport("proposed" if proposed else "corrected", fresh(db, [new.id, old.id]))


def forget(db: Db, config: Config, actor: Actor, ids: list[str], *, reason: str | None, dry_run: bool) -> ChangeReport:
    """Archive records under a tombstone: not served, not proposed, not imported again. Raises NotFound."""
    chosen = [records.resolve(db, text) for text in ids]
    refused = [Refusal(m.id, why) for m in chosen if (why := _why_not_forget(m, actor))]
    allowed = [memory for memory in chosen if memory.id not in {refusal.id for refusal in refused}]
    if dry_run:
        return ChangeReport("forgotten", tuple(views(db, allowed)), tuple(refused), dry_run=True)
    with db.write():
        for memory in allowed:
            archive(db, memory, verdict="forgotten", reason=reason, actor=actor)
    return ChangeReport("forgotten", fresh(db, [memory.id for memory in allowed]), tuple(refused))


def revert(db: Db, config: Config, actor: Actor, record_id: str, *, seq: int | None) -> ChangeReport:
    """Undo the last change to a record, or one by its stream number, as a new change. Raises UsageError, RefusedByPolicy."""
    memory = records.resolve(db, record_id)
    _demand(policy.why_not_change(memory, actor))
    event = _event(db, memory, seq)
    restored = _before(memory, event)
    if not actor.is_operator and (restored.trust > memory.trust or (restored.status == "active") > (memory.status == "active")):
        raise RefusedByPolicy(f"undoing this raises trust, which {policy.AT_A_TERMINAL}")
    with db.write():
        records.replace(
            db, memory, replace(restored, updated_at=clock.now()), verb="reverted", actor=actor.name, cause=f"event {event.seq}"
        )
        if restored.status != "archived":
            tombstones.lift(db, memory.id)
        relate.mark(db, memory.id, actor=actor.name, cause="revert")
    return ChangeReport("reverted", fresh(db, [memory.id]))


def link(
    db: Db, config: Config, actor: Actor, from_id: str, relation: Relation, to_id: str, *, reason: str | None, remove: bool
) -> ChangeReport:  # fmt: skip
    """Link two records, with what the relation means for their states. Raises UsageError, NotFound, RefusedByPolicy."""
    drafts.one_of(relation, RELATIONS, "relation")
    first, second = records.resolve(db, from_id), records.resolve(db, to_id)
    if first.id == second.id:
        raise UsageError("a record cannot be linked with itself")
    with db.write():
        if remove:
            _part(db, actor, first, relation, second)
        else:
            _connect(db, actor, first, relation, second, reason)
    return ChangeReport("parted" if remove else "linked", fresh(db, [first.id, second.id]))


def _connect(db: Db, actor: Actor, first: Memory, relation: Relation, second: Memory, reason: str | None) -> None:
    if relation == "supersedes":
        _demand(policy.why_not_change(second, actor))
        if not actor.is_operator and first.trust < second.trust:
            raise RefusedByPolicy(f"superseding what is trusted more {policy.AT_A_TERMINAL}")
        if first.status not in ("active", "contradicted"):
            raise UsageError(f"{first.id} is {first.status}; only a record in force supersedes another")
        relate.supersede(db, first, second, reason=reason, actor=actor.name, cause="link")
        relate.mark(db, first.id, actor=actor.name, cause="link")
    elif relation == "contradicts":
        relate.contradict(db, first, second, reason=reason or "said so by hand", actor=actor.name, cause="link")
    else:
        relate.connect(db, first.id, relation, second.id, reason=reason, actor=actor.name)
        if relation == "derived_from" and first.trust > second.trust:
            weaker = replace(first, trust=second.trust, updated_at=clock.now())
            records.replace(db, first, weaker, verb="weakened", actor=actor.name, cause=f"derived from {second.id}")


def _part(db: Db, actor: Actor, first: Memory, relation: Relation, second: Memory) -> None:
    ends = (first, second) if relation != "contradicts" or first.id < second.id else (second, first)
    if not links.delete(db, ends[0].id, relation, ends[1].id):
        raise NotFound(f"{first.id} is not linked by {relation} to {second.id}")
    if relation == "supersedes" and second.status == "superseded":
        _demand(policy.why_not_change(second, actor))
        relate.set_status(db, second, "active", reason=None, verb="restored", actor=actor.name, cause="link --remove")
    for end in ends:
        relate.mark(db, end.id, actor=actor.name, cause="link --remove")


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
    standing = {"trust": actor.trust, "source_kind": "manual", "source_ref": f"manual:{actor.name}", "status_reason": None}
    confidence = _CONFIRMED if actor.is_operator else min(old.confidence, 0.6)
    return drafts.fingerprinted(replace(old, **words, **fresh_state, **standing, confidence=confidence))


def _event(db: Db, memory: Memory, seq: int | None) -> Event:
    history = stream.of_memory(db, memory.id)
    if seq is None:
        return history[-1]
    found = next((event for event in history if event.seq == seq), None)
    if found is None:
        raise NotFound(f"change {seq} is not one of {memory.id}: {', '.join(str(event.seq) for event in history)}")
    return found


def _before(memory: Memory, event: Event) -> Memory:
    """The record as it was before a change; undoing a creation archives it."""
    if event.before is None:
        return replace(memory, status="archived", status_reason="creation reverted")
    known = {f.name for f in fields(memory)} - {"id", "created_at", "updated_at"}
    values = {name: tuple(value) if name == "alternatives" else value for name, value in event.before.items() if name in known}
    return drafts.fingerprinted(replace(memory, **values))


def _why_not_forget(memory: Memory, actor: Actor) -> str | None:
    if memory.status == "archived":
        return "it is archived already"
    return policy.why_not_change(memory, actor)


def _demand(refusal: str | None) -> None:
    if refusal:
        raise RefusedByPolicy(refusal)
