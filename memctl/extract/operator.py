"""What the operator says in passing: preferences, conventions, constraints, decisions, and corrections of what the agent said.

A statement counts for its lasting cues and against its fleeting ones; a question counts only where it states a choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.model import OPERATOR_IMPLIED, OPERATOR_SAID, Candidate, Span
from memctl.extract import build, kinds, pasted, reasons, session_cues, states
from memctl.extract.sentences import COMMON_WORDS, Sentence, word_count
from memctl.extract.transcript_view import View

THRESHOLD = 0.4
_BASE = 0.15
# So plainly does a label with its value say how things stand, however short.
_PLAIN = 0.4
_REMEMBERED = 8
_PASTED_CAP = 0.55
_REQUIRES = re.compile(
    r"\b(?:should|must|consider|needs? to|has to|have to|ensure|make sure|recommend\w*|required)\b"
    r"|(?:^|, )(?:never|always|do not|don't|avoid|keep|use|mark|make|attach|return|skip|improve|reduce|leave)\b"
)
_BARE_REFUSAL = re.compile(
    r"^(?:(?:so|well|but|and|see)[.,…!]* )?(?:no|nope|wrong|incorrect|actually|hmm+|wait|see|(?:this|that|it)(?:'s)? [^,;:.!?]{0,40}"
    r"|you (?:missed|forgot|misunderstood)(?: it| this| that)?)[.!…, ]*$"
)


def propose(view: View) -> Iterator[Candidate]:
    """Lasting statements and corrections in the operator's own prompts; pasted documents are read elsewhere."""
    for index in view.human:
        if view.is_document(index) or view.turns[index].data.get("shell"):
            continue
        parts = view.sentences(index)
        corrected = _correction(view, index, parts)
        if corrected is not None:
            yield corrected
        for n in range(len(parts)):
            found = _statement(view, parts, n)
            if found is not None:
                yield found


def propose_notes(view: View) -> Iterator[Candidate]:
    """Lasting statements among the points of somebody's notes; running text there is read as talk."""
    for index in view.human:
        for sentence in view.sentences(index):
            found = _statement(view, [sentence], 0) if sentence.kind == "bullet" else None
            if found is not None:
                yield found


def lasting(sentence: Sentence, stands: float = 0.0) -> tuple[float, str]:
    """How lasting a sentence of the operator's is, 0 to 1, and of what kind; `stands` is what it gains by saying how things are."""
    low = sentence.low
    gain, kind = session_cues.weigh(low, session_cues.LASTING)
    is_rule = bool(states.RULES.match(low))
    gain, kind = gain + stands, "preference" if is_rule else kind or ("fact" if stands else "")
    if session_cues.EMPHASIS.search(sentence.text):
        gain, kind = gain + 0.25, kind or "constraint"
    if not gain:
        return 0.0, ""
    score = (
        _BASE
        + min(gain, 0.7)
        + session_cues.weigh(low, session_cues.REASONS)[0]
        + max(-0.5, session_cues.weigh(low, session_cues.FLEETING)[0])
    )
    score += 0.05 if kinds.NAMED.search(sentence.text) else 0.0
    score -= 0.2 if word_count(low) < 4 and stands < _PLAIN else 0.0
    score -= 0.12 if session_cues.LEANS.match(low) else 0.0
    return score + _as_question(low), kind


def _as_question(low: str) -> float:
    """A question states nothing, unless it asks to be agreed with or offers a choice."""
    if not session_cues.QUESTION.search(low):
        return 0.0
    if session_cues.TAG_QUESTION.search(low):
        return 0.1
    return (
        0.15 if session_cues.SUGGESTION.search(low) and session_cues.CONTRAST.search(low) else -0.6
    )


def _statement(view: View, parts: list[Sentence], n: int) -> Candidate | None:
    """The statement as a candidate; one that leans on the sentence before it takes that along."""
    sentence = parts[n]
    before, after = (parts[n - 1] if n else None), (parts[n + 1] if n + 1 < len(parts) else None)
    score, kind = lasting(
        sentence,
        states.weight(sentence.text, sentence.low) if sentence.kind in ("prose", "bullet") else 0.0,
    )
    near = before if before is not None and before.paragraph == sentence.paragraph else None
    leans = near if score and session_cues.LEANS.match(sentence.low) else None
    score += 0.2 if leans is not None else 0.0
    if score < THRESHOLD or is_put_off(sentence):
        return None
    words = build.merged(leans, sentence, view) if leans is not None else build.span(sentence)
    why_ = reasons.reason(sentence, before, after)
    if pasted.is_pasted(view, sentence):
        return _from_paste(view, sentence, score, words, why_)
    asked = bool(session_cues.QUESTION.search(sentence.low))
    kind = "decision" if asked and session_cues.SUGGESTION.search(sentence.low) else kind
    over = reasons.alternatives(sentence)
    place = kinds.sort(sentence, kind, own=True, weighed=bool(why_ or over))
    trust = OPERATOR_IMPLIED if asked else OPERATOR_SAID
    return build.candidate(
        view,
        "operator.statement",
        place.type,
        place.kind,
        sure(score),
        trust,
        [words],
        place.scope,
        rationale=why_,
        alternatives=over,
    )


