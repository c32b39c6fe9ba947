"""Whether two statements cannot both be so because one denies what the other affirms, or says the contrary of it. Pure and symmetric.

Who affirms much affirms each part of it, and who denies a little denies all that holds it: so all that is *denied* must be found in what
is affirmed, as the same word, a like one or a kind of it, while what is affirmed may say more. Numbers, names and conditions are no
matter of degree: where they do not fit, the two stand apart.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from memctl.consolidate.english_words import BROADER, CONTRARIES, PHRASAL_CONTRARIES
from memctl.consolidate.features import Features, sum_weights
from memctl.consolidate.lexicon import PARTIAL
from memctl.consolidate.prepare import PreparedStatement
from memctl.consolidate.similarity import is_one_sentence
from memctl.consolidate.words import map_opposites, split_words, to_canonical, to_canonical_set
from memctl.text.stop_words import NEGATIONS, word_set

# The share of the weight of what is denied that must be found in what is affirmed, and of each side for contraries.
_FOUND = 0.85
# How much more than what is denied may be affirmed, for the denial of a doing or of all cases, and for any other.
_MORE, _LITTLE_MORE = 1.6, 0.2
_IN_ORDER = 0.6
_LONGEST = 60

# Words that count, without saying under which conditions.
_COUNTS = word_set("some all every any most half almost maybe once")
_ABSENT = word_set("no none nobody nothing")
_EMPTY = to_canonical_set(("anymore", "longer", "now", "currently", "still", "again", "already"))
_ABOUT_NOBODY = to_canonical_set(("one", "person", "anybody", "anyone", "people"))


def _closure(word: str, seen: set[str]) -> set[str]:
    for above in BROADER.get(word, ()):
        if above not in seen:
            seen.add(above)
            _closure(above, seen)
    return seen


_ABOVE = {to_canonical(word): to_canonical_set(_closure(word, set())) for word in BROADER}
_CONTRARY = map_opposites(CONTRARIES)


def _joined(phrase: str) -> str:
    verb, _, particle = phrase.partition("-")
    return f"{to_canonical(verb)}-{particle}"


_PHRASAL = map_opposites((_joined(one), _joined(other)) for one, other in PHRASAL_CONTRARIES)
_PARTICLES = frozenset(pair.partition("-")[2] for two in PHRASAL_CONTRARIES for pair in two)


def contradict(a: PreparedStatement, b: PreparedStatement) -> bool:
    """Does one deny the other, or say its contrary?"""
    one, other = a.core, b.core
    if max(len(one.sequence), len(other.sequence)) > _LONGEST or not one.words or not other.words:
        return False
    if not one.negations and not other.negations:
        return _contrary(a.plain, b.plain, one, other)
    if _affirms_what_is_denied(a, b) or _affirms_what_is_denied(b, a):
        return True
    return (one.negations - other.negations) % 2 == 1 and is_one_sentence(one, other)


def _affirms_what_is_denied(a: PreparedStatement, b: PreparedStatement) -> bool:
    if a.core.negations or not b.core.negations:
        return False
    return _denied(a.plain, a.core, b.plain, b.core)


def _denied(affirming: str, affirmed: Features, denying: str, denied: Features) -> bool:
    """Is all that is denied among what is affirmed? What a thing is said to be without (`a man with no hat`) is not denied of the whole."""
    if _lacks(denying):
        return False
    absent = _denies_all(denying)
    core = denied.words - _EMPTY - (_ABOUT_NOBODY if absent else _EMPTY)
    if not core or not _same_conditions(affirmed, denied, absent):
        return False
    left = frozenset(word for word in core if not _found(word, affirmed.words))
    total, missing = sum_weights(core), sum_weights(left)
    if missing > (1 - _FOUND) * total or not _in_one_order(affirmed, denied):
        return False
    more = sum_weights(frozenset(word for word in affirmed.words if not _finds(word, denied.words)))
    return more <= total * (
        _MORE if absent or (_tells(affirming) and _tells(denying)) else _LITTLE_MORE
    )


def _same_conditions(affirmed: Features, denied: Features, absent: bool) -> bool:
    if not denied.numbers <= affirmed.numbers or not denied.identifiers <= affirmed.identifiers:
        return False
    if not absent and (affirmed.identifiers != denied.identifiers or PARTIAL & affirmed.qualifiers):
        return False
    return affirmed.qualifiers - _COUNTS == denied.qualifiers - _COUNTS


def _contrary(a: str, b: str, one: Features, other: Features) -> bool:
    """Do the two agree but for one word, whose contrary the other says?"""
    if (
        one.numbers != other.numbers
        or one.identifiers != other.identifiers
        or one.qualifiers != other.qualifiers
    ):
        return False
    if PARTIAL & one.qualifiers:
        return False
    only, others = one.words - other.words, other.words - one.words
    pairs = [(word, rival) for word in only for rival in _CONTRARY.get(word, frozenset()) & others]
    turned = bool(
        _phrasal(a) and any(_PHRASAL.get(verb, frozenset()) & _phrasal(b) for verb in _phrasal(a))
    )
    if not pairs and not turned:
        return False
    verbs = _phrasal(a) | _phrasal(b) if turned else frozenset()
    said = {word for pair in pairs for word in pair} | {
        part for verb in verbs for part in verb.split("-")
    }
    return _agree(one, other, said) and _agree(other, one, said) and _in_one_order(one, other)


def _agree(one: Features, other: Features, said: set[str]) -> bool:
    rest = one.words - said
    missing = frozenset(
        word for word in rest if not _found(word, other.words) and not _finds(word, other.words)
    )
    return bool(rest) and sum_weights(missing) <= (1 - _FOUND) * sum_weights(rest)


def _found(word: str, words: frozenset[str]) -> bool:
    """Is the word, or a kind of it, among the words?"""
    return word in words or any(word in _ABOVE.get(each, ()) for each in words)


def _finds(word: str, words: frozenset[str]) -> bool:
    """Is the word, or what it is a kind of, among the words?"""
    return word in words or not _ABOVE.get(word, frozenset()).isdisjoint(words)


@lru_cache(maxsize=2048)
def _phrasal(text: str) -> frozenset[str]:
    """The verbs with a particle behind them, as one word each."""
    return frozenset(
        f"{to_canonical(verb)}-{after}"
        for verb, after in pairwise(split_words(text))
        if after in _PARTICLES
    )


@lru_cache(maxsize=2048)
def _denies_all(text: str) -> bool:
    """Is it said that nothing and nobody does it (`there is no`, `nobody`), or not any more?"""
    tokens = split_words(text)
    start = tokens[:3]
    if "anymore" in tokens or ("no", "longer") in pairwise(tokens):
        return True
    return not _ABSENT.isdisjoint(start) and (start[0] in _ABSENT or start[0] == "there")


@lru_cache(maxsize=2048)
def _lacks(text: str) -> bool:
    """Is all that is denied something that a thing is without?"""
    tokens = split_words(text)
    denials = [
        before
        for before, token in pairwise(["", *tokens])
        if token in NEGATIONS and token != "without"
    ]
    return all(before == "with" for before in denials) and ("without" in tokens or bool(denials))


@lru_cache(maxsize=2048)
def _tells(text: str) -> bool:
    """Does it tell what is going on (`is running`), rather than what is or shall be?"""
    tokens = split_words(text)
    going = (
        any(len(after) > 5 and after.endswith("ing") for after in tokens[place + 1 : place + 4])
        for place, token in enumerate(tokens)
        if token in ("is", "are")
    )
    return any(going) or tokens[:1] == ["there"]


def _in_one_order(one: Features, other: Features) -> bool:
    """Do the shared words stand in much the same order? Of an active and a passive voice it is not asked."""
    shared = one.words & other.words
    left = list(dict.fromkeys(word for word in one.sequence if word in shared))
    right = {
        word: place
        for place, word in enumerate(
            dict.fromkeys(word for word in other.sequence if word in shared)
        )
    }
    if one.passive != other.passive or len(left) < 2:
        return True
    return _longest_rise([right[word] for word in left]) >= _IN_ORDER * len(left)


def _longest_rise(places: list[int]) -> int:
    """The length of the longest run of rising places, with gaps."""
    best: list[int] = []
    for n, place in enumerate(places):
        best.append(1 + max((best[m] for m in range(n) if places[m] < place), default=0))
    return max(best, default=0)
