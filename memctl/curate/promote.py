"""Promotion: from candidate to active, by the operator or by a rule of the config; and rejection, after which it does not come back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memctl.consolidate import apply
from memctl.core import clock
from memctl.core.bounded_work import BoundedWork
from memctl.core.errors import RefusedByPolicy, UsageError
from memctl.core.frozen import replace
from memctl.core.model import Actor, Memory
from memctl.records import drafts, purge_filter, relations
from memctl.records.views import fresh, views
from memctl.results.records import ChangeReport, Refusal
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import event_log, evidence, links, projects, records, tombstones
from memctl.store.database import Db
from memctl.store.records import Filter

POLICY = Actor("policy")
# A shorter quote ("yes, do that") may stand behind quite different memories.
_TELLING_QUOTE = 24
_BY_RULE = "promoted by a rule of the config"


def approve(
    db: Db,
    config: Config,
    actor: Actor,
    ids: list[str],
    *,
    reason: str | None,
    dry_run: bool = False,
) -> ChangeReport:
    """Make candidates or archived records active; refused ones are named with the reason. Raises NotFound for an unknown id."""
    if not ids:
        raise UsageError("name at least one record")
    with db.snapshot() if dry_run else db.write():
        return _approve(db, config, actor, chosen(db, ids), drafts.note(reason), dry_run)


def approve_all(
    db: Db, config: Config, actor: Actor, wanted: Filter, *, dry_run: bool = False
) -> ChangeReport:
    """Make every candidate within the filters active."""
    with db.snapshot() if dry_run else db.write():
        return _approve(
            db,
            config,
            actor,
            records.select(db, replace(wanted, statuses=("inbox",))),
            None,
            dry_run,
        )


def reject(db: Db, config: Config, actor: Actor, ids: list[str], *, reason: str) -> ChangeReport:
    """Archive candidates for good. Raises UsageError without a reason, NotFound for an unknown id."""
    why_rejected = drafts.note(reason)
    if not why_rejected:
        raise UsageError("a rejection needs a reason")
    with db.write():
        named = chosen(db, ids)
        refused = [Refusal(m.id, why) for m in named if (why := _why_not_reject(m, actor))]
        allowed = [
            memory for memory in named if memory.id not in {refusal.id for refusal in refused}
        ]
        for memory in allowed:
            with event_log.operation(db, actor=actor.name, cause="rejected"):
                archive(db, memory, verdict="rejected", reason=why_rejected, actor=actor)
    return ChangeReport("rejected", fresh(db, [memory.id for memory in allowed]), tuple(refused))


def chosen(db: Db, ids: Iterable[str]) -> list[Memory]:
    """The records named, each once. Raises UsageError for none, NotFound for an unknown id."""
    found = [records.resolve(db, text) for text in ids]
    if not found:
        raise UsageError("name at least one record")
    return list({memory.id: memory for memory in found}.values())


def approve_here(db: Db, config: Config, actor: Actor, memory: Memory, reason: str | None) -> None:
    """Make one record active inside another change. Raises RefusedByPolicy."""
    refused = why_not_approve(db, memory, actor, reason)
    if refused:
        raise RefusedByPolicy(refused)
    _approve_one(db, config, actor, _with_rationale(memory, actor, reason), reason)


def why_not_approve(db: Db, memory: Memory, actor: Actor, reason: str | None) -> str | None:
    """Why this actor may not make a record active for that reason, or None."""
    return _why_not_approve(
        db, _with_rationale(memory, actor, reason), actor, bool(evidence.of_memory(db, memory.id))
    )


def why_not_again(db: Db, memory: Memory, actor: Actor) -> str | None:
    """Why this actor may not bring a content back that was rejected, forgotten or purged, or None."""
    if actor.is_operator:
        return None
    if purge_filter.holds(
        db,
        (
            memory.title,
            memory.content,
            memory.summary,
            memory.subject,
            memory.rationale,
            *memory.alternatives,
        ),
    ):
        return "it holds words that were purged, which come back only by the operator's hand"
    verdict = tombstones.find(db, memory.fingerprint, [])
    return (
        f"{memory.title!r} was {verdict['verdict']} before and comes back only by the operator's hand"
        if verdict
        else None
    )


def archive(db: Db, memory: Memory, *, verdict: str, reason: str | None, actor: Actor) -> None:
    """Archive a record under a verdict that keeps it from coming back."""
    proof = evidence.of_memory(db, memory.id)
    quote = next(
        (
            e.quote
            for e in proof
            if e.id == memory.evidence_ref and e.source_id and len(e.quote) >= _TELLING_QUOTE
        ),
        None,
    )
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
    relations.set_status(
        db, memory, "archived", reason=text, verb=verdict, actor=actor.name, cause=verdict
    )
    relations.settle(db, memory.id, actor=actor.name, cause=verdict)


def by_rules(db: Db, config: Config, work: BoundedWork | None = None) -> int:
    """Promote the candidates that a rule of the config covers; how many. Each is counted as `promoted`."""
    work = work or BoundedWork()
    all_rules: list[Mapping[str, Any]] = policy.rules(config["promotion.rules"])
    if not all_rules:
        return 0
    named = projects.names(db)
    waiting = records.select(db, Filter(statuses=("inbox",)))
    covered = [
        memory
        for memory in waiting
        if policy.rule_for(memory, named.get(memory.project_id or ""), all_rules)
    ]
    for memory in sorted(covered, key=lambda memory: (memory.observed_at, memory.id)):
        if work.must_stop():
            break
        work.count("promoted", _by_rule(db, config, memory.id))
    return work.counts["promoted"]


def _by_rule(db: Db, config: Config, memory_id: str) -> int:
    with db.write():
        memory = records.get(db, memory_id)
        return (
            len(_approve(db, config, POLICY, [memory], _BY_RULE, False).changed)
            if memory.status == "inbox"
            else 0
        )


def _approve(
    db: Db, config: Config, actor: Actor, named: list[Memory], reason: str | None, dry_run: bool
) -> ChangeReport:
    """Approve what policy allows, what was said first before what was said later; call it inside a transaction."""
    named = [_with_rationale(memory, actor, reason) for memory in named]
    proof = evidence.of_memories(db, [memory.id for memory in named])
    refused = tuple(
        Refusal(m.id, why)
        for m in named
        if (why := _why_not_approve(db, m, actor, bool(proof.get(m.id))))
    )
    allowed = [memory for memory in named if memory.id not in {refusal.id for refusal in refused}]
    if dry_run:
        replaced = [each for shown in views(db, allowed) for each in shown.replaces]
        return ChangeReport(
            "approved",
            tuple(views(db, allowed)),
            refused,
            dry_run=True,
            replaced=fresh(db, replaced),
        )
    gone: list[str] = []
    for memory in sorted(allowed, key=lambda memory: (memory.observed_at, memory.id)):
        with event_log.operation(db, actor=actor.name, cause="promote"):
            gone += _approve_one(db, config, actor, memory, reason)
    return ChangeReport(
        "approved", fresh(db, [memory.id for memory in allowed]), refused, replaced=fresh(db, gone)
    )


def _approve_one(
    db: Db, config: Config, actor: Actor, memory: Memory, reason: str | None
) -> list[str]:
    """Make one record active and let it take the place of what it replaces; the ids of what is superseded by it now.

    An approved record counts against those it contradicts, and they against it. Nothing is done where it was superseded meanwhile.
    """
    known = records.get(db, memory.id)
    if known.status == "superseded":
        return []
    tombstones.lift(db, memory.id)
    if actor.is_operator:
        tombstones.lift_content(db, memory.fingerprint)
    before = _superseded_by(db, memory.id)
    active = replace(
        known,
        rationale=memory.rationale,
        status="active",
        status_reason=reason,
        updated_at=clock.now(),
    )
    records.replace(db, known, active, verb="promoted", actor=actor.name, cause="promote")
    apply.take_over(db, active, actor=actor, cause="promote")
    apply.relate_new(
        db,
        config,
        records.get(db, memory.id),
        actor=actor,
        cause="promote",
        settles=lambda step: actor.is_operator,
    )
    relations.weigh(db, memory.id, actor=actor.name, cause="promote")
    return sorted(_superseded_by(db, memory.id) - before)


def _superseded_by(db: Db, memory_id: str) -> set[str]:
    own = links.of_memory(db, memory_id)
    return {
        link.to_id for link in own if link.relation == "supersedes" and link.from_id == memory_id
    }


def _with_rationale(memory: Memory, actor: Actor, reason: str | None) -> Memory:
    """A decision that came without a rationale takes the operator's reason for approving it."""
    missing = memory.type == "decision" and not memory.rationale and reason and actor.is_operator
    return replace(memory, rationale=drafts.clean(reason)) if missing and reason else memory


def _why_not_approve(db: Db, memory: Memory, actor: Actor, has_evidence: bool) -> str | None:
    if memory.status in ("active", "contradicted"):
        return f"it is {memory.status} already"
    if memory.status == "superseded":
        return "it was superseded; `memctl correct` the newer one instead"
    if memory.status == "archived" and not actor.is_operator:
        return f"bringing back what was archived {policy.AT_A_TERMINAL}"
    again = why_not_again(db, memory, actor)
    return again or policy.why_not_promote(memory, actor, has_evidence=has_evidence)


def _why_not_reject(memory: Memory, actor: Actor) -> str | None:
    if memory.status != "inbox":
        return f"it is {memory.status}, not in the inbox; `memctl forget` archives it"
    return policy.why_not_change(memory, actor)
