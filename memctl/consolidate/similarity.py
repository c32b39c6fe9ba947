"""How near two short statements are to being one fact, without a model.

A merge of two different facts loses one of them, so every doubt lowers the score: the share of weighted words in common is only the
ceiling, and a guard (other number, identifier or polarity, an opposite, a qualifier, swapped roles) takes the pair below the threshold.
Symmetric; a statement and its like in other case, punctuation or markdown score 1.0; texts beyond `LONGEST` are equal or strangers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from memctl.consolidate.english_words import ALIKE, IRREGULAR
from memctl.consolidate.lexicon import (
    ANTONYMS,
    BE_FORMS,
    DENYING_VERBS,
    NUMBER_WORDS,
    PARTICLES,
    PHRASES,
    QUALIFIERS,
    SLOTS,
    SYNONYMS,
    WEAK_WORDS,
)
from memctl.text.normalize import NEGATIONS, STOP_WORDS, normalise, stem

NEAR = 0.9
_GUARDED = 0.45
_REPLACED = 4.0
_PARTICLE = 0.4
LONGEST = 4_000

_MEASURE = re.compile(r"([$€£]?\d+(?:[.,:]\d+)*)([a-z%]{0,8})")
_UNITS = {
    "second": "s",
    "sec": "s",
    "minut": "min",
    "hour": "h",
    "hr": "h",
    "day": "d",
    "percent": "%",
    "millisecond": "ms",
}
_UNITS |= {unit: unit for unit in ("kb", "mb", "gb", "tb", "week", "month", "year")}
_CODE = re.compile(r"[_/\\:@$=<>#*~]|\w\.\w|^-")
_ABBREVIATION = re.compile(r"(?:[a-z]\.)+[a-z]?")
_SYNONYMS = {
    form: stem(word)
    for spelling, word in {**ALIKE, **SYNONYMS}.items()
    for form in (spelling, stem(spelling))
}


@lru_cache(maxsize=16384)
def canonical(token: str) -> str:
    """One form for the spellings, inflections and synonyms of a normalised word."""
    token = NUMBER_WORDS.get(token.removesuffix("'s"), token.removesuffix("'s"))
    token = IRREGULAR.get(token, token)
    root = stem(token)
    return _SYNONYMS.get(token, _SYNONYMS.get(root, root))


def canonical_set(words: Iterable[str]) -> frozenset[str]:
    """A closed list in canonical form."""
    return frozenset(map(canonical, words))


def opposites(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Every word of the pairs to its opposites, canonical and in both directions."""
    found: dict[str, set[str]] = {}
    for left, right in pairs:
        found.setdefault(canonical(left), set()).add(canonical(right))
        found.setdefault(canonical(right), set()).add(canonical(left))
    return {word: frozenset(others) for word, others in found.items()}


DENYING = canonical_set(DENYING_VERBS)
SLOT_OF = {canonical(value): slot for slot in SLOTS for value in slot.values}
_OPPOSITES = opposites(ANTONYMS)
_WEAK = canonical_set(WEAK_WORDS)


class Features(NamedTuple):
    """What comparison looks at: `sequence` holds the content words in order, the sets what must agree exactly."""

    sequence: tuple[str, ...]
    words: frozenset[str]
    numbers: frozenset[str]
    identifiers: frozenset[str]
    qualifiers: frozenset[str]
    particles: frozenset[str]
    negations: int
    passive: bool


def tokens_of(text: str) -> list[str]:
    """The normalised words, with names of several words joined (`vs code` is `vscode`)."""
    return list(_tokens(text) if len(text) <= LONGEST else _split(text))


def _split(text: str) -> tuple[str, ...]:
    joined = normalise(text)
    for phrase, word in PHRASES:
        if phrase in joined:
            joined = re.sub(rf"(?<!\S){re.escape(phrase)}(?!\S)", word, joined)
    return tuple(joined.split())


_tokens = lru_cache(maxsize=4096)(_split)


def is_identifier(word: str) -> bool:
    """Is this normalised word a path, a flag, a dotted or marked name, rather than prose?"""
    if _ABBREVIATION.fullmatch(word):
        return False
    return bool(_CODE.search(word)) or (
        any(char.isdigit() for char in word) and not _MEASURE.fullmatch(word)
    )


def numbers_of(tokens: list[str]) -> frozenset[str]:
    """Every number with the unit that follows it, written in one way: `30s`, `30 s` and `30 seconds` agree."""
    return frozenset(numbers_in(tokens))


def numbers_in(tokens: list[str]) -> list[str]:
    """The same in the order in which they stand."""
    found = []
    for token, after in pairwise([*tokens, ""]):
        match = _MEASURE.fullmatch(NUMBER_WORDS.get(token, token))
        if match:
            unit = match[2] or _UNITS.get(stem(after), after if after in _UNITS.values() else "")
            found.append(match[1].replace(",", "") + _UNITS.get(stem(unit), unit))
    return found


def is_number(token: str) -> bool:
    """Is this normalised word a number, with or without its unit?"""
    return bool(_MEASURE.fullmatch(token))


