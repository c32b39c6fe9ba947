"""Talk between people: what they decided, promised, put off, pointed at, and the facts they stated about their own work.

No agent takes part, so every word is a person's; what counts is agreement and commitment rather than instruction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from memctl.core.model import OPERATOR_IMPLIED, OPERATOR_SAID, Candidate, Type
from memctl.extract import build, chat_cues, kinds, pointers, reasons, session_cues, turn_selection
from memctl.extract.operator import lasting
from memctl.extract.sentences import Sentence, lowered
from memctl.extract.transcript_view import View

_THRESHOLD = 0.42
# In a long talk much is said in passing.
_LONG_THRESHOLD = 0.48
_TYPES: dict[str, Type] = {"decision": "decision", "pointer": "task_hint", "preference": "project"}
_OWN = re.compile(r"\b(?:[Ww]e|[Ll]et['’]s|[Oo]ur|[Uu]s|I|[Mm]y)\b|`|\b[A-Z]\w*[A-Z0-9]\w*\b|\d")
_QUOTES = re.compile(r"^[\"“”>]|\"{3}|^&gt;")
_REPLIES = re.compile(r"^(?:nope|no|yes|yep|yeah|we|let's|just)\b")
# A word of judgement on one of the ways, before somebody asks which to take.
_JUDGES = re.compile(
    r"\b(?:bad|poor|worse|better|best|too (?:slow|complex|big|expensive)|hard(?:er)? to|doesn't (?:scale|fit|work)|easier|faster|simpler)\b"
)
_DENIES = re.compile(r"^(?:nope|no)\b|^just\b")
_DECIDES = re.compile(r"\b(?:decid\w+|agreed|settled|concluded|decision|consensus)\b")
_RECENT = 12
_ANSWER_CHARS = 240
_MESSAGE_CHARS = 600
_MESSAGE_SENTENCES = 4


class Utterance(NamedTuple):
    """What somebody said in one go: a turn, or a paragraph where the transcript names nobody."""

    turn: int
    speaker: str | None
    parts: list[Sentence]


def propose(view: View) -> Iterator[Candidate]:
    """Statements of all people, answers to each other's questions, and links with the words around them."""
    said = list(_utterances(view))
    about = chat_cues.topics(s for each in said for s in each.parts)
    for n, each in enumerate(said):
        before = said[n - 1] if n and _adjoins(view, said[n - 1], each) else None
        if before is not None:
            yield from _answer(view, before, each, said[max(0, n - _RECENT) : n], about is None)
        agreed = any(
            chat_cues.CONCEDES.search(s.low) for other in said[n : n + 2] for s in other.parts
        )
        is_message = len(view.turns[each.turn].text) <= _MESSAGE_CHARS
        for at, sentence in enumerate(each.parts):
            if is_message and pointers.is_link(sentence.text):
                continue
            score, kind = worth(sentence, about, agreed)
            # Meetings end with what was settled and who does what.
            score += 0.05 if n > 0.85 * len(said) and kind in ("decision", "todo") else 0.0
            if about is None and len(each.parts) <= _MESSAGE_SENTENCES:
                score, kind = max((score, kind), _ruling(sentence))
            if score >= (_THRESHOLD if about is None else _LONG_THRESHOLD):
                yield _statement(view, score, kind, each.parts, at)
    yield from _links(view)


def _utterances(view: View) -> Iterator[Utterance]:
    for index in turn_selection.promising(view.turns, view.human):
        speaker, parts = view.turns[index].speaker, view.sentences(index)
        if speaker is not None:
            yield Utterance(index, speaker, parts)
            continue
        for _, group in groupby(parts, key=lambda s: s.paragraph):
            yield Utterance(index, None, list(group))


def _adjoins(view: View, before: Utterance, after: Utterance) -> bool:
    """Whether nobody spoke between the two: of a long talk not all is read."""
    return not any(i in view.spoken for i in range(before.turn + 1, after.turn))


def worth(sentence: Sentence, about: frozenset[str] | None, agreed: bool) -> tuple[float, str]:
    """How much a sentence commits the speakers to, and to what."""
    low = chat_cues.bare(sentence)
    gain, kind = session_cues.weigh(low, chat_cues.SAID)
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
        + max(-0.45, session_cues.weigh(low, chat_cues.IDLE)[0])
        + min(0.1, session_cues.weigh(low, session_cues.REASONS)[0])
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
        score += 0.1 if chat_cues.touches(sentence, about) else -0.08
    return score, kind


