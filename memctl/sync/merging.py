"""The state of a subject as a function of the set of its changes. Pure.

It does not matter in which order, how often or in which parts the changes came: who has the same
set has the same state. What one change had seen of another it overrules, whatever the clocks say.
What was done at once is settled field by field (see `laws`); words that lose are kept as a copy
(see `copies`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memctl.core.frozen import dataclass
from memctl.sync.change import Change, ChangeEvent
from memctl.sync.laws import GROUPS, Claim, find_group, is_whole, settle_claims

# The verb of an erasure for good.
PURGED = "purged"
# The topic of an event by which nothing that another change said counts any more: words were cut
# out of it for good, and the change with the event says anew all that still holds.
SCRUB = "scrub"
# A cell: what is settled as one. Topic and item of a row, or `record` and a group of fields.
Cell = tuple[str, str]
_Values = Mapping[str, Any] | None
# Without these there is no record: its creation has not come, or was scrubbed and nobody has said
# anew what holds.
_ESSENTIAL = frozenset(
    ("id", "type", "kind", "content", "status", "scope", "trust", "observed_at", "updated_at")
)


@dataclass(frozen=True, slots=True)
class SubjectState:
    """What the changes of a subject come to.

    `fields` are those of its record (None if its creation is not among them, or it has none).
    `rows` are what hangs on it, by topic and item; None where the row was there and ended.
    """

    fields: Mapping[str, Any] | None
    rows: Mapping[Cell, Mapping[str, Any] | None]
    is_purged: bool = False


PURGED_STATE = SubjectState(None, {}, is_purged=True)


class ChangeGraph:
    """The changes of one subject in an order in which each comes after its parents.

    What names a parent that is not there, or one that is not older, is left out.
    """

    def __init__(self, changes: Iterable[Change]) -> None:
        self.changes: list[Change] = []
        # Bit n of a mask stands for change n: those that came before, directly or through others.
        self.before: list[int] = []
        self._numbers: dict[str, int] = {}
        self.scrubbed: frozenset[str] = frozenset()
        self._writes: dict[Cell, dict[int, list[ChangeEvent]]] = defaultdict(dict)
        self._values: dict[tuple[Cell, int], _Values] = {}
        self._fields_told: dict[int, dict[str, Any]] = {}
        self.is_purged = False
        # Whether each change had seen all others before it: nothing was done at once.
        self.is_chain = True
        known = sorted({each.id: each for each in changes}.values(), key=_get_order)
        self.scrubbed = frozenset(list_scrubbed(known))
        for change in known:
            if all(parent in self._numbers for parent in change.parents):
                self._add(change)

    @property
    def all(self) -> int:
        """The mask of all changes."""
        return (1 << len(self.changes)) - 1

    def list_heads(self) -> list[Change]:
        """The changes that no other one names as its parent."""
        named = {parent for change in self.changes for parent in change.parents}
        return [change for change in self.changes if change.id not in named]

    def are_concurrent(self, one: int, other: int) -> bool:
        """Whether neither of two changes had seen the other."""
        return not (one == other or self.before[one] >> other & 1 or self.before[other] >> one & 1)

    def list_cells(self, number: int) -> list[Cell]:
        """The cells of rows that a change wrote."""
        return [
            cell
            for cell, writes in self._writes.items()
            if number in writes and cell[0] != "record"
        ]

    def list_scrubbed_here(self) -> list[str]:
        """The changes of which nothing counts any more, though they still say something."""
        return [
            each.id for each in self.changes if each.id in self.scrubbed and len(each.events) > 0
        ]

    def list_writers(self, cell: Cell) -> list[int]:
        """The numbers of the changes that wrote a cell, oldest first."""
        return list(self._writes.get(cell, ()))

    def read_fields(self, mask: int) -> dict[str, Any] | None:
        """The fields of the record by some changes; None without its creation."""
        fields: dict[str, Any] = {}
        if self.is_chain:
            for number in range(mask.bit_length()):
                fields |= self._fields_told.get(number, {})
            return fields if fields.keys() >= _ESSENTIAL else None
        for group in GROUPS:
            fields |= self.read_cell(("record", group), mask) or {}
        for cell in self._writes:
            if cell[0] == "record" and cell[1] not in GROUPS:
                fields |= self.read_cell(cell, mask) or {}
        return fields if fields.keys() >= _ESSENTIAL else None

    def read_rows(
        self, mask: int, cells: Iterable[Cell] | None = None
    ) -> dict[Cell, Mapping[str, Any] | None]:
        """What hangs on the record by some changes, all or some of it; None for what ended."""
        chosen = self._writes if cells is None else cells
        found = {
            cell: self.read_cell(cell, mask)
            for cell in chosen
            if cell[0] != "record" and any(mask >> number & 1 for number in self._writes[cell])
        }
        return {cell: row for cell, row in found.items() if is_whole(cell, row)}

    def read_cell(self, cell: Cell, mask: int) -> _Values:
        """The value of a cell by some changes: what the newest of them wrote, or came to."""
        newest = list(self._find_newest(cell, mask))
        if not newest:
            return None
        if len(newest) == 1:
            return self.read_written(cell, newest[0])
        claims = [
            Claim(rank_change(self.changes[each]), self.read_written(cell, each)) for each in newest
        ]
        return settle_claims(cell, claims)

    def read_written(self, cell: Cell, number: int) -> _Values:
        """The value that a change gave a cell."""
        key = cell, number
        # Oldest first, so that a long history is no deep recursion.
        waiting = [number] if key not in self._values else []
        while waiting:
            missing = [
                each
                for each in self._find_newest(cell, self.before[waiting[-1]])
                if (cell, each) not in self._values
            ]
            if missing:
                waiting += missing
                continue
            done = waiting.pop()
            value = self.read_cell(cell, self.before[done])
            for event in self._writes[cell][done]:
                value = _apply_event(cell, value, event)
            self._values[cell, done] = value
        return self._values[key]

    def _add(self, change: Change) -> None:
        number = len(self.changes)
        mask = 0
        for parent in change.parents:
            mask |= self.before[self._numbers[parent]] | 1 << self._numbers[parent]
        self.changes.append(change)
        self.before.append(mask)
        self.is_chain = self.is_chain and mask == (1 << number) - 1
        self._numbers[change.id] = number
        for event in () if change.id in self.scrubbed else change.events:
            if event.topic == SCRUB:
                continue
            if event.before is None and event.after is None:
                self.is_purged |= is_purge(event)
            else:
                for cell in _list_cells(event):
                    self._writes[cell].setdefault(number, []).append(event)
                if event.topic == "record" and event.after is not None:
                    self._fields_told.setdefault(number, {}).update(event.after)

    def _find_newest(self, cell: Cell, mask: int) -> Iterator[int]:
        """The writers of a cell that no other one had seen."""
        seen = 0
        for number in reversed(self._writes.get(cell, {})):
            if mask >> number & 1 and not seen >> number & 1:
                yield number
                seen |= self.before[number]


def merge_subject(changes: Iterable[Change]) -> SubjectState:
    """What the changes of one subject come to."""
    return read_state(ChangeGraph(changes))


def read_state(graph: ChangeGraph) -> SubjectState:
    """What the changes of a graph come to."""
    if graph.is_purged:
        return PURGED_STATE
    return SubjectState(graph.read_fields(graph.all), graph.read_rows(graph.all))


def is_purge(event: ChangeEvent) -> bool:
    """Whether an event says that its record was erased for good."""
    is_empty = event.before is None and event.after is None
    return is_empty and event.topic == "record" and event.verb == PURGED


def list_scrubbed(changes: Iterable[Change]) -> Iterator[str]:
    """The changes of which nothing that they said counts any more."""
    for change in changes:
        yield from (event.item for event in change.events if event.topic == SCRUB)


def _get_order(change: Change) -> tuple[int, str]:
    return change.order


def is_operators(change: Change) -> bool:
    """Whether a person made a change, rather than an agent or maintenance."""
    return any(event.actor == "operator" for event in change.events)


def rank_change(change: Change) -> tuple[bool, int, str]:
    """What decides between two changes that were made at once: a person's, then the later one."""
    return (is_operators(change), *change.order)


