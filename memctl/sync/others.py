"""Records of another member of the group: taken in under this operator's policy.

What its owner changes is entered as far as nobody changed the same here. Nothing gains trust on the
way, nothing of another one pins itself, what was taken out of use there goes out of use here, what
was rejected here stays so, and new words of something that was approved here are a candidate again.
Links that would take something of one's own out of use do not come.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from memctl.core.frozen import replace
from memctl.core.model import AGENT_CLAIMED, Memory
from memctl.exchange import import_state as rules
from memctl.settings.config import Config
from memctl.store import arrived_rows, event_log, records, sync_changes
from memctl.store.database import Database
from memctl.sync import local_rows
from memctl.sync.change import Change
from memctl.sync.fitting import PROJECT
from memctl.sync.laws import GROUPS, STATEMENT
from memctl.sync.local_rows import IN_FORCE
from memctl.sync.merging import Cell, ChangeGraph
from memctl.sync.project_identity import ProjectClasses

_RETIRED = ("archived", "superseded")
_ONE_SIDED = ("contradicts", "supersedes")
_RECORD_CELL = ("record", "record")


class ReceivingStore(Protocol):
    """The store that takes records in (see `settling`)."""

    db: Database
    config: Config

    @property
    def classes(self) -> ProjectClasses:
        """Which projects are one."""

    def make_change_teller(self, change: Change) -> local_rows.Teller:
        """What the event log is told of a change."""


def enter_changes(
    settler: ReceivingStore, subject: str, graph: ChangeGraph, fresh: frozenset[str], owner: str
) -> None:
    """Enter the new changes of another member's record, one after the other."""
    db = settler.db
    mask = graph.all & ~sum(1 << n for n, each in enumerate(graph.changes) if each.id in fresh)
    if records.find_record(db, subject) is None:
        mask = 0  # All of it is new to the tables: its project had not come before.
    if local_rows.is_purged(db, subject):
        return
    entered = mask
    # What hangs on the record by changes from before it was in a project that is here.
    left: list[Cell] = []
    for number, change in enumerate(graph.changes):
        if mask >> number & 1:
            continue
        known, is_even = graph.read_fields(entered), entered == mask
        mask |= 1 << number
        fields = graph.read_fields(mask)
        if fields is None or not change.events:
            entered = mask if is_even else entered
            continue
        tell = settler.make_change_teller(change)
        with event_log.group_changes(db, operation=change.operation):
            memory = _enter_record(settler, subject, known, fields, owner, tell)
            left += graph.list_cells(number)
            if memory is None:
                continue
            rows, left, entered = graph.read_rows(mask, left), [], mask
            local_rows.write_rows(db, memory, _tame_rows(settler, rows, owner), tell)


def _enter_record(
    settler: ReceivingStore,
    subject: str,
    known: Mapping[str, Any] | None,
    fields: Mapping[str, Any],
    owner: str,
    tell: local_rows.Teller,
) -> Memory | None:
    db, classes = settler.db, settler.classes
    here = records.find_record(db, subject)
    there = local_rows.build_memory(db, classes, fields, None, owner)
    if there is None:
        if fields.get("project_id") is not None:
            arrived_rows.put_awaited(db, PROJECT + str(fields["project_id"]), subject)
        return None
    there = _tame(there, owner, settler.config)
    if here is None:
        arrived_rows.insert_record(db, there, tell(_RECORD_CELL))
        return there
    before = None
    if known is not None:
        before = local_rows.build_memory(db, classes, known, None, owner)
    merged = _merge(here, _tame(before, owner, settler.config) if before else here, there)
    arrived_rows.change_record(db, here, merged, tell(_RECORD_CELL))
    return merged


def _tame(memory: Memory, owner: str, config: Config) -> Memory:
    """A record of somebody else as it may stand here."""
    tame = rules.cap_new_record(replace(memory, origin=None), owner)
    waits = config["sync.others"] == "inbox" and tame.status in IN_FORCE
    return replace(tame, status="inbox" if waits else tame.status)


def _merge(here: Memory, before: Memory, after: Memory) -> Memory:
    """The record here with what its owner changed from one state to another."""
    changed = {
        name: value
        for name, value in records.extract_history_fields(after).items()
        if value != getattr(before, name) and name != "alternatives"
    }
    kept = {"id", "created_at", "origin", "protected", "always_load", "status", "status_reason"}
    values = {
        name: value
        for name, value in changed.items()
        if name not in kept and _is_same(getattr(here, name), getattr(before, name))
    }
    words = {name for name in GROUPS[STATEMENT] if getattr(after, name) != getattr(before, name)}
    are_own = any(getattr(here, name) != getattr(before, name) for name in GROUPS[STATEMENT])
    if are_own:  # Edited here: these words stay, as one.
        values = {name: value for name, value in values.items() if name not in GROUPS[STATEMENT]}
        values.pop("fingerprint", None)
    elif words:
        values |= {name: getattr(after, name) for name in GROUPS[STATEMENT]}
        values["fingerprint"] = after.fingerprint
    merged = replace(here, **values)
    merged = replace(merged, trust=min(here.trust, after.trust, AGENT_CLAIMED))
    return _settle_status(here, before, after, merged, has_new_words=bool(words) and not are_own)


def _is_same(one: Any, other: Any) -> bool:
    return bool(one == other)


def _settle_status(
    here: Memory, before: Memory, after: Memory, merged: Memory, *, has_new_words: bool
) -> Memory:
    is_living = here.status not in _RETIRED
    if after.status in _RETIRED:
        if is_living:
            return replace(merged, status=after.status, status_reason=after.status_reason)
        return merged
    if before.status in _RETIRED and (here.status, here.status_reason) == (
        before.status,
        before.status_reason,
    ):
        return replace(merged, status=after.status, status_reason=after.status_reason)
    if not is_living:
        return merged
    if has_new_words and here.status in IN_FORCE and before.status == "inbox":
        return replace(merged, status="inbox", status_reason="its words changed")
    if here.status == before.status and after.status != before.status:
        return replace(merged, status=after.status, status_reason=after.status_reason)
    return merged


def _tame_rows(
    settler: ReceivingStore, rows: Mapping[Cell, Mapping[str, Any] | None], owner: str
) -> dict[Cell, Mapping[str, Any] | None]:
    """What hangs on a record of somebody else, as far as it may come."""
    tame: dict[Cell, Mapping[str, Any] | None] = {}
    for (topic, item), row in rows.items():
        if topic == "tombstone":
            continue  # What they rejected goes out of use; the words may be somebody's own here.
        if row is None:
            tame[topic, item] = None
        elif topic == "evidence":
            tame[topic, item] = {**row, "trust": min(row["trust"], AGENT_CLAIMED)}
        elif topic == "outcome":
            tame[topic, item] = {**row, "actor": f"{owner}'s {row['actor']}"}
        elif topic != "link" or _may_link(settler, row, owner):
            tame[topic, item] = row
    return tame


def _may_link(settler: ReceivingStore, row: Mapping[str, Any], owner: str) -> bool:
    """Whether a link of another member's record may come: it takes nothing that is not theirs."""
    if row["relation"] not in _ONE_SIDED:
        return True
    whose, _ = sync_changes.find_subject(settler.db, row["to_id"])
    return whose == owner or (
        whose is None and records.find_record(settler.db, row["to_id"]) is None
    )
