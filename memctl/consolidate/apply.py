"""Carry out consolidation on the store: make the pure plan, show it, or apply it step by step.

Each step is one short transaction and one operation of the event log. The run can stop after any
step, and each can be undone by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memctl.consolidate import plan as planning
from memctl.consolidate.neighbours import (
    NeighbourFinder,
    find_origins,
    load_statements,
    share_evidence,
)
from memctl.consolidate.plan import Decision
from memctl.core import clock
from memctl.core.frozen import replace
from memctl.core.model import Actor, Evidence, Filter, Memory, Place
from memctl.records import relations
from memctl.results.maintenance import ConsolidationReport, ConsolidationStep
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import entities, entity_lookup, event_log, evidence, links, records, succession
from memctl.store.database import Database

_LIVE = ("active", "contradicted", "inbox")
# How much surer a word from another origin makes a record, and the most confidence that repetition
# gives. Chosen by hand.
_CONFIDENCE_STEP = 0.05
_MOST_CONFIDENCE = 0.99
ACTOR = "maintain"
# The reason of the link between two records whose merge was undone.
KEPT_APART = "kept apart: a merge was undone"
# How the reason of the link begins from the survivor of a merge to what it absorbed.
MERGED = "merged: "
_AGAINST = ("contradict", "propose", "supersede")


def consolidate_place(
    db: Database,
    config: Config,
    *,
    dry_run: bool = False,
    place: Place | None = None,
    since: str | None = None,
    ids: Sequence[str] = (),
) -> ConsolidationReport:
    """Merge duplicates, make contradictions explicit, and propose wider facts.

    Looks at all living records, those of one project, those changed since a time, or those of some
    ids. Raises NotFound.
    """
    chosen = {records.resolve_record(db, each).id for each in ids}
    project = place.project_id if place else None
    wanted = Filter(statuses=_LIVE, project_id=project, since=since)
    living = [
        memory
        for memory in records.select_records(db, wanted)
        if memory.type != "episode" and (not chosen or memory.id in chosen)
    ]
    carry_out = _plan_all if dry_run else consolidate_records
    steps = tuple(map(_to_report_step, carry_out(db, config, living)))
    return ConsolidationReport(steps, len(living), dry_run=dry_run)


def consolidate_records(
    db: Database, config: Config, memories: list[Memory], finder: NeighbourFinder | None = None
) -> list[Decision]:
    """Carry out the plan for some records; returns the steps that changed something.

    `finder` serves many calls, so that what is compared twice is read and judged once.
    """
    steps = _plan_all(db, config, memories, finder)
    return [step for step in steps if _carry_out_in_operation(db, step)]


def _plan_all(
    db: Database, config: Config, memories: list[Memory], finder: NeighbourFinder | None = None
) -> list[Decision]:
    from memctl.consolidate import cross_project

    near = plan_records(db, memories, config, finder)
    return [*near, *cross_project.plan_widening(db, memories)]


def plan_records(
    db: Database,
    memories: Iterable[Memory],
    config: Config | None = None,
    finder: NeighbourFinder | None = None,
) -> list[Decision]:
    """Plan consolidation for some records; steps that only keep a record are left out.

    With `config`, nearest vectors are looked at too.
    """
    finder = finder or NeighbourFinder(db, config)
    finder.begin_batch()
    statements = load_statements(db, list(memories))
    steps = planning.plan_statements(
        statements,
        finder.find_neighbours,
        near=finder.measure_similarity,
        judged=finder.judged,
        propose=_make_proposer(finder),
        says_again=_make_reader(finder),
    )
    return [step for step in steps if is_news(db, step)]


def _make_proposer(finder: NeighbourFinder) -> planning.Propose:
    """What is read as an answer to one question, where records were read for that."""
    if not finder.reads_pairs:
        return planning.propose_nothing
    from memctl.consolidate.slot_proposals import propose_replacement

    return lambda newer, others: propose_replacement(newer, others, finder.read_pair)


def _make_reader(finder: NeighbourFinder) -> planning.SaysAgain:
    """What is read as the same answer to one question, where records were read for that."""
    if not finder.reads_pairs:
        return planning.say_nothing_again
    from memctl.consolidate.told_again import tells_again

    return lambda survivor, absorbed: tells_again(finder, survivor, absorbed)


def order_oppositions(
    steps: Iterable[Decision], memory_id: str, settles: Callable[[Decision], bool]
) -> list[Decision]:
    """The steps that set records against each other, supersessions first.

    A proposed replacement by the record is carried out where `settles` says so.
    """
    against = [
        _settle_proposal(step, memory_id, settles) for step in steps if step.action in _AGAINST
    ]
    return sorted(against, key=lambda step: step.action != "supersede")


def replace_superseded(db: Database, memory: Memory, *, actor: Actor, cause: str) -> list[str]:
    """Let an approved record supersede what it was proposed to replace, as far as policy allows.

    Returns the ids of what it superseded.
    """
    superseded = []
    for link in links.list_of_memory(db, memory.id):
        old_id = links.find_replaced(link, memory.id)
        if old_id is None or (not actor.is_operator and link.relation == "derived_from"):
            continue
        old = records.get_record(db, old_id)
        if old.status in _LIVE and policy.why_not_supersede(memory, old, actor) is None:
            relations.supersede(
                db, memory, old, reason=links.describe_reason(link), actor=actor.name, cause=cause
            )
            superseded.append(old.id)
    return superseded


def contradict_new_record(db: Database, memory: Memory, *, actor: str, cause: str) -> int:
    """Make explicit what a record contradicts; how many contradictions. Nothing is superseded."""
    against = [step for step in plan_records(db, [memory]) if step.action in _AGAINST]
    weaker = map(_downgrade_to_proposal, against)
    return sum(carry_out_step(db, step, actor=actor, cause=cause) for step in weaker)


def carry_out_step(db: Database, step: Decision, *, actor: str, cause: str) -> bool:
    """Do one step; False if it was done before, or if a record is no longer live."""
    if step.action == "widen":
        from memctl.consolidate import cross_project

        return cross_project.propose_wider(db, step, actor=actor, cause=cause)
    if not step.target:
        return False
    one, other = records.get_record(db, step.id), records.get_record(db, step.target)
    if other.status not in _LIVE or (one.status not in _LIVE and step.action != "merge"):
        return False
    if step.action == "merge":
        return _merge_records(db, one, other, step, actor=actor, cause=cause)
    if step.action == "supersede" and policy.is_in_force(one):
        relations.supersede(db, one, other, reason=step.reason, actor=actor, cause=cause)
        return True
    if step.action in ("propose", "supersede"):
        return relations.propose_replacement(
            db, one, other, reason=step.reason, actor=actor, cause=cause
        )
    if step.action == "contradict":
        return relations.add_contradiction(
            db, one, other, reason=step.reason, actor=actor, cause=cause
        )
    raise ValueError(f"no way to carry out {step.action!r}")


def add_evidence(
    db: Database, memory: Memory, items: list[Evidence], *, actor: str, cause: str
) -> bool:
    """Add evidence that says the same to a record; False if it has it already. Its trust stays.

    A word from another origin raises the confidence and, if of no less trust, confirms the record.
    Its first observation is the earliest.
    """
    old = evidence.list_of_memory(db, memory.id)
    known = {(item.source_id, item.quote) for item in old}
    new = [
        replace(item, memory_id=memory.id)
        for item in items
        if (item.source_id, item.quote) not in known
    ]
    if not new:
        return False
    evidence.insert_evidence(db, new)
    origins = find_origins(db, [*old, *new])
    old_origins = {origins[item.id] for item in old}
    from_others = [item for item in new if origins[item.id] not in old_origins]
    first = min([memory.observed_at, *(item.observed_at for item in new if item.source_id)])
    confirmations = [
        item.observed_at
        for item in new
        if planning.can_confirm(item.trust, memory.trust, is_other_origin=item in from_others)
    ]
    confidence = memory.confidence
    if from_others:
        confidence = min(_MOST_CONFIDENCE, confidence + _CONFIDENCE_STEP)
    better = replace(
        memory,
        confidence=confidence,
        observed_at=first,
        confirmed_at=_find_confirmed_at(memory, first, *confirmations),
        updated_at=clock.now(),
    )
    records.replace_record(db, memory, better, verb="corroborated", actor=actor, cause=cause)
    return True


def _carry_out_in_operation(db: Database, step: Decision) -> bool:
    with db.write(), event_log.group_changes(db, actor=ACTOR, cause="consolidate"):
        return carry_out_step(db, step, actor=ACTOR, cause="consolidate")


def _merge_records(
    db: Database, survivor: Memory, absorbed: Memory, step: Decision, *, actor: str, cause: str
) -> bool:
    """Give the survivor the evidence and the entities of the absorbed record, which is superseded.

    Trust does not rise in passing: an approved record keeps its own until the operator confirms it.
    """
    if absorbed.id in succession.list_successors(db, survivor.id):
        return False
    now = clock.now()
    share_evidence(db, absorbed, survivor, now)
    entities.attach_entities(
        db,
        survivor.id,
        entity_lookup.list_refs_by_memory(db, [absorbed.id]).get(absorbed.id, []),
        now,
    )
    better = _enrich_survivor(survivor, absorbed, step)
    records.replace_record(
        db,
        survivor,
        replace(better, updated_at=now),
        verb="merged",
        actor=actor,
        cause=f"{cause}: {absorbed.id}",
    )
    succession.carry_counters(db, survivor, absorbed)
    relations.add_link(
        db, survivor.id, "supersedes", absorbed.id, reason=MERGED + step.reason, actor=actor
    )
    relations.set_status(
        db,
        absorbed,
        "superseded",
        reason=f"merged into {survivor.id}",
        verb="absorbed",
        actor=actor,
        cause=cause,
    )
    relations.resolve_contradictions(db, absorbed.id, actor=actor, cause=cause)
    relations.update_status_and_opponents(db, survivor.id, actor=actor, cause=cause)
    return True


def _enrich_survivor(survivor: Memory, absorbed: Memory, step: Decision) -> Memory:
    """The survivor with what the absorbed record knew better.

    That is the first observation, the last confirmation, and what the survivor lacks itself.
    """
    is_corroborated = len(step.origins) > 1
    weighty = absorbed.trust >= survivor.trust
    trust = max(survivor.trust, step.trust or 0) if survivor.status == "inbox" else survivor.trust
    confidence = max(survivor.confidence, absorbed.confidence)
    confidence += _CONFIDENCE_STEP if is_corroborated else 0
    first = min(survivor.observed_at, absorbed.observed_at)
    confirmations: list[str | None] = []
    if planning.can_confirm(absorbed.trust, survivor.trust, is_other_origin=is_corroborated):
        confirmations = [absorbed.observed_at, absorbed.confirmed_at]
    return replace(
        survivor,
        confidence=min(_MOST_CONFIDENCE, confidence),
        trust=trust,
        observed_at=first,
        confirmed_at=_find_confirmed_at(survivor, first, *confirmations),
        # A reason given by weaker words must not stand in a record that is trusted more.
        rationale=survivor.rationale or (absorbed.rationale if absorbed.trust >= trust else None),
        subject=survivor.subject or absorbed.subject,
        rule=survivor.rule or absorbed.rule,
        always_load=survivor.always_load or (weighty and absorbed.always_load),
        protected=survivor.protected or (weighty and absorbed.protected),
    )


def _find_confirmed_at(memory: Memory, first: str, *again: str | None) -> str | None:
    """When a record was last confirmed, given its first observation and later ones.

    Its own observation counts once it is not the first.
    """
    times = [memory.confirmed_at, memory.observed_at, *again]
    return max((at for at in times if at and at > first), default=memory.confirmed_at)


def _settle_proposal(
    step: Decision, memory_id: str, settles: Callable[[Decision], bool]
) -> Decision:
    if step.action == "propose" and step.id == memory_id and settles(step):
        return replace(step, action="supersede")
    return step


def _downgrade_to_proposal(step: Decision) -> Decision:
    return replace(step, action="propose") if step.action == "supersede" else step


def is_news(db: Database, step: Decision) -> bool:
    """Does a step change anything that was not decided before?"""
    return step.action != "keep" and not _is_known(db, step)


def _is_known(db: Database, step: Decision) -> bool:
    """Is the outcome of a step known already?

    A contradiction is linked or dismissed, a merge was undone by hand, or a replacement is
    proposed.
    """
    ends = {step.id, step.target}
    between = [
        link for link in links.list_of_memory(db, step.id) if {link.from_id, link.to_id} == ends
    ]
    if step.action == "merge":
        return any(
            link.reason == KEPT_APART or links.find_proposed_successor(link) for link in between
        )
    if any(links.is_dismissed(link) or link.relation == "supersedes" for link in between):
        return True
    return step.action != "supersede" and any(
        link.relation == "contradicts" and link.resolved_at is None for link in between
    )


def is_exact_merge(step: Decision, memory_id: str) -> bool:
    """Does a step merge into a record what says exactly the same?"""
    return step.action == "merge" and step.how == "exact" and step.id == memory_id


def is_candidate(db: Database, memory_id: str | None, type_: str) -> bool:
    """Is a record a candidate of that type?"""
    memory = records.get_record(db, memory_id or "")
    return memory.status == "inbox" and memory.type == type_


def _to_report_step(step: Decision) -> ConsolidationStep:
    return ConsolidationStep(step.action, step.id, step.target or "", step.reason)
