"""Answers to the agent's questions, refusals with reasons, approved plans, and what follows them.

A choice of how the thing should be is a decision. A choice of what to do next steers the session
and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import OPERATOR_IMPLIED, OPERATOR_SAID, Candidate, Span
from memctl.extract import build, kinds, operator, reasons, session_cues
from memctl.extract.operator import find_contradicted_sentence
from memctl.extract.sentences import Sentence, fold_for_cues
from memctl.extract.transcript_view import TranscriptView

_OPTIONS = compile_later(
    r"(?:^|\n)\s{0,8}(?:[-*] )?(?:\*\*)?(?:\(?[A-D]\)|option [a-d1-4]\b|[1-4]\))", re.IGNORECASE
)
_BARE = compile_later(
    r"^(?:yes|yeah|yep|no|nope|ok(?:ay)?|sure|cool|great|right|sounds good|continue|go(?! with)"
    r"|please|let's go|do it|[a-d1-4]\)?"
    r"|option [a-d1-4])[,.!\s-]{0,4}",
    re.IGNORECASE,
)
_RECOMMENDS = compile_later(
    r"\b(?:i(?:'d| would)? (?:recommend|suggest|propose|go with)|my (?:recommendation"
    r"|suggestion)|recommended)\b"
)
_COPULA = compile_later(
    r"\b(?:is|are|means|fires|uses|has|have|lives|runs|comes|only|should|shouldn't|must|don't"
    r"|doesn't)\b"
)
_DIRECTS = compile_later(
    r"^(?:(?:and|also|just|please) )*(?:put|use|keep|make|call|name|store|separate|split|remove"
    r"|replace|drop|leave|skip|take|set|have"
    r"|treat|return|pass|move)\b"
)
_IDENTIFIER = compile_later(r"`|[a-z][A-Z]|\w[_/.]\w")
_YES_BUT = compile_later(r"(?:yes|yeah|ok(?:ay)?|sure|no|nope)\b.{0,3}\bbut\b")
_TASKS = compile_later(
    r"(?:(?:now|then|also|and|please|first|next),? )*(?:create|build|implement|write|add|fix|run"
    r"|commit|push|open|review|check|look)\b"
)
_SETTLED = 0.42
# Words below which a reply needs its question, and below which it may depend on it by a pronoun;
# characters below which a title is completed by the question. Chosen by hand on labelled sessions.
_BRIEF_WORDS = 7
_SHORT_WORDS = 12
_SHORT_TITLE_CHARS = 40
_LEANING = compile_later(
    r"\b(?:it|that|this|they|them|these|those|one|there|yes|yeah|yep|no|nope)\b"
)


def propose_replies(view: TranscriptView) -> Iterator[Candidate]:
    """Propose everything the operator decided by replying."""
    for index, turn in enumerate(view.turns):
        if turn.kind == "rejection" and turn.role == "human":
            yield from _build_refusal(view, index)
        elif turn.kind == "answer":
            yield from _build_choice(view, index)
        elif turn.kind == "plan" and turn.ok is True:
            yield from _build_approved_plan(view, index)
        elif turn.role == "human" and turn.kind == "text" and not view.is_document(index):
            yield from _build_reply(view, index)


def _build_refusal(view: TranscriptView, index: int) -> Iterator[Candidate]:
    """Build a rule from the reason that the operator typed when refusing a tool use."""
    stated = [s for s in view.sentences(index) if not session_cues.QUESTION.search(s.low)]
    if not stated or len(view.turns[index].text) > 600:
        return
    whole = build.merge_spans(stated[0], stated[-1], view)
    before = view.said_before(index)
    target = find_contradicted_sentence(view, before, whole) if before is not None else None
    decided = bool(re.search(r"\b(?:we|should|let's|use|instead)\b", stated[0].low))
    why_ = reasons.find_reason(stated[0], None, stated[1] if len(stated) > 1 else None)
    over = tuple(one for s in stated for one in reasons.find_alternatives(s))
    place = kinds.classify_statement(
        stated[0], "decision" if decided else "preference", own=True, weighed=bool(why_ or over)
    )
    content = build.clean_statement(whole.quote) + _describe_refused_use(view, index)
    yield build.build_candidate(
        view,
        "replies.refusal",
        place.type,
        place.kind,
        0.75,
        OPERATOR_SAID,
        [whole],
        place.scope,
        rationale=why_,
        alternatives=over,
        corrects=target,
        content=content,
    )


def _describe_refused_use(view: TranscriptView, index: int) -> str:
    """What the agent was about to do when it was refused."""
    call_id = view.turns[index].call_id
    call = (
        next(
            (
                turn
                for turn in view.turns[:index]
                if turn.kind in ("tool_call", "plan") and turn.call_id == call_id
            ),
            None,
        )
        if call_id
        else None
    )
    return f" (said when refusing: {build.shorten(call.text, 120)})" if call is not None else ""


def _build_choice(view: TranscriptView, index: int) -> Iterator[Candidate]:
    """Build an answer to a question of how something should be, with the question as context."""
    text = view.turns[index].text
    for pair in view.turns[index].data.get("questions") or ():
        question, answer = str(pair.get("question", "")), str(pair.get("answer", ""))
        start = text.find(answer)
        if start >= 0 and 8 <= len(answer) <= 500 and not _is_steering(question, answer):
            spans = [Span(index, start, start + len(answer), answer)]
            yield build.build_candidate(
                view,
                "replies.picked",
                "decision",
                "decision",
                0.55,
                OPERATOR_SAID,
                spans,
                content=f"{question} {answer}",
                title=_make_answer_title(answer, question),
                alternatives=_list_options_not_picked(pair, answer),
                rationale=_read_typed_reason(answer),
            )


def _list_options_not_picked(pair: Mapping[str, object], answer: str) -> tuple[str, ...]:
    """The offered options that were not taken, where the transcript names them."""
    options = pair.get("options")
    names = (
        [str(option.get("label", "") if isinstance(option, dict) else option) for option in options]
        if isinstance(options, list)
        else []
    )
    return tuple(name for name in names if name and name not in answer)[:4]


def _read_typed_reason(answer: str) -> str | None:
    """The reason that the operator typed beside the choice."""
    found = re.search(
        r"\b(?:because|since|so that|otherwise|to avoid)\b.{8,}", answer, re.IGNORECASE | re.DOTALL
    )
    return reasons.strip_reason_opening(found.group()) if found else None


def _make_answer_title(answer: str, question: str) -> str:
    """A title that names the question and the answer."""
    short = build.make_title(answer)
    return f"{short}: {question}" if len(short) < _SHORT_TITLE_CHARS and question else short


def _is_steering(question: str, answer: str) -> bool:
    low = fold_for_cues(answer)
    return bool(
        session_cues.QUESTION.search(low)
        or session_cues.STEERS.search(low)
        or session_cues.STEERS.search(fold_for_cues(question))
    )


def _build_approved_plan(view: TranscriptView, index: int) -> Iterator[Candidate]:
    """Build a decision from a short approved plan: its heading and its first statement."""
    if len(view.turns[index].text) > 3000:
        return
    parts = view.sentences(index)
    heading = next((s for s in parts[:2] if s.kind == "heading" and len(s.low.split()) >= 3), None)
    first = next(
        (
            s
            for s in parts
            if s.kind == "prose" and len(s.low.split()) >= 5 and not s.low.endswith(":")
        ),
        None,
    )
    opening = [s for s in parts if s.kind == "prose"][:3]
    because = next((found for s in opening if (found := reasons.find_reason(s))), None)
    over = tuple(one for s in opening for one in reasons.find_alternatives(s))[:3]
    spans = [build.make_span(s) for s in (heading, first) if s is not None]
    if spans and (because or over):
        yield build.build_candidate(
            view,
            "replies.approved_plan",
            "decision",
            "decision",
            0.42,
            OPERATOR_IMPLIED,
            spans,
            alternatives=over,
            rationale=because,
        )


def _build_reply(view: TranscriptView, index: int) -> Iterator[Candidate]:
    """Build a typed reply to a question, or to a plan or tool use refused without a reason."""
    refused = _find_refused_plan(view, index)
    before = view.said_before(index)
    asked = before if before is not None and _ends_in_question(view, before) else None
    if refused is None and asked is None:
        return
    parts = view.sentences(index)
    for sentence in parts[:4]:
        found = _build_settled(view, sentence, refused, asked)
        if found is not None:
            yield found
    if asked is not None and len(parts) <= 1:
        yield from _build_agreement(view, index, asked)


def _find_refused_plan(view: TranscriptView, index: int) -> int | None:
    """The plan that the operator refused without a reason just before typing."""
    for i in range(index - 1, max(-1, index - 4), -1):
        turn = view.turns[i]
        if turn.kind == "plan" and turn.ok is False:
            return i
        if turn.role != "tool":
            return None
    return None


def _ends_in_question(view: TranscriptView, index: int) -> bool:
    """Whether the agent's message ends in a question or in options."""
    closing = view.sentences(index)[-3:]
    return any(session_cues.QUESTION.search(s.low) for s in closing) or bool(
        _OPTIONS.search(view.turns[index].text[-900:])
    )


