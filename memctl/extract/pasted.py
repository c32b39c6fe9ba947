"""What the operator pasted into a prompt: documents, review comments, reports. Passed on, but worded by somebody else."""

from __future__ import annotations

import re

from memctl.extract import kinds, session_cues
from memctl.extract.sentences import Sentence
from memctl.extract.transcript_view import PROSE_CHARS, View

# Who types a prompt speaks of himself or to somebody; who reviews code speaks of the code.
_PERSONAL = re.compile(
    r"\b(?:i|i'm|i'd|i've|i'll|me|my|we|we're|we'll|we've|our|us|you|you're|your|let's|lets|please|thanks|okay|hey)\b"
)
_REVIEWS = session_cues.any_of(
    r"\bconsider (?:either )?(?:\w+ )?\w+ing\b",
    r"\b(?:is|are) intended to\b",
    r"\bthis (?:will|could|may|might|can|means|would|makes|causes)\b",
    r"\bthe (?:comment|docstring|documentation|test|pr|diff|change) (?:says|states|claims|asserts|introduces|adds)\b",
    r"\b(?:should be|to) explicitly\b",
    r"^(?:nit|suggestion|issue|severity|recommendation|finding)\b[:(]",
    r"^done when\b|^context\b[.:]|^task\b[.:]",
)
_REVIEWER = re.compile(
    r"(?:^|\n)[ \t*_#@-]{0,6}(?:github[ -]?)?(?:copilot|coderabbit\w*|gemini-code-assist|cursor ?bot|bugbot|greptile|sonar\w*|codex review"
    r"|review(?:er)?(?: comments?)?|comment on lines?|suggested change)\b[^\n]{0,60}(?:\n|:)",
    re.IGNORECASE,
)
_LONG_TURN, _LONG, _SOME = 600, 160, 60


def is_pasted(view: View, sentence: Sentence) -> bool:
    """Whether the sentence stands in a document, under a reviewer's name, or in a paragraph that speaks of code as a reviewer does."""
    if view.is_document(sentence.turn):
        return True
    known = view.pasted.get(sentence.turn)
    if known is None:
        known = view.pasted[sentence.turn] = _pasted_paragraphs(view, sentence.turn)
    return sentence.paragraph in known


def _pasted_paragraphs(view: View, index: int) -> frozenset[int]:
    """The numbers of a turn's pasted paragraphs; in a long turn with one of them those in which nobody speaks are pasted too."""
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
    return frozenset(foreign)


def _is_personal(whole: list[Sentence]) -> bool:
    return any(_PERSONAL.search(s.low) for s in whole)


def _is_foreign(whole: list[Sentence], named: bool) -> bool:
    """Whether nobody speaks in a paragraph, and it stands under a reviewer's name or speaks of code as a reviewer does."""
    low = " ".join(s.low for s in whole)
    if _is_personal(whole) or len(low) <= _SOME:
        return False
    if named:
        return True
    names = {name for s in whole for name in kinds.NAMED.findall(s.text)}
    reviews = any(_REVIEWS.search(s.low) for s in whole)
    return bool(names) and (reviews or (len(low) > _LONG and len(names) >= 2 and len(whole) > 1))
