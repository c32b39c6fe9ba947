"""Where in a turn a quote stands. Pure.

Kept true: the span that is returned holds the source's own words, exactly as they stand there; nothing is found that is not there word by
word. Only spacing, and signs that models are wont to replace, may differ.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from memctl.core.model import AGENT_CLAIMED, OPERATOR_IMPLIED, OPERATOR_SAID, Span
from memctl.extract import pasted
from memctl.extract.sentences import Sentence
from memctl.extract.transcript_view import TranscriptView
from memctl.llm.prompts import neutral

SHORTEST, LONGEST = 12, 1200
_FEWEST_WORDS = 3
_WORD = re.compile(r"\S+")
_SIGNS = str.maketrans("’‘ʼ“”„«»–—−‐‑", '\'\'\'"""""-----')


def plain(text: str) -> str:
    """The form in which a quote and a turn are compared; as long as the text."""
    return neutral(text).translate(_SIGNS)


def is_telling(quote: str) -> bool:
    """Whether so many words can carry a statement."""
    return SHORTEST <= len(quote.strip()) <= LONGEST and len(quote.split()) >= _FEWEST_WORDS


def find(view: TranscriptView, turns: Iterable[int], quote: str) -> Span | None:
    """The first place among some turns where a quote stands within one paragraph of what was really said there."""
    words = " ".join(plain(quote.strip().strip('"')).split())
    if not words:
        return None
    for index in turns:
        text = view.turns[index].text
        for paragraph in view.paragraphs(index):
            start = paragraph[0].start
            place = _place(plain(text[start : paragraph[-1].end]), words)
            if place is not None:
                first, last = start + place[0], start + place[1]
                return Span(index, first, last, text[first:last])
    return None


def _place(text: str, words: str) -> tuple[int, int] | None:
    """Where some words, single spaces between them, stand as whole words in a text, whatever stands between them there."""
    pieces = [match.span() for match in _WORD.finditer(text)]
    spoken = " ".join(text[start:end] for start, end in pieces)
    at = spoken.find(words)
    while at >= 0 and not _is_whole(spoken, at, at + len(words)):
        at = spoken.find(words, at + 1)
    if at < 0:
        return None
    # Where each word begins once there is one space between them.
    begins = list(accumulate((end - start + 1 for start, end in pieces), initial=0))
    first, last = (bisect_right(begins, place) - 1 for place in (at, at + len(words) - 1))
    return pieces[first][0] + at - begins[first], pieces[last][0] + at + len(words) - begins[last]


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a piece of a text begins and ends where words do."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() and text[start].isalnum()) and not (
        after.isalnum() and text[end - 1].isalnum()
    )


def trust_of(view: TranscriptView, span: Span) -> int:
    """How far the words of a span are to be trusted: those of who spoke them, less where they were pasted or only asked about."""
    turn = view.turns[span.turn]
    if turn.role != "human" or turn.data.get("shell"):
        return AGENT_CLAIMED
    is_asked = "?" in span.quote or any(
        _asks(sentence, span) for sentence in view.sentences(span.turn)
    )
    foreign = any(
        pasted.is_pasted(view, sentence)
        for sentence in view.sentences(span.turn)
        if _meet(sentence, span)
    )
    return OPERATOR_IMPLIED if is_asked or foreign else OPERATOR_SAID


def _asks(sentence: Sentence, span: Span) -> bool:
    return _meet(sentence, span) and sentence.text.rstrip("\"'”’)*_` ").endswith("?")


def _meet(sentence: Sentence, span: Span) -> bool:
    return sentence.start < span.end and span.start < sentence.end
