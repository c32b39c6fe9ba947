"""Recognise what the operator pasted: documents, review comments, reports by somebody else."""

from __future__ import annotations

import re

from memctl.core.lazy_pattern import compile_later
from memctl.extract import kinds, pasted_marks, session_cues
from memctl.extract.sentences import Sentence
from memctl.extract.transcript_view import PROSE_CHARS, TranscriptView

# Who types a prompt speaks of himself or to somebody; who reviews code speaks of the code.
_PERSONAL = compile_later(
    r"\b(?:i|i'm|i'd|i've|i'll|me|my|we|we're|we'll|we've|our|us|you|you're|your|let's|lets"
    r"|please|thanks|okay|hey)\b"
)
_REVIEWS = session_cues.compile_any_of(
    r"\bconsider (?:either )?(?:\w+ )?\w+ing\b",
    r"\b(?:is|are) intended to\b",
    r"\bthis (?:will|could|may|might|can|means|would|makes|causes)\b",
    r"\bthe (?:comment|docstring|documentation|test|pr|diff|change) (?:says|states|claims"
    r"|asserts|introduces|adds)\b",
    r"\b(?:should be|to) explicitly\b",
    r"^(?:nit|suggestion|issue|severity|recommendation|finding)\b[:(]",
    r"^done when\b|^context\b[.:]|^task\b[.:]",
)
_REVIEWER = compile_later(
    r"(?:^|\n)[ \t*_#@-]{0,6}(?:github[ -]?)?(?:copilot|coderabbit\w*|gemini-code-assist|cursor "
    r"?bot|bugbot|greptile|sonar\w*|codex review"
    r"|(?:low|medium|high|critical) severity"
    r"|review(?:er)?(?: comments?)?|comment on lines?|suggested change)\b[^\n]{0,60}(?:\n|:)",
    re.IGNORECASE,
)
# Lengths in characters, chosen by hand on labelled sessions.
# A turn above the first is pasted as a whole where one paragraph is; a paragraph above the second
# may be pasted without a reviewer's words; one below the third is too short to judge.
_LONG_TURN = 600
_LONG_PARAGRAPH = 160
_SHORT_PARAGRAPH = 60


def is_pasted(view: TranscriptView, sentence: Sentence) -> bool:
    """Whether the sentence is in a document, a review, or a paragraph that speaks like a
    reviewer.
    """
    if view.is_document(sentence.turn):
        return True
    return sentence.paragraph in _find_known(view, sentence.turn)[0]


def is_material(view: TranscriptView, sentence: Sentence) -> bool:
    """Whether the sentence is in output, or in a document with which something is to be done: what
    that demands, nobody here asks for.
    """
    return sentence.paragraph in _find_known(view, sentence.turn)[1]


def _find_known(view: TranscriptView, index: int) -> tuple[frozenset[int], frozenset[int]]:
    """What `_find_pasted_paragraphs` says of a turn, found once."""
    known = view.pasted.get(index)
    if known is None:
        known = view.pasted[index] = _find_pasted_paragraphs(view, index)
    return known


def _find_pasted_paragraphs(
    view: TranscriptView, index: int
) -> tuple[frozenset[int], frozenset[int]]:
    """The numbers of a turn's pasted paragraphs, and of those among them that are output or an
    announced document.

    In a long turn with a pasted one, paragraphs without a speaker are pasted too.
    """
    text = view.turns[index].text[:PROSE_CHARS]
    reviewer = _REVIEWER.search(text)
    named_from = reviewer.start() if reviewer else len(text)
    paragraphs = view.paragraphs(index)
    foreign = {
        whole[0].paragraph
        for whole in paragraphs
        if _is_foreign(whole, named_from < whole[0].start)
    }
    if foreign and len(text) > _LONG_TURN:
        foreign.update(whole[0].paragraph for whole in paragraphs if not _is_personal(whole))
    marked = _find_marked(text, paragraphs)
    return frozenset(foreign | marked), frozenset(marked)


def _find_marked(text: str, paragraphs: list[list[Sentence]]) -> set[int]:
    """The paragraphs of output and of an announced document."""
    spans = [(whole[0].paragraph, whole[0].start, whole[-1].end) for whole in paragraphs]
    marked = {
        number
        for number, start, end in spans
        if pasted_marks.is_output(text[start:end])
        or pasted_marks.is_output(pasted_marks.find_lines(text, start, end))
    }
    begin = pasted_marks.find_document_start(text)
    announced = [span for span in spans if span[1] >= begin]
    if len(announced) > 1 and pasted_marks.speaks_to_agent(text[slice(*announced[-1][1:])]):
        announced.pop()
    return marked | {number for number, _, _ in announced}


def _is_personal(whole: list[Sentence]) -> bool:
    return any(_PERSONAL.search(s.low) for s in whole)


def _is_foreign(whole: list[Sentence], named: bool) -> bool:
    """Whether a paragraph has no speaker, and is a reviewer's by its header or its words."""
    low = " ".join(s.low for s in whole)
    if _is_personal(whole) or len(low) <= _SHORT_PARAGRAPH:
        return False
    if named:
        return True
    names = {name for s in whole for name in kinds.NAMED.findall(s.text)}
    reviews = any(_REVIEWS.search(s.low) for s in whole)
    return bool(names) and (
        reviews or (len(low) > _LONG_PARAGRAPH and len(names) >= 2 and len(whole) > 1)
    )
