"""Extract candidates with a model: what it picks out of a conversation becomes a candidate like any
other.

Guarantees: a candidate rests on words that stand in the source, said by somebody who may claim such
a thing; its trust is that of those words; its content is those words or fewer. Whatever else the
model says is dropped. A conversation is read by the model once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from memctl.capture import store_transcripts
from memctl.core.frozen import dataclass
from memctl.core.model import (
    AGENT_CLAIMED,
    OPERATOR_IMPLIED,
    OPERATOR_SAID,
    Candidate,
    Source,
    Span,
)
from memctl.core.typing_lite import Any
from memctl.curate.propose import propose_candidates
from memctl.extract import build
from memctl.extract.reach import choose_scope
from memctl.extract.sentences import flatten, fold_for_cues
from memctl.extract.transcript_view import TranscriptView
from memctl.llm import grounding, quote_finder, spoken_text
from memctl.llm.calls import ModelQuestion
from memctl.llm.prompts import PROMPTS
from memctl.llm.session import QuestionSession
from memctl.settings.config import Config
from memctl.store import model_calls
from memctl.store.database import Database

PURPOSE = "extract"
RULE = f"model:extract@{PROMPTS[PURPOSE].version}"
# Under which a source is noted that was read to its end.
READ_TO_END = "extract:whole"
# English has about 4 characters per token; fewer are on the safe side.
_CHARS_PER_TOKEN = 3.5
# Sources read in one run. Chosen by hand.
_MAX_SOURCES = 500
_MAX_SPEAKER_LENGTH = 40
# An agent explains at length what it says in its first sentences: only these are shown.
_MAX_AGENT_CHARS = 1200
# Chosen by hand: below what the extraction rules give, because a model is less predictable.
_CONFIDENCE_BY_TRUST = {OPERATOR_SAID: 0.6, OPERATOR_IMPLIED: 0.5, AGENT_CLAIMED: 0.4}
# What an agent may speak for: what it found, not what somebody wants.
_AGENT_KINDS = frozenset(
    {"fact", "fix", "command", "pointer", "domain-reference", "workflow", "todo"}
)


@dataclass(frozen=True, slots=True)
class ConversationChunk:
    """A part of a conversation that is shown at once: the indexes of its turns, and the text."""

    turns: tuple[int, ...]
    text: str


def extract_unread(db: Database, config: Config, ask: QuestionSession) -> Iterator[Counter[str]]:
    """Read what no model has read yet, newest first; yields the counts of each part.

    Raises ModelHeldBack.
    """
    for source in model_calls.list_unread_sources(db, READ_TO_END, _MAX_SOURCES):
        ask.require_time()
        is_read = True
        view = TranscriptView(store_transcripts.read_stored(db, source))
        for chunk in split_into_chunks(view, ask.settings.chunk_tokens):
            reply = ask(ModelQuestion(PURPOSE, source.id, chunk.text))
            is_read = is_read and reply.how not in ("failed", "given_up")
            if reply.value is not None:
                yield _propose_answer(db, config, source, view, chunk, reply.value, reply.call)
        if is_read:
            with db.write():
                model_calls.mark_finished(
                    db, READ_TO_END, f"{source.id}:{source.turn_count}", source.id
                )


def split_into_chunks(view: TranscriptView, tokens: int) -> Iterator[ConversationChunk]:
    """Split a conversation into parts of at most so many tokens.

    Parts in which only agents speak are left out.
    """
    if view.transcript.format.startswith("memory:"):
        return
    most, turns, texts = int(tokens * _CHARS_PER_TOKEN), list[int](), list[str]()
    for index, text in _list_spoken_pieces(view, most):
        if texts and sum(map(len, texts)) + len(text) > most:
            yield from _close_chunk(view, turns, texts)
            turns, texts = [], []
        turns.append(index)
        texts.append(text)
    yield from _close_chunk(view, turns, texts)


def _close_chunk(
    view: TranscriptView, turns: Sequence[int], texts: Sequence[str]
) -> Iterator[ConversationChunk]:
    if set(turns).intersection(spoken_text.list_people(view)):
        yield ConversationChunk(tuple(dict.fromkeys(turns)), "\n\n".join(texts))


def _list_spoken_pieces(view: TranscriptView, most: int) -> Iterator[tuple[int, str]]:
    """Yield what was said, turn by turn, each piece behind a word for who said it.

    A long turn is split into pieces.
    """
    for index in sorted((*spoken_text.list_people(view), *view.assistant)):
        turn = view.turns[index]
        if turn.data.get("shell"):
            continue
        is_person = turn.role == "human"
        ranges = spoken_text.list_ranges(view, index)
        said = "\n".join(turn.text[start:end] for start, end in ranges)
        if not is_person:
            said = said[:_MAX_AGENT_CHARS]
        speaker = flatten(turn.speaker)[:_MAX_SPEAKER_LENGTH] if turn.speaker else ""
        if not speaker:
            speaker = "person" if is_person else "agent"
        prefix = f"[{speaker}] "
        size = most - len(prefix)
        for start in range(0, len(said), size):
            yield index, prefix + said[start : start + size]


def _propose_answer(
    db: Database,
    config: Config,
    source: Source,
    view: TranscriptView,
    chunk: ConversationChunk,
    value: Mapping[str, Any],
    call: str,
) -> Counter[str]:
    """Propose the candidates of an answer that hold; their counts."""
    found, counts = [], Counter[str]()
    for item in value["candidates"]:
        candidate = build_candidate_or_reason(view, chunk.turns, item)
        if isinstance(candidate, str):
            counts[candidate] += 1
        else:
            found.append(candidate)
    with db.write():
        tally = propose_candidates(
            db, config, source, view.turns, found, cause=f"model call {call}"
        )
    counts.update(
        {
            name: many
            for name in ("proposed", "duplicates", "rejected_again", "contradictions")
            if (many := getattr(tally, name))
        }
    )
    return counts


def build_candidate_or_reason(
    view: TranscriptView, turns: Sequence[int], item: Mapping[str, Any]
) -> Candidate | str:
    """Build a candidate from what the model picked out, or say why it is none.

    The reason is `unfounded` or `not_theirs`. Words that only answer the agent stand with the
    words that they answer, which are what the person meant and did not say.
    """
    answer, proposal = _find_answer(view, turns, item)
    carries = quote_finder.can_carry_statement(item["quote"])
    span = answer or (quote_finder.find_quote(view, turns, item["quote"]) if carries else None)
    if span is None:
        return "unfounded"
    trust = quote_finder.compute_span_trust(view, span)
    content = flatten(item["content"])
    own = carries and grounding.says_no_more(content, span.quote)
    meant = proposal is not None and not own and _is_meant(content, proposal, span, carries)
    if meant:
        trust = min(trust, OPERATOR_IMPLIED)
        # A wish that was only agreed to holds for the project alone.
        item = {**item, "type": "project"} if item["type"] == "profile" else item
    if not _may_claim(view, item, trust):
        return "not_theirs"
    more: build.CandidateExtras = {
        "rationale": _find_rationale(view, turns, item, trust),
        "subject": _find_subject(item, span.quote),
    }
    if own:
        more["content"] = content
    elif meant and proposal is not None:
        both = f"{proposal.quote} {span.quote}"
        more["content"] = content if grounding.says_no_more(content, both) else proposal.quote
    return build.build_candidate(
        view,
        RULE,
        item["type"],
        item["kind"],
        _CONFIDENCE_BY_TRUST[trust],
        trust,
        [span] if proposal is None else [span, proposal],
        choose_scope(fold_for_cues(span.quote), is_conduct=item["type"] == "profile"),
        **more,
    )


def _find_answer(
    view: TranscriptView, turns: Sequence[int], item: Mapping[str, Any]
) -> tuple[Span | None, Span | None]:
    """Where the quote answers the agent, and the agent's words that it answers.

    They must stand in what the agent said since the person's words before.
    """
    answered = item.get("answers") or ""
    if not quote_finder.can_carry_statement(answered):
        return None, None
    people = [index for index in spoken_text.list_people(view) if index in turns]
    for index in people:
        span = quote_finder.find_quote(view, [index], item["quote"])
        if span is not None:
            said = _list_said_before(view, index)
            proposal = quote_finder.find_quote(view, said, answered)
            if proposal is not None:
                return span, proposal
    return None, None


def _list_said_before(view: TranscriptView, index: int) -> list[int]:
    """What the agent said before a turn since a person spoke, latest first."""
    found = []
    for earlier in range(index - 1, -1, -1):
        turn = view.turns[earlier]
        if turn.role == "human" and turn.kind == "text":
            break
        if turn.role == "assistant" and turn.kind in ("text", "plan"):
            found.append(earlier)
    return found


def _is_meant(content: str, proposal: Span, span: Span, carries: bool) -> bool:
    """Whether a statement is the agent's words, to which the person's only agree."""
    return not carries or grounding.says_no_more(content, f"{proposal.quote} {span.quote}")


def _may_claim(view: TranscriptView, item: Mapping[str, Any], trust: int) -> bool:
    """Whether words of this trust can carry such a candidate.

    Only people say what somebody wants; only the operator states a profile, to their own agent.
    """
    if item["type"] == "profile":
        return trust == OPERATOR_SAID and not view.transcript.is_chat
    if item["type"] == "decision":
        return trust > AGENT_CLAIMED
    return trust > AGENT_CLAIMED or item["kind"] in _AGENT_KINDS


def _find_rationale(
    view: TranscriptView, turns: Sequence[int], item: Mapping[str, Any], trust: int
) -> str | None:
    """The reason, if it stands in the source too, in words of at least the same trust."""
    span = quote_finder.find_quote(view, turns, item.get("rationale") or "")
    return (
        flatten(span.quote)
        if span is not None and quote_finder.compute_span_trust(view, span) >= trust
        else None
    )


def _find_subject(item: Mapping[str, Any], quote: str) -> str | None:
    """The subject, if the quote names it."""
    subject = item.get("subject") or ""
    return subject if subject.strip() and grounding.says_no_more(subject, quote) else None
