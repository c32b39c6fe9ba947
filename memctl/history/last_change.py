"""The last change of somebody that still stands: what `memctl undo` takes back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Actor, Event
from memctl.history import undo
from memctl.results.history import RevertStep
from memctl.store import event_log, records
from memctl.store.database import Database

# How many changes are read at a time. Chosen by hand: the last is nearly always among the first.
_BATCH = 200
# The causes of what an undoing writes: which change it undid, which were asked to be undone, or no
# number, where it followed from the others.
_CAUSES = compile_later(r"event (\d+)|revert of ([\d, ]+?)(?: \.\.\.)?|revert")


def find_last_change(db: Database, actor: Actor) -> Event | None:
    """Return a change of the actor's last operation that is neither an undoing nor undone, or None.

    Calling `memctl undo` again and again thus walks back, change by change.
    """
    return next(find_standing_changes(db, actor), None)


def find_standing_changes(db: Database, actor: Actor) -> Iterator[Event]:
    """Yield the last change of each of the actor's operations that still stand, newest first."""
    undone: set[str] = set()
    before: int | None = None
    while events := event_log.list_latest_of_actor(db, actor.name, before=before, limit=_BATCH):
        for event in events:
            numbers = read_undone_numbers(event.cause)
            if numbers is not None:
                undone |= _list_operations(db, numbers)
            elif _name_operation(event) not in undone and _can_be_undone(event):
                undone.add(_name_operation(event))
                yield event
        before = events[-1].seq


def find_change_of_others(db: Database, actor: Actor, after: int) -> RevertStep | None:
    """Find the last change of a record by somebody else, if it came after a change of that number.

    Of what is private to another agent, an agent is told nothing.
    """
    newest = event_log.list_recent(db, limit=1)
    if not newest or newest[0].actor == actor.name or newest[0].seq <= after:
        return None
    change = newest[0]
    memory = records.list_by_ids(db, {change.memory_id}).get(change.memory_id)
    if memory is None or records.is_private_to_another(memory, actor.name):
        return None
    return RevertStep(
        change.seq,
        change.memory_id,
        memory.title,
        change.topic,
        change.verb,
        change.actor,
        change.at,
        change.cause,
    )


def read_undone_numbers(cause: str) -> Sequence[int] | None:
    """Read which changes an operation undid from the cause of one of its own; None if it was no
    undoing.
    """
    found = _CAUSES.fullmatch(cause)
    return None if found is None else [int(n) for n in (found[1] or found[2] or "").split(",") if n]


def _list_operations(db: Database, numbers: Iterable[int]) -> set[str]:
    events = (event_log.find_by_number(db, number) for number in numbers)
    return {_name_operation(event) for event in events if event is not None}


def _name_operation(event: Event) -> str:
    return event.operation or f"change {event.seq}"


def _can_be_undone(event: Event) -> bool:
    return not (undo.is_move(event) or event.verb == undo.RECORDED or event.verb in undo.FINAL)
