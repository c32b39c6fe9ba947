"""What the agent had proposed when a person answered: the option chosen, the sentence taken up, the
recommendation or question agreed to.
"""

from __future__ import annotations

import re

from memctl.core.lazy_pattern import compile_later
from memctl.extract import build, session_cues
from memctl.extract.sentences import COMMON_WORDS, Sentence, fold_for_cues
from memctl.extract.transcript_view import TranscriptView

# A choice by its label: `2`, `option B`, `the second`, `(a) please`.
_LABEL = compile_later(
    r"^\W*(?:(?:yes|yeah|ok|okay|let's|lets|do|go|use|pick|take|choose|with|i|prefer|like|for"
    r"|the|please|number|option|choice|approach)\b[ ,:]*)*"
    r"\(?(?P<label>[1-9]|[a-d]|first|second|third|fourth)\)?(?: (?:option|one|approach))?"
    r"(?:,? (?:please|thanks|pls|sounds good|is (?:good|fine)))*\W*$"
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_OPTION = compile_later(
    r"(?:^|\n)[ \t]{0,8}(?:[-*•] )?(?:\*\*|#{1,4} )?(?:option |approach |choice )?"
    r"\(?(?P<label>[1-9]|[A-Da-d])[.):]",
    re.IGNORECASE,
)
_RECOMMENDS = compile_later(
    r"\b(?:i(?:'d| would)? (?:recommend|suggest|propose|go with|lean)|my (?:recommendation"
    r"|suggestion|preference|take)|recommended|best (?:option|approach))\b"
)
_LEANS = compile_later(
    r"\b(?:it|that|this|they|them|these|those|one|both|there|yes|yeah|yep|no|nope|option)\b"
)
_POINTS_BACK = compile_later(r"\b(?:it|that one|this one|they|them|these|those)\b")
# Words. Below the first a sentence needs what it answers, below the second where it points at it.
_BRIEF = 5
_SHORT = 12
_SHARED_WORDS = 2
# Characters of a proposal beside an answer.
_PROPOSAL_CHARS = 200


def needs_proposal(sentence_low: str) -> bool:
    """Whether a sentence of an answer says little without what it answers."""
    words = len(sentence_low.split())
    return words < _BRIEF or (words <= _SHORT and _LEANS.search(sentence_low) is not None)


def points_back(sentence_low: str) -> bool:
    """Whether a sentence has a word that means something said before."""
    return _POINTS_BACK.search(sentence_low) is not None


def is_bare_answer(sentence_low: str) -> bool:
    """Whether it only agrees or names an option: alone it says nothing."""
    return _LABEL.match(sentence_low) is not None or (
        len(sentence_low.split()) < _BRIEF and session_cues.AFFIRMS.match(sentence_low) is not None
    )


def find_proposal(view: TranscriptView, index: int, answer: str) -> Sentence | None:
    """Find the agent's sentence that a turn answers; None where nothing was proposed."""
    before = view.said_before(index)
    if before is None:
        return None
    said = [s for s in view.sentences(before) if len(s.low.split()) > 1]
    chosen = _find_chosen_option(view, before, said, answer)
    if chosen is not None or not said:
        return chosen
    taken = _find_taken_up(said, answer)
    advice = [s for s in said if _RECOMMENDS.search(s.low)]
    asked = [s for s in said if session_cues.QUESTION.search(s.low)]
    if taken is not None:
        return taken
    offered = advice or asked
    return offered[-1] if offered else None


def describe_proposal(sentence: Sentence) -> str:
    """The proposal as it stands beside an answer."""
    return build.shorten(build.clean_statement(sentence.text), _PROPOSAL_CHARS)


def _find_chosen_option(
    view: TranscriptView, before: int, said: list[Sentence], answer: str
) -> Sentence | None:
    """Find the option that an answer names by its label."""
    found = _LABEL.match(fold_for_cues(answer))
    if found is None:
        return None
    label = found["label"]
    wanted = {label, str(_ORDINALS.get(label, label))}
    wanted |= {"abcd"[int(one) - 1] for one in wanted if one in "1234" and label in _ORDINALS}
    text = view.turns[before].text
    for mark in reversed(list(_OPTION.finditer(text))):
        if mark["label"].lower() in wanted:
            line_end = text.find("\n", mark.end())
            last = line_end if line_end >= 0 else len(text)
            return next((s for s in said if s.end > mark.start("label") and s.start <= last), None)
    return None


def _find_taken_up(said: list[Sentence], answer: str) -> Sentence | None:
    """Find the sentence that shares most telling words with the answer, the last of such."""
    told = _list_telling_words(answer)
    best = max(said, key=lambda s: (len(told & _list_telling_words(s.text)), s.start))
    return best if len(told & _list_telling_words(best.text)) >= _SHARED_WORDS else None


def _list_telling_words(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z0-9_]{3,}", text.lower()) if word not in COMMON_WORDS}
