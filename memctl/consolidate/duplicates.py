"""Whether two statements are one fact, so that one of them may stand for both. Pure and symmetric.

A wrong merge loses a fact, so what tells facts apart must agree to the letter: numbers, names with
signs in them, conditions, polarity, no opposites. Beyond that a short statement may say a little
more than the other but nothing else instead, with the same roles. A long one may put some of it in
other words, if no thing or name stands where another stood and the two are semantically similar.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from memctl.consolidate.english_words import IRREGULAR
from memctl.consolidate.features import (
    Features,
    have_same_details,
    is_rotation,
    read_features,
    sum_weights,
)
from memctl.consolidate.giving_up import gives_something_up
from memctl.consolidate.lexicon import BE_FORMS
from memctl.consolidate.words import (
    LONGEST,
    is_manner_adverb,
    is_number,
    list_numbers,
    split_words,
    to_canonical,
    to_canonical_set,
)
from memctl.core.lazy_pattern import compile_later
from memctl.text.normalize import normalise
from memctl.text.stop_words import COMPARISON_STOP_WORDS, NEGATIONS, word_set

# Longer texts are not compared word by word, in words.
_MOST_WORDS = 200
# What one statement may say more: as a share of what both say, and at most, as a weight. By hand.
_MOST_MORE_SHARE = 0.22
_MOST_MORE = 2.9
_PARTICLE_WEIGHT = 0.4
# How many content words make a long statement.
_LONG = 9

# The rest was tuned on news sentences (MSRP). Where the cosine of two long statements is known: the
# least cosine, the least share of words in the same order, and how many words one side may add in
# one place.
_LEAST_COSINE = 0.87
_LEAST_ALIKE_WHEN_NEAR = 0.5
_MOST_ADDED_WHEN_NEAR = 2
# Where it is not known: the least share of weight in common, and the same two limits.
_LEAST_SHARED = 0.75
_LEAST_ALIKE = 0.6
_MOST_ADDED = 1
# How far a verb of saying may stand from the name of who is quoted, in words.
_QUOTING_SPAN = 3

# Words without weight of their own.
_LIGHT = to_canonical_set(word_set("which who group together made one colored area"))
_AUXILIARIES = BE_FORMS | word_set("to will would could should can may might has have had")
_RELATIVES = word_set("which who that")
_SAYING = to_canonical_set(word_set("say tell add report call note warn accord"))
_NAME = compile_later(r"(?<=[\w,;:] )[A-Z][\w'&.-]*\w")


def has_swapped_numbers(a: str, b: str) -> bool:
    """Do two texts hold the same numbers, but in another order (`from 5 to 30`, `from 30 to 5`)?"""
    one, other = list_numbers(split_words(a)), list_numbers(split_words(b))
    return one != other and set(one) == set(other)


def is_one_fact(a: str, b: str, nearness: float | None = None) -> bool:
    """May the two be merged into one? `nearness` is the cosine of their embeddings, if known."""
    if normalise(a) == normalise(b):
        return True
    if max(len(a), len(b)) > LONGEST:
        return False
    one, other = read_features(a), read_features(b)
    if one.negations != other.negations or not have_same_details(one, other):
        return False
    if list_numbers(split_words(a)) != list_numbers(split_words(b)):
        return False
    if _is_little_more(a, b, one, other):
        return True
    return _may_be_retold(a, b, one, other) and _is_retold(a, b, one, other, nearness)


# -- short statements ----------------------------------------------------------------------------


def _is_little_more(a: str, b: str, one: Features, other: Features) -> bool:
    """Do they say the same with the same roles, one of them perhaps a little more?"""
    left, right = _drop_manner(one.words), _drop_manner(other.words)
    if not (left <= right or right <= left):
        return False
    shared = sum_weights(left & right)
    more = sum_weights(left ^ right) + _PARTICLE_WEIGHT * len(one.particles ^ other.particles)
    if not shared or more > min(_MOST_MORE_SHARE * shared, _MOST_MORE):
        return False
    if gives_something_up(a) != gives_something_up(b):
        return False
    if one.passive != other.passive:
        return _has_same_actor(a, b) if one.passive else _has_same_actor(b, a)
    # A word that says nothing elsewhere may be a name: `make instead of mage`.
    is_all_shared = one.words == other.words
    return _have_same_order(a, b, one.words if is_all_shared else left & right)


def _drop_manner(words: frozenset[str]) -> frozenset[str]:
    """The words without those that say nothing, or only in which manner (`carefully`)."""
    return frozenset(word for word in words - _LIGHT if not is_manner_adverb(word))


def _have_same_order(a: str, b: str, shared: frozenset[str]) -> bool:
    """Do the shared words stand in one order, save for a clause that moved to the front?"""
    one, other = (
        [word for word in dict.fromkeys(arrange_words(text)) if word in shared] for text in (a, b)
    )
    if one == other or not other or not one:
        return True
    return NEGATIONS.isdisjoint(split_words(a)) and is_rotation(one, other)


def _has_same_actor(passive: str, active: str) -> bool:
    """Does who acts in the passive voice come first in the active one, and the object after?"""
    tokens, order = split_words(passive), arrange_words(active)
    by = tokens.index("by")
    be = next(n for n, token in enumerate(tokens) if token in BE_FORMS)
    if be > by:
        return False
    acted_on = _list_positions(order, tokens[:be])
    acting = _list_positions(order, tokens[by:])
    return bool(acted_on and acting) and acting[0] < acted_on[0]


def _list_positions(order: Sequence[str], tokens: Sequence[str]) -> list[int]:
    words = to_canonical_set(tokens)
    return [n for n, word in enumerate(order) if word in words]


@lru_cache(maxsize=16384)
def arrange_words(text: str) -> tuple[str, ...]:
    """The canonical content words in one order, however they are linked.

    `retention of logs` stands in the order of `log retention`, `a dog which is black` in that of
    `a black dog`.
    """
    tokens = _put_verb_first(split_words(text)[:_MOST_WORDS])
    for at in range(len(tokens) - 1, 0, -1):
        if tokens[at] == "of":
            tokens = _swap_around(tokens, at, at + 1)
        elif tokens[at] in _RELATIVES and tokens[at + 1 : at + 2] and tokens[at + 1] in BE_FORMS:
            tokens = _swap_around(tokens, at, at + 2)
    return tuple(to_canonical(token) for token in tokens if _is_content(token))


def _is_content(token: str) -> bool:
    if token in COMPARISON_STOP_WORDS or token in NEGATIONS:
        return False
    return not is_number(token)


def _put_verb_first(tokens: list[str]) -> list[str]:
    """`Secrets are never committed` in the order of `never commit secrets`, if nobody is named."""
    if "by" in tokens:
        return tokens
    for be in range(1, len(tokens) - 1):
        if tokens[be] in BE_FORMS:
            verb = next((n for n in (be + 1, be + 2) if _is_participle(tokens[n : n + 1])), 0)
            return [tokens[verb], *tokens[:verb], *tokens[verb + 1 :]] if verb else tokens
    return tokens


def _is_participle(tokens: Sequence[str]) -> bool:
    return any(token.endswith("ed") or token in IRREGULAR for token in tokens)


def _swap_around(tokens: list[str], link: int, after: int) -> list[str]:
    """Put what stands behind a link word (`link` to `after`) before what stands in front of it."""
    start, end = link, after
    while start and tokens[start - 1] not in COMPARISON_STOP_WORDS:
        start -= 1
    while end < len(tokens) and tokens[end] in COMPARISON_STOP_WORDS - BE_FORMS:
        end += 1
    last = end
    while last < len(tokens) and tokens[last] not in COMPARISON_STOP_WORDS:
        last += 1
    return tokens[:start] + tokens[end:last] + tokens[start:link] + tokens[last:]


# -- long statements -----------------------------------------------------------------------------


def _may_be_retold(a: str, b: str, one: Features, other: Features) -> bool:
    """Are both long, with the same things and the same names in the same order?"""
    if min(len(one.words), len(other.words)) < _LONG:
        return False
    if max(a.count(" "), b.count(" ")) > _MOST_WORDS:
        return False
    if _has_other_names(a, b, one, other) or _has_other_things(a, b):
        return False
    return not _has_other_name_order(a, b, one, other)


def _is_retold(a: str, b: str, one: Features, other: Features, nearness: float | None) -> bool:
    """Is it told again, in parts in other words?"""
    added = _count_added(one, other)
    if nearness is not None:
        is_near = nearness >= _LEAST_COSINE and added <= _MOST_ADDED_WHEN_NEAR
        return is_near and _measure_alike(a, b) >= _LEAST_ALIKE_WHEN_NEAR
    shared = 2 * sum_weights(one.words & other.words)
    if shared < _LEAST_SHARED * (sum_weights(one.words) + sum_weights(other.words)):
        return False
    return added <= _MOST_ADDED and _measure_alike(a, b) >= _LEAST_ALIKE


def _count_added(one: Features, other: Features) -> int:
    """The most words that one side adds in one place and the other has nowhere."""
    most = 0
    for _, start, end, at, until in _compare_sequences(one.sequence, other.sequence):
        added = sum(word not in other.words for word in one.sequence[start:end])
        removed = sum(word not in one.words for word in other.sequence[at:until])
        most = max(most, abs(added - removed))
    return most


def _compare_sequences(
    left: Sequence[str], right: Sequence[str]
) -> Sequence[tuple[str, int, int, int, int]]:
    from difflib import SequenceMatcher  # here, because few pairs are compared so closely

    return SequenceMatcher(None, left, right, autojunk=False).get_opcodes()


def _measure_alike(a: str, b: str) -> float:
    """The share of the words that both have in the same order, 0..1."""
    left, right = normalise(a).split(), normalise(b).split()
    same = sum(
        end - start for kind, start, end, _, _ in _compare_sequences(left, right) if kind == "equal"
    )
    return same / max(len(left), len(right))


@lru_cache(maxsize=4096)
def _list_names(text: str) -> frozenset[str]:
    """The words that are written as names inside of the text."""
    return to_canonical_set(
        token for name in _NAME.findall(text) for token in normalise(name).split()
    )


def _has_other_names(a: str, b: str, one: Features, other: Features) -> bool:
    """Does each side name somebody or something that the other does not?"""
    return bool(_list_names(a) - other.words) and bool(_list_names(b) - one.words)


def _has_other_name_order(a: str, b: str, one: Features, other: Features) -> bool:
    """Do the names that both have stand in another order?

    Who is only quoted may be named before or after what was said.
    """
    names = (_list_names(a) | _list_names(b)) & one.words & other.words
    left, right = _order_names(one.sequence, names), _order_names(other.sequence, names)
    once = {word for word in names if left.count(word) == right.count(word) == 1}
    return [word for word in left if word in once] != [word for word in right if word in once]


def _order_names(words: Sequence[str], names: frozenset[str]) -> list[str]:
    return [
        word
        for n, word in enumerate(words)
        if word in names
        and _SAYING.isdisjoint(words[max(0, n - _QUOTING_SPAN) : n + _QUOTING_SPAN + 1])
    ]


def _has_other_things(a: str, b: str) -> bool:
    """Does one thing stand where the other side has another, or have two things changed places?

    A verb may have another in its place, and a clause may move to an end of the sentence.
    """
    left, right = _mark_verbs(a), _mark_verbs(b)
    words, others = [word for word, _ in left], [word for word, _ in right]
    moves: set[str] = set()
    for kind, start, end, at, until in _compare_sequences(words, others):
        if kind == "equal":
            continue
        if _is_inside(start, end, words) or _is_inside(at, until, others):
            changed = (*words[start:end], *others[at:until])
            if all(words.count(word) == others.count(word) for word in changed):
                moves.add(kind)
        if end - start == until - at == 1:
            is_new = words[start] not in others and others[at] not in words
            if is_new and not (left[start][1] and right[at][1]):
                return True
    return "replace" in moves or {"insert", "delete"} <= moves


def _is_inside(start: int, end: int, words: Sequence[str]) -> bool:
    return 0 < start < end < len(words)


@lru_cache(maxsize=4096)
def _mark_verbs(text: str) -> tuple[tuple[str, bool], ...]:
    """The canonical content words, each with whether it looks like a verb."""
    return tuple(
        (
            to_canonical(token),
            before in _AUXILIARIES or token in IRREGULAR or token.endswith(("ed", "ing")),
        )
        for before, token in pairwise(["", *split_words(text)])
        if _is_content(token)
    )
