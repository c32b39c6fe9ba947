"""Feedback on records and pinned records as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text.formatting import flatten
from memctl.cli.text.record_parts import format_heading
from memctl.results.feedback import FeedbackReport, PinReport


def render_feedback(data: FeedbackReport) -> Iterator[str]:
    """Yield the vote on each record, and all votes on it."""
    for view in data.items:
        changed = " (instead of your earlier vote)" if view.memory.id in data.changed else ""
        yield f"{data.vote}  {format_heading(view)}{changed}"
        yield f"    votes: {view.memory.good} helped, {view.memory.bad} misled"


def render_pins(data: PinReport) -> Iterator[str]:
    """Yield the records that contexts begin with, or no longer do, and exceeded budgets."""
    yield from (f"{data.verb}  {format_heading(view)}" for view in data.changed)
    yield from (f"refused  {refusal.id}: {flatten(refusal.reason)}" for refusal in data.refused)
    yield from map(flatten, data.over_budget)
