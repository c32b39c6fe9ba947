"""Find typed answers in words of any order, and what else a statement speaks of. Pure.

Only answers that cannot be mistaken for prose count: a date, a path, a version, a number with its
unit or of three digits. A statement says nothing here that denies, that says what is supported or
contained (of which there can be many), or that has two such answers and does not say which of them
is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memctl.consolidate.answers import classify_answer
from memctl.consolidate.lexicon import QUESTION_FILLERS, WEEKDAYS
from memctl.consolidate.words import SLOT_OF, is_number, is_unit, to_canonical, to_canonical_set
from memctl.text.stop_words import NEGATIONS, word_set

_KINDS = ("path", "version", "date", "time", "region")
_NEAR = 3
# What comes shortly before the answer that no longer holds.
_TURNS_DOWN = word_set(
    """from not forget forgot used was were former formerly previously replaced replaces dropped
    retired longer instead than over behind goodbye assuming stop stopped"""
)
# Of these there can be many at a time.
MANY = to_canonical_set(
    (
        "support",
        "accept",
        "allow",
        "include",
        "contain",
        "provide",
        "offer",
        "handle",
        "need",
        "require",
        "see",
        "read",
    )
)
Reading = tuple[tuple[str, ...], tuple[str, ...], list[str]]


def read_unordered(tokens: Sequence[str]) -> Reading | None:
    """Split normalised words into the answer, the one turned down, and the other words.

    None where it is not plain which answer holds.
    """
    spans = list(_find_spans(tokens))
    down = [
        span
        for span in spans
        if not _TURNS_DOWN.isdisjoint(tokens[max(0, span[0] - _NEAR) : span[0]])
    ]
    held = [span for span in spans if span not in down]
    if (
        len(held) != 1
        or len(down) > 1
        or len({classify_answer(tuple(tokens[a:b])) for a, b in spans}) != 1
    ):
        return None
    inside = {n for a, b in spans for n in range(a, b)}
    beside = [token for n, token in enumerate(tokens) if n not in inside]
    if any(to_canonical(token) in MANY for token in beside) or (
        not down and not NEGATIONS.isdisjoint(beside)
    ):
        return None
    (a, b), (c, d) = held[0], down[0] if down else (0, 0)
    return (
        tuple(tokens[a:b]),
        tuple(tokens[c:d]),
        [token for token in beside if token not in QUESTION_FILLERS],
    )


def find_answers(tokens: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """Yield where typed answers and known tools stand, and whether each is turned down."""
    spans = list(_find_spans(tokens))
    inside = {n for start, end in spans for n in range(start, end)}
    spans += [
        (n, n + 1)
        for n, token in enumerate(tokens)
        if n not in inside and to_canonical(token) in SLOT_OF
    ]
    for start, end in sorted(spans):
        yield start, end, not _TURNS_DOWN.isdisjoint(tokens[max(0, start - _NEAR) : start])


def _find_spans(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield start and end of each answer, with its units and the numbers that follow."""
    at = 0
    while at < len(tokens):
        end = at
        if (
            classify_answer((tokens[at],)).startswith(_KINDS) and not _is_habit(tokens, at)
        ) or _is_measure(tokens, at):
            end = at + 1
            while end < len(tokens) and (is_unit(tokens[end]) or is_number(tokens[end])):
                end += 1
            yield at, end
        at = max(end, at + 1)


def _is_habit(tokens: Sequence[str], at: int) -> bool:
    """Is this a weekday on which something is done? It may be done on others too."""
    return at > 0 and tokens[at - 1] in ("on", "every") and tokens[at].removesuffix("s") in WEEKDAYS


def _is_measure(tokens: Sequence[str], at: int) -> bool:
    """Is this number more than a count: of three digits, with a sign, or before a unit?"""
    token = tokens[at]
    if not is_number(token) or not token[0].isdigit():
        return False
    return (
        len(token) >= 3
        or not token[-1].isdigit()
        or (at + 1 < len(tokens) and is_unit(tokens[at + 1]))
    )
