"""History as text: what is undone, what the stream says otherwise than the records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from memctl.cli.text import flat, number
from memctl.reports import RevertReport, RevertStep

_MOST = 40


def revert(data: RevertReport) -> Iterator[str]:
    """Changes undone, or that would be."""
    if not data.steps:
        yield "Nothing to undo."
        return
    yield f"{'Would undo' if data.dry_run else 'Undid'} {number(len(data.steps), 'change')}, newest first:"
    yield from step_lines(data)
    if data.refused:
        yield f"It would be refused: {flat(data.refused)}"
    yield from (f"{view.short}  is {view.memory.status}  {flat(view.memory.title)}" for view in data.changed[:_MOST])


def step_lines(data: RevertReport) -> Iterator[str]:
    """One line for each change."""
    yield from (f"  {_step(step)}" for step in data.steps[:_MOST])
    if len(data.steps) > _MOST:
        yield f"  ... and {len(data.steps) - _MOST} more"


def _step(step: RevertStep) -> str:
    what = step.verb if step.topic == "record" else f"{step.topic} {step.verb}"
    return f"{step.seq:>6}  {step.at[:16]}  {flat(step.actor)}: {what}  {flat(step.title or step.record)}  ({step.why})"


MAKERS: dict[type, Callable[[Any], Iterator[str]]] = {RevertReport: revert}
