"""Feedback on records and pinned records as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text.formatting import flatten, format_count
from memctl.cli.text.record_parts import format_heading
from memctl.results.feedback import FeedbackReport, PinReport


def render_feedback(data: FeedbackReport) -> Iterator[str]:
    """What was said of which record, and how it stands now."""
    for view in data.items:
        before = " (instead of what you said before)" if view.memory.id in data.changed else ""
        yield f"{data.vote}  {format_heading(view)}{before}"
        yield f"    {format_votes(view.memory.good, view.memory.bad)}"


def format_votes(good: int, bad: int) -> str:
    """How often a record was said to have helped or misled."""
    return f"said to have helped {format_count(good, 'time')}, to have misled {format_count(bad, 'time')}"


def render_pins(data: PinReport) -> Iterator[str]:
    """What contexts begin with, or no longer do, and what it costs."""
    yield from (f"{data.verb}  {format_heading(view)}" for view in data.changed)
    yield from (f"refused  {refusal.id}: {flatten(refusal.reason)}" for refusal in data.refused)
    yield from map(flatten, data.over_budget)
