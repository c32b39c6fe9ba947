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
# What a fingerprint is made of.
_FINGERPRINT_FIELDS = ("content", "scope", "project_id", "repo_id", "agent_id", "session_id")
# The records without which a row cannot be.
_END_COLUMNS = {"link": ("from_id", "to_id"), "outcome": ("memory_id",)}
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
    evidence: Mapping[str, tuple[frozenset[str], frozenset[str]]]
    mentions: Mapping[str, tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]]


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
            self._operations[event.operation] = event_log.of_operation(self.db, event.operation)
        return self._operations[event.operation]

    def list_later(self, event: Event) -> list[Event]:
        """All changes to the same record and what belongs to it."""
        if event.memory_id not in self._about:
            self._about[event.memory_id] = event_log.about(self.db, event.memory_id)
        return self._about[event.memory_id]

    def list_derived(self, memory_id: str) -> list[Event]:
        """The creations of the records that were derived from a record."""
        return event_log.creations_of_derived(self.db, memory_id)


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
        with event_log.operation(db, actor=actor.name, cause=_describe_cause(chosen)):
            changed = _carry_out_plan(db, plan, actor)
        return RevertReport(_list_steps(db, plan), read_views(db, changed))


def _select_events(db: Database, wanted: RevertSelection) -> list[Event]:
    if wanted.target is None:
        if wanted.since is None and wanted.actor is None:
            raise UsageError("name a change, a record, --since or --actor")
        return [
            event
            for event in event_log.chosen(db, since=wanted.since, actor=wanted.actor)
            if not (undo.is_move(event) or event.verb == undo.RECORDED)
        ]
    if wanted.since is not None or wanted.actor is not None:
        raise UsageError(
            "--since and --actor choose by themselves: name no change or record beside them"
        )
    if wanted.seq is None and _NUMBER.fullmatch(wanted.target):
        event = event_log.by_seq(db, int(wanted.target))
        if event is None:
            raise NotFound(
                f"there is no change {wanted.target}",
                hint="`memctl log changes` shows their numbers",
            )
    else:
        event = _find_change(db, records.resolve(db, wanted.target), wanted.seq)
    if undo.is_move(event):
        raise RefusedByPolicy(
            "a project became part of another by this, which stays",
            hint="`memctl revert ID --seq N` undoes an older change",
        )
    return [event]


def _find_change(db: Database, memory: Memory, seq: int | None) -> Event:
    history = event_log.of_memory(db, memory.id)
    if seq is None:
        return history[-1]
    found = next((event for event in history if event.seq == seq), None)
    if found is None:
        raise NotFound(
            f"change {seq} is not one of {memory.id}: {', '.join(str(event.seq) for event in history)}"
        )
    return found


def _describe_cause(chosen: Iterable[Event]) -> str:
    numbers = [str(event.seq) for event in chosen]
    return f"revert of {', '.join(numbers[:3])}{' ...' if len(numbers) > 3 else ''}"


def _plan_revert(db: Database, undoings: tuple[Undoing, ...]) -> _RevertPlan:
    begun = {undoing.event.memory_id for undoing in undoings if undo.is_creation(undoing.event)}
    whole: dict[str, dict[str, Any]] = {}
    rows: dict[tuple[str, str], tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]] = {}
    sets: dict[str, dict[str, tuple[set[Any], set[Any]]]] = {"evidence": {}, "mention": {}}
    last: dict[str, int] = {}
    known = records.by_ids(db, {u.event.memory_id for u in undoings if u.event.topic == "record"})
    for event in (undoing.event for undoing in undoings):
        key = undo.read_key(event)
        if undo.is_kept(event, begun):
            continue
        if undo.is_set_change(event):
            _swap_members(
                sets[event.topic].setdefault(event.memory_id, (set(), set())),
                *undo.read_members(event),
            )
        elif event.topic != "record":
            before, now = (
                rows.get((event.topic, key)) or (tracked_rows.get(db, event.topic, key),) * 2
            )
            rows[event.topic, key] = before, undo.undo_change(now, event)
        elif event.memory_id in known:
            now = whole.get(event.memory_id) or records.history_fields(known[event.memory_id])
            whole[event.memory_id] = dict(undo.undo_change(now, event) or now)
            last[event.memory_id] = event.seq
    came = {
        memory_id: (frozenset(gone), frozenset(come))
        for memory_id, (gone, come) in sets["evidence"].items()
    }
    restored = (
        (known[each], _restore_record(db, known[each], state, came.get(each)), last[each])
        for each, state in whole.items()
    )
    mentions = {
        memory_id: (frozenset(map(tuple, gone)), frozenset(map(tuple, come)))
        for memory_id, (gone, come) in sets["mention"].items()
    }
    return _RevertPlan(
        undoings,
        tuple(each for each in restored if each[0] != each[1]),
        tuple(
            (topic, *pair)
            for (topic, _), pair in rows.items()
            if pair[0] != pair[1] and _has_ends(db, topic, pair[1])
        ),
        came,
        mentions,
    )


def _has_ends(db: Database, topic: str, row: Mapping[str, Any] | None) -> bool:
    """Whether the records that a row refers to exist; a purged record gets nothing back."""
    ends = {str(row[name]) for name in _END_COLUMNS.get(topic, ())} if row else set()
    return ends == set(records.by_ids(db, ends))


def _swap_members(
    so_far: tuple[set[Any], set[Any]], taken: Iterable[Any], put: Iterable[Any]
) -> None:
    """Undo one change of a set, after the later ones."""
    gone, come = so_far
    for member in (tuple(each) if isinstance(each, list) else each for each in taken):
        come.discard(member)
        gone.add(member)
    for member in (tuple(each) if isinstance(each, list) else each for each in put):
        gone.discard(member)
        come.add(member)


def _restore_record(
    db: Database,
    memory: Memory,
    state: Mapping[str, Any],
    came: tuple[frozenset[str], frozenset[str]] | None,
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
    if came:
        gone, come = came
        left = [
            item.trust
            for item in evidence.every(db, memory.id)
            if item.id in come or (not item.withdrawn_at and item.id not in gone)
        ]
        restored = replace(restored, trust=min(restored.trust, max(left, default=restored.trust)))
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
    titles |= {memory.id: memory.title for memory in records.by_ids(db, missing).values()}
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
        records.replace(db, memory, final, verb="reverted", actor=actor.name, cause=f"event {seq}")
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
            tracked_rows.change(db, topic, before, after, verb="reverted")
    touched = _list_touched(db, plan)
    tracked_rows.index_again(db, touched)
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
    ends = records.by_ids(db, (link["from_id"], link["to_id"]))
    if any(end.status not in _LIVING_STATUSES for end in ends.values()):
        return False
    if link["relation"] == "contradicts":
        return link["resolved_at"] is not None or links.dismiss(
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
            ids |= set(tracked_rows.records_of_entity(db, tracked_rows.about(topic, row)))
    return set(records.by_ids(db, ids))


def _update_contradictions(db: Database, memory_id: str, actor: Actor) -> None:
    """Update the contradictions of a record, and close them if it is no longer in use."""
    memory = records.get(db, memory_id)
    if memory.status in _LIVING_STATUSES:
        relations.update_status_and_opponents(db, memory_id, actor=actor.name, cause="revert")
    else:
        relations.resolve_contradictions(db, memory_id, actor=actor.name, cause="revert")
