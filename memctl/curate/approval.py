"""Approval: candidates and archived records become active, by hand or by a promotion rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.core import clock
from memctl.core.bounded_work import BoundedWork
from memctl.core.frozen import replace
from memctl.core.model import Actor, Filter, Memory, Place
from memctl.core.typing_lite import Any
from memctl.curate import placement, refusals, vouching
from memctl.records import drafts, relations
from memctl.records.record_source import PresentRecords
from memctl.records.scopes import Destination
from memctl.records.views import list_views, read_views
from memctl.redact.redactor import Redactor, make_redactor
from memctl.results.records import ChangeReport
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import chunks, event_log, projects, records, tombstones
from memctl.store import tags as stored_tags
from memctl.store.database import Database

POLICY = Actor("policy")
_BY_RULE = "promoted by a rule of the config"
_CAUSE = "promote"


def approve_records(
    db: Database,
    config: Config,
    actor: Actor,
    ids: Sequence[str],
    *,
    reason: str | None,
    project: str | None = None,
    scope: str | None = None,
    place: Place | None = None,
    tags: Sequence[str] = (),
    dry_run: bool = False,
) -> ChangeReport:
    """Make candidates or archived records active; the report lists refusals with their reasons.

    `project` and `scope` say where they belong, and what else came of the same agents' sessions;
    `tags` are added to theirs.
    Raises UsageError without ids, NotFound for an unknown id.
    """
    with db.snapshot():
        chosen = records.resolve_all(db, ids)
    to = placement.find_destination(
        db, config, actor, chosen, project=project, scope=scope, place=place, dry_run=dry_run
    )
    redactor = make_redactor(config)
    why, added = drafts.clean_reason(reason, redactor), drafts.clean_tags(tags, redactor)
    report = _approve_chosen(db, config, actor, chosen, why, dry_run=dry_run, to=to, added=added)
    if to is not None and not dry_run and report.changed:
        approved = {view.memory.id for view in report.changed}
        asked = [memory for memory in chosen if memory.id in approved and memory.is_unplaced]
        placement.settle_sessions_of(db, config, asked, to)
    return report


def approve_matching(
    db: Database, config: Config, actor: Actor, wanted: Filter, *, dry_run: bool = False
) -> ChangeReport:
    """Make every candidate that passes the filter active."""
    with db.snapshot():
        chosen = records.select_records(db, replace(wanted, statuses=("inbox",)))
    return _approve_chosen(db, config, actor, chosen, None, dry_run=dry_run)


def approve_by_rules(db: Database, config: Config, work: BoundedWork | None = None) -> int:
    """Promote the candidates that a rule of the config covers, and count them as `promoted`."""
    work = work or BoundedWork()
    all_rules: list[Mapping[str, Any]] = policy.read_promotion_rules(config["promotion.rules"])
    if not all_rules:
        return 0
    project_names = projects.names(db)
    covered = [
        memory
        for memory in records.select_records(db, Filter(statuses=("inbox",)))
        if policy.find_promotion_rule(memory, project_names.get(memory.project_id or ""), all_rules)
    ]
    for memory in _sort_by_observation(covered):
        if work.must_stop():
            break
        work.count("promoted", _approve_by_rule(db, config, memory.id))
    return work.counts["promoted"]


def approve_in_operation(
    db: Database, config: Config, actor: Actor, memory: Memory, reason: str | None
) -> None:
    """Make one record active inside another operation. Raises RefusedByPolicy."""
    refusals.require_allowed(
        refusals.why_not_approve(db, memory, actor, reason, make_redactor(config))
    )
    _approve_one(db, config, actor, memory, reason)


def _approve_by_rule(db: Database, config: Config, memory_id: str) -> int:
    with db.write():
        memory = records.get_record(db, memory_id)
        if memory.status != "inbox":
            return 0
        report = _approve_chosen(db, config, POLICY, [memory], _BY_RULE, dry_run=False)
        return len(report.changed)


def _approve_chosen(
    db: Database,
    config: Config,
    actor: Actor,
    chosen: Sequence[Memory],
    reason: str | None,
    *,
    dry_run: bool,
    to: Destination | None = None,
    added: Sequence[str] = (),
) -> ChangeReport:
    """Approve what policy allows, the first observed first, each in an operation of its own."""

    def draft(memory: Memory) -> Memory:
        return memory if to is None else placement.draft_moved(db, memory, to)

    def why_not(memory: Memory) -> str | None:
        return refusals.why_not_approve(db, draft(memory), actor, reason, make_redactor(config))

    with db.snapshot():
        allowed, refused = refusals.split_by_refusal(chosen, why_not)
    if dry_run:
        views = list_views(
            PresentRecords(db),
            [
                refusals.fill_rationale(draft(memory), actor, reason, make_redactor(config))
                for memory in allowed
            ],
        )
        replaced = [each for view in views for each in view.replaces]
    else:
        replaced = []
        changed_since = []

        def approve(memory: Memory) -> None:
            now = records.get_record(db, memory.id)
            if now.updated_at != memory.updated_at and now.status != "superseded" and why_not(now):
                changed_since.append(now)
                return
            with event_log.group_changes(db, actor=actor.name, cause=_CAUSE):
                moved = draft(now)
                if moved.fingerprint != now.fingerprint:
                    placement.move(db, now, moved, actor=actor, cause=_CAUSE)
                replaced.extend(_approve_one(db, config, actor, memory, reason))
                if added:
                    stored_tags.add_tags(db, memory.id, added, clock.now())

        chunks.change_in_chunks(db, _sort_by_observation(allowed), approve)
        from memctl.consolidate import overtaken  # here: other decisions compare nothing

        overtaken.mark_written(db, config, [records.get_record(db, each.id) for each in allowed])
        with db.snapshot():
            refused = (*refused, *refusals.split_by_refusal(changed_since, why_not)[1])
            left = {memory.id for memory in changed_since}
            views = [*read_views(db, [each.id for each in allowed if each.id not in left])]
    return ChangeReport(
        "approved", tuple(views), refused, dry_run=dry_run, replaced=read_views(db, replaced)
    )


def _approve_one(
    db: Database, config: Config, actor: Actor, memory: Memory, reason: str | None
) -> list[str]:
    """Make one record active; return the ids of what it superseded.

    An approved record counts against those it contradicts, and they against it. Nothing is done
    where an earlier approval of the same call superseded the record.
    """
    current = records.get_record(db, memory.id)
    if current.status == "superseded":
        return []
    tombstones.lift_for(db, current, also_same_content=actor.is_operator)
    active = _activate(db, current, actor, reason, make_redactor(config))
    from memctl.consolidate import apply, new_records

    replaced = apply.replace_superseded(db, active, actor=actor, cause=_CAUSE)
    replaced += new_records.relate_new_record(
        db,
        config,
        records.get_record(db, active.id),
        actor=actor,
        cause=_CAUSE,
        settles=lambda step: actor.is_operator,
    )
    relations.update_status_and_opponents(db, active.id, actor=actor.name, cause=_CAUSE)
    return replaced


def _activate(
    db: Database, memory: Memory, actor: Actor, reason: str | None, redactor: Redactor
) -> Memory:
    active = replace(
        refusals.fill_rationale(memory, actor, reason, redactor),
        status="active",
        status_reason=reason,
        updated_at=clock.now(),
    )
    if actor.is_operator:
        active = vouching.vouch_for(active, active.updated_at)
        if memory.trust < active.trust:
            vouching.add_own_word(db, active, actor, redactor)
    records.replace_record(db, memory, active, verb="promoted", actor=actor.name, cause=_CAUSE)
    return active


def _sort_by_observation(memories: Sequence[Memory]) -> list[Memory]:
    return sorted(memories, key=lambda memory: (memory.observed_at, memory.id))
