"""Candidates from talk between people: decisions, promises, deferrals, links, facts about their
work.

No agent takes part, so every word is a person's; what counts is commitment and the talk's own
topics.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import OPERATOR_IMPLIED, OPERATOR_SAID, Candidate, Type
from memctl.extract import build, chat_cues, kinds, pointers, reasons, session_cues, turn_selection
from memctl.extract.operator import score_durability
from memctl.extract.sentences import Sentence, flatten, fold_for_cues
from memctl.extract.transcript_view import TranscriptView

_THRESHOLD = 0.42
# In a long talk much is said in passing.
_LONG_THRESHOLD = 0.48
_TYPES: dict[str, Type] = {"decision": "decision", "pointer": "task_hint", "preference": "project"}
_OWN = compile_later(r"\b(?:[Ww]e|[Ll]et['’]s|[Oo]ur|[Uu]s|I|[Mm]y)\b|`|\b[A-Z]\w*[A-Z0-9]\w*\b|\d")
_QUOTES = compile_later(r"^[\"“”>]|\"{3}|^&gt;")
_REPLIES = compile_later(r"^(?:nope|no|yes|yep|yeah|we|let's|just)\b")
# A word of judgement on one of the ways, before somebody asks which to take.
_JUDGES = compile_later(
    r"\b(?:bad|poor|worse|better|best|too (?:slow|complex|big|expensive)|hard(?:er)? to|doesn't "
    r"(?:scale|fit|work)|easier|faster|simpler)\b"
)
_DENIES = compile_later(r"^(?:nope|no)\b|^just\b")
_DECIDES = compile_later(r"\b(?:decid\w+|agreed|settled|concluded|decision|consensus)\b")
_RECENT = 12
_ANSWER_CHARS = 240
_MESSAGE_CHARS = 600
_MESSAGE_SENTENCES = 4


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one person said in one go: a turn, or a paragraph where the transcript names nobody."""

    turn: int
    speaker: str | None
    parts: list[Sentence]


def propose_chat_statements(view: TranscriptView) -> Iterator[Candidate]:
    """Propose the statements of all people, their answers to each other's questions, and their
    links.
    """
    said = list(_split_utterances(view))
    about = chat_cues.find_topics(s for each in said for s in each.parts)
    for n, each in enumerate(said):
        before = said[n - 1] if n and _is_adjacent(view, said[n - 1], each) else None
        if before is not None:
            yield from _build_answer(
                view, before, each, said[max(0, n - _RECENT) : n], about is None
            )
        agreed = any(
            chat_cues.CONCEDES.search(s.low) for other in said[n : n + 2] for s in other.parts
        )
        is_message = len(view.turns[each.turn].text) <= _MESSAGE_CHARS
        for at, sentence in enumerate(each.parts):
            if is_message and pointers.is_link(sentence.text):
                continue
            score, kind = score_commitment(sentence, about, agreed)
            # Meetings end with what was settled and who does what.
            score += 0.05 if n > 0.85 * len(said) and kind in ("decision", "todo") else 0.0
            if about is None and len(each.parts) <= _MESSAGE_SENTENCES:
                score, kind = max((score, kind), _score_ruling(sentence))
            if score >= (_THRESHOLD if about is None else _LONG_THRESHOLD):
                yield _build_statement(view, score, kind, each.parts, at)
    yield from _build_links(view)


def _split_utterances(view: TranscriptView) -> Iterator[Utterance]:
    for index in turn_selection.select_turns(view.turns, view.human):
        speaker, parts = view.turns[index].speaker, view.sentences(index)
        if speaker is not None:
            yield Utterance(index, speaker, parts)
            continue
        for _, group in groupby(parts, key=lambda s: s.paragraph):
            yield Utterance(index, None, list(group))


def _is_adjacent(view: TranscriptView, before: Utterance, after: Utterance) -> bool:
    """Whether nobody spoke between two utterances; not every turn of a long talk is read."""
    return not any(i in view.spoken for i in range(before.turn + 1, after.turn))


def score_commitment(
    sentence: Sentence, about: frozenset[str] | None, agreed: bool
) -> tuple[float, str]:
    """Score how far a sentence commits its speakers, and name the kind of commitment."""
    low = chat_cues.strip_quotations(sentence)
    gain, kind = session_cues.weigh_cues(low, chat_cues.SAID)
    words = len(low.split())
    if (
        not gain
        or words < (3 if about is None else 4)
        or words > 60
        or session_cues.QUESTION.search(low)
        or _QUOTES.match(sentence.text)
    ):
        return 0.0, ""
    score = (
        0.2
        + min(gain, 0.55)
        + max(-0.45, session_cues.weigh_cues(low, chat_cues.IDLE)[0])
        + min(0.1, session_cues.weigh_cues(low, session_cues.REASONS)[0])
    )
    score += 0.2 if agreed and kind == "decision" else 0.0
    score -= 0.3 if chat_cues.SUPPOSES.search(low) else 0.0
    score -= (
        0.2
        if sentence.text.count('"') % 2 or sentence.text.count("“") != sentence.text.count("”")
        else 0.0
    )
    score += 0.05 if _OWN.search(sentence.text) else -0.1
    score -= (
        0.1
        if words > 35 or session_cues.LEANS.match(low) or (words < 6 and about is not None)
        else 0.0
    )
    if about is not None:
        score += 0.1 if chat_cues.touches_topic(sentence, about) else -0.08
    return score, kind


