"""What undoing means, as data: which other changes must go too, and what each row becomes. Pure.

Property tests hold that changes of one operation are undone together, that what depends on a change
is undone with it, that undoing everything leaves no living record, and that undoing twice restores.
No record or evidence is deleted: an undone creation is archived, undone evidence withdrawn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from memctl.core.frozen import dataclass
from memctl.core.model import Event
from memctl.core.typing_lite import Any, Protocol

# Words were taken out for good: nothing brings them back.
FINAL = frozenset(("purged", "redacted"))
# The verb of an event for a row that was there before it was logged; undone only with what it
# belongs to.
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
    """What the planner reads from the event log."""

    def list_operation(self, event: Event) -> Iterable[Event]:
        """All changes of the same operation."""

    def list_later(self, event: Event) -> Iterable[Event]:
        """Later changes to the same thing and to what belongs to it."""

    def list_derived(self, memory_id: str) -> Iterable[Event]:
        """The creations of the records that were derived from a record."""


@dataclass(frozen=True, slots=True)
class Undoing:
    """A change to undo, and the reason."""

    event: Event
    why: str


def gather_undoings(chosen: Iterable[Event], history: EventHistory) -> tuple[Undoing, ...]:
    """The chosen changes and all that must be undone with them, newest first."""
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
    """Whether a change created a record."""
    return event.topic == "record" and event.before is None and event.verb not in FINAL


def is_move(event: Event) -> bool:
    """Whether a change moved something because its project was adopted, which is final."""
    return event.verb == MOVED


def _explain_dependence(event: Event, later: Event) -> str | None:
    """Why a later change cannot stay without an earlier one, or None."""
    if is_creation(event):
        # An entity that was merged is merged for all other records too.
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
    """What a row becomes without a change; None is no row.

    A column that a remaining change set later stays as it is.
    """
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
    """Compare a column; a record may hold a tuple where the event log has a list."""
    return one == other or (isinstance(one, tuple) and list(one) == other)


def read_members(event: Event) -> tuple[list[Any], list[Any]]:
    """What undoing a change of a set removes from it and adds to it."""
    name = "ids" if event.topic == "evidence" else "mentions"
    return [*(event.after or {}).get(name, ())], [*(event.before or {}).get(name, ())]


def is_kept(event: Event, begun: Iterable[str]) -> bool:
    """Whether a change stays: an archived record keeps its evidence and mentions, a name stays."""
    return (is_set_change(event) and event.memory_id in begun) or _is_entity_creation(event)


def _is_entity_creation(event: Event) -> bool:
    """Whether a change created an entity."""
    return event.topic == "entity" and event.before is None


def is_set_change(event: Event) -> bool:
    """Whether a change lists members of a set rather than columns of a row."""
    return event.topic in _SET_TOPICS
