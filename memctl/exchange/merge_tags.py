"""Tags of a record that both sides have: all are kept, but for those that one side took off later
than the other gave them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core.model import TAG_MARK
from memctl.core.typing_lite import Any
from memctl.exchange import import_state as rules
from memctl.exchange.import_state import ImportState
from memctl.history.replay import Replay
from memctl.store import event_log, records
from memctl.store import tags as stored_tags

# Before any time that is known.
_NEVER = ("", True)


def is_tag_row(section: str, row: Mapping[str, Any]) -> bool:
    """Whether a row of an export says that a record has a tag."""
    return section == "memory_entities" and str(row["name"]).startswith(TAG_MARK)


def was_taken_off(state: ImportState, row: Mapping[str, Any]) -> bool:
    """Whether a tag of the file was taken off here later than it was given there."""
    if state.alone or row["memory_id"] in state.new:
        return False
    key = (row["memory_id"], row["name"])
    at, is_given = _read_tagged(state, row["memory_id"]).get(key, _NEVER)
    return not is_given and at >= state.expected.tagged.get(key, _NEVER)[0]


def take_off_removed(state: ImportState, ids: Iterable[str]) -> None:
    """Take tags off records that were here, where the file says that this came later."""
    if state.alone or not state.expected.tagged:
        return
    for memory_id in ids:
        here = records.find_record(state.db, memory_id)
        if memory_id in state.new or here is None or not may_tag(state, here.id):
            continue
        own = stored_tags.list_of_memory(state.db, memory_id)
        told = _read_tagged(state, memory_id) if own else {}
        gone = {tag for tag in own if _is_removed_later(state, told, (memory_id, TAG_MARK + tag))}
        if gone:
            stored_tags.set_tags(state.db, memory_id, {*own} - gone, state.at)
            state.count("memory_entities", "updated", len(gone))


def may_tag(state: ImportState, memory_id: str) -> bool:
    """Whether this import may say what a record here is filed under."""
    if not state.is_restricted:
        return True
    here = records.find_record(state.db, memory_id)
    return here is None or not rules.is_vouched(here)


def _is_removed_later(
    state: ImportState, told: Mapping[tuple[str, str], tuple[str, bool]], key: tuple[str, str]
) -> bool:
    at, is_given = state.expected.tagged.get(key, _NEVER)
    return not is_given and at > told.get(key, _NEVER)[0]


def _read_tagged(state: ImportState, memory_id: str) -> dict[tuple[str, str], tuple[str, bool]]:
    """When tags of a record were last given or taken off, by the event log here."""
    replay = Replay()
    for event in event_log.list_about(state.db, memory_id):
        if event.topic == "mention":
            replay.apply(event)
    return replay.tagged
