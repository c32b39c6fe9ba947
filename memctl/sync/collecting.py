"""Changes made here become changes that travel: from the event log, redacted again, in order.

What is collected is what the log says after a note of how far it was read. A transaction that takes
in changes of others first collects all that was made here, and passes over what it appended, so
what stands after the note was always made here. A subject that begins to travel (approved, its
project shared) is collected with its whole history; one that travels goes on doing so, because its
end has to arrive too. Records of another member travel as theirs: what is done to them here stays
here.

When something else is shared, or a project gets another name, all records are looked at again, in
short transactions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memctl.core import clock
from memctl.core.bounded_work import BoundedWork
from memctl.core.model import Event, Memory
from memctl.redact.redactor import make_redactor
from memctl.settings.config import Config
from memctl.store import (
    chunks,
    event_log,
    meta,
    portable_rows,
    records,
    sync_appending,
    sync_changes,
)
from memctl.store.database import Database
from memctl.sync import portable
from memctl.sync.change_writer import ChangeWriter, ToldOperation, ToldSubject
from memctl.sync.conversations import ConversationTeller
from memctl.sync.portable import TravelForm
from memctl.sync.project_cards import ProjectCards
from memctl.sync.project_identity import ProjectClasses
from memctl.sync.restating import complete_history, restate_subject
from memctl.sync.sharing import SharingRules

# How far the log was collected, and how far all records were looked at for what travels now.
COLLECTED = "sync.collected"
_SWEPT = "sync.swept"
# Events, records and entities that are looked at in one go; chosen by hand, so that each takes a
# small part of a chunk.
_EVENTS = 100
_RECORDS = 25
_ENTITIES = 50
# The stream of what is known, whether it travels or not.
_KNOWN = ""
_IN_FORCE = ("active", "superseded", "contradicted")
_RECORD_TOPICS = ("record", "link", "evidence", "mention", "tombstone", "outcome")
_ENTITY_TOPICS = ("entity", "alias")


class Collector:
    """Collects for one replica. Made once for a sync; others may change the store meanwhile."""

    def __init__(self, db: Database, config: Config, *, replica: str, member: str) -> None:
        self._db, self._member = db, member
        self._writer = ChangeWriter(db, make_redactor(config), replica=replica, member=member)
        self.form = TravelForm(db)
        self._sharing = SharingRules.read(db, member)
        self._cards = ProjectCards(db, self.form.classes, self._writer, member)
        self._conversations = ConversationTeller(db, self.form, self._writer, member)
        # Up to which conversation was looked at for new turns; None once all were.
        self._looked_at: str | None = ""
        self._version = 0

    @property
    def classes(self) -> ProjectClasses:
        """The projects of this store and what each is called elsewhere."""
        return self.form.classes

    @property
    def redacted(self) -> set[str]:
        """The subjects of which words were replaced on the way: rows here are to follow."""
        return self._writer.redacted

    def collect_all(self, work: BoundedWork) -> int:
        """Collect all that was made here, in short transactions; return how many changes."""
        many, is_done = 0, False
        while not is_done and not work.must_stop():
            if many:
                chunks.pause_between_chunks()
            with self._db.write():
                self.renew()
                found, is_done = self._collect_chunk()
            work.count("collected", found)
            many += found
        return many

    def collect_here(self) -> int:
        """Collect what the log has inside an open write transaction; return how many changes."""
        self.renew()
        many = self._restate_all()
        while (found := self._collect_events()) is not None:
            many += found
        return many + self._cards.collect(self._sharing)

    def collect_record(self, memory_id: str) -> int:
        """Collect a record that is here and did not travel yet, whether it is to or not: somebody
        else knows it.
        """
        if sync_changes.find_subject(self._db, memory_id)[0] is not None:
            return 0
        self.renew()
        last = event_log.get_last_number(self._db)
        return self._collect_records({memory_id: ()}, last, is_asked=True)

    def pass_over(self) -> None:
        """Note that all that the log has now was collected, or was made elsewhere."""
        meta.put_note(self._db, COLLECTED, str(event_log.get_last_number(self._db)))
        sync_appending.drop_rewritten(self._db)

    def number_everywhere(self, subject: str) -> int:
        """Number the changes of a subject of this member in every stream that it travels in here
        and in which they have no number yet; return how many numbers that were.
        """
        member, streams = sync_changes.find_subject(self._db, subject)
        if member != self._member:
            return 0
        if portable.is_record_subject(subject):
            memory = records.find_record(self._db, subject)
            return self._move(subject, memory, streams)[1]
        return self._writer.number_subject(subject, [each for each in streams if each != _KNOWN])

    def renew(self) -> None:
        """Read anew what others may have changed since the last transaction."""
        version = int(self._db.pragma("data_version"))
        if version != self._version:
            self._version = version
            self.form.renew()
            self._sharing = SharingRules.read(self._db, self._member)

    def renew_names(self) -> None:
        """Read anew which projects are one."""
        self.form.renew()

    def _collect_chunk(self) -> tuple[int, bool]:
        """Collect for the time of one transaction: how many changes, and whether that was all."""
        until = clock.read_monotonic() + chunks.CHUNK_SECONDS
        many = self._restate_all()
        is_done = False
        while not is_done and clock.read_monotonic() < until:
            found = self._collect_events()
            if found is None:
                found = self._sweep()
            if found is None:
                found = self._collect_conversation()
            is_done = found is None
            many += found or 0
        return many + self._cards.collect(self._sharing), is_done

    def _collect_events(self) -> int | None:
        """Collect the next events of the log; None if there are none."""
        seq = meta.get_number(self._db, COLLECTED)
        if seq is None:
            # Everything until now is collected by looking at all records.
            self.pass_over()
            return None
        events = portable_rows.list_next_events(self._db, seq, _EVENTS)
        if not events:
            return None
        about_records = _group(events, _RECORD_TOPICS)
        many = self._collect_records(about_records, events[-1].seq)
        many += self._collect_ends(about_records)
        many += self._collect_entities(_group(events, _ENTITY_TOPICS), events[-1].seq)
        meta.put_note(self._db, COLLECTED, str(events[-1].seq))
        return many

    def _collect_records(
        self, events: Mapping[str, Sequence[Event]], last: int, *, is_asked: bool = False
    ) -> int:
        """Collect what events say of records that travel; those that begin to, with their history,
        and those that were asked for.

        Without events for a record, only where it travels is looked at.
        """
        known = sync_changes.find_subjects(self._db, events)
        here = records.list_by_ids(self._db, events)
        told: list[ToldSubject] = []
        for memory_id, new in events.items():
            memory = here.get(memory_id)
            if memory_id in known:
                member, streams = known[memory_id]
                if member == self._member and not self._is_purged_already(memory_id, new):
                    now, _ = self._move(memory_id, memory, streams)
                    told.append(self._tell(memory_id, now, new))
            elif memory is not None and memory.origin is None:
                history = portable.read_history(self._db, memory_id, last)
                begun = self._find_first_streams(memory, history)
                if begun or is_asked:
                    self._begin(memory_id, begun, memory.project_id)
                    whole = self._tell(memory_id, begun, history, is_history=True)
                    told.append(complete_history(self.form, whole, history))
        return self._writer.write(told)

    def _is_purged_already(self, memory_id: str, new: Sequence[Event]) -> bool:
        """Whether events tell the erasure of a record that another machine erased first."""
        return any(event.verb == portable.PURGED for event in new) and any(
            sync_changes.tells_purge(change)
            for change in sync_changes.list_of_subject(self._db, memory_id)
        )

    def _find_first_streams(self, memory: Memory, history: Sequence[Event]) -> list[str]:
        """The streams that a record begins to travel in; none as long as it stays at home."""
        streams = self._sharing.find_streams(memory, self.classes)
        # A candidate that was rejected was never more than that.
        if memory.status == "archived" and not self._sharing.takes_candidates(memory, self.classes):
            was_in_force = any((event.after or {}).get("status") in _IN_FORCE for event in history)
            return streams if was_in_force else []
        return streams

    def _begin(self, subject: str, streams: Iterable[str], project_id: str | None = None) -> None:
        for stream in (_KNOWN, *streams):
            sync_changes.put_subject(self._db, subject, stream, self._member)
        if project_id is not None:
            self._cards.ask_for(project_id)

    def _move(
        self, memory_id: str, memory: Memory | None, streams: Sequence[str]
    ) -> tuple[list[str], int]:
        """The streams that a known record travels in now, and how many of its changes got numbers:
        a new stream gets all that was said of it.
        """
        old = [each for each in streams if each != _KNOWN]
        if memory is None:
            return old, self._writer.number_subject(memory_id, old)
        now = self._sharing.find_streams(memory, self.classes, is_known=True)
        for stream in sorted({_KNOWN, *now} - {*streams}):
            sync_changes.put_subject(self._db, memory_id, stream, self._member)
        for stream in sorted({*old} - {*now}):
            sync_changes.drop_subject(self._db, memory_id, stream)
        if memory.project_id is not None and {*now} - {*old}:
            self._cards.ask_for(memory.project_id)
        return now, self._writer.number_subject(memory_id, now)

    def _collect_ends(self, events: Mapping[str, Sequence[Event]]) -> int:
        """Collect that captured conversations which travelled were erased for good."""
        subjects = {
            portable.name_source_subject(each): each
            for each, told in events.items()
            if any(event.verb == portable.PURGED for event in told)
        }
        known = sync_changes.find_subjects(self._db, subjects) if subjects else {}
        told = []
        for subject, (member, streams) in known.items():
            if member == self._member:
                end = portable.tell_source_end(events[subjects[subject]])
                told.append(ToldSubject(subject, _list_open(streams), [ToldOperation(end)]))
        return self._writer.write(told)

    def _collect_entities(self, events: Mapping[str, Sequence[Event]], last: int) -> int:
        """Collect what entities are merged into and called; it goes to own machines alone."""
        streams = self._sharing.find_project_streams(None, self.classes)[:1]
        named = {each: self.form.name_entity(each) for each in events}
        subjects = {
            each: portable.name_entity_subject(*name) for each, name in named.items() if name
        }
        known = sync_changes.find_subjects(self._db, subjects.values()) if subjects else {}
        told: list[ToldSubject] = []
        for entity_id, subject in subjects.items():
            if subject in known:
                told.append(self._tell(subject, streams, events[entity_id]))
            elif streams:
                history = portable_rows.list_entity_history(self._db, entity_id, last)
                new = self._tell(subject, streams, history, is_history=True)
                if new.operations:
                    self._begin(subject, streams)
                    told.append(new)
        return self._writer.write(told)

    def _tell(
        self,
        subject: str,
        streams: Sequence[str],
        events: Sequence[Event],
        *,
        is_history: bool = False,
    ) -> ToldSubject:
        """What events say of a subject, by operation."""
        operations = []
        for group in portable.list_by_operation(events):
            converted = list(self.form.convert_events(group))
            if converted:
                operations.append(ToldOperation(converted, group[0].operation, group[0].seq))
        return ToldSubject(subject, _list_open(streams), operations, is_history)

    def _sweep(self) -> int | None:
        """Look at the next records, then entities, for what travels now; None at the end."""
        state = self._sharing.compute_state(self.classes)
        note = _read_note(meta.get_note(self._db, _SWEPT))
        if note.get("state") != state:
            note = {"state": state, "stage": "records", "after": 0}
        if note.get("stage") == "done":
            return None
        last = event_log.get_last_number(self._db)
        if note["stage"] == "records":
            rows = portable_rows.list_next_records(self._db, int(note["after"]), _RECORDS)
            many = self._collect_records({memory_id: () for _, memory_id in rows}, last)
            after: Any = rows[-1][0] if rows else None
            ended = {**note, "stage": "entities", "after": ""}
        else:
            found = portable_rows.list_next_entities(self._db, str(note["after"]), _ENTITIES)
            many = self._collect_entities({row["id"]: () for row in found}, last)
            after = found[-1]["id"] if found else None
            ended = {"state": state, "stage": "done"}
        told = ended if after is None else {**note, "after": after}
        meta.put_note(self._db, _SWEPT, json.dumps(told))
        return many

    def _collect_conversation(self) -> int | None:
        """Collect what is new of the next conversation; None if all were looked at."""
        if self._looked_at is None or not self._sharing.has_turns:
            return None
        many, self._looked_at = self._conversations.collect(self._sharing, self._looked_at)
        return many

    def _restate_all(self) -> int:
        """Say anew all that holds of subjects whose changes lost their words here."""
        told: list[ToldSubject] = []
        for subject in sync_appending.list_rewritten(self._db, -1):
            member, streams = sync_changes.find_subject(self._db, subject)
            if member == self._member:
                events = restate_subject(self._db, self.form, subject)
                told.append(ToldSubject(subject, _list_open(streams), [ToldOperation(events)]))
                self.redacted.add(subject)
            sync_appending.drop_rewritten(self._db, subject)
        return self._writer.write([each for each in told if each.operations[0].events])


def collect_changes(
    db: Database, config: Config, work: BoundedWork, *, replica: str, member: str
) -> int:
    """Collect all that was made here since the last time; return how many changes."""
    return Collector(db, config, replica=replica, member=member).collect_all(work)


def _group(events: Iterable[Event], topics: Sequence[str]) -> dict[str, list[Event]]:
    """The events of some topics by what they are about."""
    found: dict[str, list[Event]] = {}
    for event in events:
        if event.topic in topics:
            found.setdefault(event.memory_id, []).append(event)
    return found


def _list_open(streams: Iterable[str]) -> list[str]:
    """The streams that lead anywhere."""
    return [each for each in streams if each != _KNOWN]


def _read_note(text: str | None) -> dict[str, Any]:
    try:
        told = json.loads(text or "{}")
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