def is_unit(token: str) -> bool:
    """Is this normalised word the unit of a number beside it?"""
    return stem(token) in _UNITS or token in _UNITS.values()


@lru_cache(maxsize=4096)
def features(text: str) -> Features:
    """The comparable parts of a statement."""
    tokens = tokens_of(text)
    roots = [canonical(token) for token in tokens]
    sequence = tuple(
        root
        for token, root in zip(tokens, roots, strict=True)
        if not (
            token in STOP_WORDS
            or token in NEGATIONS
            or root in DENYING
            or root in _UNITS
            or is_number(root)
        )
    )
    return Features(
        sequence,
        frozenset(sequence),
        numbers_of(tokens),
        frozenset(token for token in tokens if is_identifier(token)),
        frozenset(
            "all" if token == "every" else token for token in QUALIFIERS.intersection(tokens)
        ),
        PARTICLES.intersection(tokens),
        _negations(tokens, roots),
        "by" in tokens and not BE_FORMS.isdisjoint(tokens),
    )


def _negations(tokens: list[str], roots: list[str]) -> int:
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
def weight(word: str) -> float:
    """How much of a statement's identity one canonical word carries."""
    if is_identifier(word):
        return 2.0
    if word in _WEAK:
        return 0.5
    return 1.0 + min(len(word), 8) / 16


def _weight(words: frozenset[str]) -> float:
    return sum(weight(word) for word in sorted(words))


def opposed(a: Features, b: Features) -> bool:
    """Does one side say a word whose opposite, or whose rival in a slot, the other says instead?"""
    only_a, only_b = a.words - b.words, b.words - a.words
    if any(not _OPPOSITES.get(word, frozenset()).isdisjoint(only_b) for word in only_a):
        return True
    slots = {SLOT_OF[word] for word in only_a if word in SLOT_OF}
    return any(SLOT_OF.get(word) in slots for word in only_b)


def _in_order(a: Features, b: Features) -> bool:
    """Do the shared words stand in the same order, save for a clause moved to the front or one side in the passive?"""
    shared = a.words & b.words
    one = list(dict.fromkeys(word for word in a.sequence if word in shared))
    other = list(dict.fromkeys(word for word in b.sequence if word in shared))
    if a.passive != b.passive:
        return one != other or len(one) < 3
    if one == other or not other:
        return True
    turn = other.index(one[0])
    return len(one) > 2 and one == other[turn:] + other[:turn]


def same_details(a: Features, b: Features) -> bool:
    """Do numbers, identifiers, qualifiers, opposites and roles agree? Polarity is not looked at."""
    if a.numbers != b.numbers or a.identifiers != b.identifiers or a.qualifiers != b.qualifiers:
        return False
    return _in_order(a, b) and not opposed(a, b)


def overlap(a: Features, b: Features) -> float:
    """The share of weighted words that both have, 0..1; a replaced word costs more than an added one."""
    if not a.words or not b.words:
        return 1.0 if a.words == b.words else 0.0
    shared, only_a, only_b = (
        _weight(a.words & b.words),
        _weight(a.words - b.words),
        _weight(b.words - a.words),
    )
    added = abs(only_a - only_b) + _PARTICLE * len(a.particles ^ b.particles)
    return 2 * shared / (2 * shared + _REPLACED * min(only_a, only_b) + added)


@lru_cache(maxsize=4096)
def similarity(a: str, b: str) -> float:
    """How near two statements are to one fact, 0..1; at or above `NEAR` they may be merged. Each pair is asked about several times."""
    if normalise(a) == normalise(b):
        return 1.0
    if max(len(a), len(b)) > LONGEST:
        return 0.0
    one, other = features(a), features(b)
    score = overlap(one, other)
    if one.negations != other.negations or not same_details(one, other):
        return score * _GUARDED
    return score


def near_duplicate(a: str, b: str) -> bool:
    """May these two be merged into one? Exact twins included."""
    return similarity(a, b) >= NEAR


def overlap_terms(text: str, n: int = 8) -> tuple[str, ...]:
    """The up to `n` words most worth asking a full-text index for, heaviest first; unstemmed, as the index stems by itself."""
    seen: dict[str, tuple[float, int, str]] = {}
    for place, token in enumerate(tokens_of(text[:LONGEST])):
        root = canonical(token)
        if token not in STOP_WORDS and token not in NEGATIONS and root not in seen:
            seen[root] = (-weight(root), place, token)
    return tuple(token for _, _, token in sorted(seen.values())[: max(n, 0)])


def rivals(text: str) -> tuple[str, ...]:
    """The known answers to the questions that a text answers by name, without its own: with `npm`, the other package managers."""
    own = {canonical(token) for token in tokens_of(text[:LONGEST])}
    slots = {SLOT_OF[word].name: SLOT_OF[word] for word in sorted(own) if word in SLOT_OF}
    return tuple(
        sorted(
            value for slot in slots.values() for value in slot.values if canonical(value) not in own
        )
    )