def _score_ruling(sentence: Sentence) -> tuple[float, str]:
    """Score a short message as a rule: people also give rules to each other."""
    if _QUOTES.match(sentence.text):
        return 0.0, ""
    score, kind = score_durability(sentence)
    return score - 0.05, "fact" if kind == "self" else kind


def _build_statement(
    view: TranscriptView, score: float, kind: str, parts: list[Sentence], at: int
) -> Candidate:
    """Build the statement; a promise takes along the sentence before it, which names its
    subject.
    """
    sentence, before, after = (
        parts[at],
        (parts[at - 1] if at else None),
        (parts[at + 1] if at + 1 < len(parts) else None),
    )
    spans = [build.make_span(sentence)]
    if (
        before is not None
        and kind == "todo"
        and not session_cues.QUESTION.search(before.low)
        and session_cues.weigh_cues(before.low, chat_cues.SAID)[0] > 0
    ):
        spans.append(build.make_span(before))
    content = flatten(sentence.text)
    # About half of what people say so plainly is worth keeping, and the plainest is hardly surer
    # than the rest.
    sure = 0.46 + 0.08 * min(score, 1.0)
    because, over = (
        reasons.find_reason(sentence, before, after),
        reasons.find_alternatives(sentence),
    )
    if kind == "decision" and not (because or over or _DECIDES.search(sentence.low)):
        kind = kinds.guess_kind(sentence.low)
    type_: Type = (
        "project" if kind == "decision" and not (because or over) else _TYPES.get(kind, "project")
    )
    return build.build_candidate(
        view,
        "chat.statement",
        type_,
        kind,
        sure,
        OPERATOR_SAID,
        spans,
        content=content,
        rationale=because,
        alternatives=over,
    )


def _build_answer(
    view: TranscriptView,
    before: Utterance,
    reply: Utterance,
    earlier: list[Utterance],
    is_short: bool,
) -> Iterator[Candidate]:
    """Build a short answer by another person to a question of what should be done."""
    if (
        not reply.parts
        or (reply.speaker is not None and reply.speaker == before.speaker)
        or pointers.is_link(reply.parts[0].text)
    ):
        return
    asked = [s for s in before.parts if session_cues.QUESTION.search(s.low)]
    whole = build.merge_spans(reply.parts[0], reply.parts[-1], view)
    if (
        not asked
        or len(whole.quote) > _ANSWER_CHARS
        or session_cues.QUESTION.search(fold_for_cues(whole.quote))
        or not chat_cues.ASKS_CHOICE.search(asked[-1].low)
    ):
        return
    plain = bool(_REPLIES.match(fold_for_cues(view.turns[reply.turn].text[: whole.end])))
    if not plain and not is_short:
        return
    score = 0.62 if plain else 0.5
    content = f"{flatten(whole.quote)} (asked: {build.shorten(asked[-1].text, 200)})"
    spans = [whole, build.make_span(asked[-1])]
    judged = next(
        (
            s
            for each in reversed(earlier)
            for s in reversed(each.parts)
            if _JUDGES.search(s.low) and s.turn != asked[-1].turn
        ),
        None,
    )
    because = reasons.find_reason(
        reply.parts[0], None, reply.parts[1] if len(reply.parts) > 1 else None
    ) or (judged and reasons.strip_reason_opening(judged.text))
    refused = (
        (build.shorten(asked[-1].text, 160),)
        if _DENIES.match(fold_for_cues(view.turns[reply.turn].text[: whole.end]))
        else ()
    )
    kind = "decision" if because or refused else kinds.guess_kind(reply.parts[0].low)
    yield build.build_candidate(
        view,
        "chat.answer",
        "decision" if kind == "decision" else "project",
        kind,
        score,
        OPERATOR_SAID,
        spans,
        content=content,
        title=build.make_title(whole.quote),
        rationale=because or None,
        alternatives=refused,
    )


def _build_links(view: TranscriptView) -> Iterator[Candidate]:
    """Build links from short messages; a bare link takes the same person's words before it
    along.
    """
    for place, index in enumerate(view.human):
        text = view.turns[index].text
        if len(text) > _MESSAGE_CHARS or not pointers.is_link(text):
            continue
        before = view.human[place - 1] if place else index
        words = (
            view.sentences(before)
            if before != index and view.turns[before].speaker == view.turns[index].speaker
            else []
        )
        for found in pointers.find_given_links(view, index):
            if (
                not view.sentences(index)
                and words
                and not session_cues.QUESTION.search(words[-1].low)
            ):
                spans = [found.evidence[0], build.make_span(words[-1])]
                yield build.build_candidate(
                    view, found.rule, "task_hint", "pointer", 0.42, OPERATOR_IMPLIED, spans
                )
            else:
                yield found
