"""What the operator says in passing: preferences, conventions, constraints, decisions, and corrections of what the agent said.

A statement counts for its lasting cues and against its fleeting ones; a question counts only where it states a choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.extract import build, cues
from memctl.extract.text import COMMON_WORDS, Sentence, word_count
from memctl.extract.view import View
from memctl.model import OPERATOR_IMPLIED, OPERATOR_SAID, Candidate, Scope, Span, Type

THRESHOLD = 0.4
_BASE = 0.15
_REMEMBERED = 8
_ABOUT_AGENT = re.compile(
    r"\b(?:i|you|me|your|ask(?:ing)?|stop|explain|answer|respon[ds]e?|reply|commits?|committing|tests?|prs?|plan|verbose|concise"
    r"|comments?|style|step by step)\b"
)
_PROJECT_WORDS = re.compile(
    r"`|\b(?:we|our|the (?:app|project|repo|repository|api|database|db|service|schema|module|provider|cli|server|client|user|plan))\b"
    r"|\b[a-z]+[A-Z]\w+|\w[_/.]\w"
)
_NAMED = re.compile(r"`[^`]+`|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+|\b\w+_\w+|\b\w+\.\w{1,4}\b|\w+\(\)|[@/]\w+")
_WORKFLOW = re.compile(r"\b(?:commit(?:ting)?|push|rebase|squash|amend|force-push|open a pr|branch first)\b")
_WHY = re.compile(
    r"\b(?:because|since|so that|so we|in order to|to (?:avoid|prevent|reduce|make sure|ensure)|otherwise|for (?:clarity|consistency"
    r"|security))\b.{0,300}",
    re.IGNORECASE | re.DOTALL,
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
        for n, sentence in enumerate(parts):
            found = _statement(view, sentence, parts[n - 1] if n and parts[n - 1].paragraph == sentence.paragraph else None)
            if found is not None:
                yield found


def propose_notes(view: View) -> Iterator[Candidate]:
    """Lasting statements among the points of somebody's notes; running text there is read as talk."""
    for index in view.human:
        for sentence in view.sentences(index):
            found = _statement(view, sentence, None) if sentence.kind == "bullet" else None
            if found is not None:
                yield found


def lasting(sentence: Sentence) -> tuple[float, str]:
    """How lasting a sentence of the operator's is, 0 to 1, and of what kind."""
    low = sentence.low
    gain, kind = cues.weigh(low, cues.LASTING)
    if cues.EMPHASIS.search(sentence.text):
        gain, kind = gain + 0.25, kind or "constraint"
    if not gain:
        return 0.0, ""
    score = _BASE + min(gain, 0.7) + cues.weigh(low, cues.REASONS)[0] + max(-0.5, cues.weigh(low, cues.FLEETING)[0])
    score += 0.05 if _NAMED.search(sentence.text) else 0.0
    score -= 0.2 if word_count(low) < 4 else 0.0
    score -= 0.12 if cues.LEANS.match(low) else 0.0
    return score + _as_question(low), kind


def _as_question(low: str) -> float:
    """A question states nothing, unless it asks to be agreed with or offers a choice."""
    if not cues.QUESTION.search(low):
        return 0.0
    if cues.TAG_QUESTION.search(low):
        return 0.1
    return 0.15 if cues.SUGGESTION.search(low) and cues.CONTRAST.search(low) else -0.6


def _statement(view: View, sentence: Sentence, before: Sentence | None) -> Candidate | None:
    """The statement as a candidate; one that leans on the sentence before it takes that along."""
    score, kind = lasting(sentence)
    leans = before is not None and bool(score and cues.LEANS.match(sentence.low))
    score += 0.2 if leans else 0.0
    if score < THRESHOLD:
        return None
    asked = bool(cues.QUESTION.search(sentence.low))
    trust = OPERATOR_IMPLIED if asked else OPERATOR_SAID
    kind = "decision" if asked and cues.SUGGESTION.search(sentence.low) else kind
    type_, kind, scope = place(sentence, kind)
    words = build.merged(before, sentence, view) if leans and before is not None else build.span(sentence)
    return build.candidate(view, "operator.statement", type_, kind, score, trust, [words], scope, rationale=reason(sentence))


def place(sentence: Sentence, kind: str) -> tuple[Type, str, Scope]:
    """Type, kind and scope: what tells an agent how to work is the operator's profile, the rest is the project's."""
    of_project = bool(_PROJECT_WORDS.search(sentence.text))
    if kind == "preference" or (kind in ("constraint", "convention") and not of_project and _ABOUT_AGENT.search(sentence.low)):
        return "profile", "preference", "project" if of_project else "global"
    if kind == "self":
        return "profile", "fact", "global"
    if kind == "decision" and _WORKFLOW.search(sentence.low) and not _NAMED.search(sentence.text):
        return "profile", "preference", "project"
    return ("decision" if kind == "decision" else "project"), kind, "project"


def reason(sentence: Sentence) -> str | None:
    """The part of a statement that says why, if it says so."""
    found = _WHY.search(sentence.text)
    return build.shortened(found.group(), 300) if found and len(found.group()) > 12 else None


def _correction(view: View, index: int, parts: list[Sentence]) -> Candidate | None:
    """The operator contradicts what the agent said just before."""
    before = view.said_before(index)
    at = next((n for n, s in enumerate(parts[:3]) if cues.REFUTES.search(s.low)), None)
    if before is None or at is None or cues.weigh(parts[at].low, cues.FLEETING)[0] <= -0.3:
        return None
    quoted, source = _quoted(view, before, parts)
    words = _refuting(parts[at:], quoted)
    asks_why = parts[at].low.startswith(("why", "but why")) and len(words) > 1
    if not (asks_why or any(cues.REFUTES_PLAINLY.search(s.low) for s in words)):
        return None
    spans = [build.span(s) for s in words]
    target = contradicted(view, source, build.span(quoted) if quoted else build.merged(words[0], words[-1], view))
    score = 0.75 if target else 0.55
    return build.candidate(view, "operator.correction", "project", "correction", score, OPERATOR_SAID, spans, corrects=target)


def _refuting(parts: list[Sentence], quoted: Sentence | None) -> list[Sentence]:
    """The refutation with what backs it, up to where a question or the next task begins."""
    words = [parts[0]]
    for sentence in parts[1:]:
        question = cues.QUESTION.search(sentence.low) and sentence.low.count(",") == 0
        if len(words) == build.SPAN_LIMIT or question or cues.ONE_OFF.search(sentence.low):
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
    best = max(view.sentences(before), key=lambda s: (len(told & _telling(s.text)), -len(s.text)), default=None)
    return build.span(best) if best is not None and told & _telling(best.text) else None


def _telling(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z0-9_]{2,}", text.lower()) if word not in COMMON_WORDS}
