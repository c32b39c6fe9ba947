"""Candidates that one answer may settle: of one session, of one project, up or down the list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memctl.cli.review_items import CANDIDATE, ReviewItem
from memctl.cli.text.record_parts import format_location
from memctl.core.frozen import dataclass
from memctl.core.model import Memory

# Candidates that one answer settles at most: what is approved is compared with the records first,
# 10 to 50 ms each.
MOST_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class ReviewGroup:
    """Items that are answered together. `key` chooses it, `label` says what they share."""

    key: str
    label: str
    items: tuple[ReviewItem, ...]


def find_groups(items: Sequence[ReviewItem], index: int) -> list[ReviewGroup]:
    """Find the groups of two or more candidates that the one at `index` belongs to."""
    if not 0 <= index < len(items) or items[index].sort != CANDIDATE:
        return []
    return [
        ReviewGroup(group.key, group.label, group.items[:MOST_AT_ONCE])
        for group in _list_groups(items, index)
        if len(group.items) > 1
    ]


def _list_groups(items: Sequence[ReviewItem], index: int) -> Iterator[ReviewGroup]:
    chosen = items[index].view
    candidates = [(place, item) for place, item in enumerate(items) if item.view is not None]
    assert chosen is not None  # a candidate
    same_origin = [
        item
        for _, item in candidates
        if item.view and find_origin(item.view.memory) == find_origin(chosen.memory)
    ]
    label = "of this session" if chosen.memory.source_kind == "conversation" else "of this origin"
    yield ReviewGroup("s", label, tuple(same_origin))
    where = format_location(chosen)
    same_place = [
        item for _, item in candidates if item.view and format_location(item.view) == where
    ]
    yield ReviewGroup("p", f"of {where}", tuple(same_place))
    above = [item for place, item in candidates if place <= index]
    yield ReviewGroup("t", "from the top to here", tuple(above))
    below = [item for place, item in candidates if place >= index]
    yield ReviewGroup("d", "from here down", tuple(below))


def find_origin(memory: Memory) -> tuple[str | None, ...]:
    """Return what tells the origin of a record: its session or file, else who noted it."""
    return (memory.source_ref, None if memory.source_ref else memory.agent_id, memory.source_kind)
