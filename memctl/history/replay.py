"""The state of everything by the event log: every change applied, first to last. Pure.

It covers records and the rows and sets that belong to them. What was purged has no state; a
redaction changes words only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core.model import TAG_MARK, Event
from memctl.core.typing_lite import Any
from memctl.history.undo import is_set_change, read_key, read_members


class Replay:
    """The state after some changes.

    `records` by id. `rows` by topic and item, `ended` the removed ones. `evidence` by id: its
    record, and when it was withdrawn. `mentions` as record, entity and name. `tagged` is by record
    and tag when it was last given or, if False, taken off.
    """

    def __init__(self) -> None:
        self.records: dict[str, dict[str, Any]] = {}
        self.rows: dict[tuple[str, str], dict[str, Any]] = {}
        self.evidence: dict[str, tuple[str, str | None]] = {}
        self.mentions: set[tuple[str, str, str]] = set()
        self.ended: set[tuple[str, str]] = set()
        self.tagged: dict[tuple[str, str], tuple[str, bool]] = {}

    def apply(self, event: Event) -> None:
        """Apply one more change."""
        if event.before is None and event.after is None:
            if event.verb == "purged":
                self._forget_record(event.memory_id)
        elif event.topic == "record":
            self.records.setdefault(event.memory_id, {}).update(event.after or {})
        elif is_set_change(event):
            self._apply_members(event)
        elif event.after is None:
            self.rows.pop((event.topic, read_key(event)), None)
            self.ended.add((event.topic, read_key(event)))
        elif event.before is None:
            self.ended.discard((event.topic, read_key(event)))
            self.rows[event.topic, read_key(event)] = dict(event.after)
        else:
            self.rows.setdefault((event.topic, read_key(event)), {}).update(event.after)

    def _apply_members(self, event: Event) -> None:
        come, gone = read_members(event)
        if event.verb == "purged":
            for each in gone:
                self.evidence.pop(each, None)
        elif event.topic == "evidence":
            self.evidence |= dict.fromkeys(gone, (event.memory_id, event.at))
            self.evidence |= dict.fromkeys(come, (event.memory_id, None))
        else:
            self.mentions -= {(event.memory_id, *each) for each in gone}
            self.mentions |= {(event.memory_id, *each) for each in come}
            for names, is_given in ((gone, False), (come, True)):
                self.tagged |= {
                    (event.memory_id, each[-1]): (event.at, is_given)
                    for each in names
                    if each[-1].startswith(TAG_MARK)
                }

    def _forget_record(self, memory_id: str) -> None:
        self.records.pop(memory_id, None)
        self.mentions = {each for each in self.mentions if each[0] != memory_id}
        self.evidence = {
            each: value for each, value in self.evidence.items() if value[0] != memory_id
        }
        # A verdict stays: it is what keeps the record from coming back.
        rows = ((key, row) for key, row in self.rows.items() if key[0] != "tombstone")
        gone = [
            key
            for key, row in rows
            if memory_id in (row.get("from_id"), row.get("to_id"), row.get("memory_id"))
        ]
        for key in gone:
            del self.rows[key]


def replay_events(events: Iterable[Event]) -> Replay:
    """The state after all of some changes."""
    state = Replay()
    for event in events:
        state.apply(event)
    return state


def find_differing_columns(
    here: Mapping[str, Any], told: Mapping[str, Any], defaults: Mapping[str, Any]
) -> list[str]:
    """The columns in which a record differs from the event log.

    A column that older events do not hold has its default.
    """
    return [name for name, value in here.items() if told.get(name, defaults.get(name)) != value]