def _build_settled(
    view: TranscriptView, sentence: Sentence, refused: int | None, asked: int | None
) -> Candidate | None:
    score = _score_settling(sentence) + (0.2 if refused is not None else 0.0)
    if score < _SETTLED:
        return None
    spans = [build.make_span(sentence)]
    target = find_contradicted_sentence(view, refused, spans[0]) if refused is not None else None
    over = reasons.find_alternatives(sentence) or (
        reasons.find_offered_options(view, asked, sentence.text) if asked is not None else ()
    )
    over = over or (
        (build.shorten(build.clean_statement(target.quote), 160),) if target is not None else ()
    )
    parts = view.sentences(sentence.turn)
    n = parts.index(sentence)
    why_ = reasons.find_reason(sentence, None, parts[n + 1] if n + 1 < len(parts) else None)
    place = kinds.classify_statement(
        sentence,
        _choose_settled_kind(sentence, asked, target),
        own=True,
        weighed=bool(why_ or over),
    )
    question = _find_question_before(view, asked, sentence)
    content = build.clean_statement(sentence.text) + (f" (asked: {question})" if question else "")
    if target is not None:
        content += f" (Corrects: “{build.shorten(build.clean_statement(target.quote), 200)}”)"
    sure = min(0.65, 0.45 + 0.3 * (score - _SETTLED))
    # With its question a statement says more than without.
    sure = (
        max(sure, operator.to_confidence(operator.score_durability(sentence)[0]) + 0.01)
        if question
        else sure
    )
    return build.build_candidate(
        view,
        "replies.settled",
        place.type,
        place.kind,
        sure,
        OPERATOR_SAID,
        spans,
        place.scope,
        corrects=target,
        rationale=why_,
        alternatives=over,
        content=content,
        title=_make_answer_title(sentence.text, question),
    )