def _ruling(sentence: Sentence) -> tuple[float, str]:
    """In a short message a person may lay down a rule as plainly as to an agent."""
    if _QUOTES.match(sentence.text):
        return 0.0, ""
    score, kind = lasting(sentence)
    return score - 0.05, "fact" if kind == "self" else kind


def _statement(view: View, score: float, kind: str, parts: list[Sentence], at: int) -> Candidate:
    """The statement; a promise takes along the sentence before it, which says what it is about."""
    sentence, before, after = (
        parts[at],
        (parts[at - 1] if at else None),
        (parts[at + 1] if at + 1 < len(parts) else None),
    )
    spans = [build.span(sentence)]
    if (
        before is not None
        and kind == "todo"
        and not session_cues.QUESTION.search(before.low)
        and session_cues.weigh(before.low, chat_cues.SAID)[0] > 0
    ):
        spans.append(build.span(before))
    content = build.flat(sentence.text)
    # About half of what people say so plainly is worth keeping, and the plainest is hardly surer than the rest.
    sure = 0.46 + 0.08 * min(score, 1.0)
    because, over = reasons.reason(sentence, before, after), reasons.alternatives(sentence)
    if kind == "decision" and not (because or over or _DECIDES.search(sentence.low)):
        kind = kinds.plain_kind(sentence.low)
    type_: Type = (
        "project" if kind == "decision" and not (because or over) else _TYPES.get(kind, "project")
    )
    return build.candidate(
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


def _answer(
    view: View, before: Utterance, reply: Utterance, earlier: list[Utterance], is_short: bool
) -> Iterator[Candidate]:
    """A short answer by somebody else to a question of what should be; in a long talk only a plain one."""
    if (
        not reply.parts
        or (reply.speaker is not None and reply.speaker == before.speaker)
        or pointers.is_link(reply.parts[0].text)
    ):
        return
    asked = [s for s in before.parts if session_cues.QUESTION.search(s.low)]
    whole = build.merged(reply.parts[0], reply.parts[-1], view)
    if (
        not asked
        or len(whole.quote) > _ANSWER_CHARS
        or session_cues.QUESTION.search(lowered(whole.quote))
        or not chat_cues.ASKS_CHOICE.search(asked[-1].low)
    ):
        return
    plain = bool(_REPLIES.match(lowered(view.turns[reply.turn].text[: whole.end])))
    if not plain and not is_short:
        return
    score = 0.62 if plain else 0.5
    content = f"{build.flat(whole.quote)} (asked: {build.shortened(asked[-1].text, 200)})"
    spans = [whole, build.span(asked[-1])]
    judged = next(
        (
            s
            for each in reversed(earlier)
            for s in reversed(each.parts)
            if _JUDGES.search(s.low) and s.turn != asked[-1].turn
        ),
        None,
    )
    because = reasons.reason(
        reply.parts[0], None, reply.parts[1] if len(reply.parts) > 1 else None
    ) or (judged and reasons.plain(judged.text))
    refused = (
        (build.shortened(asked[-1].text, 160),)
        if _DENIES.match(lowered(view.turns[reply.turn].text[: whole.end]))
        else ()
    )
    kind = "decision" if because or refused else kinds.plain_kind(reply.parts[0].low)
    yield build.candidate(
        view,
        "chat.answer",
        "decision" if kind == "decision" else "project",
        kind,
        score,
        OPERATOR_SAID,
        spans,
        content=content,
        title=build.title_of(whole.quote),
        rationale=because or None,
        alternatives=refused,
    )


def _links(view: View) -> Iterator[Candidate]:
    """Links in short messages; a bare link takes the same person's words before it along."""
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
        for found in pointers.links_given(view, index):
            if (
                not view.sentences(index)
                and words
                and not session_cues.QUESTION.search(words[-1].low)
            ):
                spans = [found.evidence[0], build.span(words[-1])]
                yield build.candidate(
                    view, found.rule, "task_hint", "pointer", 0.42, OPERATOR_IMPLIED, spans
                )
            else:
                yield found
