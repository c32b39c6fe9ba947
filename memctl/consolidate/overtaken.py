"""Mark records that a newer one may have overtaken.

A mark says: here is a newer record of the same place that seems to answer the same question anew.
It is no verdict: nothing is retired or reordered by it. It tells a reader that two records belong
side by side, and from which days they are.

How near two records are is asked in one place, `measure_nearness`, whichever vectors there are. Of
all that may have overtaken a record the latest is looked at. Where that is marked itself, what it
is marked with is named: what says the same as a record that was overtaken was overtaken too. Where
it only says the same, nothing is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memctl.consolidate.change_words import may_announce_change
from memctl.consolidate.compare import relation_of
from memctl.consolidate.features import read_features
from memctl.consolidate.neighbours import NeighbourFinder, load_statements
from memctl.consolidate.prepare import prepare_statement
from memctl.consolidate.slot_pairs import find_given_up, may_answer_one_question
from memctl.consolidate.wording import announces_change
from memctl.core.errors import StoreDamaged, StoreLocked
from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import OPERATOR_IMPLIED, Memory
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import links, marks, records, semantic
from memctl.store.database import Database
from memctl.text.corrections import drop_corrected_words

# How surely two records answer one question at least, and from where on their answers are the same.
# Chosen on invented histories of questions that neither reader saw (scripts/train/value_head.py):
# .51 of what does not hold is marked with the value of the day, .034 of what holds wrongly, .078
# with what says the same. At .3 it is .55, .045 and .085, at .5 .47, .024 and .074.
LEAST_SURE = 0.4
LEAST_SAME = 0.85
# The same for two statements that begin with the same thing and show nothing else in common.
LEAST_SURE_OF_ONE_THING = 0.97
# Where records were not read for what they answer: the least cosine beside words of change. Chosen
# by hand among .40, .45 and .50; it sees a third of what the other way sees, at twice the error.
LEAST_COSINE = 0.45
# Records whose marks are made in the call that wrote them, and seconds that it waits for its turn.
# Chosen by hand.
_MOST_AT_ONCE = 12
_WAIT_SECONDS = 0.2
# The most marks that are led on to a later record at once. Chosen by hand.
_MOST_LED_ON = 50
# What tells of a moment, or is done once, is not overtaken.
_UNMARKED_TYPES = ("episode", "task_hint")
_WORD = compile_later(r"\w[\w.+#/-]*")
_SENTENCE = compile_later(r"(?<=[.!?])\s+|\n+")
_ENDS = " .!?"


@dataclass(frozen=True, slots=True)
class NearPair:
    """An older and a newer record, how near they are (0..1), and their cosine (-1..1)."""

    older: Memory
    newer: Memory
    nearness: float
    cosine: float


def mark_records(
    db: Database, ids: Iterable[str], finder: NeighbourFinder, *, only_read: bool = False
) -> int:
    """Make the marks of records that wait for it, inside `write()`; return how many were made.

    What they themselves overtake is marked too. A record without a vector goes on waiting, and with
    `only_read` one that is still to be read for what it answers.
    """
    known = records.list_by_ids(db, ids, only_readable=True).values()
    return sum(
        _mark_record(db, memory, finder)
        for memory in known
        if not only_read or finder.was_read(memory.id)
    )


def _mark_record(db: Database, memory: Memory, finder: NeighbourFinder) -> int:
    if not _can_be_marked(memory):
        marks.drop_mark(db, memory.id)
        return 0
    pairs = find_near_pairs(db, finder, memory)
    if pairs is None:
        return 0
    over = [pair for pair in pairs if pair.older.id == memory.id]
    latest = max(over, key=lambda pair: (pair.newer.observed_at, pair.nearness), default=None)
    made = _set_mark(db, finder, memory, latest) + _lead_on(db, finder, memory)
    for pair in pairs:
        if pair.newer.id == memory.id and _is_latest(db, pair):
            made += _set_mark(db, finder, pair.older, pair) + _lead_on(db, finder, pair.older)
    return made


def _set_mark(db: Database, finder: NeighbourFinder, memory: Memory, pair: NearPair | None) -> int:
    """Mark a record with the latest that may have overtaken it, or with what has overtaken that."""
    if pair is not None:
        later = _find_later(db, finder, memory, pair)
        if later is not None:
            marks.put_mark(db, memory.id, *later)
            return 1
        if not says_the_same(db, finder, pair):
            marks.put_mark(db, memory.id, pair.newer.id, pair.nearness)
            return 1
    marks.drop_mark(db, memory.id)
    return 0


def _find_later(
    db: Database, finder: NeighbourFinder, memory: Memory, pair: NearPair
) -> tuple[str, float] | None:
    """What the newer record of a pair is marked with, if that does not say what the older says."""
    known = marks.find_mark(db, pair.newer.id)
    if known is None or known.is_waiting or known.newer_id == memory.id:
        return None
    later = records.find_record(db, known.newer_id)
    if later is None or not can_overtake(later, memory) or _were_judged(db, memory, later):
        return None
    if _gives_same_answer(finder, memory, later):
        return None
    return later.id, min(pair.nearness, known.nearness)


def _gives_same_answer(finder: NeighbourFinder, older: Memory, newer: Memory) -> bool:
    same = finder.read_values(older, newer) if finder.reads_pairs else None
    return same is not None and same >= LEAST_SAME


def _were_judged(db: Database, one: Memory, other: Memory) -> bool:
    """Whether two records are linked in a way that says how they stand to each other."""
    return any(
        link.find_other_end(one.id) == other.id and not link.is_open_contradiction
        for link in links.list_of_memory(db, one.id)
    )


def _lead_on(db: Database, finder: NeighbourFinder, memory: Memory) -> int:
    """Let what is marked with a record name what that record is marked with itself."""
    own = marks.find_mark(db, memory.id)
    if own is None or own.is_waiting:
        return 0
    named_by = marks.list_naming(db, memory.id, _MOST_LED_ON)
    known = records.list_by_ids(db, [mark.memory_id for mark in named_by], only_readable=True)
    later = records.find_record(db, own.newer_id)
    made = 0
    for mark in named_by:
        older = known.get(mark.memory_id)
        if older is None or later is None or not can_overtake(later, older):
            continue
        if _were_judged(db, older, later):
            continue
        if _gives_same_answer(finder, older, later):
            marks.drop_mark(db, older.id)
            continue
        marks.put_mark(db, older.id, later.id, min(mark.nearness, own.nearness))
        made += 1
    return made


def _is_latest(db: Database, pair: NearPair) -> bool:
    """Whether nothing later has overtaken the older one, as far as its mark says."""
    known = marks.find_mark(db, pair.older.id)
    if known is None:
        return True
    if known.is_waiting:  # Its own turn comes.
        return False
    other = records.find_record(db, known.newer_id)
    return other is None or other.observed_at < pair.newer.observed_at


def find_near_pairs(db: Database, finder: NeighbourFinder, memory: Memory) -> list[NearPair] | None:
    """Return the pairs of a record with those that it may have overtaken, or that may have
    overtaken it; None while that cannot be said, because the record has no vector yet.

    What is linked with it was judged before: only an open contradiction makes a pair, a sure one.
    """
    near = finder.find_near(memory)
    if near is None:
        return None
    linked: dict[str, bool] = {}
    for link in links.list_of_memory(db, memory.id):
        other_id = link.find_other_end(memory.id)
        linked[other_id] = link.is_open_contradiction and linked.get(other_id, True)
    opposed = records.list_by_ids(db, [each for each, is_open in linked.items() if is_open])
    pairs = [_order(memory, other, 1.0, 1.0) for other in opposed.values()]
    for other, cosine in near:
        older, newer = sorted((memory, other), key=lambda each: each.observed_at)
        if other.id not in linked and can_overtake(newer, older):
            nearness = measure_nearness(finder, older, newer, cosine)
            pair = None if nearness is None else NearPair(older, newer, nearness, cosine)
            if pair is not None and can_be_one_question(db, pair):
                pairs.append(pair)
    return [pair for pair in pairs if can_overtake(pair.newer, pair.older)]


def _order(one: Memory, other: Memory, nearness: float, cosine: float) -> NearPair:
    older, newer = sorted((one, other), key=lambda each: each.observed_at)
    return NearPair(older, newer, nearness, cosine)


def can_overtake(newer: Memory, older: Memory) -> bool:
    """Whether a record may take the place of another one, whatever they say.

    Both are in force and of one place; the newer was said after the older was last confirmed, on
    the authority of an implied word of the operator, or on no less than the older.
    """
    return (
        newer.id != older.id
        and _can_be_marked(newer)
        and _can_be_marked(older)
        and newer.repo_id == older.repo_id
        and newer.observed_at > max(older.observed_at, older.confirmed_at or "")
        and newer.trust >= min(older.trust, OPERATOR_IMPLIED)
    )


def measure_nearness(
    finder: NeighbourFinder, older: Memory, newer: Memory, cosine: float
) -> float | None:
    """How near two records are (0..1); None where that is not enough to name the newer one.

    By what they answer where both were read for that, else by their meaning, if the newer one's
    words may say that something changed.
    """
    sure = finder.read_pair(older, newer) if finder.reads_pairs else None
    if sure is not None:
        return sure if sure >= LEAST_SURE else None
    return min(1.0, cosine) if cosine >= LEAST_COSINE and says_change(newer.content) else None


def can_be_one_question(db: Database, pair: NearPair) -> bool:
    """Whether two statements may be two answers to one question, and not two properties of a thing.

    Two that begin with the same thing need more than to be near: the same words up to the answer, a
    relation by the rules, or that the newer one names what it gives up. So do two of several
    sentences that share one: it makes them near, whatever the others say.
    """
    older, newer = map(drop_corrected_words, (pair.older.content, pair.newer.content))
    if _share_sentence(older, newer):
        return _find_relation(db, pair) is not None
    return (
        pair.nearness >= LEAST_SURE_OF_ONE_THING
        or may_answer_one_question(older, newer)
        or find_given_up(older, newer) is not None
        or _find_relation(db, pair) is not None
    )


def _share_sentence(older: str, newer: str) -> bool:
    """Do two texts of which one says more hold one sentence word for word?"""
    one, other = (
        {part.strip(_ENDS).lower() for part in _SENTENCE.split(t)} for t in (older, newer)
    )
    return max(len(one), len(other)) > 1 and any(" " in part for part in one & other)


def _find_relation(db: Database, pair: NearPair) -> str | None:
    newer, older = load_statements(db, [pair.newer, pair.older])
    return relation_of(newer, older, nearness=min(1.0, max(0.0, pair.cosine)))


def says_change(text: str) -> bool:
    """Whether the words of a record may say that something changed."""
    return (
        may_announce_change(text)
        or announces_change(text)
        or prepare_statement(text).announces_change
    )


def says_the_same(db: Database, finder: NeighbourFinder, pair: NearPair) -> bool:
    """Whether the newer record only says again what the older says: by the rules, or by what their
    answers are read as; without that, if it holds every name and number and gives none of them up.
    """
    if pair.nearness == 1.0 and pair.cosine == 1.0:  # An open contradiction.
        return False
    relation = _find_relation(db, pair)
    if relation is not None:
        return relation == "duplicate"
    same = finder.read_values(pair.older, pair.newer) if finder.reads_pairs else None
    if same is not None:
        return same >= LEAST_SAME
    older, newer = map(drop_corrected_words, (pair.older.content, pair.newer.content))
    told = list_names(older)
    return (
        bool(told)
        and told <= list_names(newer)
        and not says_change(newer)
        and find_given_up(older, newer) is None
    )


def list_names(text: str) -> frozenset[str]:
    """The names and numbers of a text: what has a capital inside a sentence, a digit or a sign."""
    words = _WORD.findall(text)
    named = {
        word.lower()
        for place, word in enumerate(words)
        if (place and word[0].isupper())
        or any(sign.isdigit() for sign in word)
        or any(sign in "./_+#-" for sign in word[1:-1])
    }
    features = read_features(text)
    return frozenset(named) | frozenset(features.numbers) | frozenset(features.identifiers)


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
            return mark_records(db, waiting, NeighbourFinder(db, config), only_read=True)
    except (StoreLocked, StoreDamaged):  # Maintenance will do it.
        return 0
