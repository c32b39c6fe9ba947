"""Constraints, root causes and checks in pasted plans and specifications.

The steps of a plan are the task itself and are left out. A plan counts only once it was approved.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import OPERATOR_IMPLIED, Candidate
from memctl.extract import build, kinds, reasons, session_cues
from memctl.extract.operator import score_durability
from memctl.extract.sentences import Sentence, flatten
from memctl.extract.transcript_view import TranscriptView

_CONSTRAINTS = compile_later(
    r"\b(?:accept\w+|constraints?|requirements?|must|rules?|conventions?|guidelines?|non-?goals?"
    r"|out of scope|limits?|invariants?"
    r"|important|done when"
    r"|definition of done|principles?|decisions?|policy)\b"
)
_CAUSES = compile_later(
    r"\b(?:bugs?|root causes?|causes?|problems?|issues?|analysis|why|missing|mismatch"
    r"|inconsisten\w+|findings?|diagnos\w+|behaviou?rs?"
    r"|limitations?)\b"
)
_STEPS = compile_later(
    r"\b(?:steps?|changes?|implementation|files?(?: to \w+)?|tasks?|phase|approach|evidence|fix "
    r"\d+|summary|todo)\b"
)
_CAUSAL = compile_later(
    r"→|->|\b(?:because|due to|never|causes?|caused|clears?|so (?:the|it|that)|falls? through"
    r"|returns? early|early[- ]returns?"
    r"|leads? to|therefore|hence"
    r"|doesn't|does not|don't|do not|isn't|not (?:set|mapped|updated)|wrong(?:ly)?|mismatch"
    r"|bypass\w*|lost|missing|needed for|requires?"
    r"|if (?:a|the) new)\b"
)
_PURPOSE = compile_later(
    r"\b(?:which (?:is|are) (?:needed|required|used)|is needed for|so that|this (?:is|ensures"
    r"|allows|means)"
    r"|exists? to)\b"
)
_CHECKABLE = compile_later(
    r"\b(?:must|no |never|stay|keep|only|unaffected|without|not |zero|reports?|pass(?:es)?"
    r"|required?|all )|≈|<=|>="
)
_FIX = compile_later(
    r"^(?:proposed |suggested |the )?(?:fix|solution|expected|test|why it works|workaround)\b"
)
_MENDS = compile_later(
    r"^(?!.*(?:potential|possible|by design|intentional)).*\b(?:bugs?|root causes?|fix(?:es)?"
    r"|broken|fails?|problems?)\b"
)
_SUPPOSED = compile_later(r"\b(?:might|maybe|perhaps|probably|may be)\b")
_LIMIT = 6
_HEADINGS = 3


def propose_from_documents(view: TranscriptView) -> Iterator[Candidate]:
    """Propose what a document requires beyond the task (at most six statements), and root
    causes.
    """
    for index in _list_documents(view):
        parts = [s for s in view.sentences(index) if s.kind != "row"]
        yield from _find_root_causes(view, parts)
        found = [
            c for n in range(len(parts)) if (c := _build_requirement(view, parts, n)) is not None
        ]
        yield from sorted(found, key=lambda c: -c.confidence)[:_LIMIT]


def _list_documents(view: TranscriptView) -> Iterator[int]:
    for index, turn in enumerate(view.turns):
        pasted = (
            turn.role == "human" and turn.kind in ("text", "command") and view.is_document(index)
        )
        if pasted or (turn.kind == "plan" and turn.ok is True):
            yield index


def _build_requirement(view: TranscriptView, parts: list[Sentence], n: int) -> Candidate | None:
    sentence = parts[n]
    score, kind = score_durability(sentence)
    if sentence.kind == "heading":
        score = score if kind == "convention" else 0.0
    elif _CONSTRAINTS.search(sentence.section) and _CHECKABLE.search(sentence.low):
        score, kind = max(score, 0.45) + 0.1, kind or "constraint"
    elif _STEPS.search(sentence.section) and not _CAUSES.search(sentence.section):
        score -= 0.15
    elif _PURPOSE.search(sentence.low):
        score, kind = max(score, 0.42), kind or "fact"
    if score < 0.4 or _is_step(sentence) or _SUPPOSED.search(sentence.low):
        return None
    why_ = reasons.find_reason(sentence, None, parts[n + 1] if n + 1 < len(parts) else None)
    place = kinds.classify_statement(sentence, kind, own=False, weighed=bool(why_))
    sure = min(0.65, score - 0.05)
    return build.build_candidate(
        view,
        "document.statement",
        place.type,
        place.kind,
        sure,
        OPERATOR_IMPLIED,
        [build.make_span(sentence)],
        rationale=why_,
    )


def _is_step(sentence: Sentence) -> bool:
    """Whether the sentence is a step of the plan that says nothing lasting."""
    return (
        session_cues.weigh_cues(sentence.low, session_cues.FLEETING)[0] <= -0.3
        and session_cues.weigh_cues(sentence.low, session_cues.LASTING)[0] < 0.4
    )


def _find_root_causes(view: TranscriptView, parts: list[Sentence]) -> Iterator[Candidate]:
    """The best one or two causal statements under each heading about problems, for three
    headings.
    """
    under: dict[str, list[Sentence]] = {}
    for s in parts:
        heading = s.section.split(" / ")[0]
        if _is_cause(s, heading):
            under.setdefault(heading, []).append(s)
    best = [sorted(found, key=_score_cause, reverse=True)[:2] for found in under.values()]
    for found in sorted(best, key=lambda each: -sum(map(_score_cause, each)))[:_HEADINGS]:
        spans = [build.make_span(s) for s in sorted(found, key=lambda s: s.start)]
        heading = _find_heading(parts, found[0])
        content = f"{heading}: " + " ".join(flatten(piece.quote) for piece in spans)
        kind = "fix" if _MENDS.search(heading.lower()) else "fact"
        yield build.build_candidate(
            view,
            "document.causes",
            "project",
            kind,
            0.6,
            OPERATOR_IMPLIED,
            spans,
            title=heading,
            content=content,
        )


def _find_heading(parts: list[Sentence], sentence: Sentence) -> str:
    """The heading above a sentence, as it was written."""
    above = [s for s in parts if s.kind == "heading" and s.start < sentence.start]
    return flatten(above[-1].text) if above else build.make_title(sentence.text)


def _is_cause(sentence: Sentence, heading: str) -> bool:
    low = sentence.low
    about = _CAUSES.search(heading) and sentence.kind != "heading"
    return (
        bool(about and _CAUSAL.search(low))
        and not session_cues.HEDGED.search(low)
        and not _FIX.match(low)
    )


def _score_cause(sentence: Sentence) -> float:
    return len(_CAUSAL.findall(sentence.low)) + min(sentence.text.count("`"), 4) / 8
