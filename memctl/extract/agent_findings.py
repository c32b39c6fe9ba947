"""What the agent found out, and what speaks for it: a root cause whose fix passed the checks, what
a person confirmed.

The words are the agent's own, so trust is low. It rises to that of a tool result only where an
earlier result shows the same names.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import AGENT_CLAIMED, TOOL_RESULT, Candidate, Span, Type
from memctl.extract import build, session_cues, turn_selection
from memctl.extract.sentences import Sentence
from memctl.extract.session_cues import Cue, compile_any_of, make_cue
from memctl.extract.transcript_view import TranscriptView
from memctl.extract.verified_work import VerifiedWork

# Findings of one session.
_MOST_FINDINGS = 1
_CAUSE = compile_later(
    r"\b(?:because|due to|caused by|causing|the (?:reason|bug|problem) (?:is|was))\b"
)
_THRESHOLD = 0.45
_FINDINGS: tuple[Cue, ...] = (
    make_cue(
        0.3,
        "fix",
        r"\b(?:root cause|the (?:real|actual|underlying|classic) (?:\w+ ){0,2}(?:issue|problem"
        r"|cause|bug|culprit)|turns out"
        r"|it turned out)\b",
    ),
    make_cue(
        0.12,
        "fact",
        r"\b(?:because|due to|caused by|causing|the reason|since both|which means|that's why)\b",
    ),
    make_cue(
        0.25,
        "fact",
        r"\b(?:doesn't|does not|don't|do not|cannot|can't|won't|isn't|is not|aren't|are not"
        r"|never|not) (?:\w+ ){0,2}"
        r"(?:support\w*|recogni[sz]e\w*|handle\w*|accept\w*|expos\w+|buildable|coexist"
        r"|compatible|parse\w*|work|include\w*|see"
        r"|resolve\w*|exist|stream\w*|available"
        r"|allowed|persist\w*|propagate\w*|trigger\w*|fire\w*|inherit\w*|carry|map(?:ped)?"
        r"|registered|track\w*|share\w*|match\w*"
        r"|clear(?:ed)?)\b",
        r"\bno (?:streaming|support|binding|index|way to|field|column|handler|test|validation"
        r"|\w+ field)\b",
    ),
    make_cue(
        0.25,
        "fact",
        r"\bonly (?:accepts?|supports?|has|have|exposes?|works?|used|called|covers?|fires?|runs?"
        r"|applies|exists?|reads?|looks?|handles?"
        r"|has)\b",
    ),
    make_cue(
        0.15,
        "fact",
        r"\b(?:ignores?|omits?|rejects?|fails? (?:when|because|on|with|if)|silently|conflicts?"
        r"|incompatible|broken|no longer|mismatch"
        r"|race condition|deadlock"
        r"|overwrites?|panics?|drops?|misses|missed|over-fires?|over-fired|too (?:new|old))\b",
    ),
    make_cue(
        0.15,
        "constraint",
        r"\b(?:requires?|must be|must not|needs? to be|has to be|have to be|rel(?:y|ies) on"
        r"|depends on|expects?)\b",
    ),
    make_cue(0.35, "fact", r"\b(?:intentional(?:ly)?|by design|on purpose|deliberate(?:ly)?)\b"),
    make_cue(0.35, "fact", r"\bknown (?:gap|limitation|issue|bug|caveat)s?\b"),
    make_cue(0.25, "fact", r"\btwo (?:parallel|separate|different|distinct|independent)\b"),
    make_cue(
        0.15,
        "fact",
        r"\b(?:is|are) (?:also )?(?:called|used|invoked|reused|shared|registered|stored|defined"
        r"|generated|controlled|handled"
        r"|converted) (?:by|in|from|via|only)\b",
    ),
    make_cue(
        0.12,
        "fact",
        r"\b(?:would (?:inherit|break|lose|leak)|shouldn't block|must never|instead of|rather "
        r"than)\b",
    ),
    make_cue(
        0.2,
        "fix",
        r"\b(?:transient|flaky|intermittent|on (?:this|the) (?:machine|system)|on (?:macos"
        r"|windows|linux)|symlinks?)\b",
    ),
)
_DID = compile_later(
    r"^[-*\d.) ]{0,6}(?:i(?:'ve| have)? (?:also )?)?(?:added|removed|fixed|updated|created|moved"
    r"|changed|renamed|replaced|deleted"
    r"|extracted|refactored|implemented|wrote|verified"
    r"|committed|pushed|reduced|made|set|enhanced|using|all|done|no (?:issues|errors)|the fix)\b"
)
_REPORTS = compile_later(r"[✓✅☑✔]")
_CHECKS_NEXT = compile_any_of(
    r"^(?:but )?(?:wait|hmm|actually)\b",
    r"^let me (?:\w+ )?(?:verify|check|confirm|see|test|debug|trace|re-?read|investigate"
    r"|re-?examine|reconsider)\b",
    r"^i need to check\b",
)
_NAMED = compile_later(
    r"`[^`]+`|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+|\b\w+_\w+|\b\w+\.(?:go|py|ts|tsx|js|rs|java"
    r"|rb|md|sql|json|ya?ml|toml)\b|\w+\(\)"
)
_GENERAL = compile_later(
    r"\b(?:in general|generally|typically|usually|for example|e\.g\.|for instance|concept"
    r"|standard library)\b"
)
_UNANCHORED = ("this ", "that ", "it ", "if ", "the test ", "my ", "these ", "they ")


def propose_findings(view: TranscriptView) -> Iterator[Candidate]:
    """Propose the strongest finding of the session that something else speaks for."""
    total = max(1, len(view.assistant))
    found: list[tuple[float, Sentence, str]] = []
    for place, index in enumerate(turn_selection.select_turns(view.turns, view.assistant)):
        parts = view.sentences(index)
        for n, sentence in enumerate(parts):
            score, kind = _score_finding(sentence, parts[n + 1 : n + 4])
            score += 0.05 * place / total
            if score >= _THRESHOLD:
                found.append((score, sentence, kind))
    found.sort(key=lambda item: (-item[0], item[1].turn, item[1].start))
    work = VerifiedWork(view)
    proposed = 0
    for score, sentence, kind in found:
        shown = _find_shown_line(view, sentence)
        if _speaks_something_for(work, sentence, kind, shown):
            yield _make_claim(view, score, sentence, kind, shown)
            proposed += 1
        if proposed == _MOST_FINDINGS:
            return


def _speaks_something_for(
    work: VerifiedWork, sentence: Sentence, kind: str, shown: Span | None
) -> bool:
    """Whether a person confirmed a finding, or it was acted on, and a check passed: a cause that
    was mended, or a fact that a tool's result shows.
    """
    if work.is_confirmed(sentence.turn):
        return True
    is_cause = kind == "fix" or _CAUSE.search(sentence.low) is not None
    return (is_cause or shown is not None) and work.is_mended_after(sentence.turn)


def _score_finding(sentence: Sentence, after: list[Sentence]) -> tuple[float, str]:
    """Score how much of a finding a sentence is; guesses, plans and reports score below the
    threshold.
    """
    low = sentence.low
    gain, kind = session_cues.weigh_cues(low, _FINDINGS)
    words = len(low.split())
    if (
        not gain
        or sentence.kind in ("heading", "row")
        or words < 6
        or session_cues.QUESTION.search(low)
        or _REPORTS.search(sentence.text)
    ):
        return 0.0, ""
    names = len(set(_NAMED.findall(sentence.text)))
    score = 0.2 + min(gain, 0.6) + (min(names, 3) * 0.05 if names else -0.2)
    score -= 0.35 if session_cues.HEDGED.search(low) else 0.0
    score -= 0.45 if session_cues.PROGRESS.match(low) else 0.0
    score -= 0.45 if _DID.match(low) else 0.0
    score -= 0.35 if any(_CHECKS_NEXT.match(s.low) for s in after) else 0.0
    score -= 0.15 if _GENERAL.search(low) or low.startswith(_UNANCHORED) else 0.0
    return score - (0.1 if words > 50 or low.endswith(":") else 0.0), kind


def _make_claim(
    view: TranscriptView, score: float, sentence: Sentence, kind: str, shown: Span | None
) -> Candidate:
    spans = [build.make_span(sentence), *([shown] if shown else [])]
    type_: Type = "task_hint" if kind == "fix" else "project"
    trust = TOOL_RESULT if shown else AGENT_CLAIMED
    content = build.make_title(sentence.text) + "."
    return build.build_candidate(
        view, "claims.finding", type_, kind, min(0.5, score - 0.05), trust, spans, content=content
    )


def _find_shown_line(view: TranscriptView, sentence: Sentence) -> Span | None:
    """Find a line of a recent tool result that holds at least two names of the finding."""
    names = sorted({name.strip("`()") for name in _NAMED.findall(sentence.text) if len(name) > 4})
    if len(names) < 2:
        return None
    for index in range(sentence.turn - 1, max(-1, sentence.turn - 9), -1):
        turn = view.turns[index]
        found = _find_line_with(turn.text, names) if turn.kind == "tool_result" else None
        if found is not None:
            return Span(index, *found, turn.text[found[0] : found[1]])
    return None


def _find_line_with(text: str, names: list[str]) -> tuple[int, int] | None:
    start = 0
    for line in text.split("\n"):
        if len(line) < 300 and sum(name in line for name in names) >= 2:
            low = start + len(line) - len(line.lstrip())
            return low, start + len(line.rstrip())
        start += len(line) + 1
    return None
