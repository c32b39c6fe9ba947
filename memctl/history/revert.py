"""Undo changes in the store: the plan that is shown is carried out, as one new operation.

An agent may undo only what raises no trust, restores nothing that was rejected or forgotten, and
removes no pin of the operator; one refusal refuses the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memctl.consolidate import apply as consolidation
from memctl.core import clock
from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Actor, Event, Memory
from memctl.curate import refusals
from memctl.curate.editing import cap_trust_of_rewording
from memctl.history import rebuild, undo
from memctl.history.revert_plan import RevertPlan, plan_revert
from memctl.records import relations
from memctl.records.views import read_views
from memctl.results.history import RevertReport, RevertStep
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import event_log, links, records, tracked_rows
from memctl.store.database import Database

_LIVING_STATUSES = ("inbox", "active", "contradicted")
_NUMBER = re.compile(r"[1-9][0-9]{0,18}")


@dataclass(frozen=True, slots=True)
class RevertSelection:
    """What to undo: one change, or all of a time and actor.

    `target` is a change number or a record, of which its last change (or change `seq`) is undone.
    `since` and `actor` select changes without a target.
    """

    target: str | None = None
    seq: int | None = None
    since: str | None = None
    actor: str | None = None


class _CachedEventLog:
    """The event log as `undo` reads it; answers are kept, because many changes ask the same."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self._operations: dict[str, list[Event]] = {}
        self._about: dict[str, list[Event]] = {}

    def list_operation(self, event: Event) -> list[Event]:
        """All changes of the same operation."""
        if event.operation is None:
            return []
        if event.operation not in self._operations:
            self._operations[event.operation] = event_log.list_of_operation(
                self.db, event.operation
            )
        return self._operations[event.operation]

    def list_later(self, event: Event) -> list[Event]:
        """All changes to the same record and what belongs to it."""
        if event.memory_id not in self._about:
            self._about[event.memory_id] = event_log.list_about(self.db, event.memory_id)
        return self._about[event.memory_id]

    def list_derived(self, memory_id: str) -> list[Event]:
        """The creations of the records that were derived from a record."""
        return event_log.list_creations_of_derived(self.db, memory_id)


def revert_changes(
    db: Database, config: Config, actor: Actor, wanted: RevertSelection, *, dry_run: bool
) -> RevertReport:
    """Undo changes, and what depends on them, as one new operation.

    Raises UsageError, NotFound, RefusedByPolicy.
    """
    if not dry_run:
        rebuild.record_untracked(db)
    with db.snapshot() if dry_run else db.write():
        chosen = _select_events(db, wanted)
        plan = plan_revert(db, undo.gather_undoings(chosen, _CachedEventLog(db)))
        refused = _why_not_revert(db, plan, actor)
        if dry_run:
            return RevertReport(_list_steps(db, plan), refused=refused, dry_run=True)
        if refused:
            raise RefusedByPolicy(refused)
        with event_log.group_changes(db, actor=actor.name, cause=_describe_cause(chosen)):
            changed = _carry_out_plan(db, plan, actor)
        return RevertReport(_list_steps(db, plan), read_views(db, changed))


def _select_events(db: Database, wanted: RevertSelection) -> list[Event]:
    if wanted.target is None:
        if wanted.since is None and wanted.actor is None:
            raise UsageError("name a change, a record, --since or --actor")
        return [
            event
            for event in event_log.list_matching(db, since=wanted.since, actor=wanted.actor)
            if not (undo.is_move(event) or event.verb == undo.RECORDED)
        ]
    if wanted.since is not None or wanted.actor is not None:
        raise UsageError("--since and --actor select changes: name no change or record with them")
    if wanted.seq is None and _NUMBER.fullmatch(wanted.target):
        event = event_log.find_by_number(db, int(wanted.target))
        if event is None:
            raise NotFound(
                f"there is no change {wanted.target}",
                hint="`memctl log changes` shows their numbers",
            )
    else:
        event = _find_change(db, records.resolve_record(db, wanted.target), wanted.seq)
    if undo.is_move(event):
        raise RefusedByPolicy(
            "this change made a project part of another, which cannot be undone",
            hint="`memctl revert ID --seq N` undoes an older change",
        )
    return [event]


def _find_change(db: Database, memory: Memory, seq: int | None) -> Event:
    history = event_log.list_of_memory(db, memory.id)
    if seq is None:
        return history[-1]
    for event in history:
        if event.seq == seq:
            return event
    numbers = ", ".join(str(event.seq) for event in history)
    raise NotFound(f"change {seq} is not one of {memory.id}: {numbers}")


def _describe_cause(chosen: Iterable[Event]) -> str:
    numbers = [str(event.seq) for event in chosen]
    return f"revert of {', '.join(numbers[:3])}{' ...' if len(numbers) > 3 else ''}"


