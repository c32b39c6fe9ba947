"""Whether one statement denies what the other affirms, or says the contrary of it. Pure and
symmetric.

Who affirms much affirms each part of it, and who denies a little denies all that holds it. So all
that is *denied* must be found in what is affirmed, as the same word, a like one or a kind of it,
while what is affirmed may say more. Numbers, names and conditions allow no degrees: where they do
not fit, neither statement contradicts the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from memctl.consolidate.english_words import BROADER, CONTRARIES, PHRASAL_CONTRARIES
from memctl.consolidate.features import Features, sum_weights
from memctl.consolidate.lexicon import PARTIAL
from memctl.consolidate.prepare import PreparedStatement
from memctl.consolidate.similarity import is_one_sentence
from memctl.consolidate.words import map_opposites, split_words, to_canonical, to_canonical_set
from memctl.text.stop_words import NEGATIONS, word_set

# Tuned on sentences of everyday scenes (SICK) and on invented pairs.
# The share of the weight of what is denied that must be found in what is affirmed, and of each side
# where one says the contrary.
_LEAST_SHARE_FOUND = 0.85
# How much more may be affirmed than is denied, as a share of its weight: where a doing or all cases
# are denied, and elsewhere.
_MOST_MORE_OF_ALL = 1.6
_MOST_MORE = 0.2
# The share of the common words that must stand in the same order.
_LEAST_IN_ORDER = 0.6
# Longer statements are not compared, in content words.
_LONGEST = 60

# Words that count, without saying under which conditions.
_COUNTS = word_set("some all every any most half almost maybe once")
_ABSENT = word_set("no none nobody nothing")
_EMPTY = to_canonical_set(word_set("anymore longer now currently still again already"))
_ABOUT_NOBODY = to_canonical_set(word_set("one person anybody anyone people"))


def _list_broader(word: str, broader: set[str]) -> set[str]:
    for above in BROADER.get(word, ()):
        if above not in broader:
            broader.add(above)
            _list_broader(above, broader)
    return broader


_BROADER = {to_canonical(word): to_canonical_set(_list_broader(word, set())) for word in BROADER}
_CONTRARIES = map_opposites(CONTRARIES)


def _to_phrasal(phrase: str) -> str:
    verb, _, particle = phrase.partition("-")
    return f"{to_canonical(verb)}-{particle}"


_PHRASAL_CONTRARIES = map_opposites(
    (_to_phrasal(one), _to_phrasal(other)) for one, other in PHRASAL_CONTRARIES
)
_PARTICLES = frozenset(pair.partition("-")[2] for two in PHRASAL_CONTRARIES for pair in two)


def is_contrary(a: PreparedStatement, b: PreparedStatement) -> bool:
    """Does one deny the other, or say its contrary?"""
    one, other = a.core, b.core
    if max(len(one.sequence), len(other.sequence)) > _LONGEST or not one.words or not other.words:
        return False
    if not one.negations and not other.negations:
        return _is_contrary_word_said(a.plain, b.plain, one, other)
    if _is_part_denied(a, b) or _is_part_denied(b, a):
        return True
    return (one.negations - other.negations) % 2 == 1 and is_one_sentence(one, other)


def _is_part_denied(affirming: PreparedStatement, denying: PreparedStatement) -> bool:
    """Is all that the one denies among what the other affirms?

    What a thing is said to be without (`a man with no hat`) is not denied of the whole.
    """
    affirmed, denied = affirming.core, denying.core
    if affirmed.negations or not denied.negations or _lacks_something(denying.plain):
        return False
    is_absent = _denies_all(denying.plain)
    core = denied.words - _EMPTY - (_ABOUT_NOBODY if is_absent else frozenset())
    if not core or not _have_same_conditions(affirmed, denied, is_absent):
        return False
    total = sum_weights(core)
    missing = sum_weights(word for word in core if not _has_word_or_kind(word, affirmed.words))
    if missing > (1 - _LEAST_SHARE_FOUND) * total or not _have_same_order(affirmed, denied):
        return False
    more = sum_weights(
        word for word in affirmed.words if not _has_word_or_broader(word, denied.words)
    )
    is_doing = _tells_what_happens(affirming.plain) and _tells_what_happens(denying.plain)
    return more <= total * (_MOST_MORE_OF_ALL if is_absent or is_doing else _MOST_MORE)


def _have_same_conditions(affirmed: Features, denied: Features, is_absent: bool) -> bool:
    if not denied.numbers <= affirmed.numbers or not denied.identifiers <= affirmed.identifiers:
        return False
    if affirmed.qualifiers - _COUNTS != denied.qualifiers - _COUNTS:
        return False
    if is_absent:
        return True
    return affirmed.identifiers == denied.identifiers and not PARTIAL & affirmed.qualifiers


def _is_contrary_word_said(a: str, b: str, one: Features, other: Features) -> bool:
    """Do the two agree but for one word, whose contrary the other says?"""
    if one.numbers != other.numbers or one.identifiers != other.identifiers:
        return False
    if one.qualifiers != other.qualifiers or PARTIAL & one.qualifiers:
        return False
    contrary = _list_contraries(one, other) | _list_phrasal_contraries(a, b)
    if not contrary:
        return False
    if not _is_found_beside(one, other, contrary) or not _is_found_beside(other, one, contrary):
        return False
    return _have_same_order(one, other)


def _list_contraries(one: Features, other: Features) -> set[str]:
    """The words of one side whose contrary only the other says, with these."""
    words, others = one.words - other.words, other.words - one.words
    contrary: set[str] = set()
    for word in words:
        rivals = _CONTRARIES.get(word, frozenset()) & others
        if rivals:
            contrary |= {word, *rivals}
    return contrary


def _list_phrasal_contraries(a: str, b: str) -> set[str]:
    """The parts of all phrasal verbs, where one side says the contrary of the other's."""
    verbs, others = _list_phrasal_verbs(a), _list_phrasal_verbs(b)
    if all(_PHRASAL_CONTRARIES.get(verb, frozenset()).isdisjoint(others) for verb in verbs):
        return set()
    return {part for verb in verbs | others for part in verb.split("-")}