def _list_cells(event: ChangeEvent) -> Iterator[Cell]:
    if event.topic == "record":
        yield from dict.fromkeys(("record", find_group(name)) for name in event.after or {})
    else:
        yield event.topic, event.item


def _apply_event(cell: Cell, value: _Values, event: ChangeEvent) -> _Values:
    if event.after is None:
        return None
    if cell[0] != "record":
        return dict(event.after) if event.before is None else {**(value or {}), **event.after}
    told = {name: each for name, each in event.after.items() if find_group(name) == cell[1]}
    return {**(value or {}), **told}


def break_circles(supersedes: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """The links of supersession (newer, older) to drop so that no record supersedes itself.

    In each circle the record with the largest id stays: nothing of the circle supersedes it.
    """
    kept, dropped = set(supersedes), set[tuple[str, str]]()
    while circles := _find_circles(kept):
        for circle in circles:
            head = max(circle)
            into = {(newer, older) for newer, older in kept if older == head and newer in circle}
            kept -= into
            dropped |= into
    return dropped


def _find_circles(links: Iterable[tuple[str, str]]) -> list[set[str]]:
    """The sets of records that supersede each other, directly or through others."""
    below: dict[str, set[str]] = defaultdict(set)
    for newer, older in links:
        below[newer].add(older)
    reached = {start: _find_reached(below, start) for start in below}
    found: dict[str, set[str]] = {}
    for start, ends in reached.items():
        if start in ends:
            circle = {each for each in ends if start in reached.get(each, ())}
            found[min(circle)] = circle
    return list(found.values())


def _find_reached(below: Mapping[str, set[str]], start: str) -> set[str]:
    reached, waiting = set[str](), [*below.get(start, ())]
    while waiting:
        each = waiting.pop()
        if each not in reached:
            reached.add(each)
            waiting += below.get(each, ())
    return reached
