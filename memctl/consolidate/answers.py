"""What kind of answer a few words are, and whether two answers exclude each other. Pure.

Kinds are a date, a version, a state and so on. Two answers of one kind exclude each other where the
question has one answer; two of different kinds never do: `the server runs on Linux` and `the server
runs on port 80` answer two questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from memctl.consolidate.english_words import CONTRARIES
from memctl.consolidate.lexicon import ANTONYMS, DIETS, MONTHS, STATES, WEEKDAYS
from memctl.consolidate.words import (
    SLOT_OF,
    find_unit,
    is_number,
    is_unit,
    list_numbers,
    map_opposites,
    to_canonical,
    to_canonical_set,
)
from memctl.core.lazy_pattern import compile_later
from memctl.text.stop_words import COMPARISON_STOP_WORDS, word_set

_TIME = compile_later(r"\d{1,2}:\d\d(?::\d\d)?(?:am|pm)?|\d{1,2}(?:am|pm)")
_ORDINAL = compile_later(r"(\d{1,2})(?:st|nd|rd|th)")
_VERSION = compile_later(r"v?\d+(?:\.\d+)+\w*|v\d+")
_REGION = compile_later(r"[a-z]{2,9}-[a-z]+-?\d{1,2}[a-z]?")
_HOST = compile_later(
    r"[a-z][\w-]*(?:\.[\w-]+)*\.(?:com|net|org|io|dev|cloud|local|internal|lan|example"
    r"|test)(?::\d+)?"
)
_PRIORITY = compile_later(r"p\d")
RANGES = word_set(
    """least most newer older later higher lower minimum maximum up between about roughly around
    average above below under"""
)
_PACES = word_set("every hourly daily nightly weekly monthly yearly quarterly")
_FLAGS = word_set("on off")
_DIETS = to_canonical_set(DIETS)
_OPPOSITES = map_opposites((*CONTRARIES, *ANTONYMS))
_STREETS = word_set("street st road rd avenue ave lane square boulevard drive way quay")
# What a tool is told to do: `npm test` is no choice of npm for anything else.
_SUBCOMMANDS = word_set(
    """test tests run exec start build install ci publish audit add lint format dev serve compose
    buildx pack dlx sync lock update upgrade remove link init create watch check script scripts
    workspace workspaces cache login push pull tag export task x"""
)
# What is counted or numbered (`port 80`), rather than a thing that has versions (`postgres 16`).
_COUNTED = to_canonical_set(
    word_set(
        "port priority level line lines limit version rate ttl least size room floor quarter sprint"
        " page week revision"
    )
)
# What may lead up to an answer, beside stop words.
_BEFORE_ANSWER = word_set("also use using")
# States of which the first word says it all.
_OPEN_STATES = word_set("blocked waiting pending")


@lru_cache(maxsize=16384)
def classify_answer(value: tuple[str, ...]) -> str:
    """The kind of answer that normalised words give.

    `word` where they are just words; empty where they only bound an answer (`at least 3`).
    """
    if not RANGES.isdisjoint(value) or any(map(_is_bound, value)):
        return ""
    if any(_TIME.fullmatch(token) for token in value):
        return "time"
    if any(token in MONTHS or token.removesuffix("s") in WEEKDAYS for token in value):
        return "date"
    if _is_address(value):
        return "address"
    if not _PACES.isdisjoint(value):
        return "pace"
    return _classify_words(value)


def _is_bound(token: str) -> bool:
    return token[0] in "<>~^" or token.endswith("+")


def _is_address(value: tuple[str, ...]) -> bool:
    if len(value) > 1 and value[-1] in _STREETS:
        return True
    return value[0].isdigit() and not _STREETS.isdisjoint(value)


def _classify_words(value: tuple[str, ...]) -> str:
    shaped = next(filter(None, map(_classify_shape, value)), "")
    if shaped:
        return shaped
    if any(map(is_number, value)):
        return "number " + " ".join(sorted(set(map(_find_measure, list_numbers(value)))))
    if value[-1] in STATES or value[0] in STATES:
        return "state"
    roots = [to_canonical(token) for token in value]
    if not _DIETS.isdisjoint(roots):
        return "diet"
    if any(map(is_command, value, value[1:])):
        return "word"
    slots = {SLOT_OF[root].name for root in roots if root in SLOT_OF}
    return f"slot {min(slots)}" if slots else "word"


def is_command(tool: str, after: str) -> bool:
    """Is this a call of a tool (`npm test`), rather than the tool that was chosen?"""
    return after in _SUBCOMMANDS and to_canonical(tool) in SLOT_OF


@lru_cache(maxsize=16384)
def _classify_shape(token: str) -> str:
    """What one word is by its signs alone; empty for prose and plain numbers."""
    if "/" in token or "://" in token or _HOST.fullmatch(token):
        return "path"
    if _VERSION.fullmatch(token):
        return "version"
    if _REGION.fullmatch(token) and token not in MONTHS:
        return "region"
    return "priority" if _PRIORITY.fullmatch(token) else ""


def _find_measure(number: str) -> str:
    """The unit of a number; lengths of time and amounts of data are one measure in any unit."""
    unit = find_unit(number)
    if unit in ("s", "ms", "min", "h", "d", "week", "month", "year"):
        return "span"
    return "size" if unit in ("kb", "mb", "gb", "tb") else unit


@lru_cache(maxsize=16384)
def reduce_answer(value: tuple[str, ...]) -> frozenset[str]:
    """The canonical words of an answer, by which answers are compared; a number keeps its unit."""
    telling = value
    if len(value) != 1 or value[0] not in _FLAGS:
        telling = tuple(token for token in value if token not in COMPARISON_STOP_WORDS) or value
    words = {to_canonical(_ORDINAL.sub(r"\1", token)) for token in telling}
    numbers = frozenset(list_numbers(value))
    units = {to_canonical(token) for token in value if is_unit(token)} if numbers else set()
    return frozenset(word for word in words - units if not is_number(word)) | numbers


def is_same_answer(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Do the two say the same?"""
    return reduce_answer(one) == reduce_answer(other)


