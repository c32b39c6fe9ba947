"""Find typed answers in words of any order, and what else a statement speaks of. Pure.

Only answers that cannot be mistaken for prose count: a date, a path, a version, a number with its
unit or of three digits. A statement says nothing here that denies, that says what is supported or
contained (of which there can be many), or that has two such answers and does not say which of them
is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memctl.consolidate.answers import classify_answer, is_command
from memctl.consolidate.lexicon import QUESTION_FILLERS, WEEKDAYS
from memctl.consolidate.words import SLOT_OF, is_number, is_unit, to_canonical, to_canonical_set
from memctl.text.stop_words import NEGATIONS, word_set

# Kinds of answers that cannot be mistaken for prose.
_KINDS = ("path", "version", "date", "time", "region")
# How far before an answer a word may stand that turns it down, in words. Chosen by hand.
_TURN_DOWN_SPAN = 3
# What comes shortly before the answer that no longer holds.
_TURNS_DOWN = word_set(
    """from not forget forgot used was were former formerly previously replaced replaces dropped
    retired longer instead than over behind goodbye assuming stop stopped"""
)
# Of these there can be many at a time.
MANY = to_canonical_set(
    word_set("support accept allow include contain provide offer handle need require see read")
)

# The answer, the one turned down, and the other words.
Reading = tuple[tuple[str, ...], tuple[str, ...], list[str]]


def read_unordered(tokens: Sequence[str]) -> Reading | None:
    """Split normalised words into the answer, the one turned down, and the other words.

    None where it is not plain which answer holds.
    """
    answers: list[tuple[str, ...]] = []
    rejected: list[tuple[str, ...]] = []
    inside: set[int] = set()
    for start, end in _find_spans(tokens):
        (rejected if _is_turned_down(tokens, start) else answers).append(tuple(tokens[start:end]))
        inside.update(range(start, end))
    if len(answers) != 1 or len(rejected) > 1:
        return None
    if len(set(map(classify_answer, [*answers, *rejected]))) != 1:
        return None
    beside = [token for n, token in enumerate(tokens) if n not in inside]
    if any(to_canonical(token) in MANY for token in beside):
        return None
    if not rejected and not NEGATIONS.isdisjoint(beside):
        return None
    words = [token for token in beside if token not in QUESTION_FILLERS]
    return answers[0], rejected[0] if rejected else (), words


def find_answers(tokens: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """Yield where typed answers and known tools stand, and whether each is turned down."""
    spans = list(_find_spans(tokens))
    inside = {n for start, end in spans for n in range(start, end)}
    spans += [
        (n, n + 1)
        for n, token in enumerate(tokens)
        if n not in inside
        and to_canonical(token) in SLOT_OF
        and not is_command(token, *tokens[n + 1 : n + 2] or ("",))
    ]
    for start, end in sorted(spans):
        yield start, end, _is_turned_down(tokens, start)


def _is_turned_down(tokens: Sequence[str], start: int) -> bool:
    return not _TURNS_DOWN.isdisjoint(tokens[max(0, start - _TURN_DOWN_SPAN) : start])


def _find_spans(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield start and end of each answer, with its units and the numbers that follow."""
    at = 0
    while at < len(tokens):
        end = at
        if _is_answer(tokens, at):
            end = at + 1
            while end < len(tokens) and (is_unit(tokens[end]) or is_number(tokens[end])):
                end += 1
            yield at, end
        at = max(end, at + 1)


def _is_answer(tokens: Sequence[str], at: int) -> bool:
    if _is_measure(tokens, at):
        return True
    return classify_answer((tokens[at],)).startswith(_KINDS) and not _is_habit(tokens, at)


def _is_habit(tokens: Sequence[str], at: int) -> bool:
    """Is this a weekday on which something is done? It may be done on others too."""
    return at > 0 and tokens[at - 1] in ("on", "every") and tokens[at].removesuffix("s") in WEEKDAYS


def _is_measure(tokens: Sequence[str], at: int) -> bool:
    """Is this number more than a count: of three digits, with a sign, or before a unit?"""
    token = tokens[at]
    if not is_number(token) or not token[0].isdigit():
        return False
    if len(token) >= 3 or not token[-1].isdigit():
        return True
    return at + 1 < len(tokens) and is_unit(tokens[at + 1])
