"""What an import changed that the event log does not tell yet.

The event log of the file comes along for new records. Whatever it does not say of the rows that
were taken in (because another version wrote it, or because ids or ends of rows differ here) is
logged by an event of the import itself, so that the log stays complete.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from memctl.core import clock
from memctl.core.typing_lite import Any
from memctl.exchange.import_state import ImportState
from memctl.exchange.reading import ExportLine
from memctl.store import event_log, tracked_rows

# What the event log calls the rows of a section.
TOPICS: Mapping[str, str] = {
    "links": "link",
    "entities": "entity",
    "entity_aliases": "alias",
    "tombstones": "tombstone",
    "outcomes": "outcome",
    "proposals": "proposal",
    "muted_rules": "mute",
}
_VERB = "imported"


def note_inserted(state: ImportState, line: ExportLine) -> None:
    """Note a row that was inserted, unless the file's events are here and tell it exactly."""
    section, row = line.section, line.row
    if section == "memory_entities":
        mention = (row["memory_id"], row["entity_id"], row["name"])
        if not (_comes_with_history(state, row) and mention in state.expected.mentions):
            _note_member(
                state, "mention", row["memory_id"], "come", [row["entity_id"], row["name"]]
            )
    elif section == "evidence":
        is_told = row["withdrawn_at"] is not None or row["id"] in state.expected.evidence
        if not (_comes_with_history(state, row) and is_told):
            _note_member(state, "evidence", row["memory_id"], "come", row["id"])
    elif section in TOPICS:
        topic = TOPICS[section]
        item = tracked_rows.compute_item(topic, row)
        if not (state.exact and state.expected.rows.get((topic, item)) == row):
            state.untold[topic, item] = row


def note_skipped(state: ImportState, line: ExportLine) -> None:
    """Note a row that did not come, though an event may say that it is there."""
    if line.section in TOPICS:
        topic = TOPICS[line.section]
        state.untold.setdefault((topic, tracked_rows.compute_item(topic, line.row)), line.row)


def note_done(state: ImportState, line: ExportLine) -> None:
    """Note again what a kill may have left untold: a row of an exact import that came before it."""
    if (state.exact and line.section in TOPICS) or (
        state.exact and line.section in ("evidence", "memory_entities")
    ):
        note_inserted(state, line)


def note_missing_mentions(state: ImportState, batch: Iterable[ExportLine]) -> None:
    """Note the mentions that the history of new records has and their rows have not."""
    came = {
        (line.row["memory_id"], line.row["entity_id"], line.row["name"])
        for line in batch
        if line.section == "memory_entities"
    }
    ids = {line.row["memory_id"] for line in batch if line.section == "stream"}
    for memory_id in sorted(ids & state.new):
        for mention in sorted(state.list_expected_mentions(memory_id) - came):
            _note_member(state, "mention", memory_id, "gone", list(mention[1:]))


def log_untold(state: ImportState, seconds: float = math.inf) -> bool:
    """Log what was noted, for so many seconds; False if more is left."""
    until = clock.read_monotonic() + seconds
    while state.untold:
        if clock.read_monotonic() >= until:
            return False
        key = next(iter(state.untold))
        _log_row(state, *key, state.untold.pop(key))
    while state.untold_sets:
        if clock.read_monotonic() >= until:
            return False
        topic, memory_id = next(iter(state.untold_sets))
        _log_set(state, topic, memory_id, state.untold_sets.pop((topic, memory_id)))
    return True


def _log_row(state: ImportState, topic: str, item: str, row: Mapping[str, Any] | None) -> None:
    here = tracked_rows.find_row(state.db, topic, item)
    if row is None and here is None:
        return
    about = tracked_rows.find_subject(topic, here or row or {})
    known = event_log.read_item(state.db, about, topic, item)
    if here != known:
        # An older version may have logged a later change of a row but not its creation.
        begun = known if known and known.keys() >= (here or {}).keys() else None
        told = event_log.keep_differences(begun, here)
        if any(part is not None for part in told):
            event_log.append_related(state.db, topic, about, item, *told, verb=_VERB)


def _log_set(state: ImportState, topic: str, memory_id: str, members: dict[str, list[Any]]) -> None:
    name = "ids" if topic == "evidence" else "mentions"
    before = {name: members["gone"]} if members.get("gone") else None
    after = {name: members["come"]} if members.get("come") else None
    if memory_id not in state.barred:
        event_log.append_related(state.db, topic, memory_id, memory_id, before, after, verb=_VERB)


def _comes_with_history(state: ImportState, row: Mapping[str, Any]) -> bool:
    return state.exact or row["memory_id"] in state.new


def _note_member(
    state: ImportState, topic: str, memory_id: str, change: str, member: object
) -> None:
    members = state.untold_sets.setdefault((topic, memory_id), {})
    members.setdefault(change, []).append(member)
