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
from memctl.core.frozen import dataclass, fields, replace
from memctl.core.model import OWNER_OF, Actor, Event, Memory
from memctl.curate import refusals
from memctl.curate.editing import cap_trust_of_rewording
from memctl.history import rebuild, undo
from memctl.history.undo import Undoing
from memctl.records import drafts, relations
from memctl.records.views import read_views
from memctl.results.history import RevertReport, RevertStep
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import event_log, evidence, links, projects, records, tracked_rows
from memctl.store.database import Database

_LIVING_STATUSES = ("inbox", "active", "contradicted")
# Fields that the fingerprint is computed from.
_FINGERPRINT_FIELDS = ("content", "scope", "project_id", "repo_id", "agent_id", "session_id")
# Columns that name the records to which a row belongs.
_END_COLUMNS = {"link": ("from_id", "to_id"), "outcome": ("memory_id",)}
# A set change: the members that are removed, and those that are added.
_SetChange = tuple[set[Any], set[Any]]
_FrozenSetChange = tuple[frozenset[Any], frozenset[Any]]
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


@dataclass(frozen=True, slots=True)
class _RevertPlan:
    """Every row that changes, before and after.

    `records` with the number of the undone change, `rows` of other topics, and for `evidence` and
    `mentions` by record what is removed and what is added.
    """

    undoings: tuple[Undoing, ...]
    records: tuple[tuple[Memory, Memory, int], ...]
    rows: tuple[tuple[str, Mapping[str, Any] | None, Mapping[str, Any] | None], ...]
    evidence: Mapping[str, _FrozenSetChange]
    mentions: Mapping[str, _FrozenSetChange]


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
        plan = _plan_revert(db, undo.gather_undoings(chosen, _CachedEventLog(db)))
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


def _plan_revert(db: Database, undoings: tuple[Undoing, ...]) -> _RevertPlan:
    builder = _PlanBuilder(db, undoings)
    for undoing in undoings:
        builder.undo(undoing.event)
    return builder.build()


class _PlanBuilder:
    """Works out what each row becomes while changes are undone, newest first."""

    def __init__(self, db: Database, undoings: tuple[Undoing, ...]) -> None:
        events = [undoing.event for undoing in undoings]
        self._db = db
        self._undoings = undoings
        self._created = {event.memory_id for event in events if undo.is_creation(event)}
        self._memories = records.list_by_ids(
            db, {event.memory_id for event in events if event.topic == "record"}
        )
        self._fields: dict[str, Mapping[str, Any]] = {}
        self._oldest_seq: dict[str, int] = {}
        self._rows: dict[tuple[str, str], tuple[undo.Row | None, undo.Row | None]] = {}
        self._sets: dict[str, dict[str, _SetChange]] = {"evidence": {}, "mention": {}}

    def undo(self, event: Event) -> None:
        """Undo one more change, older than those before."""
        if undo.is_kept(event, self._created):
            return
        if undo.is_set_change(event):
            changes = self._sets[event.topic].setdefault(event.memory_id, (set(), set()))
            _swap_members(changes, *undo.read_members(event))
        elif event.topic != "record":
            self._undo_row_change(event)
        elif event.memory_id in self._memories:
            self._undo_record_change(event)

    def build(self) -> _RevertPlan:
        """The plan, without the rows that stay as they are."""
        evidence_changes = _freeze_sets(self._sets["evidence"])
        changed_records = []
        for memory_id, state in self._fields.items():
            memory = self._memories[memory_id]
            change = evidence_changes.get(memory_id)
            restored = _restore_record(self._db, memory, state, change)
            if restored != memory:
                changed_records.append((memory, restored, self._oldest_seq[memory_id]))
        changed_rows = [
            (topic, before, after)
            for (topic, _), (before, after) in self._rows.items()
            if before != after and _has_ends(self._db, topic, after)
        ]
        return _RevertPlan(
            self._undoings,
            tuple(changed_records),
            tuple(changed_rows),
            evidence_changes,
            _freeze_sets(self._sets["mention"]),
        )

    def _undo_row_change(self, event: Event) -> None:
        key = event.topic, undo.read_key(event)
        if key not in self._rows:
            row = tracked_rows.find_row(self._db, *key)
            self._rows[key] = row, row
        before, now = self._rows[key]
        self._rows[key] = before, undo.undo_change(now, event)

    def _undo_record_change(self, event: Event) -> None:
        memory = self._memories[event.memory_id]
        now = self._fields.get(memory.id) or records.extract_history_fields(memory)
        self._fields[memory.id] = undo.undo_change(now, event) or now
        self._oldest_seq[memory.id] = event.seq


def _freeze_sets(changes: Mapping[str, _SetChange]) -> dict[str, _FrozenSetChange]:
    return {
        memory_id: (frozenset(removed), frozenset(added))
        for memory_id, (removed, added) in changes.items()
    }


def _has_ends(db: Database, topic: str, row: Mapping[str, Any] | None) -> bool:
    """Whether the records that a row refers to exist; a purged record gets nothing back."""
    ends = {str(row[name]) for name in _END_COLUMNS.get(topic, ())} if row else set()
    return ends == set(records.list_by_ids(db, ends))


def _swap_members(change: _SetChange, undone: Iterable[Any], restored: Iterable[Any]) -> None:
    """Undo one change of a set, after the later ones. A member may be a list in the event log."""
    removed, added = change
    for member in map(_to_hashable, undone):
        added.discard(member)
        removed.add(member)
    for member in map(_to_hashable, restored):
        removed.discard(member)
        added.add(member)


def _to_hashable(member: Any) -> Any:
    return tuple(member) if isinstance(member, list) else member


def _restore_record(
    db: Database,
    memory: Memory,
    state: Mapping[str, Any],
    evidence_change: _FrozenSetChange | None,
) -> Memory:
    """The record after the undoing; its trust is at most that of its remaining evidence."""
    known = {f.name for f in fields(memory)} - {"id", "created_at", "updated_at"}
    values = {
        name: tuple(value) if name == "alternatives" else value
        for name, value in state.items()
        if name in known
    }
    restored = replace(memory, **values)
    restored = replace(
        restored,
        owner=OWNER_OF[restored.type],
        project_id=projects.standing(db, restored.project_id),
    )
    if any(getattr(restored, name) != getattr(memory, name) for name in _FINGERPRINT_FIELDS):
        restored = drafts.set_fingerprint(restored)
    if evidence_change:
        removed, added = evidence_change
        remaining = [
            item.trust
            for item in evidence.list_with_withdrawn(db, memory.id)
            if item.id in added or (not item.withdrawn_at and item.id not in removed)
        ]
        trust = min(restored.trust, max(remaining, default=restored.trust))
        restored = replace(restored, trust=trust)
    return restored


def _why_not_revert(db: Database, plan: _RevertPlan, actor: Actor) -> str | None:
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


def _list_steps(db: Database, plan: _RevertPlan) -> tuple[RevertStep, ...]:
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


def _carry_out_plan(db: Database, plan: _RevertPlan, actor: Actor) -> list[str]:
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


def _list_touched(db: Database, plan: _RevertPlan) -> set[str]:
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
