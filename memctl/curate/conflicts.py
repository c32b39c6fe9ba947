"""Contradictions between records: listed with both sides, and resolved in one operation.

To resolve one, a side is kept (the other is superseded, a candidate rejected), one side supersedes
the other, both hold (at different times or in different scopes), or there was no contradiction. The
resolution is planned first. Only the operator resolves what is trusted more than an agent's own
word, and pairs that are only marked: what an agent says of those is an opinion, which waits in the
inbox.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memctl.core import clock, timestamps
from memctl.core.errors import NotFound, UsageError
from memctl.core.frozen import replace
from memctl.core.model import SCOPES, Actor, Link, Memory, Place
from memctl.curate import approval, archiving, marked_pairs, refusals, resolution_opinions
from memctl.curate.resolution_opinions import ConflictResolution
from memctl.records import drafts, relations
from memctl.records.as_of import records_at
from memctl.records.record_source import PresentRecords
from memctl.records.views import build_views, read_views
from memctl.redact.redactor import Redactor, make_redactor
from memctl.results.conflicts import (
    Conflict,
    ConflictSide,
    ConflictsReport,
    ResolveReport,
    ResolveStep,
)
from memctl.results.records import Proposal, RecordView
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import event_log, links, marks, records, succession
from memctl.store.database import Database

_CAUSE = "resolve"
_WAYS = "--keep ID, --supersede NEW OLD, --both or --dismiss"


def list_undecided(db: Database, actor: Actor, project_id: str | None = None) -> ConflictsReport:
    """List what nobody has decided, of one project or of all: open contradictions, newest first,
    then records that a newer one may replace. An agent is told of what it may see in force.
    """
    source = PresentRecords(db)
    with db.snapshot():
        told = source.list_contradictions(project_id, settled=False)
        found = list(marked_pairs.hide_undecided_from(db, told, actor))
        opposed = {(link.from_id, link.to_id) for link in told}
        marked = [
            (link, nearness)
            for link, nearness in marked_pairs.list_marked(db, project_id, actor)
            if (link.from_id, link.to_id) not in opposed
        ]
        pairs = [*found, *(link for link, _ in marked)]
        ends = source.read_records({end for link in pairs for end in (link.from_id, link.to_id)})
        seen = build_views(source, list(ends.values()))
    conflicts = [_build_conflict(link, seen[link.from_id], seen[link.to_id]) for link in found]
    marks = [
        replace(
            _build_conflict(link, seen[link.from_id], seen[link.to_id]),
            kind="mark",
            nearness=round(nearness, 2),
        )
        for link, nearness in marked
    ]
    return ConflictsReport((*conflicts, *marks))


def list_conflicts(
    db: Database, project_id: str | None = None, *, settled: bool = False, as_of: str | None = None
) -> ConflictsReport:
    """List contradictions, newest first, of one project or of all.

    `settled` adds those that were resolved. `as_of` lists those that were open at that time, with
    the wording of that time.
    """
    source = records_at(db, as_of)
    with db.snapshot():
        found = source.list_contradictions(project_id, settled=settled)
        ends = source.read_records({end for link in found for end in (link.from_id, link.to_id)})
        seen = build_views(source, list(ends.values()))
    conflicts = (_build_conflict(link, seen[link.from_id], seen[link.to_id]) for link in found)
    if source.can_be_changed:
        return ConflictsReport(tuple(conflicts))
    return ConflictsReport(tuple(replace(conflict, commands=()) for conflict in conflicts))


def _build_conflict(link: Link, a: RecordView, b: RecordView) -> Conflict:
    """Describe one contradiction, the earlier statement first."""
    first, second = sorted((a, b), key=lambda view: (view.memory.observed_at, view.memory.id))
    newer = links.find_proposed_successor(link)
    commands = () if link.resolved_at else tuple(_list_commands(first, second, newer))
    return Conflict(
        link.id,
        links.describe_reason(link),
        link.actor,
        link.created_at,
        (_build_side(first), _build_side(second)),
        newer,
        commands,
        resolved_at=link.resolved_at,
    )


def _build_side(view: RecordView) -> ConflictSide:
    memory = view.memory
    return ConflictSide(
        memory.id,
        view.short,
        memory.content,
        memory.type,
        memory.kind,
        memory.status,
        memory.trust,
        memory.observed_at,
        view.project,
        len(view.evidence),
    )


def _list_commands(first: RecordView, second: RecordView, newer: str | None) -> Iterator[str]:
    """The command lines that would resolve it, the likeliest first."""
    pair = f"memctl resolve {first.short} {second.short}"
    if newer:
        new, old = (second, first) if newer == second.memory.id else (first, second)
        yield f"memctl resolve --supersede {new.short} {old.short}"
    yield f"{pair} --keep {second.short}"
    yield f"{pair} --keep {first.short}"
    day = second.memory.observed_at[:10]
    yield f"{pair} --both --until {first.short}={day} --from {second.short}={day}"
    yield f"{pair} --dismiss"


def resolve_conflict(
    db: Database,
    config: Config,
    actor: Actor,
    wanted: ConflictResolution,
    place: Place,
    *,
    reason: str | None,
    dry_run: bool = False,
) -> ResolveReport:
    """Resolve one contradiction or marked pair as one operation; what an agent may not decide is
    proposed to the operator. Raises UsageError, NotFound, RefusedByPolicy.
    """
    redactor = make_redactor(config)
    why = drafts.clean_reason(reason, redactor)
    with db.snapshot() if dry_run else db.write():
        link, sides = _find_conflict(db, wanted)
        steps = _plan_steps(link, sides, wanted, place)
        refused = [_why_not_take(db, step, sides, actor, why, redactor) for step in steps]
        is_opinion = not actor.is_operator and (marked_pairs.is_marked_pair(link) or any(refused))
        proposal = None
        if is_opinion:
            if not dry_run:
                proposal = resolution_opinions.propose_resolution(
                    db, actor, _choose_way(wanted), sides, wanted, place, why
                )
        else:
            for refusal in refused:
                refusals.require_allowed(refusal)
            if not dry_run:
                with event_log.group_changes(db, actor=actor.name, cause=_CAUSE):
                    _carry_out(db, config, actor, link, sides, steps, why)
        return ResolveReport(
            _choose_way(wanted),
            link.id,
            steps,
            read_views(db, sides),
            dry_run=dry_run,
            proposed=is_opinion,
            proposal=proposal,
        )


def accept_resolution(db: Database, config: Config, actor: Actor, asked: Proposal) -> Iterable[str]:
    """Carry out what an agent proposed, inside another operation; return the ids of both records.

    Raises NotFound, UsageError and RefusedByPolicy where that is no longer possible.
    """
    wanted, place = resolution_opinions.read_proposal(asked)
    link, sides = _find_conflict(db, wanted)
    steps = _plan_steps(link, sides, wanted, place)
    redactor = make_redactor(config)
    for step in steps:
        refusals.require_allowed(_why_not_take(db, step, sides, actor, asked.reason, redactor))
    _carry_out(db, config, actor, link, sides, steps, asked.reason, but=asked.id)
    return sides


def _carry_out(
    db: Database,
    config: Config,
    actor: Actor,
    link: Link,
    sides: Mapping[str, Memory],
    steps: Sequence[ResolveStep],
    why: str | None,
    but: str = "",
) -> None:
    """Take the steps, and withdraw what agents proposed for the pair, except the proposal `but`."""
    for step in steps:
        _carry_out_step(db, config, actor, step, why)
    resolution_opinions.withdraw_about(db, sides, actor, but=but)


def _choose_way(wanted: ConflictResolution) -> str:
    ways = [name for name in ("keep", "supersede", "both", "dismiss") if getattr(wanted, name)]
    if len(ways) != 1:
        raise UsageError(f"choose exactly one way to resolve it: {_WAYS}")
    if (wanted.scopes or wanted.starts or wanted.ends) and ways != ["both"]:
        raise UsageError("--scope, --from and --until belong to --both")
    return ways[0]


def _find_conflict(db: Database, wanted: ConflictResolution) -> tuple[Link, dict[str, Memory]]:
    """Find the open contradiction that `ids` name, and its sides by id."""
    _choose_way(wanted)
    named = wanted.ids or wanted.supersede
    if not 1 <= len(named) <= 2:
        raise UsageError("name the two records, or the contradiction")
    link = _find_between(db, *named) if len(named) == 2 else _find_only(db, named[0])
    if link.resolved_at:
        day = timestamps.to_local_day(link.resolved_at)
        raise UsageError(f"it was resolved on {day}: {link.reason or 'no reason given'}")
    return link, records.list_by_ids(db, [link.from_id, link.to_id])


def _find_between(db: Database, one: str, other: str) -> Link:
    ends = sorted((records.resolve_record(db, one).id, records.resolve_record(db, other).id))
    link = links.find_between(db, ends[0], "contradicts", ends[1])
    if link is None or link.resolved_at:
        link = marked_pairs.find_marked(db, *ends) or link
    if link is None:
        raise NotFound(
            f"{ends[0]} and {ends[1]} do not contradict each other",
            hint="`memctl link` lets one supersede the other",
        )
    return link


def _find_only(db: Database, text: str) -> Link:
    """Find a contradiction by its own id, or the only open one of a record."""
    try:
        return succession.resolve_contradiction(db, text)
    except NotFound as no_link:
        memory = _resolve_record(db, text, no_link)
    open_links = [
        link for link in links.list_of_memory(db, memory.id) if link.is_open_contradiction
    ]
    mark = marks.find_mark(db, memory.id)
    if not open_links and mark is not None and not mark.is_waiting:
        return _find_between(db, memory.id, mark.newer_id)
    if len(open_links) != 1:
        raise UsageError(
            f"{memory.id} is in {len(open_links)} open contradictions: name both records"
        )
    return open_links[0]


def _resolve_record(db: Database, text: str, otherwise: NotFound) -> Memory:
    try:
        return records.resolve_record(db, text)
    except NotFound:
        raise otherwise from None


def _plan_steps(
    link: Link, sides: Mapping[str, Memory], wanted: ConflictResolution, place: Place
) -> tuple[ResolveStep, ...]:
    if wanted.dismiss:
        return (ResolveStep("dismiss", link.from_id, link.to_id),)
    if wanted.both:
        return (
            *_plan_separation(sides, wanted, place),
            ResolveStep("dismiss", link.from_id, link.to_id, _describe_separation(wanted)),
        )
    kept = _find_side(sides, wanted.keep or wanted.supersede[0])
    other = next(memory for memory in sides.values() if memory.id != kept.id)
    if wanted.supersede and _find_side(sides, wanted.supersede[1]).id != other.id:
        raise UsageError("--supersede takes the new record and the old one")
    if wanted.keep and other.status == "inbox":
        first = ResolveStep("reject", other.id)
    else:
        first = ResolveStep("supersede", kept.id, other.id)
    return (first, ResolveStep("approve", kept.id)) if kept.status == "inbox" else (first,)


def _find_side(sides: Mapping[str, Memory], text: str) -> Memory:
    prefix = text.strip().upper()
    matching = [memory for memory in sides.values() if prefix and memory.id.startswith(prefix)]
    if len(matching) != 1:
        raise UsageError(f"{text!r} is not one of the two: {', '.join(sorted(sides))}")
    return matching[0]


def _plan_separation(
    sides: Mapping[str, Memory], wanted: ConflictResolution, place: Place
) -> Iterator[ResolveStep]:
    """Plan the changes to the sides after which both can hold."""
    moves = {_find_side(sides, each).id: scope for each, scope in wanted.scopes.items()}
    starts = {
        _find_side(sides, each).id: drafts.parse_time(at, "valid_from")
        for each, at in wanted.starts.items()
    }
    ends = {
        _find_side(sides, each).id: drafts.parse_time(at, "valid_until")
        for each, at in wanted.ends.items()
    }
    for memory in sorted(sides.values(), key=lambda memory: memory.id):
        changes: dict[str, str | None] = {}
        if memory.id in moves:
            changes |= _plan_scope_change(memory, moves[memory.id], place)
        if memory.id in starts:
            changes["valid_from"] = starts[memory.id]
        if memory.id in ends:
            changes["valid_until"] = ends[memory.id]
        if changes:
            drafts.require_limits(replace(memory, **changes))
            yield ResolveStep("set", memory.id, changes=changes)


def _plan_scope_change(memory: Memory, scope: str, place: Place) -> dict[str, str | None]:
    """The fields that place a record in another scope. Raises UsageError."""
    drafts.require_one_of(scope, SCOPES, "scope")
    if scope in ("agent", "session") and getattr(memory, f"{scope}_id") is None:
        raise UsageError(
            f"{memory.id} belongs to no {scope}",
            hint=f"write it again with `memctl ingest --scope {scope}`",
        )
    project = memory.project_id or place.project_id
    if scope in ("project", "repo") and project is None:
        raise UsageError(f"scope {scope} needs a project: run inside one or name it")
    repo = (memory.repo_id or place.repo_id) if scope == "repo" else None
    if scope == "repo" and repo is None:
        raise UsageError("scope repo needs a repository: run inside it")
    return {"scope": scope, "project_id": None if scope == "global" else project, "repo_id": repo}


def _describe_separation(wanted: ConflictResolution) -> str | None:
    differences = []
    if wanted.scopes:
        differences.append("in different scopes")
    if wanted.starts or wanted.ends:
        differences.append("at different times")
    return " and ".join(differences) or None


def _why_not_take(
    db: Database,
    step: ResolveStep,
    sides: Mapping[str, Memory],
    actor: Actor,
    why: str | None,
    redactor: Redactor,
) -> str | None:
    """Why this actor may not take a step, or None."""
    one, other = sides[step.id], sides.get(step.other or "")
    if step.action == "approve":
        return refusals.why_not_approve(db, one, actor, why, redactor)
    touched = [memory for memory in (one, other) if memory is not None]
    if not actor.is_operator and any(memory.trust > actor.trust for memory in touched):
        return f"resolving what is trusted more than an agent's word {policy.AT_A_TERMINAL}"
    if step.action == "supersede" and other:
        return policy.why_not_supersede(one, other, actor)
    refused = (policy.why_not_change(memory, actor) for memory in touched)
    return next(filter(None, refused), None)


def _carry_out_step(
    db: Database, config: Config, actor: Actor, step: ResolveStep, why: str | None
) -> None:
    one, cause = records.get_record(db, step.id), why or _CAUSE
    if step.action == "approve":
        approval.approve_in_operation(db, config, actor, one, why)
    elif step.action == "reject":
        archiving.archive_with_verdict(
            db, one, verdict="rejected", reason=why or "the other side was kept", actor=actor
        )
    elif step.action == "supersede":
        relations.supersede(
            db,
            one,
            records.get_record(db, step.other or ""),
            reason=why or "resolved by hand",
            actor=actor.name,
            cause=cause,
        )
        relations.update_contradicted_status(db, one.id, actor=actor.name, cause=cause)
    elif step.action == "set":
        changed = drafts.set_fingerprint(replace(one, **step.changes, updated_at=clock.now()))
        records.replace_record(db, one, changed, verb="edited", actor=actor.name, cause=cause)
    else:
        told = _join_reasons(step.reason, why)
        if not links.dismiss_contradiction(db, step.id, step.other or "", clock.now(), told):
            # What was only marked is noted, so that nobody asks again.
            noted = Link(
                clock.new_id(), step.id, "contradicts", step.other or "", actor.name, clock.now()
            )
            links.insert_dismissed(db, noted, told)
        for each in (step.id, step.other or ""):
            relations.update_contradicted_status(db, each, actor=actor.name, cause=cause)


def _join_reasons(*parts: str | None) -> str | None:
    told: Sequence[str] = [part for part in parts if part]
    return ": ".join(told) or None
