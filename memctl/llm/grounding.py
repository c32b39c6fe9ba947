"""Check that a model's words say no more than the words it was given. Pure; every doubt is a no."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.consolidate.features import Features, are_opposed, read_features
from memctl.consolidate.words import to_canonical
from memctl.core.lazy_pattern import compile_later
from memctl.text.stop_words import word_set

# Words that frame a statement without being part of what it says.
_FRAME = frozenset(
    map(
        to_canonical,
        word_set("project repo repository codebase team user operator person agent use used uses"),
    )
)
_MIN_SHARED_WORDS = 0.6
# The share of the words of a text that another wording of it keeps at least. Chosen by hand.
_MIN_KEPT_WORDS = 0.7
_SENTENCE = compile_later(r"(?<=[.!?:])\s+|\n")
_NAME = compile_later(r"[^\W\d_][\w'-]*")


def says_no_more(content: str, quote: str) -> bool:
    """Whether a text is a quote with words left out.

    The order, negations and conditions are the same, and nothing is added.
    """
    said, source = read_features(content), read_features(quote)
    if said.negations != source.negations or said.qualifiers != source.qualifiers:
        return False
    if not (
        said.numbers <= source.numbers and said.identifiers <= source.identifiers
    ) or are_opposed(said, source):
        return False
    own = [word for word in said.sequence if word not in _FRAME or word in source.words]
    return bool(own) and _is_subsequence(own, source.sequence)


def says_the_same(content: str, old: str, others: Iterable[str]) -> bool:
    """Whether a text may replace another.

    It has the same numbers, names, identifiers, negations and conditions, in words that were there.
    """
    new, known = read_features(content), read_features(old)
    if any(
        getattr(new, part) != getattr(known, part)
        for part in ("numbers", "identifiers", "negations", "qualifiers")
    ):
        return False
    words = known.words.union(*(read_features(other).words for other in others))
    # The words that both the old text and every other wording have carry the statement.
    core = known.words.intersection(*(read_features(other).words for other in others))
    return (
        find_proper_names(content) == find_proper_names(old)
        and new.words <= words | _FRAME
        and core <= new.words
        and not are_opposed(new, known)
    )


def keeps_to(content: str, source: str) -> bool:
    """Whether a text is another wording of one source: its words alone, nearly all of them, and
    the same numbers, names, identifiers, negations and conditions.
    """
    said, known = read_features(content), read_features(source)
    is_exact = all(
        getattr(said, part) == getattr(known, part)
        for part in ("numbers", "identifiers", "negations", "qualifiers")
    )
    kept = len(known.words & said.words)
    return (
        is_exact
        and said.words <= known.words | _FRAME
        and kept >= _MIN_KEPT_WORDS * len(known.words)
        and find_proper_names(content) == find_proper_names(source)
        and not are_opposed(said, known)
    )


def is_drawn_from(content: str, parents: Iterable[str]) -> bool:
    """Whether a conclusion is made mostly of its parents' words.

    It brings in no number, identifier or name of its own.
    """
    said, given = read_features(content), [read_features(parent) for parent in parents]
    numbers, identifiers, words = (
        _unite_feature(given, part) for part in ("numbers", "identifiers", "words")
    )
    if not said.words or not (said.numbers <= numbers and said.identifiers <= identifiers):
        return False
    told = {name.lower() for parent in parents for name in _NAME.findall(parent)}
    return find_proper_names(content) <= told and len(
        said.words & words
    ) >= _MIN_SHARED_WORDS * len(said.words)


def find_proper_names(text: str) -> frozenset[str]:
    """The words with a capital letter that does not come from their position in a sentence."""
    found = set()
    for sentence in _SENTENCE.split(text):
        for place, word in enumerate(_NAME.findall(sentence)):
            if any(letter.isupper() for letter in (word[1:] if place == 0 else word)):
                found.add(word.lower())
    return frozenset(found - {"i"})


def _unite_feature(parts: Iterable[Features], name: str) -> frozenset[str]:
    return frozenset().union(*(getattr(part, name) for part in parts))


def _is_subsequence(words: list[str], source: tuple[str, ...]) -> bool:
    """Whether the words stand in the source in this order."""
    rest = iter(source)
    return all(word in rest for word in words)
