"""Consolidation on the store: the pure plan is made from what stands there, shown or carried out step by step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memctl import clock, relate
from memctl.config import Config
from memctl.consolidate import plan as planning
from memctl.consolidate.plan import Decision
from memctl.consolidate.similar import overlap_terms
from memctl.consolidate.statement import Statement, holder
from memctl.data import replace
from memctl.db import Db
from memctl.model import Evidence, Memory, Place
from memctl.results import ConsolidationReport, ConsolidationStep
from memctl.store import entities, evidence, links, records
from memctl.store.records import Filter

_LIVE = ("active", "contradicted", "inbox")
_NEIGHBOURS = 12
ACTOR = "maintain"
# The reason of the link between two records whose merge was undone.
KEPT_APART = "kept apart: a merge was undone"


def consolidate(
    db: Db, config: Config, *, dry_run: bool = False, place: Place | None = None, since: str | None = None
) -> ConsolidationReport:  # fmt: skip
    """Merge duplicates and make contradictions explicit among all living records: of one place, or changed since a time, if given."""
    project = place.project_id if place else None
    living = [m for m in records.select(db, Filter(statuses=_LIVE, project_id=project, since=since)) if m.type != "episode"]
    steps = plan_for(db, living)
    if not dry_run:
        with db.write():
            for step in steps:
                carry_out(db, step, actor=ACTOR, cause="consolidate")
    return ConsolidationReport(tuple(_shown(step) for step in steps), len(living), dry_run)


def plan_for(db: Db, memories: Iterable[Memory]) -> list[Decision]:
    """What consolidation would do about some records; keeping is not listed."""
    statements = statements_of(db, list(memories))
    decided = planning.plan_all(statements, lambda statement: neighbours(db, statement))
    return [step for step in decided if step.action != "keep" and not _known(db, step)]


def relate_new(db: Db, memory: Memory, *, actor: str, cause: str) -> int:
    """Make explicit what a new record contradicts, and take in the candidate that says exactly the same; how many contradictions.

    Nothing else is merged, since the record was written on purpose.
    """
    steps = plan_for(db, [memory])
    twins = [step for step in steps if step.action == "merge" and step.how == "exact" and step.id == memory.id]
    taken_in = [carry_out(db, step, actor=actor, cause=cause) for step in twins if _is_candidate(db, step.target, memory.type)]
    if any(taken_in):
        return contradict_new(db, memory, actor=actor, cause=cause)
    return _contradict(db, steps, actor=actor, cause=cause)


def contradict_new(db: Db, memory: Memory, *, actor: str, cause: str) -> int:
    """Make explicit what a record contradicts; how many contradictions."""
    return _contradict(db, plan_for(db, [memory]), actor=actor, cause=cause)


def _contradict(db: Db, steps: Iterable[Decision], *, actor: str, cause: str) -> int:
    against = [step for step in steps if step.action in ("contradict", "supersede")]
    return sum(carry_out(db, step, actor=actor, cause=cause) for step in against)


def neighbours(db: Db, statement: Statement) -> list[Statement]:
    """Living records of the same place that could say the same or the opposite: by words, and by subject."""
    memory = records.get(db, statement.id)
    found = {other.id: other for other in records.similar(db, list(overlap_terms(memory.content)), memory, _NEIGHBOURS)}
    if memory.subject:
        found |= {other.id: other for other in records.by_subject(db, memory.subject)}
    found.pop(memory.id, None)
    return statements_of(db, [other for other in found.values() if other.type != "episode"])


def statements_of(db: Db, memories: Sequence[Memory]) -> list[Statement]:
    """Records as consolidation sees them; the origins of each are the sources of its evidence."""
    proof = evidence.of_memories(db, [memory.id for memory in memories])
    return [_statement(memory, proof.get(memory.id, [])) for memory in memories]


def _statement(memory: Memory, proof: Iterable[Evidence]) -> Statement:
    origins = frozenset(item.source_id or f"manual:{item.role}" for item in proof)
    return Statement(
        id=memory.id, content=memory.content, subject=memory.subject, scope=memory.scope, project_id=memory.project_id, type=memory.type,
        kind=memory.kind, status=memory.status, trust=memory.trust, observed_at=memory.observed_at, fingerprint=memory.fingerprint,
        agent_id=holder(memory), repo_id=memory.repo_id, origins=origins,
    )  # fmt: skip


def carry_out(db: Db, step: Decision, *, actor: str, cause: str) -> bool:
    """Do one step; False where it was done before, or where a record has left the field since the plan was made."""
    if not step.target:
        return False
    one, other = records.get(db, step.id), records.get(db, step.target)
    if other.status not in _LIVE or (one.status not in _LIVE and step.action != "merge"):
        return False
    if step.action == "merge":
        return _merge(db, one, other, step, actor=actor, cause=cause)
    if step.action in ("contradict", "supersede"):
        reason = f"proposed: {step.reason}" if step.action == "supersede" else step.reason
        return relate.contradict(db, one, other, reason=reason, actor=actor, cause=cause)
    return False


def _merge(db: Db, survivor: Memory, absorbed: Memory, step: Decision, *, actor: str, cause: str) -> bool:
    """The survivor gains the evidence and the entities of the absorbed record, which stays, archived and linked.

    Trust does not rise in passing: an approved record keeps its own until the operator confirms it.
    """
    now = clock.now()
    known = {(item.source_id, item.quote) for item in evidence.of_memory(db, survivor.id)}
    moved = [item for item in evidence.of_memory(db, absorbed.id) if (item.source_id, item.quote) not in known]
    evidence.insert(db, [replace(item, id=clock.new_id(), memory_id=survivor.id, created_at=now) for item in moved])
    entities.attach(db, survivor.id, entities.of_memories(db, [absorbed.id]).get(absorbed.id, []), now)
    sure = min(0.99, max(survivor.confidence, absorbed.confidence) + (0.05 if len(step.origins) > 1 else 0))
    trust = max(survivor.trust, step.trust or 0) if survivor.status == "inbox" else survivor.trust
    seen = max(survivor.observed_at, absorbed.observed_at)
    # A reason given by weaker words must not stand in a record that is trusted more.
    rationale = survivor.rationale or (absorbed.rationale if absorbed.trust >= trust else None)
    better = replace(survivor, confidence=sure, trust=trust, observed_at=seen, rationale=rationale, updated_at=now)
    records.replace(db, survivor, better, verb="merged", actor=actor, cause=f"{cause}: {absorbed.id}")
    relate.connect(db, survivor.id, "supersedes", absorbed.id, reason=f"merged: {step.reason}", actor=actor)
    relate.set_status(db, absorbed, "superseded", reason=f"merged into {survivor.id}", verb="absorbed", actor=actor, cause=cause)
    relate.settle(db, absorbed.id, actor=actor, cause=cause)
    return True


def add_evidence(db: Db, memory: Memory, items: list[Evidence], *, actor: str, cause: str) -> bool:
    """Let a record gain words that say the same; False if it has them already. Its trust stays."""
    known = {(item.source_id, item.quote) for item in evidence.of_memory(db, memory.id)}
    new = [replace(item, memory_id=memory.id) for item in items if (item.source_id, item.quote) not in known]
    if not new:
        return False
    evidence.insert(db, new)
    seen = max([memory.observed_at, *(item.observed_at for item in new)])
    better = replace(memory, confidence=min(0.99, memory.confidence + 0.05), observed_at=seen, updated_at=clock.now())
    records.replace(db, memory, better, verb="corroborated", actor=actor, cause=cause)
    return True


def _known(db: Db, step: Decision) -> bool:
    """Whether a contradiction is linked or was dismissed already, or a merge was undone by hand."""
    ends = {step.id, step.target}
    between = [link for link in links.of_memory(db, step.id) if {link.from_id, link.to_id} == ends]
    if step.action == "merge":
        return any(link.reason == KEPT_APART for link in between)
    open_ = [link for link in between if link.resolved_at is None or link.reason == links.DISMISSED]
    return any(link.relation in ("contradicts", "supersedes") for link in open_)


def _is_candidate(db: Db, memory_id: str | None, type_: str) -> bool:
    memory = records.get(db, memory_id or "")
    return memory.status == "inbox" and memory.type == type_


def _shown(step: Decision) -> ConsolidationStep:
    return ConsolidationStep(step.action, step.id, step.target or "", step.reason)
