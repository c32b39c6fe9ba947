"""Whether two statements are one fact, so that one of them may stand for both. Pure and symmetric.

A wrong merge loses a fact, so what tells facts apart must agree to the letter: numbers, names with signs in them, conditions, polarity, no
opposites. Then a short statement may say a little more than its twin but nothing else instead, with the same roles; a long one may put
some of it in other words, if no thing or name stands where another stood and the two are near in sense.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from memctl.consolidate.english_words import IRREGULAR
from memctl.consolidate.features import Features, are_opposed, read_features, sum_weights
from memctl.consolidate.lexicon import BE_FORMS
from memctl.consolidate.words import (
    LONGEST,
    is_manner_adverb,
    is_number,
    list_numbers,
    split_words,
    to_canonical,
)
from memctl.text.normalize import normalise
from memctl.text.stop_words import COMPARISON_STOP_WORDS, NEGATIONS, word_set

# What a statement may say more than its twin, as a share of what both say and as a weight; and how many words make a long one.
_MORE, _MOST_MORE, _LONG = 0.22, 2.9, 9
_PARTICLE = 0.4
# Fitted on news sentences: how near in sense a long statement must be and how alike in words, or only how alike where the first is not
# known; and how many words may stand on one side of a place and not on the other.
_NEAR, _ALIKE_WHEN_NEAR, _SPAN_WHEN_NEAR = 0.87, 0.5, 2
_OVERLAP, _ALIKE, _SPAN = 0.75, 0.6, 1
_MOST_WORDS = 200

_LIGHT = frozenset(
    map(to_canonical, ("which", "who", "group", "together", "made", "one", "colored", "area"))
)
_AUXILIARIES = BE_FORMS | word_set("to will would could should can may might has have had")
_WHICH = word_set("which who that")
_SAID = frozenset(
    map(to_canonical, ("say", "tell", "add", "report", "call", "note", "warn", "accord"))
)
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w'&.-]*\w")


def is_one_fact(a: str, b: str, nearness: float | None = None) -> bool:
    """May the two be merged into one? `nearness` is the cosine of their embeddings where it is known."""
    if normalise(a) == normalise(b):
        return True
    if max(len(a), len(b)) > LONGEST:
        return False
    one, other = read_features(a), read_features(b)
    if not _details_agree(one, other) or list_numbers(split_words(a)) != list_numbers(
        split_words(b)
    ):
        return False
    return _twins(a, b, one, other) or _retold(a, b, one, other, nearness)


def _details_agree(one: Features, other: Features) -> bool:
    if (
        one.numbers != other.numbers
        or one.identifiers != other.identifiers
        or one.qualifiers != other.qualifiers
    ):
        return False
    return one.negations == other.negations and not are_opposed(one, other)


def _is_manner(word: str) -> bool:
    """Does the canonical word say nothing, or only in which manner (`carefully`)?"""
    return word in _LIGHT or is_manner_adverb(word)


def _twins(a: str, b: str, one: Features, other: Features) -> bool:
    """Do they say the same with the same roles, one of them perhaps a little more?"""
    left, right = (
        frozenset(word for word in side.words if not _is_manner(word)) for side in (one, other)
    )
    shared, more = (
        sum_weights(left & right),
        sum_weights(left ^ right) + _PARTICLE * len(one.particles ^ other.particles),
    )
    if not (left <= right or right <= left) or not shared or more > min(_MORE * shared, _MOST_MORE):
        return False
    return _same_roles(a, b, left & right, one.passive, other.passive)


def _same_roles(a: str, b: str, shared: frozenset[str], passive: bool, also: bool) -> bool:
    if passive != also:
        return _done_by_the_same(a, b) if passive else _done_by_the_same(b, a)
    one, other = (
        [word for word in dict.fromkeys(arranged(text)) if word in shared] for text in (a, b)
    )
    if one == other or not other or not one:
        return True
    turn = other.index(one[0])
    return (
        len(one) > 2 and NEGATIONS.isdisjoint(split_words(a)) and one == other[turn:] + other[:turn]
    )


def _done_by_the_same(passive: str, active: str) -> bool:
    """Does who acts in the passive voice come first in the active one, and what is acted on after that?"""
    tokens, order = split_words(passive), arranged(active)
    by, be = tokens.index("by"), next(n for n, token in enumerate(tokens) if token in BE_FORMS)
    if be > by:
        return False
    things, doers = (
        {to_canonical(token) for token in tokens[:be]},
        {to_canonical(token) for token in tokens[by:]},
    )
    acted, acting = (
        [n for n, word in enumerate(order) if word in words] for words in (things, doers)
    )
    return bool(acted and acting) and acting[0] < acted[0]


@lru_cache(maxsize=4096)
def arranged(text: str) -> tuple[str, ...]:
    """The canonical content words, `retention of logs` in the order of `log retention`, `a dog which is black` in that of `a black dog`."""
    tokens = _commanded(split_words(text)[:_MOST_WORDS])
    for place in range(len(tokens) - 1, 0, -1):
        if tokens[place] == "of":
            tokens = _turned(tokens, place, place + 1)
        elif (
            tokens[place] in _WHICH
            and tokens[place + 1 : place + 2]
            and tokens[place + 1] in BE_FORMS
        ):
            tokens = _turned(tokens, place, place + 2)
    return tuple(
        to_canonical(token)
        for token in tokens
        if token not in COMPARISON_STOP_WORDS and token not in NEGATIONS and not is_number(token)
    )


def _commanded(tokens: list[str]) -> list[str]:
    """`Secrets are never committed` in the order of `never commit secrets`, where nobody is named who does it."""
    for place in range(1, len(tokens) - 1):
        if tokens[place] in BE_FORMS and "by" not in tokens:
            at = next(
                (
                    n
                    for n in (place + 1, place + 2)
                    if n < len(tokens) and _is_participle(tokens[n])
                ),
                0,
            )
            return [tokens[at], *tokens[:at], *tokens[at + 1 :]] if at else tokens
    return tokens


def _is_participle(token: str) -> bool:
    return token.endswith("ed") or token in IRREGULAR


def _turned(tokens: list[str], place: int, after: int) -> list[str]:
    """The tokens with what stands behind a link word put before what stands in front of it."""
    start, end = place, after
    while start and tokens[start - 1] not in COMPARISON_STOP_WORDS:
        start -= 1
    while (
        end < len(tokens) and tokens[end] in COMPARISON_STOP_WORDS and tokens[end] not in BE_FORMS
    ):
        end += 1
    last = end
    while last < len(tokens) and tokens[last] not in COMPARISON_STOP_WORDS:
        last += 1
    return tokens[:start] + tokens[end:last] + tokens[start:place] + tokens[last:]


def _retold(a: str, b: str, one: Features, other: Features, nearness: float | None) -> bool:
    """Is a long statement told again, in parts in other words?"""
    if (
        min(len(one.words), len(other.words)) < _LONG
        or max(a.count(" "), b.count(" ")) > _MOST_WORDS
    ):
        return False
    if _other_names(a, b, one, other) or _other_things(a, b) or _other_order(a, b, one, other):
        return False
    if nearness is not None:
        return (
            nearness >= _NEAR
            and _alike(a, b) >= _ALIKE_WHEN_NEAR
            and _longest_addition(one, other) <= _SPAN_WHEN_NEAR
        )
    shared, told = (
        sum_weights(one.words & other.words),
        sum_weights(one.words) + sum_weights(other.words),
    )
    return (
        2 * shared >= _OVERLAP * told
        and _alike(a, b) >= _ALIKE
        and _longest_addition(one, other) <= _SPAN
    )


def _longest_addition(one: Features, other: Features) -> int:
    """By how many content words, that the other side has nowhere, one side says more in one place."""
    left, right = one.sequence, other.sequence
    return max(
        abs(
            sum(word not in other.words for word in left[start:end])
            - sum(word not in one.words for word in right[at:until])
        )
        for _, start, end, at, until in _differences(left, right)
    )


def _differences(
    left: Sequence[str], right: Sequence[str]
) -> Sequence[tuple[str, int, int, int, int]]:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, left, right, autojunk=False).get_opcodes()


def _alike(a: str, b: str) -> float:
    """The share of the words that both have in the same order."""
    left, right = normalise(a).split(), normalise(b).split()
    same = sum(
        end - start for kind, start, end, _, _ in _differences(left, right) if kind == "equal"
    )
    return same / max(len(left), len(right))


def _other_names(a: str, b: str, one: Features, other: Features) -> bool:
    """Does each side name somebody or something that the other does not?"""
    return bool(_names(a) - other.words) and bool(_names(b) - one.words)


def _other_order(a: str, b: str, one: Features, other: Features) -> bool:
    """Do the names that both have stand in another order? Who is only quoted may be named before or after what was said."""
    names = (_names(a) | _names(b)) & one.words & other.words
    left, right = _in_order_of(one.sequence, names), _in_order_of(other.sequence, names)
    once = {word for word in names if left.count(word) == right.count(word) == 1}
    return [word for word in left if word in once] != [word for word in right if word in once]


def _in_order_of(words: Sequence[str], names: frozenset[str]) -> list[str]:
    return [
        word
        for n, word in enumerate(words)
        if word in names and _SAID.isdisjoint(words[max(0, n - 3) : n + 4])
    ]


@lru_cache(maxsize=4096)
def _names(text: str) -> frozenset[str]:
    """The words that are written as names inside of the text."""
    return frozenset(
        to_canonical(token) for name in _NAME.findall(text) for token in normalise(name).split()
    )


def _other_things(a: str, b: str) -> bool:
    """Does one thing stand where the other side has another, all around being the same? A verb may have another in its place."""
    left, right = _marked(a), _marked(b)
    words, others = [word for word, _ in left], [word for word, _ in right]
    moved: set[str] = set()
    for kind, start, end, at, until in _differences(words, others):
        mine, theirs = words[start:end], others[at:until]
        if kind == "equal":
            continue
        if _is_inside(start, end, words) or _is_inside(at, until, others):
            moved |= (
                {kind}
                if all(words.count(word) == others.count(word) for word in (*mine, *theirs))
                else set()
            )
        alone = (
            end - start == until - at == 1
            and words[start] not in others
            and others[at] not in words
        )
        if alone and not (left[start][1] and right[at][1]):
            return True
    # A clause may move to an end of the sentence; two things that change places within it are two other things.
    return "replace" in moved or {"insert", "delete"} <= moved


def _is_inside(start: int, end: int, words: Sequence[str]) -> bool:
    return start < end and start > 0 and end < len(words)


@lru_cache(maxsize=4096)
def _marked(text: str) -> tuple[tuple[str, bool], ...]:
    """The canonical content words, each with whether it looks like a verb."""
    return tuple(
        (
            to_canonical(token),
            before in _AUXILIARIES or token in IRREGULAR or token.endswith(("ed", "ing")),
        )
        for before, token in pairwise(["", *split_words(text)])
        if not (token in COMPARISON_STOP_WORDS or token in NEGATIONS or is_number(token))
    )
