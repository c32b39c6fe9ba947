"""Whether what two statements say of one topic is the same answer, or excludes the other. Pure.

Topics must be the same set of words: one word more may be another component, environment or case, and then both can hold. Only words that
announce a change may leave out what everybody knows, or name the answer that they turn down.
"""

from __future__ import annotations

import re

from memctl.consolidate.answer_types import (
    RANGES,
    essence,
    exclusive,
    is_plain,
    kind_of,
    opposed,
    same_answer,
)
from memctl.consolidate.claim_parser import SINGLE, Said, root_of, said
from memctl.consolidate.lexicon import ADDITIVE_WORDS, MONTHS, PARTIAL, QUALIFIERS, SLOTS
from memctl.consolidate.similarity import (
    canonical,
    canonical_set,
    features,
    is_number,
    numbers_of,
    tokens_of,
    weight,
)
from memctl.core.frozen import replace
from memctl.text.normalize import word_set

# Verbs that ask for one answer, whatever words the answer is in.
_ONE_ANSWER = canonical_set(
    ("written", "stored", "kept", "built", "served", "hosted", "located", "works", "lives")
)
_STRICT = frozenset(slot.name for slot in SLOTS if slot.strict)
_SHORT = 3
_NOW = word_set("now currently today please here")
_WIDENING = QUALIFIERS - {"only", "all", "every", "while", "before", "after"}


def same(a: str, b: str) -> bool:
    """Do the two give one topic one answer, and say nothing else?"""
    one, other = _read(a, b)
    if one is None or other is None or not (one.whole and other.whole) or one.holds != other.holds:
        return False
    if (
        not _one_question(one, other)
        or not same_answer(one.value, other.value)
        or not _verbs_agree(one, other)
    ):
        return False
    if one.rejects and other.rejects and not same_answer(one.rejects, other.rejects):
        return False
    return _conditions(a) == _conditions(b) and _details(a, one) == _details(b, other)


def _read(a: str, b: str) -> tuple[Said | None, Said | None]:
    """What the two say; where one says a thing with its version (`postgres 16`), the thing is the topic and the version the answer."""
    one, other = said(a), said(b)
    if one is None or other is None or _is_release(one) == _is_release(other):
        return one, other
    return _by_version(one), _by_version(other)


def _by_version(one: Said) -> Said:
    named = frozenset({root_of(one.value[0])}) if _is_release(one) else frozenset()
    topic = (one.topic | named) - _KINDS
    return replace(
        one, topic=topic or one.topic, value=one.value[1:] if named else one.value, verb=""
    )


def _is_release(one: Said) -> bool:
    return len(one.value) == 2 and _is_named(one) and one.value[1][-1].isdigit()


def _details(text: str, told: Said) -> frozenset[str]:
    """The numbers and marked names in a statement, without those that it turns down."""
    found = features(text)
    marked = frozenset(word for word in found.identifiers if any(sign.isalnum() for sign in word))
    return (found.numbers | marked) - numbers_of(list(told.rejects)) - frozenset(told.rejects)


def excludes(a: str, b: str, *, one_subject: bool = False) -> bool:
    """Can the two not both hold? `one_subject` where both are known to be about the same thing."""
    one, other = _read(a, b)
    if _conditions(a) != _conditions(b) or _conditions(a) & PARTIAL:
        return False
    if _replaces_what_is_in(one, b) or _replaces_what_is_in(other, a):
        return True
    if one is None or other is None:
        return False
    if same_answer(one.value, other.value) or not (one.holds or other.holds):
        return (
            one.holds != other.holds
            and same_answer(one.value, other.value)
            and _one_topic(one, other)
        )
    if not (one.holds and other.holds):
        return False
    if _turns_down(one, other) or _turns_down(other, one):
        return True
    if not (
        _one_topic(one, other) or (one_subject and _near_topics(one, other))
    ) or not _verbs_agree(one, other):
        return False
    return exclusive(one.value, other.value) and _has_one_answer(one, other)


def other_measure(a: str, b: str) -> bool:
    """Are the two one sentence, but for another number of the same unit (`every 10 seconds`, `every 30 seconds`)?"""
    one, other = features(a), features(b)
    if (
        one.sequence != other.sequence
        or one.negations != other.negations
        or one.qualifiers != other.qualifiers
    ):
        return False
    if one.identifiers != other.identifiers or (one.qualifiers | frozenset(tokens_of(a))) & (
        PARTIAL | ADDITIVE_WORDS
    ):
        return False
    mine, theirs = one.numbers - other.numbers, other.numbers - one.numbers
    if len(mine) != 1 or len(theirs) != 1 or len(one.numbers) != len(other.numbers):
        return False
    units = {number.lstrip("0123456789.:,$€£") for number in mine | theirs}
    if _bounds(a) != _bounds(b):
        return False
    return len(units) == 1 and (
        units != {""}
        or (_counted(a, mine) is not None and _counted(a, mine) == _counted(b, theirs))
    )


def _bounds(text: str) -> list[str]:
    """The words that bound a number instead of telling it."""
    return [token for token in tokens_of(text) if token in RANGES]


def _counted(text: str, numbers: frozenset[str]) -> str | None:
    """What there is a number of (`5 times`): many, in the last word, right after the only number; else it may be a name (`room 5`)."""
    tokens = [token for token in tokens_of(text) if token not in _NOW]
    if len(tokens) < _SHORT or tokens[-2] not in numbers or sum(map(is_number, tokens)) != 1:
        return None
    return canonical(tokens[-1]) if tokens[-1].endswith("s") and len(tokens[-1]) > _SHORT else None


