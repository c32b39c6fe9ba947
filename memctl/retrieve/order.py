"""What becomes of scored records: ordered, the same said once, the current before the old, not five times the same thing. Pure.

Kept true: nothing is invented and nothing lost (what is folded is named with what stands in its place), equal scores keep the order of
their ids, and the order does not depend on the order in which the records came.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from memctl.retrieve.score import Scored

# How alike two records are, 0..1, or None where nobody can say.
Likeness = Callable[[Scored, Scored], float | None]

_SAME_WORDS = 0.8
_SAME_SENSE = 0.97
# Two records so alike, and nearly as relevant, speak of the same thing: the later one is what holds now. Where the question itself asks
# what holds now, all that is somewhat relevant is taken to speak of it.
_SAME_MATTER, _NEARLY_AS_RELEVANT, _SOMEWHAT_AS_RELEVANT = 0.8, 0.6, 0.4
# What repeats a better one loses up to this share of its score, from this likeness on.
_REPETITION, _ALIKE = 0.15, 0.8
_TELLING = re.compile(r"\d")
_NEGATIONS = frozenset({"not", "no", "never", "without", "don", "cannot", "instead", "avoid"})
_WORD = re.compile(r"\w+")
# A longer text speaks of many things, and another one seldom replaces all of them.
_STATEMENT = 400
_TIMELESS = frozenset({"episode", "artifact"})


def ordered(items: Iterable[Scored]) -> list[Scored]:
    """Best first; equals by id."""
    return sorted(items, key=lambda item: (-item.score, item.memory.id))


def folded(
    items: Sequence[Scored], likeness: Likeness = lambda a, b: None, most: int | None = None
) -> tuple[list[Scored], dict[str, str]]:
    """The items without those that say what a better one says, and for each of these the id of the better one.

    What comes after the first `most` that are kept is not looked at any more, and kept.
    """
    kept: list[tuple[Scored, frozenset[str]]] = []
    into: dict[str, str] = {}
    for number, item in enumerate(items):
        if most is not None and len(kept) >= most:
            return [*(known for known, _ in kept), *items[number:]], into
        words = frozenset(_WORD.findall(item.memory.content.casefold()))
        better = next(
            (other for other, known in kept if _says_the_same(item, words, other, known, likeness)),
            None,
        )
        if better is None:
            kept.append((item, words))
        else:
            into[item.memory.id] = better.memory.id
    return [item for item, _ in kept], into


def current_first(items: Sequence[Scored], newer_of: Mapping[str, Sequence[str]]) -> list[Scored]:
    """The items with each one after those of them that are newer in the same matter; chains are followed, a circle stays as it stood."""
    waiting = {item.memory.id: item for item in items}
    told: dict[str, Scored] = {}

    def tell(memory_id: str) -> None:
        item = waiting.pop(memory_id, None)
        if item is not None:
            for newer in newer_of.get(memory_id, ()):
                tell(newer)
            told[memory_id] = item

    for item in items:
        tell(item.memory.id)
    return list(told.values())


def latest_first(items: Sequence[Scored], likeness: Likeness, *, asks_of_now: bool) -> list[Scored]:
    """The items with the later of two that speak of the same thing directly before the earlier one.

    A later one rises to the place of the earlier, not beyond it, and takes nothing along: what stands between keeps its order.
    """
    place = {item.memory.id: (-item.score, item.memory.id) for item in items}
    risen = {
        newer.memory.id: min(
            [
                place[newer.memory.id],
                *(
                    place[old.memory.id]
                    for old in items
                    if _replaces(newer, old, likeness, asks_of_now)
                ),
            ]
        )
        for newer in items
    }
    # Of several that rose to one place the latest stands first.
    by_age = sorted(items, key=lambda item: (item.memory.observed_at, item.memory.id), reverse=True)
    return sorted(by_age, key=lambda item: risen[item.memory.id])


def neighbours(places: Iterable[tuple[str, str, int]]) -> dict[str, set[str]]:
    """For each id the ids of what was said in the same turn or in the one before or after; `places` are ids with source and turn."""
    said: dict[tuple[str, int], set[str]] = {}
    known = list(places)
    for memory_id, source, turn in known:
        said.setdefault((source, turn), set()).add(memory_id)
    found: dict[str, set[str]] = {}
    for memory_id, source, turn in known:
        near = set().union(*(said.get((source, other), ()) for other in (turn - 1, turn, turn + 1)))
        found[memory_id] = found.get(memory_id, set()) | near - {memory_id}
    return found


def diverse(items: Sequence[Scored], likeness: Likeness) -> list[Scored]:
    """The items reordered so that one which resembles a better one yields to what says something else."""
    told: list[Scored] = []
    waiting = list(items)
    while waiting:
        best = max(waiting, key=lambda item: item.score * (1 - _repetition(item, told, likeness)))
        told.append(best)
        waiting.remove(best)
    return told


def _repetition(item: Scored, told: Sequence[Scored], likeness: Likeness) -> float:
    alike = max((likeness(item, other) or 0.0 for other in told), default=0.0)
    return _REPETITION * max(0.0, alike - _ALIKE) / (1 - _ALIKE)


def _replaces(a: Scored, b: Scored, likeness: Likeness, asks_of_now: bool) -> bool:
    """Whether `a` is the later word on what `b` says; what happened once, and what was said, is not replaced by what came later."""
    if a.memory.observed_at <= b.memory.observed_at or _TIMELESS & {a.memory.type, b.memory.type}:
        return False
    if (
        a.memory.project_id != b.memory.project_id
        or a.score > b.score
        or max(len(a.memory.content), len(b.memory.content)) > _STATEMENT
    ):
        return False
    if asks_of_now:
        return a.relevance >= _SOMEWHAT_AS_RELEVANT * b.relevance
    return (
        a.relevance >= _NEARLY_AS_RELEVANT * b.relevance and (likeness(a, b) or 0.0) >= _SAME_MATTER
    )


def _says_the_same(
    a: Scored, words: frozenset[str], b: Scored, others: frozenset[str], likeness: Likeness
) -> bool:
    """Whether one text only adds a few words to the other, or means the same; a number or a denial makes it another statement."""
    if "contradicted" in (a.memory.status, b.memory.status):
        return False
    if any(word in _NEGATIONS or _TELLING.search(word) for word in words ^ others):
        return False
    few, many = sorted((words, others), key=len)
    adds_little = few <= many and len(few) >= _SAME_WORDS * len(many)
    return adds_little or (likeness(a, b) or 0.0) >= _SAME_SENSE