def _is_found_beside(one: Features, other: Features, contrary: set[str]) -> bool:
    """Is nearly all else that the one says found in the other?"""
    words = one.words - contrary
    missing = [
        word
        for word in words
        if not _has_word_or_kind(word, other.words) and not _has_word_or_broader(word, other.words)
    ]
    return bool(words) and sum_weights(missing) <= (1 - _LEAST_SHARE_FOUND) * sum_weights(words)


def _has_word_or_kind(word: str, words: frozenset[str]) -> bool:
    """Is the word, or a kind of it, among the words?"""
    return word in words or any(word in _BROADER.get(each, ()) for each in words)


def _has_word_or_broader(word: str, words: frozenset[str]) -> bool:
    """Is the word, or what it is a kind of, among the words?"""
    return word in words or not _BROADER.get(word, frozenset()).isdisjoint(words)


@lru_cache(maxsize=2048)
def _list_phrasal_verbs(text: str) -> frozenset[str]:
    """The verbs with a particle behind them, as one word each: `turn-on`."""
    return frozenset(
        f"{to_canonical(verb)}-{after}"
        for verb, after in pairwise(split_words(text))
        if after in _PARTICLES
    )


@lru_cache(maxsize=2048)
def _denies_all(text: str) -> bool:
    """Does it say that nothing and nobody does it (`there is no`, `nobody`), or not any more?"""
    tokens = split_words(text)
    start = tokens[:3]
    if "anymore" in tokens or ("no", "longer") in pairwise(tokens):
        return True
    return not _ABSENT.isdisjoint(start) and (start[0] in _ABSENT or start[0] == "there")


@lru_cache(maxsize=2048)
def _lacks_something(text: str) -> bool:
    """Is all that is denied something that a thing is without?"""
    tokens = split_words(text)
    before_denials = [
        before
        for before, token in pairwise(["", *tokens])
        if token in NEGATIONS and token != "without"
    ]
    if any(before != "with" for before in before_denials):
        return False
    return "without" in tokens or bool(before_denials)


@lru_cache(maxsize=2048)
def _tells_what_happens(text: str) -> bool:
    """Does it tell what is going on (`is running`), rather than what is or shall be?"""
    tokens = split_words(text)
    if tokens[:1] == ["there"]:
        return True
    for at, token in enumerate(tokens):
        if token in ("is", "are") and any(map(_is_progressive, tokens[at + 1 : at + 4])):
            return True
    return False


def _is_progressive(token: str) -> bool:
    return len(token) > 5 and token.endswith("ing")


def _have_same_order(one: Features, other: Features) -> bool:
    """Do the shared words stand in much the same order?

    Of an active and a passive voice it is not asked.
    """
    shared = one.words & other.words
    left = list(dict.fromkeys(word for word in one.sequence if word in shared))
    if one.passive != other.passive or len(left) < 2:
        return True
    right = list(dict.fromkeys(word for word in other.sequence if word in shared))
    positions = [right.index(word) for word in left]
    return _measure_longest_rise(positions) >= _LEAST_IN_ORDER * len(left)


def _measure_longest_rise(positions: Sequence[int]) -> int:
    """The length of the longest run of rising positions, with gaps."""
    best: list[int] = []
    for n, position in enumerate(positions):
        before = (best[m] for m in range(n) if positions[m] < position)
        best.append(1 + max(before, default=0))
    return max(best, default=0)