def updates(newer: str, older: str) -> bool:
    """Do the words of the one say that they replace what the other says?"""
    one, other = said(newer), said(older)
    return (
        one is not None
        and one.update
        and (other is None or not other.update or _turns_down(one, other))
    )


# The month, where it is not a permission.
_MAY = re.compile(r"\b[Mm]ay(?= \d)|(?<=\d )[Mm]ay\b")


def _conditions(text: str) -> frozenset[str]:
    tokens = frozenset(tokens_of(_MAY.sub(" ", text)))
    return tokens & (_WIDENING | ADDITIVE_WORDS)


def _verbs_agree(one: Said, other: Said) -> bool:
    return (
        not one.verb
        or not other.verb
        or one.verb == other.verb
        or {one.verb, other.verb} <= _PLACES
        or {one.verb, other.verb} <= _GOING
    )


_GOING = canonical_set(("run", "start", "happen", "take", "go"))
_PLACES = canonical_set(
    (
        "run",
        "listen",
        "bind",
        "serve",
        "expose",
        "live",
        "stored",
        "kept",
        "located",
        "lives",
        "lies",
        "hosted",
        "put",
    )
)


def _one_topic(one: Said, other: Said) -> bool:
    """Is it one question? Who announces a change may name it in other words of the same statement."""
    return _one_question(one, other) or any(
        new.update and _covers(new, old) for new, old in ((one, other), (other, one))
    )


def _one_question(one: Said, other: Said) -> bool:
    """Is the topic the same set of words, save for what kind of thing it is?"""
    if one.topic == other.topic:
        return bool(one.topic) or _one_thing(one, other)
    if _one_thing(one, other) and one.topic | other.topic <= _KINDS:
        return True
    short = not {one.way, other.way}.isdisjoint(("for", "short"))
    return short and bool(one.topic & other.topic) and one.topic ^ other.topic <= SINGLE


def _of_two_things(one: Said, other: Said) -> bool:
    """Are the answers versions of two things, which may well stand side by side?"""
    return (
        len(one.value) == len(other.value) == 2
        and one.value[0] != other.value[0]
        and _is_named(one)
        and _is_named(other)
    )


def _is_named(one: Said) -> bool:
    return one.value[0][0].isalpha() and one.value[1][0].isdigit() and one.value[0] not in MONTHS


def _one_thing(one: Said, other: Said) -> bool:
    """Are both answers versions of one thing (`postgres 16` and `postgres 17`)?"""
    return (
        len(one.value) == len(other.value) == 2
        and one.value[0] == other.value[0]
        and one.value[0].isalpha()
    )


# What a thing with versions can be called.
_KINDS = frozenset(
    map(
        root_of,
        word_set(
            "database language runtime version interpreter engine production project compiler"
        ),
    )
)


def _covers(new: Said, old: Said) -> bool:
    return bool(new.topic) and new.topic < old.topic and old.topic <= new.topic | new.around


def _near_topics(one: Said, other: Said) -> bool:
    """Of one known subject: is the question of the one part of the other's, or is neither named?"""
    return one.topic <= other.topic or other.topic <= one.topic or bool(one.topic & other.topic)


def _turns_down(new: Said, old: Said) -> bool:
    """Does the one name the other's answer as what it is not any more, about a topic that touches the other's?"""
    turned, told = essence(new.rejects), essence(old.value)
    if not turned or not told or not (turned <= told or told <= turned):
        return False
    return not new.topic or not old.topic or bool(new.topic & old.topic)


def _replaces_what_is_in(new: Said | None, older: str) -> bool:
    """Does the one turn down, for its topic, what the other text says of that topic and of hardly anything else?"""
    if new is None or not (new.update and new.rejects and new.topic):
        return False
    old = features(older)
    turned = essence(new.rejects)
    topic = {word for word in old.words if root_of(word) in new.topic}
    if (
        old.negations
        or not topic
        or not turned <= old.words | old.numbers
        or essence(new.value) <= old.words | old.numbers
    ):
        return False
    return sum(weight(word) for word in sorted(old.words - turned - topic)) <= _BESIDE


# How much an older statement may say beside its topic and the answer that is replaced: a word.
_BESIDE = 1.5


def _has_one_answer(one: Said, other: Said) -> bool:
    kind = kind_of(one.value)
    if kind != kind_of(other.value) and not opposed(essence(one.value), essence(other.value)):
        return bool((one.topic | one.asks) & (other.topic | other.asks) & SINGLE)
    if kind.startswith("slot"):
        slot, asked = kind.removeprefix("slot "), one.topic | other.topic
        return (
            slot in _STRICT
            or one.update
            or other.update
            or not asked.isdisjoint(SINGLE | set(map(root_of, slot.split())))
        )
    if not is_plain(one.value) and not _of_two_things(one, other):
        return True
    if opposed(essence(one.value), essence(other.value)):
        return True
    asked = one.topic & other.topic
    return (
        bool(asked & SINGLE)
        or bool(one.asks | other.asks)
        or bool({one.verb, other.verb} & _ONE_ANSWER)
        or "moved" in (one.way, other.way)
        or bool(asked & _ROLES)
        or one.update
        or other.update
    )


_ROLES = frozenset(
    map(root_of, word_set("owner lead leader manager boss maintainer reviewer handler"))
)