def _from_paste(
    view: View, sentence: Sentence, score: float, words: Span, why_: str | None
) -> Candidate:
    """Somebody else's words that the operator passed on: a demand or a fact of the project, whatever they sound like."""
    kind = "constraint" if _REQUIRES.search(sentence.low) else "fact"
    sure = min(_PASTED_CAP, 0.35 + 0.35 * score)
    return build.candidate(
        view, "operator.pasted", "project", kind, sure, OPERATOR_IMPLIED, [words], rationale=why_
    )


def sure(score: float) -> float:
    """A score as the share of such statements that are worth keeping: the plainest are seldom wrong, and never sure."""
    return min(0.9, 0.35 + 0.6 * (score - 0.1)) if score > 0.5 else score + 0.05


def is_put_off(sentence: Sentence) -> bool:
    """Whether the sentence puts work off, which is told as work to do."""
    return bool(session_cues.NEXT_TIME.search(sentence.low))


def _correction(view: View, index: int, parts: list[Sentence]) -> Candidate | None:
    """The operator contradicts what the agent said just before."""
    before = view.said_before(index)
    at = next((n for n, s in enumerate(parts[:3]) if session_cues.REFUTES.search(s.low)), None)
    if (
        before is None
        or at is None
        or session_cues.weigh(parts[at].low, session_cues.FLEETING)[0] <= -0.3
    ):
        return None
    quoted, source = _quoted(view, before, parts)
    words = _refuting(parts[at:], quoted)
    asks_why = parts[at].low.startswith(("why", "but why")) and len(words) > 1
    if not (asks_why or any(session_cues.REFUTES_PLAINLY.search(s.low) for s in words)):
        return None
    target = contradicted(
        view, source, build.span(quoted) if quoted else build.merged(words[0], words[-1], view)
    )
    right = [s for s in words if not _says_only_no(s)]
    point = max(
        right or words,
        key=lambda s: len(s.text) + 200 * bool(session_cues.REFUTES_PLAINLY.search(s.low)),
    )
    return build.candidate(
        view,
        "operator.correction",
        "project",
        "correction",
        0.75 if target else 0.55,
        OPERATOR_SAID,
        [build.span(s) for s in words],
        corrects=target,
        content=_put_right(right or words, target),
        title=build.title_of(point.text),
    )


def _says_only_no(sentence: Sentence) -> bool:
    """A bare no, or the question that leads up to what is right."""
    asks = session_cues.QUESTION.search(sentence.low) and sentence.low.startswith(
        ("why", "but why", "what", "how")
    )
    return bool(asks or _BARE_REFUSAL.match(sentence.low))


def _put_right(right: list[Sentence], target: Span | None) -> str:
    """What is right, and what it corrects."""
    said = " ".join(build.stated(s.text) for s in right)
    if target is None:
        return said
    return f"{said.rstrip()} (Corrects: “{build.shortened(build.stated(target.quote), 240)}”)"


def _refuting(parts: list[Sentence], quoted: Sentence | None) -> list[Sentence]:
    """The refutation with what backs it, up to where a question or the next task begins."""
    words = [parts[0]]
    for sentence in parts[1:]:
        question = session_cues.QUESTION.search(sentence.low) and sentence.low.count(",") == 0
        if len(words) == build.SPAN_LIMIT or question or session_cues.ONE_OFF.search(sentence.low):
            break
        if quoted is None or sentence.paragraph != quoted.paragraph:
            words.append(sentence)
    return words


def _quoted(view: View, before: int, parts: list[Sentence]) -> tuple[Sentence | None, int]:
    """The sentence in which the operator repeats the agent's words to answer them, and the turn in which they were said."""
    recent = [i for i in view.assistant if i <= before][-_REMEMBERED:]
    for index in reversed(recent):
        said = _plain(view.turns[index].text)
        for sentence in parts:
            if len(sentence.text) > 30 and _plain(sentence.text)[:60] in said:
                return sentence, index
    return None, before


def _plain(text: str) -> str:
    return build.flat(text.replace("`", "").replace("*", ""))


def contradicted(view: View, before: int, words: Span) -> Span | None:
    """The sentence of the agent's that shares most telling words with the correction."""
    told = _telling(words.quote)
    best = max(
        view.sentences(before),
        key=lambda s: (len(told & _telling(s.text)), -len(s.text)),
        default=None,
    )
    return build.span(best) if best is not None and told & _telling(best.text) else None


def _telling(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z0-9_]{2,}", text.lower()) if word not in COMMON_WORDS}
