"""The plan of a revert: what each record and row becomes when changes are undone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from memctl.core.frozen import dataclass, fields, replace
from memctl.core.model import OWNER_OF, Event, Memory
from memctl.core.typing_lite import Any
from memctl.history import undo
from memctl.history.undo import Undoing
from memctl.records import drafts
from memctl.store import evidence, projects, records, tracked_rows
from memctl.store.database import Database

# Fields that the fingerprint is computed from.
_FINGERPRINT_FIELDS = ("content", "scope", "project_id", "repo_id", "agent_id", "session_id")
# Columns that name the records to which a row belongs.
_END_COLUMNS = {"link": ("from_id", "to_id"), "outcome": ("memory_id",)}
# A set change: the members that are removed, and those that are added.
_SetChange = tuple[set[Any], set[Any]]
_FrozenSetChange = tuple[frozenset[Any], frozenset[Any]]


@dataclass(frozen=True, slots=True)
class RevertPlan:
    """Every row that changes, before and after.

    `records` with the number of the undone change, `rows` of other topics, and for `evidence` and
    `mentions` by record what is removed and what is added.
    """

    undoings: tuple[Undoing, ...]
    records: tuple[tuple[Memory, Memory, int], ...]
    rows: tuple[tuple[str, Mapping[str, Any] | None, Mapping[str, Any] | None], ...]
    evidence: Mapping[str, _FrozenSetChange]
    mentions: Mapping[str, _FrozenSetChange]


def plan_revert(
    db: Database, undoings: tuple[Undoing, ...], done: Collection[undo.Key] = ()
) -> RevertPlan:
    """Work out what every row becomes without some changes, newest change first.

    Rows (topic and key) that are `done` already are left out.
    """
    builder = _RevertPlanBuilder(db, undoings, frozenset(done))
    for undoing in undoings:
        builder.undo(undoing.event)
    return builder.build()


class _RevertPlanBuilder:
    """Works out what each row becomes while changes are undone, newest first."""

    def __init__(
        self, db: Database, undoings: tuple[Undoing, ...], done: frozenset[undo.Key]
    ) -> None:
        events = [undoing.event for undoing in undoings]
        self._db = db
        self._undoings = undoings
        self._done = done
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
        key = event.topic, undo.read_key(event)
        if undo.is_kept(event, self._created) or key in self._done:
            return
        if undo.is_set_change(event):
            changes = self._sets[event.topic].setdefault(event.memory_id, (set(), set()))
            _swap_members(changes, *undo.read_members(event))
        elif event.topic != "record":
            self._undo_row_change(event)
        elif event.memory_id in self._memories:
            self._undo_record_change(event)

    def build(self) -> RevertPlan:
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
        return RevertPlan(
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