def _choose_settled_kind(sentence: Sentence, asked: int | None, target: Span | None) -> str:
    """A checked fact, a constraint (`yes, but`), or a decision."""
    if session_cues.CHECKED.search(sentence.low):
        return "fact"
    if target is None and asked is not None and _YES_BUT.match(sentence.low):
        return "preference"
    return "decision"


def _find_question_before(view: TranscriptView, asked: int | None, sentence: Sentence) -> str:
    """The question that a short answer needs to be understood, and what that depends on."""
    needs = len(sentence.low.split()) < _BRIEF_WORDS or (
        len(sentence.low.split()) <= _SHORT_WORDS and _LEANING.search(sentence.low)
    )
    if asked is None or not needs:
        return ""
    said = view.sentences(asked)
    at = next(
        (n for n in range(len(said) - 1, -1, -1) if session_cues.QUESTION.search(said[n].low)), None
    )
    if at is None:
        return ""
    context = said[at - 1].text + " " if at and len(said[at].low.split()) < _BRIEF_WORDS else ""
    return build.shorten(context + said[at].text, 200)


def _score_settling(sentence: Sentence) -> float:
    """Score how far a sentence of a reply settles how things should be."""
    low = sentence.low
    rest = _BARE.sub("", low)
    words = len(rest.split())
    directs = bool(_DIRECTS.search(rest)) and bool(_IDENTIFIER.search(sentence.text))
    if (
        session_cues.QUESTION.search(low)
        or _TASKS.match(rest)
        or words < 3
        or (words < 4 and not directs)
    ):
        return 0.0
    score = 0.3 + min(0.25, session_cues.weigh_cues(rest, session_cues.LASTING)[0])
    score += 0.25 if _YES_BUT.match(low) else 0.0
    score += 0.15 if _COPULA.search(rest) else 0.0
    score += 0.15 if session_cues.CHECKED.search(low) else 0.0
    return score + (
        0.15 if directs else max(-0.4, session_cues.weigh_cues(rest, session_cues.FLEETING)[0])
    )


def _build_agreement(view: TranscriptView, index: int, before: int) -> Iterator[Candidate]:
    """Build a decision where the agent recommended one way and the operator agreed."""
    text = view.turns[index].text
    low = fold_for_cues(text)
    if not session_cues.AFFIRMS.match(low) or len(low.split()) > 8:
        return
    stated = [
        s
        for s in view.sentences(before)
        if not session_cues.QUESTION.search(s.low) and len(s.low.split()) >= 6
    ]
    advice = [s for s in stated if _RECOMMENDS.search(s.low)]
    if not advice:
        return
    sentence = advice[-1]
    n = stated.index(sentence)
    why_, over = (
        reasons.find_reason(sentence, None, stated[n + 1] if n + 1 < len(stated) else None),
        reasons.find_alternatives(sentence),
    )
    kind = "decision" if why_ or over else kinds.guess_kind(sentence.low)
    yield build.build_candidate(
        view,
        "replies.agreed",
        "decision" if kind == "decision" else "project",
        kind,
        0.48,
        OPERATOR_IMPLIED,
        [build.make_span(sentence), Span(index, 0, len(text), text)],
        content=f"Agreed: {sentence.text}",
        rationale=why_,
        alternatives=over,
    )
