"""Words in the one form in which statements are compared; numbers, units, identifiers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from memctl.consolidate.english_words import ALIKE, IRREGULAR, NO_MANNER
from memctl.consolidate.lexicon import DENYING_VERBS, NUMBER_WORDS, PHRASES, SLOTS, SYNONYMS
from memctl.core.lazy_pattern import compile_later
from memctl.text.normalize import normalise, stem_word

# Longer texts are equal or unrelated: nothing else is read of them. Characters, chosen by hand.
LONGEST = 4_000

_MEASURE = compile_later(r"([$€£]?\d+(?:[.,:]\d+)*)([a-z%]{0,8})")
_UNITS = {
    stem_word(name): unit
    for name, unit in {
        "second": "s",
        "sec": "s",
        "minute": "min",
        "hour": "h",
        "hr": "h",
        "day": "d",
        "percent": "%",
        "millisecond": "ms",
        **{unit: unit for unit in ("kb", "mb", "gb", "tb", "week", "month", "year")},
    }.items()
}
_CODE = compile_later(r"[_/\\:@$=<>#*~]|\w\.\w|^-")
# `09:15` is `9:15`
_TIME_WITH_ZERO = compile_later(r"(?<![\w:.])0(\d:\d\d)(?![\w:])")
_ABBREVIATION = compile_later(r"(?:[a-z]\.)+[a-z]?")
_SYNONYMS = {
    form: stem_word(word)
    for spelling, word in {**ALIKE, **SYNONYMS}.items()
    for form in (spelling, stem_word(spelling))
}
# Words in `-ly` of so many letters (`fly`, `apply`) are no adverbs.
_LONGEST_NO_ADVERB = 5
# Endings of nouns that the stemmer leaves, and the shortest verb that may stand before one, in
# letters.
_NOUN_ENDINGS = ("ership", "ment", "ation", "ion", "er")
_SHORTEST_VERB = 3


@lru_cache(maxsize=16384)
def to_canonical(token: str) -> str:
    """One form for the spellings, inflections and synonyms of a normalised word."""
    token = NUMBER_WORDS.get(token.removesuffix("'s"), token.removesuffix("'s"))
    token = IRREGULAR.get(token, token)
    root = token if is_manner_adverb(token) else stem_word(token)
    if root.endswith("y"):  # `deployment` gives `deploy`, which itself gives `deploi`
        root = stem_word(root) if not is_manner_adverb(root) else root
    return _SYNONYMS.get(token, _SYNONYMS.get(root, root))


def is_manner_adverb(word: str) -> bool:
    """Does the word only say in which manner (`carefully`)? `daily` and `only` do not.

    It keeps its ending in canonical form, since the stemmer makes `complete` of `completely`.
    """
    return len(word) > _LONGEST_NO_ADVERB and word.endswith("ly") and word not in NO_MANNER


@lru_cache(maxsize=16384)
def to_root(token: str) -> str:
    """The canonical verb that a noun is made of: a linter lints, a deployment deploys."""
    word = to_canonical(token)
    for ending in _NOUN_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_VERB:
            return to_canonical(word[: -len(ending)])
    return word


def to_canonical_set(words: Iterable[str]) -> frozenset[str]:
    """A closed list in canonical form."""
    return frozenset(map(to_canonical, words))


def to_root_set(words: Iterable[str]) -> frozenset[str]:
    """A closed list as roots."""
    return frozenset(map(to_root, words))


def map_opposites(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Every word of the pairs to its opposites, canonical and in both directions."""
    opposites: dict[str, set[str]] = {}
    for left, right in pairs:
        opposites.setdefault(to_canonical(left), set()).add(to_canonical(right))
        opposites.setdefault(to_canonical(right), set()).add(to_canonical(left))
    return {word: frozenset(others) for word, others in opposites.items()}


DENYING = to_canonical_set(DENYING_VERBS)
SLOT_OF = {to_canonical(value): slot for slot in SLOTS for value in slot.values}


def split_words(text: str) -> list[str]:
    """The normalised words, with names of several words joined (`vs code` is `vscode`)."""
    return list(_split_cached(text) if len(text) <= LONGEST else _split(text))


def _split(text: str) -> tuple[str, ...]:
    joined = normalise(text)
    if ":" in joined:
        joined = _TIME_WITH_ZERO.sub(r"\1", joined)
    for phrase, word in PHRASES:
        if phrase in joined:
            joined = re.sub(rf"(?<!\S){re.escape(phrase)}(?!\S)", word, joined)
    return tuple(joined.split())


_split_cached = lru_cache(maxsize=16384)(_split)


@lru_cache(maxsize=16384)
def is_identifier(word: str) -> bool:
    """Is this normalised word a path, a flag, a dotted or marked name, rather than prose?"""
    if _ABBREVIATION.fullmatch(word):
        return False
    return bool(_CODE.search(word)) or (
        any(char.isdigit() for char in word) and not _MEASURE.fullmatch(word)
    )


@lru_cache(maxsize=16384)
def is_number(token: str) -> bool:
    """Is this normalised word a number, with or without its unit?"""
    return bool(_MEASURE.fullmatch(token))


@lru_cache(maxsize=16384)
def is_unit(token: str) -> bool:
    """Is this normalised word the unit of a number beside it?"""
    return stem_word(token) in _UNITS or token in _UNITS.values()


def is_unit_root(root: str) -> bool:
    """Is this canonical word the name of a unit?"""
    return root in _UNITS


def list_numbers(tokens: Iterable[str]) -> list[str]:
    """The numbers in order, each with its unit in one spelling: `30s`, `30 s`, `30 seconds`."""
    numbers = []
    for token, after in pairwise([*tokens, ""]):
        if token[:1].isalpha() and token not in NUMBER_WORDS:
            continue
        match = _MEASURE.fullmatch(NUMBER_WORDS.get(token, token))
        if match:
            unit = match[2] or _UNITS.get(
                stem_word(after), after if after in _UNITS.values() else ""
            )
            numbers.append(match[1].replace(",", "") + _UNITS.get(stem_word(unit), unit))
    return numbers


def find_unit(number: str) -> str:
    """The unit of a number as `list_numbers` writes it; empty for a bare number."""
    return number.lstrip("0123456789.:,$€£")
