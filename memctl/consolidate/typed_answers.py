"""How two statements stand that say one thing in words no pattern knows: by their typed answers, and by how near they are in sense. Pure.

Nearness alone tells only that two statements are about the same things: `the upload limit` and `the download limit` are nearer than
most. So both must give one answer of one kind (a date, a version, a number with its unit, a known tool ...), under the same conditions,
and no more than one of them may name things that the other does not.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

from memctl.consolidate.answer_types import essence, kind_of
from memctl.consolidate.claim_parser import asked, bare, root_of
from memctl.consolidate.similarity import canonical, features, tokens_of
from memctl.consolidate.unordered_claim import FILLERS, MANY, answers
from memctl.text.normalize import NEGATIONS, STOP_WORDS, word_set

# Cosines of the built-in model, chosen on invented statements of which no other reading knew the relation: from the first on none of
# 1,400 pairs of two facts of one project was as near; the others are for what is told again.
_NEAR, _AGAIN = 0.55, 0.7
# How many words more one side may have where the other is told again.
_LITTLE = 2
_LONGEST = 300
# What people wrap a statement in.
_IDLE = word_set(
    "btw remember forget way told others any some up got always please use uses using days run runs we're it's that's i've"
)
_COLOURS = frozenset(("black", "blue"))

Kinship = Literal["same", "other"]
Answer = tuple[str, frozenset[str]]


class Told(NamedTuple):
    """The answers that a statement gives and those that it turns down, each a kind and its essence, and its other words."""

    held: frozenset[Answer]
    down: frozenset[Answer]
    words: frozenset[str]


@lru_cache(maxsize=4096)
def told(text: str) -> Told:
    """What a statement answers."""
    tokens = tokens_of(bare(text))
    held, down, inside = set[Answer](), set[Answer](), set[int]()
    for start, end, is_down in answers(tokens):
        value = tuple(tokens[start:end])
        (down if is_down else held).add((kind_of(value), essence(value)))
        inside.update(range(start, end))
    beside = [token for n, token in enumerate(tokens) if n not in inside]
    if any(canonical(token) in MANY for token in beside):
        held = set()
    idle = STOP_WORDS | NEGATIONS | FILLERS | _IDLE
    words = {root_of(token) for token in beside if token not in idle}
    kind = next(iter(held))[0] if len(held) == 1 else ""
    return Told(frozenset(held), frozenset(down), asked(frozenset(words), kind))


def kinship(a: str, b: str, nearness: float | None) -> Kinship | None:
    """Do the two give the same answer to one question, or another one? None where that is not sure, or nearness is not known."""
    if nearness is None or nearness < _NEAR or max(len(a), len(b)) > _LONGEST:
        return None
    one, other = told(a), told(b)
    if (
        len(one.held) != 1
        or len(other.held) != 1
        or features(a).qualifiers != features(b).qualifiers
    ):
        return None
    apart = bool(one.words - other.words) and bool(other.words - one.words)
    if one.held == other.held:
        little = len(one.words ^ other.words) <= _LITTLE and bool(one.words & other.words)
        sure = nearness >= _AGAIN and little and not (apart or one.down or other.down)
        return (
            "same" if sure and _details(a) == _details(b) and not _may_be_prose(one.held) else None
        )
    (kind, mine), (also, theirs) = next(iter(one.held)), next(iter(other.held))
    if (
        apart
        or not kind
        or kind != also
        or mine <= theirs
        or theirs <= mine
        or _is_one_of_many(kind, mine | theirs)
    ):
        return None
    return "other"


def _may_be_prose(held: frozenset[Answer]) -> bool:
    """Is the answer the name of a tool, which may be an ordinary word (`black`)?"""
    return any(kind.startswith("slot") for kind, _ in held)


def _is_one_of_many(kind: str, words: frozenset[str]) -> bool:
    """Is the answer a path, of which a thing may have many, rather than an address; or the name of a tool that is a colour too?"""
    return (kind == "path" and not any("://" in word for word in words)) or not _COLOURS.isdisjoint(
        words
    )


def _details(text: str) -> tuple[frozenset[str], frozenset[str], int]:
    """What must agree in what is told again."""
    found = features(text)
    return found.numbers, found.identifiers, found.negations
