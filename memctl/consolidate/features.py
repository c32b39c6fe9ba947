"""The features of a statement that must agree before two may be one fact or contrary ones. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from memctl.consolidate.lexicon import ANTONYMS, BE_FORMS, PARTICLES, QUALIFIERS, WEAK_WORDS
from memctl.consolidate.words import (
    DENYING,
    SLOT_OF,
    is_identifier,
    is_number,
    is_unit_root,
    list_numbers,
    map_opposites,
    split_words,
    to_canonical,
    to_canonical_set,
)
from memctl.core.frozen import dataclass
from memctl.text.stop_words import COMPARISON_STOP_WORDS, NEGATIONS

_OPPOSITES = map_opposites(ANTONYMS)
_WEAK = to_canonical_set(WEAK_WORDS)

# Weights of a word in a statement's identity, chosen by hand: an identifier, a word that says
# little, and any other from its length in letters up to the longest that still counts for more.
_IDENTIFIER_WEIGHT = 2.0
_WEAK_WEIGHT = 0.5
_LEAST_WEIGHT = 1.0
_LETTERS_PER_WEIGHT = 16
_MOST_LETTERS = 8


@dataclass(frozen=True, slots=True)
class Features:
    """What comparison looks at.

    `sequence` holds the canonical content words in order, `words` the same as a set, the other sets
    what must agree exactly. `negations` counts denials; `passive` says `done by somebody`.
    """

    sequence: tuple[str, ...]
    words: frozenset[str]
    numbers: frozenset[str]
    identifiers: frozenset[str]
    qualifiers: frozenset[str]
    particles: frozenset[str]
    negations: int
    passive: bool


@lru_cache(maxsize=16384)
def read_features(text: str) -> Features:
    """The comparable parts of a statement."""
    tokens = split_words(text)
    roots = [to_canonical(token) for token in tokens]
    sequence = tuple(
        root
        for token, root in zip(tokens, roots, strict=True)
        if not (
            token in COMPARISON_STOP_WORDS
            or token in NEGATIONS
            or root in DENYING
            or is_unit_root(root)
            or is_number(root)
        )
    )
    return Features(
        sequence,
        frozenset(sequence),
        frozenset(list_numbers(tokens)),
        frozenset(token for token in tokens if is_identifier(token)),
        frozenset(
            "all" if token == "every" else token for token in QUALIFIERS.intersection(tokens)
        ),
        PARTICLES.intersection(tokens),
        _count_negations(tokens, roots),
        "by" in tokens and not BE_FORMS.isdisjoint(tokens),
    )


def _count_negations(tokens: list[str], roots: list[str]) -> int:
    """How many things are denied; a denied denial (`never skip`, `do not forget to`) is none."""
    count, open_at = 0, -9
    for place, (token, root, after) in enumerate(
        zip(tokens, roots, [*tokens[1:], ""], strict=False)
    ):
        if token in NEGATIONS:
            count, open_at = count + 1, place
        elif root in DENYING and not (
            token.endswith("ing") or (root == "stop" and not after.endswith("ing"))
        ):
            count, open_at = (count - 1, -9) if place - open_at <= 2 else (count + 1, place)
    return count


@lru_cache(maxsize=16384)
def weigh_word(word: str) -> float:
    """How much of a statement's identity one canonical word carries."""
    if is_identifier(word):
        return _IDENTIFIER_WEIGHT
    if word in _WEAK:
        return _WEAK_WEIGHT
    return _LEAST_WEIGHT + min(len(word), _MOST_LETTERS) / _LETTERS_PER_WEIGHT


def sum_weights(words: Iterable[str]) -> float:
    """The weight of canonical words together; summed in one order, so that it is symmetric."""
    return sum(weigh_word(word) for word in sorted(words))


def are_opposed(a: Features, b: Features) -> bool:
    """Does one side say a word whose opposite, or whose rival in a slot, the other says instead?"""
    only_a, only_b = a.words - b.words, b.words - a.words
    if any(not _OPPOSITES.get(word, frozenset()).isdisjoint(only_b) for word in only_a):
        return True
    slots = {SLOT_OF[word] for word in only_a if word in SLOT_OF}
    return any(SLOT_OF.get(word) in slots for word in only_b)


def have_same_details(a: Features, b: Features) -> bool:
    """Do numbers, identifiers, qualifiers and opposites agree? Polarity and order do not matter."""
    if a.numbers != b.numbers or a.identifiers != b.identifiers or a.qualifiers != b.qualifiers:
        return False
    return not are_opposed(a, b)


def have_same_order(a: Features, b: Features) -> bool:
    """Do the shared words stand in the same order, save for a clause moved to the front?

    Of an active and a passive voice the order must differ.
    """
    shared = a.words & b.words
    one = list(dict.fromkeys(word for word in a.sequence if word in shared))
    other = list(dict.fromkeys(word for word in b.sequence if word in shared))
    if a.passive != b.passive:
        return one != other or len(one) < 3
    return one == other or is_rotation(one, other)


def is_rotation(one: Sequence[str], other: Sequence[str]) -> bool:
    """Are the words of the one, three at least, those of the other from another start?"""
    if len(one) < 3 or one[0] not in other:
        return False
    start = other.index(one[0])
    return [*one] == [*other[start:], *other[:start]]
