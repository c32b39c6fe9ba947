"""Why a line of MEMORY.md came, changed or went: read from the history of its record."""

from __future__ import annotations

from memctl.core.model import Event, Memory
from memctl.journal.day_entries import IN_FORCE, give_reason, name_actor, split_end_reason
from memctl.journal.local_days import Calendar
from memctl.journal.memory_lines import LATELY, QUESTIONS, DocumentLine
from memctl.journal.memory_material import may_stand
from memctl.store import context_records, event_log, records, succession
from memctl.store.database import Database

_NO_ROOM = "no room: other lines count for more"
_ERASED = "it was erased"


class ReasonFinder:
    """Tells reasons for one place, of changes since its present version was made."""

    def __init__(
        self, db: Database, calendar: Calendar, place: str, *, since: str, now: str
    ) -> None:
        self._db, self._calendar, self._place = db, calendar, place
        self._since, self._now = since, now

    def explain_arrival(self, line: DocumentLine) -> str:
        """Why a line is new: how its record came into force, or what changed since it did."""
        if line.section == QUESTIONS:
            return "of the two perhaps only one holds: `memctl conflicts --undecided`"
        events = event_log.list_of_memory(self._db, line.ids[0])
        began = next((each for each in reversed(events) if _comes_into_force(each)), None)
        if began is not None and began.at >= self._since:
            return _describe_beginning(began, self._calendar)
        moved = next((each for each in reversed(events) if each.at >= self._since), None)
        if moved is not None and "always_load" in (moved.after or {}):
            return f"pinned {self._tell_when(moved)}"
        if moved is not None and moved.verb not in ("advised", "corroborated"):
            return f"{moved.verb} {self._tell_when(moved)}"
        return "there is room for it now, or it is used more"

    def explain_change(self, old: DocumentLine, line: DocumentLine) -> str:
        """Why the words of a line are others: a question that was settled, or the last change of
        its records.
        """
        if line.section == QUESTIONS:
            return self.explain_arrival(line)
        if old.section == QUESTIONS:
            return self._explain_answer(old, line)
        events = [
            event
            for memory_id in line.ids
            for event in event_log.list_of_memory(self._db, memory_id)
            if event.at >= self._since and event.before is not None
        ]
        if not events:
            return "told with other records, or in other words"
        last = max(events, key=lambda each: each.seq)
        return f"{last.verb} {self._tell_when(last)}"

    def _explain_answer(self, old: DocumentLine, line: DocumentLine) -> str:
        """Why a record is no longer in question."""
        for other in old.ids:
            memory = records.find_record(self._db, other)
            if other in line.ids:
                continue
            if memory is None:
                return "no longer in question: the other was erased"
            if not may_stand(memory, self._place, self._now):
                return f"no longer in question: {self._shorten(other)} {self._explain_end(memory)}"
        return "no longer in question"

    def explain_departure(self, line: DocumentLine, folded_into: str | None) -> str:
        """Why a line went: what became of its record, or what took its room."""
        memory = records.find_record(self._db, line.ids[0])
        if memory is None:
            return _ERASED
        if folded_into is not None:
            return f"{self._shorten(folded_into)} says the same"
        if not may_stand(memory, self._place, self._now):
            return self._explain_end(memory)
        if line.section == LATELY:
            return "newer sessions are told"
        return _NO_ROOM

    def _explain_end(self, memory: Memory) -> str:
        if memory.status == "superseded":
            heads = succession.read_chain(self._db, memory.id)
            by = f" by {self._shorten(heads[-1])}" if heads else ""
            return f"superseded{by}{self._tell_end_day(memory)}"
        if memory.status == "archived":
            word, said = split_end_reason("archived", memory.status_reason)
            return f"{word}{self._tell_end_day(memory)}{said}"
        if memory.status not in IN_FORCE:
            return f"taken back{self._tell_end_day(memory)}"
        if memory.never_load:
            return "you unpinned it"
        if not memory.is_valid_at(self._now):
            return "its time is over"
        return "it belongs elsewhere by now"

    def _tell_end_day(self, memory: Memory) -> str:
        return f" on {self._calendar.format_day(memory.updated_at)}"

    def _tell_when(self, event: Event) -> str:
        when = f"{name_actor(event.actor)} on {self._calendar.format_day(event.at)}"
        return f"{when}{give_reason(event)}"

    def _shorten(self, memory_id: str) -> str:
        return f"`{context_records.shorten_ids(self._db, [memory_id]).get(memory_id, memory_id)}`"


def _comes_into_force(event: Event) -> bool:
    was = (event.before or {}).get("status")
    return (event.after or {}).get("status") in IN_FORCE and was not in IN_FORCE


def _describe_beginning(event: Event, calendar: Calendar) -> str:
    day = calendar.format_day(event.at)
    was = (event.before or {}).get("status")
    if event.actor == "operator":
        done = "wrote" if event.before is None else "approved" if was == "inbox" else "restored"
        return f"you {done} it on {day}"
    done = "noted" if event.before is None else "taken up"
    return f"{done} {name_actor(event.actor)} on {day}"