def are_exclusive(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Are the two different answers of one kind, of which neither only adds detail to the other?"""
    kind, mine, theirs = classify_answer(one), reduce_answer(one), reduce_answer(other)
    if not kind or mine <= theirs or theirs <= mine:
        return False
    if kind == classify_answer(other) or are_opposite(mine, theirs):
        return True
    return is_named(one) and is_named(other)


def are_opposite(one: frozenset[str], other: frozenset[str]) -> bool:
    """Do the two reduced answers differ in one word, whose opposite the other says?"""
    mine, theirs = one - other, other - one
    if len(mine) != 1 or len(theirs) != 1:
        return False
    return not _OPPOSITES.get(next(iter(mine)), frozenset()).isdisjoint(theirs)


def is_named(value: tuple[str, ...]) -> bool:
    """Is this a name, known or not, rather than a measure, a date or a state?"""
    return classify_answer(value) == "word" or classify_answer(value).startswith("slot")


def is_plain(value: tuple[str, ...]) -> bool:
    """Are these just words, of no kind that tells an answer?"""
    return classify_answer(value) == "word"


def is_release(value: Sequence[str]) -> bool:
    """Is the answer a thing with its version (`postgres 16`), which is a question by itself?"""
    return (
        len(value) == 2
        and value[0].isalpha()
        and not _names_a_number(value[0])
        and value[1][0].isdigit()
        and not is_unit(value[1])
    )


def trim_answer(tokens: list[str]) -> list[str]:
    """The words of an answer without what only leads up to it, and without a closing `only`."""
    while len(tokens) > 1 and (tokens[0] in COMPARISON_STOP_WORDS or tokens[0] in _BEFORE_ANSWER):
        tokens = tokens[1:]
    return tokens[:-1] if len(tokens) > 1 and tokens[-1] == "only" else tokens


def split_answer(value: list[str]) -> tuple[list[str], list[str]]:
    """The words that are the answer, and those of the topic (`port 8000` answers which port)."""
    kind = classify_answer(tuple(value))
    if kind == "pace" and "every" in value:
        start = value.index("every")
        return value[start:], value[:start]
    if kind.startswith("slot") and _is_used_for(value, kind):
        return value[:1], value[2:]
    if kind == "state" and value[0] in _OPEN_STATES:
        return value[:1], []
    if not kind.startswith(("number", "priority", "path", "region", "state", "time", "date")):
        return value, []
    if kind.startswith("number") and _is_name_and_number(value):
        return (value[1:], value[:1]) if _names_a_number(value[0]) else (value, [])
    own = {token for token in value if _belongs_to_answer(token, kind)}
    return [token for token in value if token in own], [
        token for token in value if token not in own
    ]


def _is_used_for(value: list[str], kind: str) -> bool:
    """Is it a tool and what it is for (`ruff for imports`)?"""
    return (
        len(value) > 2 and value[1] in ("for", "in", "on") and classify_answer((value[0],)) == kind
    )


def _is_name_and_number(value: list[str]) -> bool:
    if len(value) != 2 or not value[0].isalpha():
        return False
    return not is_unit(value[0]) and is_number(value[1])


def _belongs_to_answer(token: str, kind: str) -> bool:
    if is_number(token) or is_unit(token) or token in STATES:
        return True
    return classify_answer((token,)) in (kind, "date", "time")


def _names_a_number(word: str) -> bool:
    """Is this a word for what is counted (`port 80`)?

    The name of a thing that has versions (`postgres 16`) is none.
    """
    return to_canonical(word) in _COUNTED
