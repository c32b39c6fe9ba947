"""What the operator says in passing: preferences, conventions, constraints, decisions, corrections.

Lasting cues raise the score of a statement, fleeting ones lower it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import OPERATOR_IMPLIED, OPERATOR_SAID, Candidate, Span
from memctl.extract import (
    build,
    kinds,
    one_off,
    other_languages,
    pasted,
    reasons,
    session_cues,
    states,
)
from memctl.extract.sentences import COMMON_WORDS, Sentence, count_words, flatten
from memctl.extract.transcript_view import TranscriptView

THRESHOLD = 0.4
_BASE = 0.15
# So plainly does a label with its value say how things stand, however short.
_PLAIN = 0.4
_REMEMBERED = 8
_PASTED_CAP = 0.55
_REQUIRES = compile_later(
    r"\b(?:should|must|consider|needs? to|has to|have to|ensure|make sure|recommend\w*|required)\b"
    r"|(?:^|, )(?:never|always|do not|don't|avoid|keep|use|mark|make|attach|return|skip|improve"
    r"|reduce|leave)\b"
)
_BARE_REFUSAL = compile_later(
    r"^(?:(?:so|well|but|and|see)[.,…!]* )?(?:no|nope|wrong|incorrect|actually|hmm+|wait|see"
    r"|(?:this|that|it)(?:'s)? [^,;:.!?]{0,40}"
    r"|you (?:missed|forgot|misunderstood)(?: it| this| that)?)[.!…, ]*$"
)


def propose_operator_statements(view: TranscriptView) -> Iterator[Candidate]:
    """Propose lasting statements and corrections from the operator's prompts, pasted text aside."""
    for index in view.human:
        if view.is_document(index) or view.turns[index].data.get("shell"):
            continue
        parts = view.sentences(index)
        corrected = _build_correction(view, index, parts)
        if corrected is not None:
            yield corrected
        for n in range(len(parts)):
            found = other_languages.build_statement(view, parts, n) or _build_statement(
                view, parts, n
            )
            if found is not None:
                yield found


def propose_notes(view: TranscriptView) -> Iterator[Candidate]:
    """Propose lasting statements from the points of somebody's notes; `chat` reads running text."""
    for index in view.human:
        for sentence in view.sentences(index):
            found = _build_statement(view, [sentence], 0) if sentence.kind == "bullet" else None
            if found is not None:
                yield found


def score_durability(sentence: Sentence, stands: float = 0.0) -> tuple[float, str]:
    """Score from 0 to 1 how lasting a sentence is, and name its kind.

    `stands` is what it gains by saying how things are.
    """
    low = sentence.low
    gain, kind = session_cues.weigh_cues(low, session_cues.LASTING)
    is_rule = bool(states.RULES.match(low))
    gain, kind = gain + stands, "preference" if is_rule else kind or ("fact" if stands else "")
    if session_cues.EMPHASIS.search(sentence.text):
        gain, kind = gain + 0.25, kind or "constraint"
    if not gain:
        return 0.0, ""
    score = (
        _BASE
        + min(gain, 0.7)
        + session_cues.weigh_cues(low, session_cues.REASONS)[0]
        + max(-0.5, session_cues.weigh_cues(low, session_cues.FLEETING)[0])
    )
    score += 0.05 if kinds.NAMED.search(sentence.text) else 0.0
    score -= 0.2 if count_words(low) < 4 and stands < _PLAIN else 0.0
    score -= 0.12 if session_cues.LEANS.match(low) else 0.0
    return score + _score_as_question(low), kind


def _score_as_question(low: str) -> float:
    """Lower the score of a question, unless it asks for agreement or offers a choice."""
    if not session_cues.QUESTION.search(low):
        return 0.0
    if session_cues.TAG_QUESTION.search(low):
        return 0.1
    return (
        0.15 if session_cues.SUGGESTION.search(low) and session_cues.CONTRAST.search(low) else -0.6
    )


def _build_statement(view: TranscriptView, parts: list[Sentence], n: int) -> Candidate | None:
    """Build the statement; one that depends on the sentence before it takes that along."""
    sentence = parts[n]
    if other_languages.is_in_other_language(sentence):
        return None
    before, after = (parts[n - 1] if n else None), (parts[n + 1] if n + 1 < len(parts) else None)
    score, kind = score_durability(
        sentence,
        states.score_statement_of_state(sentence.text, sentence.low)
        if sentence.kind in ("prose", "bullet")
        else 0.0,
    )
    near = before if before is not None and before.paragraph == sentence.paragraph else None
    leans = near if score and session_cues.LEANS.match(sentence.low) else None
    score += 0.2 if leans is not None else 0.0
    if score < THRESHOLD or is_deferred(sentence) or one_off.is_one_off(sentence.low):
        return None
    words = (
        build.merge_spans(leans, sentence, view) if leans is not None else build.make_span(sentence)
    )
    why_ = reasons.find_reason(sentence, before, after)
    if pasted.is_material(view, sentence):
        return None
    if pasted.is_pasted(view, sentence):
        return _build_from_paste(view, sentence, score, words, why_)
    asked = bool(session_cues.QUESTION.search(sentence.low))
    kind = "decision" if asked and session_cues.SUGGESTION.search(sentence.low) else kind
    over = reasons.find_alternatives(sentence)
    place = kinds.classify_statement(sentence, kind, own=True, weighed=bool(why_ or over))
    trust = OPERATOR_IMPLIED if asked else OPERATOR_SAID
    return build.build_candidate(
        view,
        "operator.statement",
        place.type,
        place.kind,
        to_confidence(score),
        trust,
        [words],
        place.scope,
        rationale=why_,
        alternatives=over,
    )


