"""Whether two statements that answer one question give one answer, by a learned reading. Pure.

The two are laid side by side: amounts, names, rare words that both have or one alone, whether the
newer one gives up by name what the older one says, whether it may tell of a change. A logistic head
weighs it, trained on invented questions (scripts/train/value_head.py). It says nothing of whether
the two answer one question: `slot_pairs` does.
"""

from __future__ import annotations

import math
from functools import lru_cache

from memctl.consolidate.amounts import list_amounts
from memctl.consolidate.change_words import may_announce_change
from memctl.consolidate.features import are_opposed, read_features, sum_weights
from memctl.consolidate.slot_pairs import begin_alike, find_given_up
from memctl.consolidate.value_head import BIAS, CENTRES, WEIGHTS
from memctl.consolidate.wording import announces_change
from memctl.consolidate.words import LONGEST, is_number, split_words, to_canonical
from memctl.core.lazy_pattern import compile_later
from memctl.embed.word_ranks import find_rank
from memctl.text.stop_words import COMPARISON_STOP_WORDS, NEGATIONS

# What the pair is read by, in the order of the weights. `older` and `newer` are what one alone has.
NAMES = (
    "slot cosine",
    "cosine",
    "share of the shorter",
    "share of the longer",
    "amounts on both sides",
    "amounts on one side",
    "an amount in common",
    "other amounts",
    "names on both sides",
    "a name in common",
    "all names of the older",
    "all names of the newer",
    "other names",
    "names what is given up",
    "other polarity",
    "newer may tell of a change",
    "newer announces a change",
    "older may tell of a change",
    "begin alike",
    "opposed",
    "weight older",
    "weight newer",
    "words older",
    "words newer",
    "rarest in common",
    "rarest older",
    "rarest newer",
    "rare in common",
    "rare older",
    "rare newer",
)
# A word with this rank in the frequency of English counts 0.69 as rare, one ten times as rare 2.4.
_COMMON_RANK = 300
# Sums of weights, of rarity and of words beyond these say no more. Chosen by hand.
_MOST_WEIGHT = 6.0
_MOST_RARITY = 12.0
_WORD = compile_later(r"\w[\w.+#/-]*")


def score_same_value(older: str, newer: str, slots: float, nearness: float) -> float:
    """How surely two answers to one question are the same answer, 0..1, given both cosines."""
    measured = measure_values(older, newer, slots, nearness)
    logit = BIAS + sum(
        weight * (value - centre)
        for weight, value, centre in zip(WEIGHTS, measured, CENTRES, strict=True)
    )
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, logit))))


def measure_values(older: str, newer: str, slots: float, nearness: float) -> tuple[float, ...]:
    """What the head looks at, in the order of `NAMES`."""
    older, newer = older[:LONGEST], newer[:LONGEST]
    return (
        slots,
        nearness,
        *_compare_words(older, newer),
        *_compare_amounts(list_amounts(older), list_amounts(newer)),
        *_compare_names(older, newer),
        *_compare_polarity(older, newer),
        *_compare_weights(older, newer),
        *_compare_rarity(weigh_rarity(older), weigh_rarity(newer)),
    )


def _compare_words(older: str, newer: str) -> tuple[float, float]:
    one, other = read_features(older), read_features(newer)
    shared = sum_weights(one.words & other.words)
    weights = sum_weights(one.words), sum_weights(other.words)
    return shared / max(0.5, min(weights)), shared / max(0.5, *weights)


def _compare_amounts(one: frozenset[str], other: frozenset[str]) -> tuple[float, ...]:
    both, common = bool(one and other), bool(one & other)
    return float(both), float(bool(one) != bool(other)), float(common), float(both and not common)


def _compare_names(older: str, newer: str) -> tuple[float, ...]:
    """A name of one may be written small in the other (`Docker Hub`, `docker hub`)."""
    one, other = list_named(older), list_named(newer)
    in_newer, in_older = one & list_words(newer), other & list_words(older)
    common = bool(in_newer or in_older)
    return (
        float(bool(one and other)),
        float(common),
        float(bool(one) and in_newer == one),
        float(bool(other) and in_older == other),
        float(bool(one and other) and not common),
    )


def _compare_polarity(older: str, newer: str) -> tuple[float, ...]:
    one, other = read_features(older), read_features(newer)
    return (
        float(find_given_up(older, newer) is not None),
        float(one.negations % 2 != other.negations % 2),
        float(may_announce_change(newer)),
        float(announces_change(newer)),
        float(may_announce_change(older)),
        float(begin_alike(older, newer)),
        float(are_opposed(one, other)),
    )


def _compare_weights(older: str, newer: str) -> tuple[float, ...]:
    one, other = read_features(older), read_features(newer)
    shared = one.words & other.words
    return (
        min(_MOST_WEIGHT, sum_weights(one.words - shared)),
        min(_MOST_WEIGHT, sum_weights(other.words - shared)),
        min(_MOST_RARITY, float(len(one.sequence))),
        min(_MOST_RARITY, float(len(other.sequence))),
    )


def _compare_rarity(one: dict[str, float], other: dict[str, float]) -> tuple[float, ...]:
    groups = (
        [one[word] for word in sorted(one.keys() & other.keys())],
        [one[word] for word in sorted(one.keys() - other.keys())],
        [other[word] for word in sorted(other.keys() - one.keys())],
    )
    return (
        *(max(group, default=0.0) for group in groups),
        *(min(_MOST_RARITY, sum(group)) for group in groups),
    )


@lru_cache(maxsize=16384)
def weigh_rarity(text: str) -> dict[str, float]:
    """How rare each content word of a text is in English, numbers apart."""
    return {
        to_canonical(word): math.log(find_rank(word) / _COMMON_RANK + 1)
        for word in split_words(text)
        if word not in COMPARISON_STOP_WORDS and word not in NEGATIONS and not is_number(word)
    }


@lru_cache(maxsize=16384)
def list_named(text: str) -> frozenset[str]:
    """The names of a text: what has a capital inside a sentence, or a sign or digit in a word."""
    words = _WORD.findall(text)
    ends = [True, *(word.endswith(".") for word in words)]
    return frozenset(
        word.strip(".").lower()
        for word, is_first in zip(words, ends, strict=False)
        if not word[0].isdigit()
        and (
            (word[0].isupper() and not is_first and word != "I")
            or any(sign.isdigit() or sign in "./_+#-" for sign in word[1:-1])
        )
    )


@lru_cache(maxsize=16384)
def list_words(text: str) -> frozenset[str]:
    """All words of a text, as they may be named."""
    return frozenset(word.strip(".").lower() for word in _WORD.findall(text))
