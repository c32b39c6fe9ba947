"""Find where a quote stands in a turn. Pure.

Guarantees: the returned span holds the source's own words exactly; nothing is found that is not
there word by word. Only spacing, and characters that models commonly replace, may differ.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import AGENT_CLAIMED, OPERATOR_IMPLIED, OPERATOR_SAID, Span
from memctl.extract import pasted
from memctl.extract.sentences import Sentence
from memctl.extract.transcript_view import TranscriptView
from memctl.llm import spoken_text
from memctl.llm.prompts import neutralise

# The length of a quote that can carry a statement, in characters and words. Chosen by hand.
MIN_LENGTH = 12
MAX_LENGTH = 1200
_MIN_WORDS = 3
_WORD = compile_later(r"\S+")
_SIGNS = str.maketrans("’‘ʼ“”„«»–—−‐‑", '\'\'\'"""""-----')


def simplify_signs(text: str) -> str:
    """The form in which a quote and a turn are compared; it has the length of the text."""
    return neutralise(text).translate(_SIGNS)


def can_carry_statement(quote: str) -> bool:
    """Whether a quote is long enough, and not too long, to carry a statement."""
    return MIN_LENGTH <= len(quote.strip()) <= MAX_LENGTH and len(quote.split()) >= _MIN_WORDS


def find_quote(view: TranscriptView, turns: Iterable[int], quote: str) -> Span | None:
    """The first span among some turns where a quote stands within one spoken piece."""
    words = " ".join(simplify_signs(quote.strip().strip('"')).split())
    if not words:
        return None
    for index in turns:
        text = view.turns[index].text
        for start, end in spoken_text.list_ranges(view, index):
            place = _find_words(simplify_signs(text[start:end]), words)
            if place is not None:
                first, last = start + place[0], start + place[1]
                return Span(index, first, last, text[first:last])
    return None


def _find_words(text: str, words: str) -> tuple[int, int] | None:
    """Where words, separated by single spaces, stand as whole words in a text.

    Whatever whitespace separates them there does not matter.
    """
    pieces = [match.span() for match in _WORD.finditer(text)]
    spoken = " ".join(text[start:end] for start, end in pieces)
    at = spoken.find(words)
    while at >= 0 and not _is_at_word_bounds(spoken, at, at + len(words)):
        at = spoken.find(words, at + 1)
    if at < 0:
        return None
    # Where each word begins once there is one space between them.
    begins = list(accumulate((end - start + 1 for start, end in pieces), initial=0))
    first, last = (bisect_right(begins, place) - 1 for place in (at, at + len(words) - 1))
    return pieces[first][0] + at - begins[first], pieces[last][0] + at + len(words) - begins[last]


def _is_at_word_bounds(text: str, start: int, end: int) -> bool:
    """Whether a piece of a text begins and ends where words do."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() and text[start].isalnum()) and not (
        after.isalnum() and text[end - 1].isalnum()
    )


def compute_span_trust(view: TranscriptView, span: Span) -> int:
    """The trust of a span: that of who said it, less where it was pasted or only asked about."""
    turn = view.turns[span.turn]
    if turn.role != "human" or turn.data.get("shell"):
        return AGENT_CLAIMED
    is_asked = "?" in span.quote or any(
        _is_question_about(sentence, span) for sentence in view.sentences(span.turn)
    )
    foreign = any(
        pasted.is_pasted(view, sentence)
        for sentence in view.sentences(span.turn)
        if _overlaps(sentence, span)
    )
    is_prose = spoken_text.is_prose(view, span.turn, span.start, span.end)
    return OPERATOR_IMPLIED if is_asked or foreign or not is_prose else OPERATOR_SAID


def _is_question_about(sentence: Sentence, span: Span) -> bool:
    return _overlaps(sentence, span) and sentence.text.rstrip("\"'”’)*_` ").endswith("?")


def _overlaps(sentence: Sentence, span: Span) -> bool:
    return sentence.start < span.end and span.start < sentence.end
