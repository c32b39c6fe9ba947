"""What becomes of scored records. Pure.

Best first, duplicates folded into the better one, the current before the old, something else before
a repetition. Nothing is invented or lost (what is folded is named with what stands in its place),
equal scores keep the order of their ids, and the result does not depend on the order in which the
records came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Memory
from memctl.retrieve.score import ScoredRecord

# How similar two records are semantically, 0..1, or None where nobody can say.
Similarity = Callable[[ScoredRecord, ScoredRecord], float | None]

# The numbers were tuned on three LoCoMo conversations and DevMemBench (docs/benchmarks.md).
# Of two texts, the share of the longer one's words that the shorter has to hold to be its
# duplicate.
_DUPLICATE_WORDS = 0.8
# From this similarity on, two texts are duplicates whatever their words.
_DUPLICATE_SIMILARITY = 0.97
# From this similarity on, two records are about the same thing: the later one is what holds now.
_SAME_MATTER = 0.8
# The later one must reach this share of the earlier one's relevance.
_NEARLY_AS_RELEVANT = 0.6
# The same where the query itself asks what holds now: then all that is somewhat relevant is taken
# to be about it.
_SOMEWHAT_AS_RELEVANT = 0.4
# What repeats a better record loses up to this share of its score.
_REPETITION_PENALTY = 0.15
# From this similarity on, a record repeats another.
_REPETITION_SIMILARITY = 0.8
# Characters. A longer text is about many things, and another one seldom replaces all of them.
_LONGEST_STATEMENT = 400
# What happened once is not replaced by what came later.
_TIMELESS_TYPES = frozenset({"episode", "artifact"})
_NUMBER = compile_later(r"\d")
_NEGATIONS = frozenset({"not", "no", "never", "without", "don", "cannot", "instead", "avoid"})
_WORD = compile_later(r"\w+")


def sort_by_score(items: Iterable[ScoredRecord]) -> list[ScoredRecord]:
    """Best first; equals by id."""
    return sorted(items, key=lambda item: (-item.score, item.memory.id))


def fold_duplicates(
    items: Sequence[ScoredRecord],
    similarity: Similarity = lambda a, b: None,
    most: int | None = None,
) -> tuple[list[ScoredRecord], dict[str, str]]:
    """The items without duplicates of a better one, and for each duplicate the id of the better
    one.

    A reviewed record is better than an unreviewed one that says the same, whatever their scores: it
    takes the place of the other. What comes after the first `most` that are kept is kept unseen,
    but for reviewed duplicates of unreviewed ones.
    """
    kept: list[tuple[ScoredRecord, frozenset[str]]] = []
    into: dict[str, str] = {}
    unseen: list[ScoredRecord] = []
    for item in items:
        is_beyond = most is not None and len(kept) >= most
        if is_beyond and not (_is_reviewed(item) and any(not _is_reviewed(one) for one, _ in kept)):
            unseen.append(item)
            continue
        words = frozenset(_WORD.findall(item.memory.content.casefold()))
        number = next(
            (
                n
                for n, (better, others) in enumerate(kept)
                if _is_duplicate(item, words, better, others, similarity)
            ),
            None,
        )
        if number is None:
            if is_beyond:
                unseen.append(item)
            else:
                kept.append((item, words))
            continue
        better, _ = kept[number]
        if _is_reviewed(item) and not _is_reviewed(better):
            kept[number] = (item, words)
            into = {
                old: item.memory.id if new == better.memory.id else new for old, new in into.items()
            }
            item, better = better, item
        into[item.memory.id] = better.memory.id
    return [*(better for better, _ in kept), *unseen], into


def put_reviewed_first(items: Iterable[ScoredRecord]) -> list[ScoredRecord]:
    """The items with those that nobody reviewed after all others."""
    return sorted(items, key=lambda item: not _is_reviewed(item))


def put_current_first(
    items: Sequence[ScoredRecord], newer_of: Mapping[str, Sequence[str]]
) -> list[ScoredRecord]:
    """Each item after those of them that are newer in the same matter; chains are followed, a
    circle keeps its order.
    """
    waiting = {item.memory.id: item for item in items}
    placed: dict[str, ScoredRecord] = {}

    def place(memory_id: str) -> None:
        item = waiting.pop(memory_id, None)
        if item is not None:
            for newer in newer_of.get(memory_id, ()):
                place(newer)
            placed[memory_id] = item

    for item in items:
        place(item.memory.id)
    return list(placed.values())


def put_latest_first(
    items: Sequence[ScoredRecord], similarity: Similarity, *, asks_of_now: bool
) -> list[ScoredRecord]:
    """The items with the later of two on the same matter directly before the earlier one.

    A later one rises to the rank of the earlier, not beyond it, and takes nothing along: what
    stands between keeps its order.
    """
    rank = {item.memory.id: (-item.score, item.memory.id) for item in items}
    risen = {}
    for newer in items:
        ranks = [
            rank[old.memory.id]
            for old in items
            if _is_later_statement(newer, old, similarity, asks_of_now)
        ]
        risen[newer.memory.id] = min([rank[newer.memory.id], *ranks])
    # Of several that rose to one rank the latest comes first.
    by_age = sorted(items, key=lambda item: (item.memory.observed_at, item.memory.id), reverse=True)
    return sorted(by_age, key=lambda item: risen[item.memory.id])


def find_neighbours(positions: Iterable[tuple[str, str, int]]) -> dict[str, set[str]]:
    """For each id the ids of what was said in the same turn or in the one before or after;
    `positions` are ids with source and turn.
    """
    known = list(positions)
    ids_at: dict[tuple[str, int], set[str]] = {}
    for memory_id, source, turn in known:
        ids_at.setdefault((source, turn), set()).add(memory_id)
    neighbours: dict[str, set[str]] = {}
    for memory_id, source, turn in known:
        near = neighbours.setdefault(memory_id, set())
        for other_turn in (turn - 1, turn, turn + 1):
            near |= ids_at.get((source, other_turn), set())
        near.discard(memory_id)
    return neighbours


def diversify(items: Sequence[ScoredRecord], similarity: Similarity) -> list[ScoredRecord]:
    """The items reordered so that one which repeats a better one yields to what says something
    else.
    """
    chosen: list[ScoredRecord] = []
    waiting = list(items)
    while waiting:
        best = max(
            waiting,
            key=lambda item: item.score * (1 - _compute_repetition(item, chosen, similarity)),
        )
        chosen.append(best)
        waiting.remove(best)
    return chosen


def _compute_repetition(
    item: ScoredRecord, better: Sequence[ScoredRecord], similarity: Similarity
) -> float:
    """The share of its score that an item loses."""
    most = max((similarity(item, other) or 0.0 for other in better), default=0.0)
    excess = max(0.0, most - _REPETITION_SIMILARITY) / (1 - _REPETITION_SIMILARITY)
    return _REPETITION_PENALTY * excess


def _is_later_statement(
    newer: ScoredRecord, old: ScoredRecord, similarity: Similarity, asks_of_now: bool
) -> bool:
    """Whether `newer` is the later statement on the matter of `old`, and stands behind it."""
    if not _may_replace(newer.memory, old.memory) or newer.score > old.score:
        return False
    if asks_of_now:
        return newer.relevance >= _SOMEWHAT_AS_RELEVANT * old.relevance
    return (
        newer.relevance >= _NEARLY_AS_RELEVANT * old.relevance
        and (similarity(newer, old) or 0.0) >= _SAME_MATTER
    )


def _may_replace(newer: Memory, old: Memory) -> bool:
    return (
        newer.observed_at > old.observed_at
        and not _TIMELESS_TYPES & {newer.type, old.type}
        and newer.project_id == old.project_id
        and max(len(newer.content), len(old.content)) <= _LONGEST_STATEMENT
    )


def _is_reviewed(item: ScoredRecord) -> bool:
    """Whether a record may have been reviewed: an episode is served before anybody looked at it."""
    return item.memory.type != "episode" and item.memory.status != "inbox"


def _is_duplicate(
    a: ScoredRecord,
    words: frozenset[str],
    b: ScoredRecord,
    others: frozenset[str],
    similarity: Similarity,
) -> bool:
    """Whether one text only adds a few words to the other, or means the same; a number or a
    denial makes it another statement.
    """
    if "contradicted" in (a.memory.status, b.memory.status):
        return False
    if any(word in _NEGATIONS or _NUMBER.search(word) for word in words ^ others):
        return False
    few, many = sorted((words, others), key=len)
    adds_little = few <= many and len(few) >= _DUPLICATE_WORDS * len(many)
    return adds_little or (similarity(a, b) or 0.0) >= _DUPLICATE_SIMILARITY
