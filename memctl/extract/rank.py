"""Which proposals stay: overlapping and near equal ones fold into the strongest, and a session yields only so many."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from memctl.core.frozen import replace
from memctl.core.model import Candidate, Span
from memctl.extract.transcript_view import View

FLOOR = 0.38
_FEWEST, _MOST = 5, 16


def chosen(view: View, proposals: Iterable[Candidate]) -> list[Candidate]:
    """The proposals worth the operator's time, in the order of the transcript."""
    ranked = sorted(
        proposals,
        key=lambda c: (-c.confidence, -c.trust, c.evidence[0].turn, c.evidence[0].start, c.rule),
    )
    kept: list[Candidate] = []
    most = allowed(view)
    for candidate in ranked:
        if candidate.confidence < FLOOR or len(kept) == most:
            break
        twin = next((n for n, other in enumerate(kept) if _same(candidate, other)), None)
        if twin is None:
            kept.append(candidate)
        else:
            kept[twin] = _folded(kept[twin], candidate)
    return sorted(kept, key=lambda c: (c.evidence[0].turn, c.evidence[0].start))


def allowed(view: View) -> int:
    """How many candidates a session may yield: grows with the logarithm of what was said in it."""
    said = sum(len(view.turns[i].text) for i in view.human) / 300 + len(view.assistant) / 5
    return max(_FEWEST, min(_MOST, round(3 + 2.2 * math.log2(1 + said))))


def _folded(held: Candidate, other: Candidate) -> Candidate:
    """The stronger proposal with what only the weaker one knew."""
    return replace(
        held,
        corrects=held.corrects or other.corrects,
        rationale=held.rationale or other.rationale,
        subject=held.subject or other.subject,
    )


def _same(one: Candidate, other: Candidate) -> bool:
    if any(_overlap(a, b) for a in one.evidence[:2] for b in other.evidence[:2]):
        return True
    left, right = _words(one.content), _words(other.content)
    return (
        len(left & right) >= 0.75 * min(len(left), len(right)) and min(len(left), len(right)) >= 4
    )


def _overlap(a: Span, b: Span) -> bool:
    return a.turn == b.turn and a.start < b.end and b.start < a.end


def _words(text: str) -> set[str]:
    return set(re.findall(r"[\w'./-]{3,}", text.lower()))
