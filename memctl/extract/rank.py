"""Choose which proposals stay: near duplicates fold into the strongest, and a session has a
limit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from memctl.core.frozen import replace
from memctl.core.model import Candidate
from memctl.extract import build
from memctl.extract.transcript_view import TranscriptView
from memctl.text.overruled import changes_statement

CONFIDENCE_THRESHOLD = 0.3
# Candidates of one session, the episode aside: bounds of its limit; chosen by hand.
_FEWEST_CANDIDATES = 5
_MOST_CANDIDATES = 16


def choose_proposals(view: TranscriptView, proposals: Iterable[Candidate]) -> list[Candidate]:
    """Choose the proposals that are worth the operator's time, in transcript order.

    Where a session has too many, what the operator typed comes before what agents and tools said.
    """
    ranked = sorted(
        proposals,
        key=lambda c: (-c.confidence, -c.trust, c.evidence[0].turn, c.evidence[0].start, c.rule),
    )
    kept: list[Candidate] = []
    for candidate in ranked:
        if candidate.confidence < CONFIDENCE_THRESHOLD:
            break
        if _is_agents(view, candidate) and any(_is_agents(view, other) for other in kept):
            continue
        duplicate = next((n for n, other in enumerate(kept) if _is_same(candidate, other)), None)
        if duplicate is None:
            kept.append(candidate)
        else:
            kept[duplicate] = _fold_weaker(kept[duplicate], candidate)
    kept.sort(key=lambda c: not _is_typed(view, c))
    chosen = kept[: compute_limit(view)]
    return sorted(chosen, key=lambda c: (c.evidence[0].turn, c.evidence[0].start))


def _is_typed(view: TranscriptView, candidate: Candidate) -> bool:
    return any(view.turns[e.turn].role == "human" for e in candidate.evidence)


def compute_limit(view: TranscriptView) -> int:
    """The most candidates of a session: grows with the logarithm of its length."""
    said = sum(len(view.turns[i].text) for i in view.human) / 300 + len(view.assistant) / 5
    return max(_FEWEST_CANDIDATES, min(_MOST_CANDIDATES, round(3 + 2.2 * math.log2(1 + said))))


def _is_agents(view: TranscriptView, candidate: Candidate) -> bool:
    """Whether these are the agent's words alone; a command that ran is no word."""
    roles = {(view.turns[e.turn].role, view.turns[e.turn].kind) for e in candidate.evidence}
    return not any(role == "human" or kind == "tool_call" for role, kind in roles)


def _fold_weaker(held: Candidate, other: Candidate) -> Candidate:
    """The stronger proposal, completed by what only the weaker one has."""
    return replace(
        held,
        corrects=held.corrects or other.corrects,
        rationale=held.rationale or other.rationale,
        subject=held.subject or other.subject,
    )


def _is_same(one: Candidate, other: Candidate) -> bool:
    if any(build.share_text(a, b) for a in one.evidence[:2] for b in other.evidence[:2]):
        return True
    left, right = _split_words(one.content), _split_words(other.content)
    is_alike = (
        len(left & right) >= 0.75 * min(len(left), len(right)) and min(len(left), len(right)) >= 4
    )
    return is_alike and not changes_statement(one.content, other.content)


def _split_words(text: str) -> set[str]:
    return set(re.findall(r"[\w'./-]{3,}", text.lower()))