def _why_not_revert(db: Database, plan: RevertPlan, actor: Actor) -> str | None:
    """Why this actor may not undo all of it, or None."""
    if actor.is_operator:
        return None
    for memory, restored, _ in plan.records:
        why = _why_not_restore_record(db, memory, restored, actor)
        if why:
            return f"{memory.id}: {why}"
    if any(topic in ("proposal", "mute", "outcome") for topic, *_ in plan.rows):
        return f"undoing a decision or a vote {policy.AT_A_TERMINAL}"
    return None


def _why_not_restore_record(
    db: Database, memory: Memory, restored: Memory, actor: Actor
) -> str | None:
    capped = cap_trust_of_rewording(memory, restored, actor)
    why = policy.why_not_change(memory, actor)
    why = why or refusals.why_not_restore(db, memory, capped, actor)
    if why is None and restored.status in _LIVING_STATUSES:
        why = policy.why_not_stand(restored, actor)
    return why


def _list_steps(db: Database, plan: RevertPlan) -> tuple[RevertStep, ...]:
    titles = {memory.id: memory.title for memory, *_ in plan.records}
    missing = {undoing.event.memory_id for undoing in plan.undoings} - titles.keys()
    titles |= {memory.id: memory.title for memory in records.list_by_ids(db, missing).values()}
    return tuple(
        RevertStep(
            undoing.event.seq,
            undoing.event.memory_id,
            titles.get(undoing.event.memory_id),
            undoing.event.topic,
            undoing.event.verb,
            undoing.event.actor,
            undoing.event.at,
            undoing.why,
        )
        for undoing in plan.undoings
    )


def _carry_out_plan(db: Database, plan: RevertPlan, actor: Actor) -> list[str]:
    for memory, restored, seq in plan.records:
        final = replace(cap_trust_of_rewording(memory, restored, actor), updated_at=clock.now())
        records.replace_record(
            db, memory, final, verb="reverted", actor=actor.name, cause=f"event {seq}"
        )
    for memory_id, (gone, come) in plan.evidence.items():
        tracked_rows.set_evidence(
            db, memory_id, gone=sorted(gone), come=sorted(come), verb="reverted"
        )
    for memory_id, (went, came) in plan.mentions.items():
        tracked_rows.set_mentions(
            db, memory_id, gone=sorted(went), come=sorted(came), verb="reverted"
        )
    for topic, before, after in _sort_rows(plan.rows):
        if not (
            topic == "link" and after is None and before is not None and _keep_apart(db, before)
        ):
            tracked_rows.change_row(db, topic, before, after, verb="reverted")
    touched = _list_touched(db, plan)
    tracked_rows.reindex_memories(db, touched)
    for memory_id in touched:
        _update_contradictions(db, memory_id, actor)
    return [memory.id for memory, *_ in plan.records] or sorted(touched)


def _sort_rows(rows: Iterable[tuple[str, Any, Any]]) -> Iterator[tuple[str, Any, Any]]:
    """Removals first, referring rows before referred ones; then additions the other way round."""
    listed = list(rows)
    yield from sorted(
        (row for row in listed if row[2] is None), key=lambda row: -tracked_rows.ORDER.index(row[0])
    )
    yield from sorted(
        (row for row in listed if row[2] is not None),
        key=lambda row: tracked_rows.ORDER.index(row[0]),
    )


def _keep_apart(db: Database, link: Mapping[str, Any]) -> bool:
    """Note that an undone link between two living records stays undone; True if the link row stays.

    A contradiction is dismissed, a merge or supersession noted. Otherwise the next maintenance run
    would find the same two records and link them again.
    """
    ends = records.list_by_ids(db, (link["from_id"], link["to_id"]))
    if any(end.status not in _LIVING_STATUSES for end in ends.values()):
        return False
    if link["relation"] == "contradicts":
        return link["resolved_at"] is not None or links.dismiss_contradiction(
            db, link["from_id"], link["to_id"], clock.now()
        )
    if link["relation"] == "supersedes":
        relations.add_link(
            db,
            link["to_id"],
            "related_to",
            link["from_id"],
            reason=consolidation.KEPT_APART,
            actor=db.acting[0],
        )
    return False


def _list_touched(db: Database, plan: RevertPlan) -> set[str]:
    """The records whose text or state may have changed."""
    ids = {memory.id for memory, *_ in plan.records} | plan.evidence.keys() | plan.mentions.keys()
    for topic, before, after in plan.rows:
        row = after or before or {}
        if topic == "link":
            ids |= {row["from_id"], row["to_id"]}
        elif topic in ("entity", "alias"):
            ids |= set(
                tracked_rows.list_records_of_entity(db, tracked_rows.find_subject(topic, row))
            )
    return set(records.list_by_ids(db, ids))


def _update_contradictions(db: Database, memory_id: str, actor: Actor) -> None:
    """Update the contradictions of a record, and close them if it is no longer in use."""
    memory = records.get_record(db, memory_id)
    if memory.status in _LIVING_STATUSES:
        relations.update_status_and_opponents(db, memory_id, actor=actor.name, cause="revert")
    else:
        relations.resolve_contradictions(db, memory_id, actor=actor.name, cause="revert")
