"""What of a turn a reader is shown, and so may quote: the prose of it, and what people answer in a
word. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import SENTINEL_OPEN
from memctl.extract.transcript_view import TranscriptView

# Kinds of a person's turns that hold words of theirs.
_KINDS = ("text", "command", "answer", "rejection")
# What may stand before a sentence on its line: the mark of a list or of an option.
_MARK = compile_later(r"[\s>*+#-]*(?:\(?[A-Za-z\d]{1,3}[.):]\s*)?\Z")
# The longest line that is an answer and no sentence, and the longest turn in which one is looked
# for, in characters. Chosen by hand.
_MAX_ANSWER = 60
_MAX_TURN = 2000
_LINE = compile_later(r"[^\n]+")
_FENCE = compile_later(r"^(?:```|~~~).*?(?:^(?:```|~~~)\s*$|\Z)", re.M | re.S)
# How lines begin that a harness or a program wrote.
_NOT_SPOKEN = ("[", "<", "`", "|", "$", "~", "/")


def list_people(view: TranscriptView) -> list[int]:
    """The turns of people: what they typed, answered and gave as a reason for a refusal."""
    return [
        index
        for index, turn in enumerate(view.turns)
        if turn.role == "human" and turn.kind in _KINDS
    ]


def list_ranges(view: TranscriptView, index: int) -> list[tuple[int, int]]:
    """Where in a turn its words stand, in their order.

    Of a person's turn, pieces with nothing between them are one.
    """
    text = view.turns[index].text
    found = [
        (_find_start(text, part[0].start), part[-1].end) for part in view.paragraphs(index) if part
    ]
    if view.turns[index].role != "human":
        return found
    if len(text) <= _MAX_TURN and SENTINEL_OPEN not in text:
        found = sorted([*found, *_list_rest(text, found)])
    return list(_join(text, found))


def is_prose(view: TranscriptView, index: int, start: int, end: int) -> bool:
    """Whether a piece of a turn is made of sentences, or is as short as an answer."""
    is_short = end - start <= _MAX_ANSWER
    return is_short or any(
        sentence.start < end and start < sentence.end for sentence in view.sentences(index)
    )


def _find_start(text: str, start: int) -> int:
    """Where a sentence begins with the mark before it."""
    line = text.rfind("\n", 0, start) + 1
    return line if _MARK.fullmatch(text[line:start]) else start


def _list_rest(text: str, found: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The short lines that hold no sentence; all of a turn in which there is none."""
    hidden = [match.span() for match in _FENCE.finditer(text)]
    for match in _LINE.finditer(text):
        start, end = match.span()
        line = match.group().strip()
        is_taken = any(low < end and start < high for low, high in [*found, *hidden])
        if not line or is_taken or line.startswith(_NOT_SPOKEN):
            continue
        if len(line) <= _MAX_ANSWER or not found:
            lead = len(match.group()) - len(match.group().lstrip())
            yield start + lead, start + lead + len(line)


def _join(text: str, ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join what only whitespace stands between."""
    last: tuple[int, int] | None = None
    for start, end in ranges:
        if last is None:
            last = start, end
        elif start < last[1] or not text[last[1] : start].strip():
            last = last[0], max(end, last[1])
        else:
            yield last
            last = start, end
    if last is not None:
        yield last