def _build_from_paste(
    view: TranscriptView, sentence: Sentence, score: float, words: Span, why_: str | None
) -> Candidate:
    """Build a demand or a fact in somebody else's words, which the operator passed on."""
    kind = "constraint" if _REQUIRES.search(sentence.low) else "fact"
    sure = min(_PASTED_CAP, 0.35 + 0.35 * score)
    return build.build_candidate(
        view, "operator.pasted", "project", kind, sure, OPERATOR_IMPLIED, [words], rationale=why_
    )


def to_confidence(score: float) -> float:
    """Turn a score into the share of such statements that are worth keeping; never near 1."""
    return min(0.9, 0.35 + 0.6 * (score - 0.1)) if score > 0.5 else score + 0.05


def is_deferred(sentence: Sentence) -> bool:
    """Whether the sentence defers work, which is work to do and no rule."""
    return bool(session_cues.NEXT_TIME.search(sentence.low))


def _build_correction(view: TranscriptView, index: int, parts: list[Sentence]) -> Candidate | None:
    """Build a correction, where the operator contradicts what the agent just said."""
    before = view.said_before(index)
    at = next((n for n, s in enumerate(parts[:3]) if session_cues.REFUTES.search(s.low)), None)
    if (
        before is None
        or at is None
        or session_cues.weigh_cues(parts[at].low, session_cues.FLEETING)[0] <= -0.3
    ):
        return None
    quoted, source = _find_quoted_sentence(view, before, parts)
    words = _find_refutation(parts[at:], quoted)
    asks_why = parts[at].low.startswith(("why", "but why")) and len(words) > 1
    if not (asks_why or any(session_cues.REFUTES_PLAINLY.search(s.low) for s in words)):
        return None
    target = find_contradicted_sentence(
        view,
        source,
        build.make_span(quoted) if quoted else build.merge_spans(words[0], words[-1], view),
    )
    right = [s for s in words if not _says_only_no(s)]
    point = max(
        right or words,
        key=lambda s: len(s.text) + 200 * bool(session_cues.REFUTES_PLAINLY.search(s.low)),
    )
    return build.build_candidate(
        view,
        "operator.correction",
        "project",
        "correction",
        0.75 if target else 0.55,
        OPERATOR_SAID,
        [build.make_span(s) for s in words],
        corrects=target,
        content=_find_correction(right or words, target),
        title=build.make_title(point.text),
    )


def _says_only_no(sentence: Sentence) -> bool:
    """Whether it is a bare no, or a question that leads up to the correction."""
    asks = session_cues.QUESTION.search(sentence.low) and sentence.low.startswith(
        ("why", "but why", "what", "how")
    )
    return bool(asks or _BARE_REFUSAL.match(sentence.low))


def _find_correction(right: list[Sentence], target: Span | None) -> str:
    """The right statement, and the wrong one that it corrects."""
    said = " ".join(build.clean_statement(s.text) for s in right)
    if target is None:
        return said
    return (
        f"{said.rstrip()} (Corrects: “{build.shorten(build.clean_statement(target.quote), 240)}”)"
    )


def _find_refutation(parts: list[Sentence], quoted: Sentence | None) -> list[Sentence]:
    """The refutation with its reasons, up to a question or the next task."""
    words = [parts[0]]
    for sentence in parts[1:]:
        question = session_cues.QUESTION.search(sentence.low) and sentence.low.count(",") == 0
        if len(words) == build.SPAN_LIMIT or question or session_cues.ONE_OFF.search(sentence.low):
            break
        if quoted is None or sentence.paragraph != quoted.paragraph:
            words.append(sentence)
    return words


def _find_quoted_sentence(
    view: TranscriptView, before: int, parts: list[Sentence]
) -> tuple[Sentence | None, int]:
    """The sentence in which the operator repeats the agent's words, and the turn that held them."""
    recent = [i for i in view.assistant if i <= before][-_REMEMBERED:]
    for index in reversed(recent):
        said = _strip_marks(view.turns[index].text)
        for sentence in parts:
            if len(sentence.text) > 30 and _strip_marks(sentence.text)[:60] in said:
                return sentence, index
    return None, before


def _strip_marks(text: str) -> str:
    return flatten(text.replace("`", "").replace("*", ""))


def find_contradicted_sentence(view: TranscriptView, before: int, words: Span) -> Span | None:
    """The agent's sentence that shares most content words with the correction."""
    told = _list_telling_words(words.quote)
    best = max(
        view.sentences(before),
        key=lambda s: (len(told & _list_telling_words(s.text)), -len(s.text)),
        default=None,
    )
    return (
        build.make_span(best)
        if best is not None and told & _list_telling_words(best.text)
        else None
    )


def _list_telling_words(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z0-9_]{2,}", text.lower()) if word not in COMMON_WORDS}
