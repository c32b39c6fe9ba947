"""Work that the operator deferred: for later, for another change, or out of scope.

Offers of the agent do not count.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import OPERATOR_IMPLIED, OPERATOR_SAID, Candidate, Span
from memctl.extract import build, pasted, session_cues
from memctl.extract.other_languages import is_in_other_language
from memctl.extract.sentences import Sentence
from memctl.extract.transcript_view import TranscriptView

_SHORT = 9


def propose_deferred_work(view: TranscriptView) -> Iterator[Candidate]:
    """Propose each deferred piece of work; a bare "later" takes its topic from what was said
    before.
    """
    for index in view.human:
        for n, sentence in enumerate(view.sentences(index)):
            put_off, idea = (
                bool(session_cues.DEFERRED.search(sentence.low)),
                bool(session_cues.IDEA.search(sentence.low)),
            )
            if (
                not (put_off or idea)
                or session_cues.QUESTION.search(sentence.low)
                or sentence.kind == "heading"
                or _is_torn(sentence)
                or is_in_other_language(sentence)
            ):
                continue
            spans = [build.make_span(sentence)]
            if len(sentence.low.split()) < _SHORT and not idea:
                topic = _find_topic(view, index, n)
                spans = [topic, *spans] if topic else spans
            passed_on = pasted.is_pasted(view, sentence)
            score = (0.6 if put_off else 0.5) - (0.1 if passed_on else 0.0)
            trust = OPERATOR_IMPLIED if passed_on else OPERATOR_SAID
            kind = "todo" if put_off or "let's" in sentence.low else "idea"
            yield build.build_candidate(
                view,
                "deferred.later",
                "project",
                kind,
                score,
                trust,
                spans,
                title=_strip_deferral(spans),
            )


def _is_torn(sentence: Sentence) -> bool:
    """Whether the sentence is the tail of one that was cut inside brackets."""
    return sentence.text.count(")") > sentence.text.count("(")


def _strip_deferral(spans: list[Span]) -> str:
    """The work itself, without the words that defer it."""
    return build.make_title(spans[0].quote)


def _find_topic(view: TranscriptView, index: int, n: int) -> Span | None:
    """The last statement or question before a short "later", in the same prompt or the one
    before.
    """
    here = view.sentences(index)[:n]
    if here:
        return build.make_span(here[-1])
    earlier = [i for i in view.human if i < index and view.sentences(i)]
    parts: list[Sentence] = view.sentences(earlier[-1]) if earlier else []
    return build.make_span(parts[-1]) if parts and not view.is_document(earlier[-1]) else None
