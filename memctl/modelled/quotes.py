"""Where in a turn a quote stands. Pure.

Kept true: the span that is returned holds the source's own words, exactly as they stand there; nothing is found that is not there word by
word. Only spacing, and signs that models are wont to replace, may differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memctl.extract import pasted
from memctl.extract.text import Sentence
from memctl.extract.view import View
from memctl.model import AGENT_CLAIMED, OPERATOR_IMPLIED, OPERATOR_SAID, Span
from memctl.modelled.prompts import neutral

SHORTEST, LONGEST = 12, 1200
_FEWEST_WORDS = 3
_SIGNS = str.maketrans("’‘ʼ“”„«»–—−‐‑", '\'\'\'"""""-----')


def plain(text: str) -> str:
    """The form in which a quote and a turn are compared; as long as the text."""
    return neutral(text).translate(_SIGNS)


def is_telling(quote: str) -> bool:
    """Whether so many words can carry a statement."""
    return SHORTEST <= len(quote.strip()) <= LONGEST and len(quote.split()) >= _FEWEST_WORDS


def find(view: View, turns: Iterable[int], quote: str) -> Span | None:
    """The first place among some turns where a quote stands within one paragraph of what was really said there."""
    words = plain(quote.strip().strip('"')).split()
    if not words:
        return None
    pattern = re.compile(r"(?<!\w)" * words[0][0].isalnum() + r"\s+".join(map(re.escape, words)) + r"(?!\w)" * words[-1][-1].isalnum())
    for index in turns:
        text = view.turns[index].text
        for paragraph in view.paragraphs(index):
            start, end = paragraph[0].start, paragraph[-1].end
            match = pattern.search(plain(text[start:end]))
            if match:
                first, last = start + match.start(), start + match.end()
                return Span(index, first, last, text[first:last])
    return None


def trust_of(view: View, span: Span) -> int:
    """How far the words of a span are to be trusted: those of who spoke them, less where they were pasted or only asked about."""
    turn = view.turns[span.turn]
    if turn.role != "human" or turn.data.get("shell"):
        return AGENT_CLAIMED
    is_asked = "?" in span.quote or any(_asks(sentence, span) for sentence in view.sentences(span.turn))
    foreign = any(pasted.is_pasted(view, sentence) for sentence in view.sentences(span.turn) if _meet(sentence, span))
    return OPERATOR_IMPLIED if is_asked or foreign else OPERATOR_SAID


def _asks(sentence: Sentence, span: Span) -> bool:
    return _meet(sentence, span) and sentence.text.rstrip("\"'”’)*_` ").endswith("?")


def _meet(sentence: Sentence, span: Span) -> bool:
    return sentence.start < span.end and span.start < sentence.end
