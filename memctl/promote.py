"""Promotion: from candidate to active, by the operator or by a rule of the config; and rejection, after which it does not come back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memctl import clock, policy, relate
from memctl.config import Config
from memctl.consolidate import run
from memctl.data import replace
from memctl.db import Db
from memctl.errors import UsageError
from memctl.model import Actor, Memory
from memctl.results import ChangeReport, Refusal
from memctl.store import evidence, projects, records, tombstones
from memctl.store.records import Filter
from memctl.views import fresh, views

POLICY = Actor("policy")
# A shorter quote ("yes, do that") may stand behind quite different memories.
_TELLING_QUOTE = 24


def approve(db: Db, config: Config, actor: Actor, ids: list[str], *, reason: str | None, dry_run: bool = False) -> ChangeReport:
    """Make candidates or archived records active; refused ones are named with the reason. Raises NotFound for an unknown id."""
    if not ids:
        raise UsageError("name at least one record")
    return _approve(db, actor, [records.resolve(db, text) for text in ids], reason, dry_run)


def approve_all(db: Db, config: Config, actor: Actor, wanted: Filter, *, dry_run: bool = False) -> ChangeReport:
    """Make every candidate within the filters active."""
    return _approve(db, actor, records.select(db, replace(wanted, statuses=("inbox",))), None, dry_run)


def reject(db: Db, config: Config, actor: Actor, ids: list[str], *, reason: str) -> ChangeReport:
    """Archive candidates for good. Raises UsageError without a reason, NotFound for an unknown id."""
    if not reason.strip():
        raise UsageError("a rejection needs a reason")
    if not ids:
        raise UsageError("name at least one record")
    chosen = [records.resolve(db, text) for text in ids]
    refused = [Refusal(m.id, why) for m in chosen if (why := _why_not_reject(m, actor))]
    allowed = [memory for memory in chosen if memory.id not in {refusal.id for refusal in refused}]
    with db.write():
        for memory in allowed:
            archive(db, memory, verdict="rejected", reason=reason.strip(), actor=actor)
    return ChangeReport("rejected", fresh(db, [memory.id for memory in allowed]), tuple(refused))


def archive(db: Db, memory: Memory, *, verdict: str, reason: str | None, actor: Actor) -> None:
    """Archive a record under a verdict that keeps it from coming back."""
    proof = evidence.of_memory(db, memory.id)
    quote = next((e.quote for e in proof if e.id == memory.evidence_ref and e.source_id and len(e.quote) >= _TELLING_QUOTE), None)
    tombstones.add(
        db,
        memory_id=memory.id,
        fingerprint=memory.fingerprint,
        verdict=verdict,
        quote=quote,
        reason=reason,
        actor=actor.name,
        at=clock.now(),
    )
    text = f"{verdict}: {reason}" if reason else verdict
    relate.set_status(db, memory, "archived", reason=text, verb=verdict, actor=actor.name, cause=verdict)
    relate.settle(db, memory.id, actor=actor.name, cause=verdict)


def by_rules(db: Db, config: Config) -> int:
    """Promote the candidates that a rule of the config covers; how many."""
    all_rules: list[Mapping[str, Any]] = policy.rules(config["promotion.rules"])
    if not all_rules:
        return 0
    named = projects.names(db)
    waiting = records.select(db, Filter(statuses=("inbox",)))
    chosen = [memory for memory in waiting if policy.rule_for(memory, named.get(memory.project_id or ""), all_rules)]
    return len(_approve(db, POLICY, chosen, "promoted by a rule of the config", False).changed)


def _approve(db: Db, actor: Actor, chosen: list[Memory], reason: str | None, dry_run: bool) -> ChangeReport:
    proof = evidence.of_memories(db, [memory.id for memory in chosen])
    refused = [Refusal(m.id, why) for m in chosen if (why := _why_not_approve(m, actor, bool(proof.get(m.id))))]
    allowed = [memory for memory in chosen if memory.id not in {refusal.id for refusal in refused}]
    if dry_run:
        return ChangeReport("approved", tuple(views(db, allowed)), tuple(refused), dry_run=True)
    with db.write():
        for memory in allowed:
            tombstones.lift(db, memory.id)
            relate.set_status(db, memory, "active", reason=reason, verb="promoted", actor=actor.name, cause="promote")
        for memory in allowed:
            _weigh_contradictions(db, memory, actor)
    return ChangeReport("approved", fresh(db, [memory.id for memory in allowed]), tuple(refused))


def _weigh_contradictions(db: Db, memory: Memory, actor: Actor) -> None:
    """An approved record now counts against those it contradicts, and they against it."""
    run.relate_new(db, records.get(db, memory.id), actor=actor.name, cause="promote")
    relate.mark(db, memory.id, actor=actor.name, cause="promote")
    for view in views(db, [memory]):
        for other in view.contradicted_by:
            relate.mark(db, other, actor=actor.name, cause="promote")


def _why_not_approve(memory: Memory, actor: Actor, has_evidence: bool) -> str | None:
    if memory.status in ("active", "contradicted"):
        return f"it is {memory.status} already"
    if memory.status == "superseded":
        return "it was superseded; `memctl correct` the newer one instead"
    if memory.status == "archived" and not actor.is_operator:
        return f"bringing back what was archived {policy.AT_A_TERMINAL}"
    return policy.why_not_promote(memory, actor, has_evidence=has_evidence)


def _why_not_reject(memory: Memory, actor: Actor) -> str | None:
    if memory.status != "inbox":
        return f"it is {memory.status}, not in the inbox; `memctl forget` archives it"
    return policy.why_not_change(memory, actor)
