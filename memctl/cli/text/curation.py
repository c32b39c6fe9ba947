"""The text of votes on records and of what contexts begin with. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from memctl.cli.text.records import flat, head, number
from memctl.results.feedback import OutcomeReport, PinReport


def outcome(data: OutcomeReport) -> Iterator[str]:
    """What was said of which record, and how it stands now."""
    for view in data.items:
        before = " (instead of what you said before)" if view.memory.id in data.changed else ""
        yield f"{data.verdict}  {head(view)}{before}"
        yield f"    {said(view.memory.good, view.memory.bad)}"


def said(good: int, bad: int) -> str:
    """How often a record was said to have helped or misled."""
    return f"said to have helped {number(good, 'time')}, to have misled {number(bad, 'time')}"


def pin(data: PinReport) -> Iterator[str]:
    """What contexts begin with, or no longer do, and what it costs."""
    yield from (f"{data.verb}  {head(view)}" for view in data.changed)
    yield from (f"refused  {refusal.id}: {flat(refusal.reason)}" for refusal in data.refused)
    yield from map(flat, data.over_budget)


MAKERS: dict[type, Callable[[Any], Iterator[str]]] = {OutcomeReport: outcome, PinReport: pin}
