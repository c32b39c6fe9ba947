"""How close two short statements are to being one fact, without a model. Pure and symmetric.

A merge of two different facts loses one of them, so every doubt lowers the score: the share of
weighted words in common is only the ceiling, and a guard (other number, identifier or polarity, an
opposite, a qualifier, swapped roles) takes the pair below the threshold. A statement and the same
words in other case, punctuation or markdown score 1.0; texts beyond `LONGEST` are equal or
unrelated.
"""

from __future__ import annotations

from functools import lru_cache

from memctl.consolidate.features import (
    Features,
    have_same_details,
    have_same_order,
    read_features,
    sum_weights,
    weigh_word,
)
from memctl.consolidate.words import LONGEST, SLOT_OF, split_words, to_canonical
from memctl.text.normalize import normalise
from memctl.text.stop_words import COMPARISON_STOP_WORDS, NEGATIONS

# At or above this score two statements may be merged. Chosen by hand on invented pairs.
NEAR = 0.9
# What a score is multiplied with where a detail differs: half of NEAR, so that no pair passes.
_GUARDED = 0.45
# How much more a replaced word costs than an added one.
_REPLACED = 4.0
# The weight of a particle that only one side has.
_PARTICLE = 0.4


def measure_overlap(a: Features, b: Features) -> float:
    """The share of weighted words that both have, 0..1; a replaced word costs most."""
    if not a.words or not b.words:
        return 1.0 if a.words == b.words else 0.0
    shared, only_a, only_b = (
        sum_weights(a.words & b.words),
        sum_weights(a.words - b.words),
        sum_weights(b.words - a.words),
    )
    added = abs(only_a - only_b) + _PARTICLE * len(a.particles ^ b.particles)
    return 2 * shared / (2 * shared + _REPLACED * min(only_a, only_b) + added)


@lru_cache(maxsize=4096)
def compute_similarity(a: str, b: str) -> float:
    """How close two statements are to one fact, 0..1; from `NEAR` on they may be merged."""
    if normalise(a) == normalise(b):
        return 1.0
    if max(len(a), len(b)) > LONGEST:
        return 0.0
    one, other = read_features(a), read_features(b)
    score = measure_overlap(one, other)
    if one.negations != other.negations or not _have_same_roles(one, other):
        return score * _GUARDED
    return score


def _have_same_roles(one: Features, other: Features) -> bool:
    return have_same_details(one, other) and have_same_order(one, other)


def is_near_duplicate(a: str, b: str) -> bool:
    """May these two be merged into one? The same words included."""
    return compute_similarity(a, b) >= NEAR


@lru_cache(maxsize=4096)
def pick_search_terms(text: str, n: int = 8) -> tuple[str, ...]:
    """The up to `n` words most worth asking a full-text index for, heaviest first.

    They are not stemmed, since the index stems by itself.
    """
    seen: dict[str, tuple[float, int, str]] = {}
    for place, token in enumerate(split_words(text[:LONGEST])):
        root = to_canonical(token)
        if token not in COMPARISON_STOP_WORDS and token not in NEGATIONS and root not in seen:
            seen[root] = (-weigh_word(root), place, token)
    return tuple(token for _, _, token in sorted(seen.values())[: max(n, 0)])


def list_rivals(text: str) -> tuple[str, ...]:
    """The known answers to the questions that a text answers by name, without its own.

    With `npm`, the other package managers.
    """
    own = {to_canonical(token) for token in split_words(text[:LONGEST])}
    slots = {SLOT_OF[word].name: SLOT_OF[word] for word in sorted(own) if word in SLOT_OF}
    return tuple(
        sorted(
            value
            for slot in slots.values()
            for value in slot.values
            if to_canonical(value) not in own
        )
    )


def is_one_sentence(one: Features, other: Features) -> bool:
    """Are the two one sentence, of which one side may be denied?"""
    return _have_same_roles(one, other) and measure_overlap(one, other) >= NEAR
