"""Build candidates from sentences: exact spans, titles, summaries, named things.

This is the only module that makes a Candidate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypedDict, Unpack

from memctl.core.model import Candidate, Scope, Span, Type
from memctl.extract.named_things import ENTITY_LIMIT as ENTITY_LIMIT
from memctl.extract.named_things import find_entities as entities
from memctl.extract.sentences import Sentence, flatten
from memctl.extract.transcript_view import TranscriptView

# The most characters of a title, a summary and a content.
TITLE_CHARS = 80
SUMMARY_CHARS = 200
CONTENT_CHARS = 1200
SPAN_LIMIT = 3
# What stands before the point. `No new service` and `right of the title` are no lead-ins: those
# need a mark after them.
_LEAD = re.compile(
    r"^(?:(?:(?:no|nope|right|well|now|then|great|cool|sure|oh|hmm+|see|important|note)[,.:;!—–-]+"
    r"|(?:yes|yeah|yep|ok|okay|so|and|but|also|actually|please|basically|essentially|exactly|i see"
    r"|i (?:think|mean|guess|reckon|believe|feel|suppose|would say)(?: that| like)?|(?:it "
    r")?(?:seems|looks) like|as i see it"
    r"|(?:remember|note|be aware|keep in mind|don't forget) that|good point|fwiw|imo|key finding"
    r"|notable|one cleanup"
    r"|root cause(?: found)?|finding|caveat|step \d{1,2})[,.:;!—–-]*)\s+)+[-—–]*\s*",
    re.IGNORECASE,
)
_TAG = re.compile(r",? (?:qui|right|no|yes|ok|correct)\?$", re.IGNORECASE)
_DID = re.compile(r"^(?:I've|I have|I) (?=(?:just )?[a-z]+ed\b)")
# A path that something is said of (`/healthz returns 200`) is no command.
_SLASH = re.compile(
    r"^/[\w:.-]{2,60}\s+(?!(?:is|are|was|were|has|had|have|will|must|should|can|may|does|did|now"
    r"|no longer|takes?|took|returns?|goes|went|lives|serves|needs|gets|requires|became|becomes"
    r"|replace[sd]|stays|moved|moves|belongs|answers|expects|redirects)\b)(?=\S)",
    re.IGNORECASE,
)
_MARKS = re.compile(r"^(?:\(?\d{1,3}[.)]\s+|[-*+•>#✅❌⚠❓️\s]+)+")
_CLAUSE = re.compile(r"[,;:.](?= )| [—–-] | (?=\()")
_PLAIN_WORD = re.compile(r"[a-zà-ÿ]+['’]?[a-z]*(?:[ ,;]|:(?!/)|$)")
_SHORTEST_TITLE = 48
# A fact that says why says it in its content; only what is to be followed has a reason of its own.
_REASONED = frozenset({"decision", "convention", "constraint", "preference"})


class CandidateExtras(TypedDict, total=False):
    """Optional parts of a candidate that a rule may add."""

    subject: str | None
    rationale: str | None
    alternatives: tuple[str, ...]
    corrects: Span | None
    content: str
    title: str
    summary: str | None


def share_text(a: Span, b: Span) -> bool:
    """Whether two spans have a piece of one turn in common."""
    return a.turn == b.turn and a.start < b.end and b.start < a.end


def make_span(sentence: Sentence) -> Span:
    """The exact span of a sentence."""
    return Span(sentence.turn, sentence.start, sentence.end, sentence.text)


def merge_spans(first: Sentence, last: Sentence, view: TranscriptView) -> Span:
    """The exact span from one sentence to a later one of the same turn."""
    text = view.turns[first.turn].text
    return Span(first.turn, first.start, last.end, text[first.start : last.end])


def build_candidate(
    view: TranscriptView,
    rule: str,
    type_: Type,
    kind: str,
    score: float,
    trust: int,
    spans: Sequence[Span],
    scope: Scope = "project",
    **extra: Unpack[CandidateExtras],
) -> Candidate:
    """Build a candidate on the given spans; its content is their text unless the rule gives
    better words.
    """
    turn = view.turns[spans[0].turn]
    content = extra.get("content") or " ".join(clean_statement(s.quote) for s in spans[:SPAN_LIMIT])
    if turn.speaker and view.transcript.is_chat and not content.startswith(f"{turn.speaker}: "):
        content = f"{turn.speaker}: {content}"
    content = shorten(content, CONTENT_CHARS)
    return Candidate(
        type=type_,
        kind=kind,
        scope=scope,
        title=make_headline(extra.get("title") or make_title(spans[0].quote))
        or shorten(content, TITLE_CHARS),
        content=content,
        summary=shorten(extra.get("summary") or strip_lead_in(content), SUMMARY_CHARS),
        confidence=round(min(0.95, max(0.05, score)), 3),
        trust=trust,
        evidence=tuple(spans[:SPAN_LIMIT]),
        entities=entities(content, turn.speaker),
        subject=extra.get("subject"),
        rationale=extra.get("rationale") if kind in _REASONED else None,
        alternatives=extra.get("alternatives", ()) if kind in _REASONED else (),
        corrects=extra.get("corrects"),
        rule=rule,
        observed_at=turn.ts,
    )


def clean_statement(quote: str) -> str:
    """The statement on one line, without its slash command, list marks and emphasis."""
    return _MARKS.sub("", _SLASH.sub("", flatten(quote).replace("**", ""))) or flatten(quote)


def make_title(quote: str) -> str:
    """A statement as a title: without lead-in words and marks, first letter upper case unless a
    name.
    """
    text = _TAG.sub("", clean_statement(quote).strip("*_#- "))
    return _raise_first(_DID.sub("", _LEAD.sub("", text) or text).rstrip(".:;,!"))


def strip_lead_in(statement: str) -> str:
    """A statement as it reads by itself: `And never push to main.` -> `Never push to main.`"""
    bare = _LEAD.sub("", statement)
    return _raise_first(bare) if bare else statement


def _raise_first(text: str) -> str:
    """The text with a capital at its start, unless it starts with a name."""
    return text[:1].upper() + text[1:] if _PLAIN_WORD.match(text) else text


def make_headline(text: str) -> str:
    """A title of at most 80 characters, cut at the end of a clause if it is too long."""
    text = flatten(text)
    if len(text) <= TITLE_CHARS:
        return text
    ends = [
        match.start()
        for match in _CLAUSE.finditer(text, 0, TITLE_CHARS)
        if _SHORTEST_TITLE <= match.start() < TITLE_CHARS
    ]
    return text[: ends[-1]].rstrip(" ,;:-–—") + "…" if ends else shorten(text, TITLE_CHARS)


def shorten(text: str, limit: int) -> str:
    """The text cut at a word to at most `limit` characters."""
    text = flatten(text)
    if len(text) <= limit:
        return text
    cut = text[: limit - 1].rsplit(" ", 1)[0] if " " in text[: limit - 1] else text[: limit - 1]
    return cut.rstrip(" ,;:…") + "…"
