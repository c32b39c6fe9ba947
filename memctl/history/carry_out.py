"""Carry out the plan of a revert in short transactions, all of one operation.

What belongs together is undone together: records that links connect, with their evidence and names.
So the store is never half way between a correction and what it corrected. A set of records that is
too large for one transaction is undone newest first, as it was made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from memctl.core import clock
from memctl.core.frozen import replace
from memctl.core.model import Actor, Memory
from memctl.core.typing_lite import Any
from memctl.curate.editing import cap_trust_of_rewording
from memctl.history.revert_plan import RevertPlan
from memctl.records import relations
from memctl.store import chunks, event_log, links, records, tracked_rows
from memctl.store.database import Database
from memctl.store.unfinished import RunningOperation

VERB = "reverted"
_LIVING_STATUSES = ("inbox", "active", "contradicted")
# Records of one transaction, if links connect more than that. Chosen by hand: a quarter of a second
# is enough for several times as many.
_MOST_CONNECTED = 50


def carry_out_plan(
    db: Database,
    running: RunningOperation,
    actor: Actor,
    plan: RevertPlan,
    changed: dict[str, None],
) -> int:
    """Carry out a plan; count the parts that others changed meanwhile, which are left.

    The ids of changed records are added to `changed`.
    """
    parts = split_plan(plan)
    left = 0

    def undo_part(part: RevertPlan) -> None:
        nonlocal left
        if not _is_as_planned(db, part):
            left += 1
            return
        cause = str(running.data["cause"])
        with event_log.group_changes(db, actor=actor.name, cause=cause, operation=running.id):
            changed.update(dict.fromkeys(_carry_out_part(db, part, actor)))

    def note(done: int) -> None:
        running.note(is_done=done == len(parts) and not left)

    chunks.change_in_chunks(db, parts, undo_part, note=note)
    return left


def split_plan(plan: RevertPlan) -> list[RevertPlan]:
    """The parts of a plan that can be carried out one after the other, newest first. Pure."""
    by_id = {change[0].id: change for change in plan.records}
    known = {*by_id, *plan.evidence, *plan.mentions}
    known |= {
        str((after or before or {})["id"])
        for topic, before, after in plan.rows
        if topic == "entity"
    }
    groups = _Groups(known)
    for number, (_, before, after) in enumerate(plan.rows):
        groups.connect(number, [before, after])
    parts = []
    for members, numbers in groups.list_all():
        parts += _split_group(plan, members, [plan.rows[number] for number in numbers], by_id)
    return sorted(parts, key=lambda part: -max((seq for *_, seq in part.records), default=0))


class _Groups:
    """Records and entities that rows connect (disjoint sets)."""

    def __init__(self, known: Collection[str]) -> None:
        self._parent = {each: each for each in known}
        self._rows: list[tuple[int, str]] = []

    def connect(self, number: int, states: Iterable[Mapping[str, Any] | None]) -> None:
        """Note that a row belongs to whatever it names."""
        named = [
            value
            for state in states
            for value in (state or {}).values()
            if isinstance(value, str) and value in self._parent
        ] or [self._add(f"row {number}")]
        first = self._find(named[0])
        for other in named[1:]:
            self._parent[self._find(other)] = first
        self._rows.append((number, first))

    def list_all(self) -> Iterator[tuple[list[str], list[int]]]:
        """The members and the rows of each group."""
        members: dict[str, list[str]] = defaultdict(list)
        rows: dict[str, list[int]] = defaultdict(list)
        for each in self._parent:
            members[self._find(each)].append(each)
        for number, root in self._rows:
            rows[self._find(root)].append(number)
        for root, those in members.items():
            yield those, rows[root]

    def _add(self, name: str) -> str:
        self._parent[name] = name
        return name

    def _find(self, name: str) -> str:
        while self._parent[name] != name:
            self._parent[name] = self._parent[self._parent[name]]
            name = self._parent[name]
        return name


_PlannedRow = tuple[str, Mapping[str, Any] | None, Mapping[str, Any] | None]
_PlannedRecords = Mapping[str, tuple[Memory, Memory, int]]


def _split_group(
    plan: RevertPlan, members: list[str], rows: list[_PlannedRow], by_id: _PlannedRecords
) -> list[RevertPlan]:
    """One part, or for a large group one for each record: a row goes with its newest record."""
    if len(members) <= _MOST_CONNECTED:
        return [_select_part(plan, members, rows, by_id)]
    of_member: dict[str, list[_PlannedRow]] = defaultdict(list)
    alone = set(members)
    for row in rows:
        named = [
            value
            for state in row[1:]
            for value in (state or {}).values()
            if isinstance(value, str) and value in alone
        ]
        newest = max(named, key=lambda each: by_id[each][2] if each in by_id else 0, default="")
        of_member[newest].append(row)
    parts = [_select_part(plan, [each], of_member[each], by_id) for each in members]
    if of_member[""]:
        parts.append(_select_part(plan, [], of_member[""], by_id))
    return parts


def _select_part(
    plan: RevertPlan, members: list[str], rows: list[_PlannedRow], by_id: _PlannedRecords
) -> RevertPlan:
    return RevertPlan(
        (),
        tuple(by_id[each] for each in members if each in by_id),
        tuple(rows),
        {each: plan.evidence[each] for each in members if each in plan.evidence},
        {each: plan.mentions[each] for each in members if each in plan.mentions},
    )


def _is_as_planned(db: Database, part: RevertPlan) -> bool:
    """Whether what a part changes is as it was when it was planned."""
    present = records.list_by_ids(db, [memory.id for memory, *_ in part.records])
    for memory, *_ in part.records:
        now = present.get(memory.id)
        if now is None or _read_told(now) != _read_told(memory):
            return False
    return all(
        tracked_rows.find_row(db, topic, tracked_rows.compute_item(topic, before or after or {}))
        == (None if before is None else dict(before))
        for topic, before, after in part.rows
    )


def _read_told(memory: Memory) -> Mapping[str, Any]:
    return {**records.extract_history_fields(memory), "updated_at": memory.updated_at}


def _carry_out_part(db: Database, plan: RevertPlan, actor: Actor) -> list[str]:
    """Change what a part names; return the ids of the changed records."""
    for memory, restored, seq in plan.records:
        final = replace(cap_trust_of_rewording(memory, restored, actor), updated_at=clock.now())
        records.replace_record(db, memory, final, verb=VERB, actor=actor.name, cause=f"event {seq}")
    for memory_id, (gone, come) in plan.evidence.items():
        tracked_rows.set_evidence(db, memory_id, gone=sorted(gone), come=sorted(come), verb=VERB)
    for memory_id, (went, came) in plan.mentions.items():
        tracked_rows.set_mentions(db, memory_id, gone=sorted(went), come=sorted(came), verb=VERB)
    for topic, before, after in _sort_rows(plan.rows):
        if not (
            topic == "link" and after is None and before is not None and _keep_apart(db, before)
        ):
            tracked_rows.change_row(db, topic, before, after, verb=VERB)
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
        if link["resolved_at"] == link["created_at"]:  # It only said that there is none.
            return False
        return link["resolved_at"] is not None or links.dismiss_contradiction(
            db, link["from_id"], link["to_id"], clock.now()
        )
    if link["relation"] == "supersedes":
        from memctl.consolidate.apply import KEPT_APART  # here: most undoing parts no records

        relations.add_link(
            db,
            link["to_id"],
            "related_to",
            link["from_id"],
            reason=KEPT_APART,
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
