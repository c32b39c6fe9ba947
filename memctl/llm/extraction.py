"""Extraction by a model: what it picks out of a conversation becomes a candidate like any other, or nothing.

Kept true: a candidate rests on words that stand in the source, of somebody who may speak for it; its trust is that of those words, never
more; its content is those words or fewer of them. Whatever else the model says is left out. What was said is read by the model once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memctl.capture import store_transcripts
from memctl.core.frozen import dataclass
from memctl.core.model import (
    AGENT_CLAIMED,
    OPERATOR_IMPLIED,
    OPERATOR_SAID,
    Candidate,
    Scope,
    Source,
)
from memctl.curate.propose import propose_candidates
from memctl.extract import build
from memctl.extract.sentences import flatten
from memctl.extract.transcript_view import TranscriptView
from memctl.llm import grounding, quote_finder
from memctl.llm.calls import Question
from memctl.llm.prompts import PROMPTS
from memctl.llm.session import Ask
from memctl.settings.config import Config
from memctl.store import model_calls
from memctl.store.database import Database

PURPOSE = "extract"
RULE = f"model:extract@{PROMPTS[PURPOSE].version}"
# Under which a source is noted that was read to its end.
WHOLE = "extract:whole"
_CHARS_OF_A_TOKEN = 3.5
_SOURCES = 500
# An agent explains at length what it says in its first sentences.
_AGENT_CHARS = 1200
_SURE = {OPERATOR_SAID: 0.6, OPERATOR_IMPLIED: 0.5, AGENT_CLAIMED: 0.4}
# What an agent may speak for: what it found, not what somebody wants.
_OF_AGENTS = frozenset(
    {"fact", "fix", "command", "pointer", "domain-reference", "workflow", "todo"}
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a conversation that is shown at once: its turns, by their place, and the text."""

    turns: tuple[int, ...]
    text: str


def work(db: Database, config: Config, ask: Ask) -> Iterator[Counter[str]]:
    """Read what no model has read yet, newest first; the counts of each part. Raises Held."""
    for source in model_calls.unread_sources(db, WHOLE, _SOURCES):
        ask.go_on()
        is_read = True
        view = TranscriptView(store_transcripts.read_stored(db, source))
        for chunk in chunks(view, ask.settings.chunk_tokens):
            reply = ask(Question(PURPOSE, source.id, chunk.text))
            is_read = is_read and reply.how not in ("failed", "given_up")
            if reply.value is not None:
                yield _store(db, config, source, view, chunk, reply.value, reply.call)
        if is_read:
            with db.write():
                model_calls.mark(db, WHOLE, f"{source.id}:{source.turn_count}", source.id)


def chunks(view: TranscriptView, tokens: int) -> Iterator[Chunk]:
    """The conversation in parts of so many tokens at most, filled from the beginning; without those in which only agents speak."""
    if view.transcript.format.startswith("memory:"):
        return
    most, turns, texts = int(tokens * _CHARS_OF_A_TOKEN), list[int](), list[str]()
    for index, text in _pieces(view, most):
        if texts and sum(map(len, texts)) + len(text) > most:
            yield from _chunk(view, turns, texts)
            turns, texts = [], []
        turns.append(index)
        texts.append(text)
    yield from _chunk(view, turns, texts)


def _chunk(view: TranscriptView, turns: Sequence[int], texts: Sequence[str]) -> Iterator[Chunk]:
    if any(index in view.spoken for index in turns):
        yield Chunk(tuple(dict.fromkeys(turns)), "\n\n".join(texts))


def _pieces(view: TranscriptView, most: int) -> Iterator[tuple[int, str]]:
    """What was said, turn by turn and in pieces where a turn is long, each behind the word for who said it."""
    for index in sorted((*view.human, *view.assistant)):
        turn = view.turns[index]
        if turn.data.get("shell"):
            continue
        is_person = turn.role == "human"
        said = "\n".join(
            turn.text[whole[0].start : whole[-1].end] for whole in view.paragraphs(index)
        )
        said = said if is_person else said[:_AGENT_CHARS]
        who = f"[{flatten(turn.speaker)[:40] if turn.speaker else 'person' if is_person else 'agent'}] "
        size = most - len(who)
        yield from (
            (index, who + said[start : start + size]) for start in range(0, len(said), size)
        )


def _store(
    db: Database,
    config: Config,
    source: Source,
    view: TranscriptView,
    chunk: Chunk,
    value: Mapping[str, Any],
    call: str,
) -> Counter[str]:
    """Propose what is left of an answer."""
    found, counts = [], Counter[str]()
    for item in value["candidates"]:
        candidate = candidate_of(view, chunk.turns, item)
        if isinstance(candidate, str):
            counts[candidate] += 1
        else:
            found.append(candidate)
    with db.write():
        tally = propose_candidates(db, config, source, view.turns, found, cause=f"model call {call}")
    counts.update(
        {
            name: many
            for name in ("proposed", "duplicates", "rejected_again", "contradictions")
            if (many := getattr(tally, name))
        }
    )
    return counts


def candidate_of(
    view: TranscriptView, turns: Sequence[int], item: Mapping[str, Any]
) -> Candidate | str:
    """What the model picked out as a candidate, or the word for why it is none: `unfounded` or `not_theirs`."""
    span = (
        quote_finder.find(view, turns, item["quote"])
        if quote_finder.is_telling(item["quote"])
        else None
    )
    if span is None:
        return "unfounded"
    trust = quote_finder.trust_of(view, span)
    if not _may_speak(view, item, trust):
        return "not_theirs"
    content = flatten(item["content"])
    more: build.CandidateExtras = {
        "rationale": _rationale(view, turns, item, trust),
        "subject": _subject(item, span.quote),
    }
    if grounding.is_within(content, span.quote):
        more["content"] = content
    scope: Scope = "global" if item["type"] == "profile" else "project"
    return build.build_candidate(
        view, RULE, item["type"], item["kind"], _SURE[trust], trust, [span], scope, **more
    )


def _may_speak(view: TranscriptView, item: Mapping[str, Any], trust: int) -> bool:
    """Whether those words can carry such a thing: what somebody wants only people say, a profile only the operator to their agent."""
    if item["type"] == "profile":
        return trust == OPERATOR_SAID and not view.transcript.is_chat
    if item["type"] == "decision":
        return trust > AGENT_CLAIMED
    return trust > AGENT_CLAIMED or item["kind"] in _OF_AGENTS


def _rationale(
    view: TranscriptView, turns: Sequence[int], item: Mapping[str, Any], trust: int
) -> str | None:
    """The reason, if it too stands in the source in words of at least the same trust."""
    span = quote_finder.find(view, turns, item.get("rationale") or "")
    return (
        flatten(span.quote)
        if span is not None and quote_finder.trust_of(view, span) >= trust
        else None
    )


def _subject(item: Mapping[str, Any], quote: str) -> str | None:
    """What it is about, if the quote says so."""
    subject = item.get("subject") or ""
    return subject if subject.strip() and grounding.is_within(subject, quote) else None
