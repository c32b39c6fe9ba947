"""Captured conversations that travel where that was asked for, part by part.

The subject `source:ID` has a row for the conversation and one for each part of its turns. Originals
and folders stay at home. A conversation is kept here once all its turns have come; nothing is
extracted from it again, because its records travel themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memctl.core.errors import ConversationDamaged
from memctl.core.frozen import asdict
from memctl.core.model import AGENT_CLAIMED
from memctl.exchange.sections import BY_NAME, BadRow, check_row
from memctl.records import purge_filter
from memctl.store import erase, exchange, portable_rows, sources, sync_changes, tombstones
from memctl.store.database import Database, Row
from memctl.sync.change import ChangeEvent, decode_change
from memctl.sync.change_writer import ChangeWriter, ToldOperation, ToldSubject
from memctl.sync.merging import PURGED, SubjectState
from memctl.sync.portable import TravelForm, name_source_subject
from memctl.sync.project_identity import ProjectClasses
from memctl.sync.sharing import SharingRules

_TOPIC = "source"
_VERB = "captured"
# What stays at home or means nothing elsewhere.
_AT_HOME = ("raw", "path", "cwd", "repo_id", "previous_id")
_PART_FIELDS = ("first_turn", "turn_count", "turns", "created_at")


class ConversationTeller:
    """Tells conversations of projects whose conversations travel."""

    def __init__(self, db: Database, form: TravelForm, writer: ChangeWriter, member: str) -> None:
        self._db, self._form, self._writer, self._member = db, form, writer, member

    def collect(self, sharing: SharingRules, after: str) -> tuple[int, str | None]:
        """Tell what is new of the next conversation after an id: how many changes, and its id;
        None for the id after the last one.
        """
        here = self._form.classes.find_here
        for row in portable_rows.list_sources(self._db, after):
            project = None if row["project_id"] is None else here(row["project_id"])
            streams = sharing.find_project_streams(project, self._form.classes)
            if sharing.find_share(project).with_turns and streams:
                return self._collect_one(row, streams), str(row["id"])
        return 0, None

    def _collect_one(self, row: Row, streams: list[str]) -> int:
        subject = name_source_subject(row["id"])
        member, known = sync_changes.find_subject(self._db, subject)
        if member not in (None, self._member):
            return 0
        for stream in {"", *streams} - {*known}:
            sync_changes.put_subject(self._db, subject, stream, self._member)
        self._writer.number_subject(subject, streams)
        told, turns_hash = self._read_told(subject)
        if turns_hash == row["turns_hash"]:
            return 0
        operations = [
            ToldOperation([event])
            for event in self._tell_parts(row["id"])
            if event.item not in told
        ]
        last = _build_event(row["id"], self._tell_row(row["id"]), row["updated_at"])
        return self._writer.write(
            [ToldSubject(subject, streams, [*operations, ToldOperation([last])])]
        )

    def _read_told(self, subject: str) -> tuple[set[str], str | None]:
        """The items that were told, and the hash of the turns that was told last."""
        items, turns_hash = set[str](), None
        for stored in sync_changes.list_of_subject(self._db, subject):
            for event in decode_change(stored.body).events if stored.body is not None else ():
                items.add(event.item)
                turns_hash = (event.after or {}).get("turns_hash", turns_hash)
        return items, turns_hash

    def _tell_row(self, source_id: str) -> dict[str, Any]:
        row = exchange.find_row(self._db, "sources", {"id": source_id}) or {}
        told = {name: value for name, value in row.items() if name not in _AT_HOME}
        if told.get("project_id") is not None:
            told["project_id"] = self._form.classes.get_canonical(told["project_id"])
        return told

    def _tell_parts(self, source_id: str) -> Iterator[ChangeEvent]:
        for part in portable_rows.list_parts(self._db, source_id):
            try:
                turns = [asdict(turn) for turn in sources.unpack_turns(part["turns"])]
            except ConversationDamaged:
                sources.warn_of_damage(self._db, source_id)
                return
            row = {name: part[name] for name in _PART_FIELDS if name != "turns"}
            item = f"{source_id}|{part['part']}"
            yield _build_event(item, {**row, "turns": turns}, part["created_at"])


def tells_end(event: ChangeEvent) -> bool:
    """Whether an event says that a conversation was erased for good."""
    return (event.topic, event.verb, event.before, event.after) == (_TOPIC, PURGED, None, None)


def _build_event(item: str, row: Mapping[str, Any], at: str) -> ChangeEvent:
    return ChangeEvent(_TOPIC, item, _VERB, None, row, "memctl", "sync", at)


def settle_conversation(
    db: Database,
    classes: ProjectClasses,
    source_id: str,
    state: SubjectState,
    *,
    is_own: bool,
    is_rewritten: bool = False,
) -> bool:
    """Keep a conversation of another machine once all its turns have come; True if it is new or
    has grown here, or if words were cut out of it (`is_rewritten`). One that was purged here stays
    away.
    """
    try:
        row, parts = _read_rows(classes, source_id, state, is_own=is_own)
    except BadRow:
        return False
    mark = purge_filter.compute_session_mark(row["agent"], row["session_id"])
    if tombstones.list_dead(db, [mark, purge_filter.compute_original_mark(row["content_hash"])]):
        return False
    here = sources.find_source(db, source_id)
    if here is None:
        if exchange.insert_one(db, "sources", exchange.to_parameters("sources", row)) is not None:
            return False
    elif here.turn_count < row["turn_count"] or (
        is_rewritten and here.turns_hash != row["turns_hash"]
    ):
        kept = exchange.find_row(db, "sources", {"id": source_id}) or {}
        grown = {**row, **{name: kept.get(name) for name in _AT_HOME}}
        exchange.update_row(db, "sources", exchange.to_parameters("sources", grown))
        erase.erase_turns(db, source_id)
    else:
        return False
    for part in parts:
        exchange.insert_one(db, "source_parts", exchange.to_parameters("source_parts", part))
    return True


def _read_rows(
    classes: ProjectClasses, source_id: str, state: SubjectState, *, is_own: bool
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The rows of a conversation as they are stored. Raises BadRow if any is missing or is none."""
    told = state.rows.get((_TOPIC, source_id))
    if told is None or told.get("id") != source_id:
        raise BadRow("not all of it has come")
    row = check_row(BY_NAME["sources"], {**told, **dict.fromkeys(_AT_HOME)})
    row["project_id"] = None if row["project_id"] is None else classes.find_here(row["project_id"])
    if not is_own:
        row["trust"] = min(row["trust"], AGENT_CLAIMED)
    parts = []
    for (topic, item), values in state.rows.items():
        _, stroke, number = item.partition("|")
        if topic == _TOPIC and stroke and values is not None and number.isdigit():
            part = {"source_id": source_id, "part": int(number), **values}
            parts.append(check_row(BY_NAME["source_parts"], part))
    parts.sort(key=lambda each: int(each["part"]))
    if sum(len(each["turns"]) for each in parts) != row["turn_count"]:
        raise BadRow("not all turns have come")
    return row, parts
