"""Whether two statements answer one question, by a learned reading of the pair. Pure.

The slot cosine (memctl/retrieve/slot_vectors.py) says most; a logistic head adds what words show.
It was trained on invented questions (scripts/train), and is right too rarely to retire anything by
itself: it may propose. What a newer statement names as given up is found by aligning the two: the
words that the older one has and its wording for the question does not need.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise

from memctl.consolidate.answers import is_command
from memctl.consolidate.features import Features, read_features, sum_weights
from memctl.consolidate.questions import is_participle, is_preposition
from memctl.consolidate.slot_head import BIAS, CENTRES, WEIGHTS
from memctl.consolidate.words import LONGEST
from memctl.core.lazy_pattern import compile_later

# What the pair is read by, in the order of the weights.
NAMES = (
    "slot cosine",
    "cosine",
    "share of words",
    "numbers on both sides",
    "numbers on one side",
    "a number in common",
    "names the older value",
    "other polarity",
    "slot cosine squared",
)
# Words that are read for what a statement speaks of.
_FIRST_WORDS = 4
# Words that two statements of one frame begin with at least, and of the answer at most.
_LEAST_FRAME = 3
_MOST_ANSWER = 5
# Words before, or after, what a newer statement gives up.
_GIVEN_UP_BEFORE = compile_later(
    r"\b(?:instead of|rather than|in place of|no (?:longer|more)|and not|, not|don't|from|away from"
    r"|off of|drop(?:ped|s|ping)?|ditch(?:ed|es|ing)?|leaving|quit|stop(?:ped)?|gave up(?: on)?"
    r"|giv(?:e|en|ing) up(?: on)?|replac(?:ed|es|ing)|retir(?:ed|es|ing)|remov(?:ed|es|ing)"
    r"|abandon(?:ed|s)?|swapp?(?:ed)?(?: out)?|outgrew|used to be|goodbye(?: to)?|cancel(?:l?ed)?)"
    r"\s+(?:(?:the|our|my|its|an?|ask|at|on|in|to|with|by|via|through|every|be)\s+){0,2}$",
    re.IGNORECASE,
)
_GIVEN_UP_AFTER = compile_later(
    r"^\s*(?:(?:is|are|was|were|has been|have been|got|gets|will be) (?:now )?(?:gone|retired|out"
    r"|dropped|replaced|history|over|dead|removed|discontinued|deprecated|cancell?ed)\b"
    r"|(?:is|are|was|were) (?:no longer|not [^.;]{0,20}any ?more)\b|made way\b"
    r"|(?:any ?more|any ?longer|no more)\b|(?:→|->|=>))",
    re.IGNORECASE,
)
_WORD = compile_later(r"\w[\w.+#/-]*")


def score_pair(older: str, newer: str, slots: float, nearness: float) -> float:
    """How surely two statements answer one question, 0..1, given their two cosines."""
    measured = measure_pair(older, newer, slots, nearness)
    logit = BIAS + sum(
        weight * (value - centre)
        for weight, value, centre in zip(WEIGHTS, measured, CENTRES, strict=True)
    )
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, logit))))


def measure_pair(older: str, newer: str, slots: float, nearness: float) -> tuple[float, ...]:
    """What the head looks at, in the order of `NAMES`."""
    one, other = read_features(older[:LONGEST]), read_features(newer[:LONGEST])
    return (
        slots,
        nearness,
        _share_words(one, other),
        float(bool(one.numbers) and bool(other.numbers)),
        float(bool(one.numbers) != bool(other.numbers)),
        float(not one.numbers.isdisjoint(other.numbers)),
        float(bool(find_given_up(older, newer))),
        float(one.negations % 2 != other.negations % 2),
        slots * slots,
    )


def begin_alike(one: str, other: str) -> bool:
    """Do two statements speak of one thing in their first words?"""
    first = [read_features(" ".join(text.split()[:_FIRST_WORDS])).sequence for text in (one, other)]
    return bool(first[0]) and first[0][:1] == first[1][:1]


def may_answer_one_question(one: str, other: str) -> bool:
    """Whether two statements are not two properties of one thing, as far as their shape tells: they
    begin with different things, or all that leads to the answer is the same.
    """
    return not begin_alike(one, other) or share_frame(one, other)


def share_frame(one: str, other: str) -> bool:
    """Do two statements say the same up to a preposition or participle, and then differ?

    `Requests are signed with RS256` and `requests are signed with EdDSA now` do: what leads to the
    answer is the same. `Is` and `has` lead to anything, and are no frame.
    """
    first, second = _split_plain(one), _split_plain(other)
    many = 0
    while many < min(len(first), len(second)) and first[many] == second[many]:
        many += 1
    rest = first[many:]
    if many < _LEAST_FRAME or not rest or len(rest) > _MOST_ANSWER or not second[many:]:
        return False
    if is_preposition(first[many - 1]):
        return True
    leads = is_preposition(rest[0]), is_preposition(second[many])
    return is_participle(first[many - 1]) and not any(leads)


def _split_plain(text: str) -> list[str]:
    return [word.strip(".,;:!?\"'()").lower() for word in text[:LONGEST].split()]


def find_given_up(older: str, newer: str) -> str | None:
    """What the older statement says and the newer one names as given up; None if nothing.

    `We ditched npm` names `npm` of `Packages are installed with npm`: a word, a number or a name
    that both have, where the newer one puts it behind us.
    """
    one, other = read_features(older[:LONGEST]), newer[:LONGEST]
    told = {word.strip(".").lower() for word in _WORD.findall(older[:LONGEST])}
    for match in _WORD.finditer(other):
        word = match.group().strip(".")
        has_digit = any(char.isdigit() for char in word)
        if not (word.lower() in told if has_digit else _is_in(word, one)):
            continue
        if _is_only_called(word.lower(), older, newer):
            continue
        before, after = other[max(0, match.start() - 40) : match.start()], other[match.end() :]
        if _GIVEN_UP_BEFORE.search(before) or _GIVEN_UP_AFTER.search(after[:60]):
            return word
    return None


def _is_only_called(word: str, older: str, newer: str) -> bool:
    """Does the older one tell a command of a tool (`npm test`), and the newer one the tool only?"""
    one, other = _split_plain(older), _split_plain(newer)
    called = [pair for pair in pairwise(one) if pair[0] == word and is_command(*pair)]
    return len(called) == one.count(word) > 0 and not {*called} & {*pairwise(other)}


def _is_in(word: str, one: Features) -> bool:
    words = read_features(word).words
    return bool(words) and words <= one.words


def _share_words(one: Features, other: Features) -> float:
    """The weighted share of the words of the shorter statement that both have."""
    least = min(sum_weights(one.words), sum_weights(other.words))
    return sum_weights(one.words & other.words) / least if least else 0.0
