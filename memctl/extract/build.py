"""Candidates out of sentences: exact spans, titles, summaries, named things. The only place that makes a Candidate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypedDict, Unpack

from memctl.extract.text import Sentence
from memctl.extract.text import flat as flat
from memctl.extract.view import View
from memctl.model import Candidate, EntityRef, Scope, Span, Type

TITLE_CHARS, SUMMARY_CHARS, CONTENT_CHARS = 80, 200, 1200
SPAN_LIMIT = 3
ENTITY_LIMIT = 6
_TICKED = re.compile(r"`([^`\n]{2,60})`")
_PATH = re.compile(
    r"(?<![\w/.-])[\w./-]{0,80}[\w-]\.(?:py|go|ts|tsx|js|jsx|rs|rb|java|md|toml|json|ya?ml|sql|sh|css|html|c|cc|cpp|h|kt"
    r"|swift)\b"
)
_TOOLS = re.compile(
    r"(?<![\w/.-])(npm|npx|pnpm|yarn|bun|pip|pip3|uv|poetry|cargo|make|mise|docker|kubectl|git|gh|pytest|vitest|jest|ruff|mypy|eslint"
    r"|prettier|tox|nox"
    r"|terraform|gradle|maven|golangci-lint|staticcheck)(?![\w/-])"
)
_LEAD = re.compile(
    r"^(?:(?:yes|yeah|yep|no|nope|ok(?:ay)?|well|so|and|but|also|actually|please|oh|hmm|great|cool|sure|right|now|then|basically"
    r"|i think|i mean|good point)"
    r"[,.:;!—-]*\s+)+",
    re.IGNORECASE,
)
_SUBJECTS = (
    ("package manager", re.compile(r"\b(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|package manager)\b")),
    ("commits", re.compile(r"\bcommit(?:s|ted|ting)?\b|\bcommit message")),
    ("pull requests", re.compile(r"\b(?:pr|prs|pull requests?|rebase)\b")),
    ("tests", re.compile(r"\b(?:unit |integration |failing )?tests?\b|\btdd\b|\bcoverage\b")),
    ("code style", re.compile(r"\b(?:lint(?:er|ing)?|formatt?(?:er|ing)?|naming|style)\b")),
    ("dependencies", re.compile(r"\bdependenc(?:y|ies)\b")),
    ("documentation", re.compile(r"\b(?:docs?|documentation|readme|comments?)\b")),
    ("secrets", re.compile(r"\b(?:secrets?|api keys?|tokens?|credentials?|passwords?)\b")),
)


class Extra(TypedDict, total=False):
    """What a rule may add to a candidate."""

    subject: str | None
    rationale: str | None
    alternatives: tuple[str, ...]
    corrects: Span | None
    content: str
    title: str


def span(sentence: Sentence) -> Span:
    """The exact span of a sentence."""
    return Span(sentence.turn, sentence.start, sentence.end, sentence.text)


def merged(first: Sentence, last: Sentence, view: View) -> Span:
    """The exact span from one sentence to a later one of the same turn."""
    text = view.turns[first.turn].text
    return Span(first.turn, first.start, last.end, text[first.start : last.end])


def candidate(
    view: View,
    rule: str,
    type_: Type,
    kind: str,
    score: float,
    trust: int,
    spans: Sequence[Span],
    scope: Scope = "project",
    **extra: Unpack[Extra],
) -> Candidate:
    """A candidate that rests on the given spans; content is their text unless the rule words it better."""
    turn = view.turns[spans[0].turn]
    content = extra.get("content") or " ".join(flat(s.quote) for s in spans[:SPAN_LIMIT])
    if turn.speaker and view.transcript.is_chat and not content.startswith(f"{turn.speaker}: "):
        content = f"{turn.speaker}: {content}"
    content = shortened(content, CONTENT_CHARS)
    return Candidate(
        type=type_,
        kind=kind,
        scope=scope,
        title=shortened(extra.get("title") or title_of(spans[0].quote), TITLE_CHARS),
        content=content,
        summary=shortened(content, SUMMARY_CHARS),
        confidence=round(min(0.95, max(0.05, score)), 2),
        trust=trust,
        evidence=tuple(spans[:SPAN_LIMIT]),
        entities=entities(content, turn.speaker),
        subject=extra.get("subject") or subject_of(content),
        rationale=extra.get("rationale"),
        alternatives=extra.get("alternatives", ()),
        corrects=extra.get("corrects"),
        rule=rule,
        observed_at=turn.ts,
    )


def title_of(quote: str) -> str:
    """A statement without its lead-in words and marks, first letter up."""
    text = flat(quote).strip("*_#- ")
    bare = _LEAD.sub("", text) or text
    bare = bare.replace("**", "").rstrip(".:;,")
    return bare[:1].upper() + bare[1:]


def shortened(text: str, limit: int) -> str:
    """The text cut at a word so that it is at most `limit` characters long."""
    text = flat(text)
    if len(text) <= limit:
        return text
    cut = text[: limit - 1].rsplit(" ", 1)[0] if " " in text[: limit - 1] else text[: limit - 1]
    return cut.rstrip(" ,;:") + "…"


def entities(text: str, speaker: str | None) -> tuple[EntityRef, ...]:
    """The person who spoke, the tools, and the identifiers and files that the text names."""
    found: dict[str, EntityRef] = {}
    if speaker:
        found[speaker] = EntityRef("person", speaker)
    for name in _TOOLS.findall(text):
        found.setdefault(name, EntityRef("tool", name))
    for name in (*_TICKED.findall(text), *_PATH.findall(text)):
        found.setdefault(name.strip(), EntityRef("concept", name.strip()))
    return tuple(list(found.values())[:ENTITY_LIMIT])


def subject_of(text: str) -> str | None:
    """What a statement is about, where one of a few common subjects is named."""
    low = text.lower()
    return next((name for name, cue in _SUBJECTS if cue.search(low)), None)
