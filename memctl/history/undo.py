"""What undoing changes means, as data: which other changes go with them, and what every row comes to. Pure.

Kept true, and held by property tests: changes that were made as one are undone as one; what was built on a change goes with it; undoing
all there is leaves nothing living; undoing twice is doing it again. No record and no evidence is ever deleted: an undone creation is
archived, undone evidence is withdrawn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from memctl.core.frozen import dataclass
from memctl.core.model import Event

# Words were taken out for good: nothing brings them back.
FINAL = frozenset(("purged", "redacted"))
# The stream was told of what had been there before: no change by itself, but it goes with what it hangs on.
RECORDED = "recorded"
# A project became part of another, which is not undone.
MOVED = "moved"
# What several changes may move one after the other without building on each other.
_INDEPENDENT_COLUMNS = frozenset(
    ("confidence", "trust", "observed_at", "confirmed_at", "status_reason", "updated_at")
)
CREATION_UNDONE = "creation reverted"
_SET_TOPICS = frozenset(("evidence", "mention"))

Row = Mapping[str, Any]
Key = tuple[str, str]


class EventHistory(Protocol):
    """What is asked of the stream while the changes are gathered."""

    def list_operation(self, event: Event) -> Iterable[Event]:
        """All changes that were made as one with this one."""

    def list_later(self, event: Event) -> Iterable[Event]:
        """Later changes to the same thing, and to what hangs on it."""

    def list_derived(self, memory_id: str) -> Iterable[Event]:
        """The creations of the records that were derived from a record."""


@dataclass(frozen=True, slots=True)
class Undoing:
    """A change to be undone, and why it is among them."""

    event: Event
    why: str


def gather_undoings(chosen: Iterable[Event], history: EventHistory) -> tuple[Undoing, ...]:
    """The chosen changes and all that must go with them, newest first."""
    found: dict[int, Undoing] = {}
    whole: set[tuple[str, str | None]] = set()
    waiting = deque((event, "asked for") for event in chosen)
    while waiting:
        event, why = waiting.popleft()
        if (
            event.seq in found
            or event.verb in FINAL
            or (event.before is None and event.after is None)
        ):
            continue
        found[event.seq] = Undoing(event, why)
        part = event.memory_id if is_move(event) else None
        if (
            event.operation and (event.operation, part) not in whole
        ):  # Asked once: each of its changes would name all of them again.
            whole.add((event.operation, part))
            mates = (
                mate for mate in history.list_operation(event) if part in (None, mate.memory_id)
            )
            waiting.extend((mate, f"made as one with {event.seq}") for mate in mates)
        for later in history.list_later(event):
            if later.seq > event.seq and (built := _explain_dependence(event, later)):
                waiting.append((later, built))
        if is_creation(event):
            waiting.extend(
                (child, f"derived from what {event.seq} made")
                for child in history.list_derived(event.memory_id)
            )
    return tuple(sorted(found.values(), key=lambda undoing: -undoing.event.seq))


def is_creation(event: Event) -> bool:
    """Whether a record came to be by this change."""
    return event.topic == "record" and event.before is None and event.verb not in FINAL


def is_move(event: Event) -> bool:
    """Whether something moved because its project became part of another: each thing by itself, and for good."""
    return event.verb == MOVED


def _explain_dependence(event: Event, later: Event) -> str | None:
    """Why a later change cannot stay without an earlier one, or None."""
    if is_creation(event):
        # Whom a record speaks of is not built on it: two that were made one are one for all other records too.
        return None if later.topic == "mention" else f"about what {event.seq} made"
    if (event.topic == "record" and is_move(event)) or _is_entity_creation(event):
        return None
    if (later.topic, read_key(later)) != (
        event.topic,
        read_key(event),
    ) or event.topic in _SET_TOPICS:
        return None
    # What a row began or ended with is all of it.
    whole = (
        event.before is None or event.after is None or later.before is None or later.after is None
    )
    shared = _list_columns(event) & _list_columns(later) - _INDEPENDENT_COLUMNS
    return f"built on {event.seq}" if shared or (whole and event.topic != "record") else None


def _list_columns(event: Event) -> set[str]:
    return {*(event.before or ()), *(event.after or ())}


def read_key(event: Event) -> str:
    """The row that a change is about, within its topic."""
    return event.item or event.memory_id


def undo_change(row: Row | None, event: Event) -> Row | None:
    """What a row comes to without a change; None is no row. What was changed since by something that stays is left as it is."""
    if event.topic == "record":
        return _undo_record_change(row, event)
    if event.before is None:
        return None
    if event.after is None:
        return event.before
    return row if row is None else {**row, **_restore_columns(row, event)}


def _undo_record_change(row: Row | None, event: Event) -> Row | None:
    if row is None:
        return None
    if event.before is None:
        return {**row, "status": "archived", "status_reason": CREATION_UNDONE}
    return {**row, **_restore_columns(row, event)}


def _restore_columns(row: Row, event: Event) -> Row:
    before, after = event.before or {}, event.after or {}
    return {
        name: value
        for name, value in before.items()
        if name != "updated_at" and _is_same(row.get(name), after.get(name))
    }


def _is_same(one: Any, other: Any) -> bool:
    """A column of a record may be a tuple where the stream has a list."""
    return one == other or (isinstance(one, tuple) and list(one) == other)


def read_members(event: Event) -> tuple[list[Any], list[Any]]:
    """What an undone change of a set takes out of it, and what it puts back."""
    name = "ids" if event.topic == "evidence" else "mentions"
    return [*(event.after or {}).get(name, ())], [*(event.before or {}).get(name, ())]


def is_kept(event: Event, begun: Iterable[str]) -> bool:
    """Whether a change stays: a record whose beginning is undone is archived with all that hung on it then, and a name stays a name."""
    return (is_set_change(event) and event.memory_id in begun) or _is_entity_creation(event)


def _is_entity_creation(event: Event) -> bool:
    """Whether an entity came to be by this change."""
    return event.topic == "entity" and event.before is None


def is_set_change(event: Event) -> bool:
    """Whether a change says what came to and went from a set, rather than what a row was."""
    return event.topic in _SET_TOPICS
