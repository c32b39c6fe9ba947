"""Mark records that a newer one may have overtaken.

A mark says: here is a newer record of the same place, near in meaning, whose words say that
something changed. It is no verdict: nothing is retired or reordered by it. It tells a reader that
two records belong side by side, and from which days they are.

How near two records are is asked in one place, `find_near_pairs`, whichever vectors there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memctl.consolidate.change_words import may_announce_change
from memctl.consolidate.neighbours import NeighbourFinder
from memctl.consolidate.prepare import prepare_statement
from memctl.consolidate.wording import announces_change
from memctl.core.errors import StoreDamaged, StoreLocked
from memctl.core.model import OPERATOR_IMPLIED, Memory
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import links, marks, records, semantic
from memctl.store.database import Database

# The least cosine of two records of which one may have overtaken the other. Measured with
# benchmarks/marks.py on half of the invented slots.
LEAST_NEARNESS = 0.45
# Records whose marks are made in the call that wrote them, and seconds that it waits for its turn.
# Chosen by hand.
_MOST_AT_ONCE = 12
_WAIT_SECONDS = 0.2
# What tells of a moment, or is done once, is not overtaken.
_UNMARKED_TYPES = ("episode", "task_hint")


def mark_records(db: Database, ids: Iterable[str], finder: NeighbourFinder) -> int:
    """Make the marks of records that wait for it, inside `write()`; return how many there are now.

    What they themselves overtake is marked too. A record without a vector goes on waiting.
    """
    made = 0
    for memory in records.list_by_ids(db, ids, only_readable=True).values():
        made += _mark_record(db, memory, finder)
    return made


def _mark_record(db: Database, memory: Memory, finder: NeighbourFinder) -> int:
    if not _can_be_marked(memory):
        marks.drop_mark(db, memory.id)
        return 0
    pairs = find_near_pairs(finder, memory)
    if pairs is None:
        return 0
    apart = {link.find_other_end(memory.id) for link in links.list_of_memory(db, memory.id)}
    open_pairs = [(other, nearness) for other, nearness in pairs if other.id not in apart]
    newer = next(_list_newer(memory, open_pairs), None)
    if newer is None:
        marks.drop_mark(db, memory.id)
    else:
        marks.put_mark(db, memory.id, newer[0].id, newer[1])
    return int(newer is not None) + _mark_older(db, memory, open_pairs)


def _mark_older(db: Database, memory: Memory, pairs: Sequence[tuple[Memory, float]]) -> int:
    """Mark what a record may have overtaken, unless something nearer has."""
    made = 0
    for other, nearness in pairs:
        if not overtakes(memory, other, nearness):
            continue
        known = marks.find_mark(db, other.id)
        if known is None or not (known.is_waiting or known.nearness >= nearness):
            marks.put_mark(db, other.id, memory.id, nearness)
            made += 1
    return made


def find_near_pairs(finder: NeighbourFinder, memory: Memory) -> list[tuple[Memory, float]] | None:
    """Return the records near one, with how near they are (0..1), nearest first.

    None while that cannot be said, because the record has no vector yet.
    """
    found = finder.find_near(memory)
    if found is None:
        return None
    return [(other, min(1.0, nearness)) for other, nearness in found if nearness > 0]


def _list_newer(
    memory: Memory, pairs: Sequence[tuple[Memory, float]]
) -> Iterator[tuple[Memory, float]]:
    return (pair for pair in pairs if overtakes(pair[0], memory, pair[1]))


def overtakes(newer: Memory, older: Memory, nearness: float) -> bool:
    """Whether a reader of the older record should know the newer one.

    Both are in force and of one place; the newer was said after the older was last confirmed, on no
    less authority than an implied word of the operator, or the older's own; it is near, and its
    words may say that something changed.
    """
    return (
        nearness >= LEAST_NEARNESS
        and newer.id != older.id
        and _can_be_marked(newer)
        and _can_be_marked(older)
        and newer.repo_id == older.repo_id
        and newer.observed_at > max(older.observed_at, older.confirmed_at or "")
        and newer.trust >= min(older.trust, OPERATOR_IMPLIED)
        and says_change(newer.content)
    )


def says_change(text: str) -> bool:
    """Whether the words of a record may say that something changed."""
    return (
        may_announce_change(text)
        or announces_change(text)
        or prepare_statement(text).announces_change
    )


def _can_be_marked(memory: Memory) -> bool:
    return policy.is_in_force(memory) and memory.type not in _UNMARKED_TYPES


def mark_written(db: Database, config: Config, memories: Sequence[Memory]) -> int:
    """Make the marks of a few records that were just written and have their vectors, unless others
    write; return how many were made.
    """
    waiting = [memory.id for memory in memories if policy.is_in_force(memory)]
    if not 0 < len(waiting) <= _MOST_AT_ONCE or semantic.find_serving_model(db) is None:
        return 0
    try:
        with db.write(_WAIT_SECONDS):
            return mark_records(db, waiting, NeighbourFinder(db, config))
    except (StoreLocked, StoreDamaged):  # Maintenance will do it.
        return 0
