"""Candidates made of changes: of what they take the place of, or of their own words."""

from __future__ import annotations

from collections.abc import Sequence

from memctl.core.frozen import replace
from memctl.core.model import OPERATOR_SAID, Candidate, Span
from memctl.extract import build, kinds
from memctl.extract.said_changes import (
    SaidChange,
    find_agents_value,
    find_change_reason,
    find_own_value,
    find_stated_change,
    is_bare_change,
    put_into_words,
    resolve_change,
)
from memctl.extract.sentences import Sentence, fold_for_cues
from memctl.extract.transcript_view import TranscriptView
from memctl.text.overruled import list_telling_words

RULE = "overruling.changed"
# Words that tell what a value is of.
_FEWEST_TELLING = 2
# Human turns back to which a change may lean: with a value of the same kind, and without one.
BACK_WITH_VALUE = 4
BACK = 2
_LEAST_CONFIDENCE = 0.5
_MOST_CONFIDENCE = 0.8
# What only a record of the same thing makes worth proposing.
_UNSURE_CONFIDENCE = 0.6


def complete_candidate(
    view: TranscriptView, change: SaidChange, own: Candidate, olds: Sequence[Candidate]
) -> Candidate:
    """The candidate of a change, with what it took the place of as its history."""
    content = own.content
    if is_bare_change(change.reading, change.said) or change.reading.leans:
        content = resolve_change(change, olds[-1].content)
    elif len(change.sentences) > 1:
        content = change.said
    own = put_into_words(own, content)
    return add_history(view, own, olds)


def add_history(view: TranscriptView, candidate: Candidate, olds: Sequence[Candidate]) -> Candidate:
    """The candidate with the words of what it took the place of as its last evidence."""
    history = _list_history(view, olds)
    return replace(
        candidate,
        evidence=(*candidate.evidence, *history)[: build.SPAN_LIMIT],
        corrects=candidate.corrects or history[0],
    )


def build_change(view: TranscriptView, change: SaidChange, olds: Sequence[Candidate]) -> Candidate:
    """The candidate of a change that no rule proposed, of the sort that the older one was."""
    last, history = olds[-1], _list_history(view, olds)
    is_bare = is_bare_change(change.reading, change.said) or change.reading.leans
    content = resolve_change(change, last.content) if is_bare else change.said
    why = find_change_reason(view, change)
    is_reasoned = last.type != "decision" or why is not None
    sure = min(_MOST_CONFIDENCE, max(_LEAST_CONFIDENCE, *(each.confidence for each in olds)))
    return build.build_candidate(
        view,
        RULE,
        last.type if is_reasoned else "project",
        last.kind if is_reasoned else kinds.guess_kind(fold_for_cues(content)),
        sure,
        OPERATOR_SAID,
        [change.span, *history],
        last.scope,
        rationale=why,
        corrects=history[0] if history else None,
        content=content,
        title=build.make_title(content),
    )


def build_announced(view: TranscriptView, change: SaidChange) -> Candidate:
    """The candidate of a change that is announced and says all that it needs."""
    return _build_by_its_words(view, change, change.said, [change.span])


def build_change_of_record(view: TranscriptView, change: SaidChange) -> Candidate | None:
    """The candidate of a change that some record may say the older side of."""
    reading, said = change.reading, change.said
    if reading.sort == "returns" or (reading.sort == "takes_back" and not reading.old):
        return None
    content, spans = said, [change.span]
    stated = find_stated_change(view, change, BACK) if reading.leans and not reading.old else None
    if stated is not None:
        content, spans = build.clean_statement(stated.text), [change.span, build.make_span(stated)]
    elif reading.leans and not reading.old:
        asked = view.said_before(change.span.turn)
        known = find_agents_value(view, reading, asked) if asked is not None else None
        own = find_own_value(view, change, BACK_WITH_VALUE)
        source = known[0] if known is not None and (own is None or _tells(known[0])) else own
        if source is None:
            return None
        content = resolve_change(change, source.text)
    elif not (reading.old or reading.about) or is_bare_change(reading, said):
        return None
    return _build_by_its_words(view, change, content, spans)


def _tells(sentence: Sentence) -> bool:
    """Whether an agent's sentence says what its value is of: `Set to 3.` does not."""
    return len(list_telling_words(sentence.text)) >= _FEWEST_TELLING


def _build_by_its_words(
    view: TranscriptView, change: SaidChange, content: str, spans: Sequence[Span]
) -> Candidate:
    """The candidate of a change, of the sort that its own words say."""
    why = find_change_reason(view, change)
    place = kinds.classify_statement(
        change.sentences[-1], "decision", own=True, weighed=why is not None
    )
    return build.build_candidate(
        view,
        RULE,
        place.type,
        place.kind,
        _UNSURE_CONFIDENCE,
        OPERATOR_SAID,
        spans,
        place.scope,
        rationale=why,
        content=content,
        title=build.make_title(content),
    )


def _list_history(view: TranscriptView, olds: Sequence[Candidate]) -> list[Span]:
    """The operator's words for what was overruled, the latest first."""
    spans = [
        next(span for span in each.evidence if view.turns[span.turn].role == "human")
        for each in reversed(olds)
    ]
    return list(dict.fromkeys(spans))
