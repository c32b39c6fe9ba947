"""Contradictions and their resolution as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.cli.text.formatting import flatten, format_count, format_time
from memctl.cli.text.record_parts import format_heading, format_trust
from memctl.core import timestamps
from memctl.results.conflicts import (
    Conflict,
    ConflictSide,
    ConflictsReport,
    ResolveReport,
    ResolveStep,
)


def render_conflicts(data: ConflictsReport) -> Iterator[str]:
    """Yield each contradiction with both sides and the commands that resolve it."""
    for conflict in data.items:
        yield from _render_conflict(conflict)
    marked = sum(conflict.kind == "mark" for conflict in data.items)
    open_count = sum(conflict.resolved_at is None for conflict in data.items) - marked
    if open_count:
        yield f"{format_count(open_count, 'open contradiction')}."
    else:
        yield "No open contradiction."
    if marked:
        yield f"{format_count(marked, 'record')} that a newer one may replace."


def _render_conflict(conflict: Conflict) -> Iterator[str]:
    resolved = (
        f", resolved {timestamps.to_local_day(conflict.resolved_at)}"
        if conflict.resolved_at
        else ""
    )
    reason = flatten(conflict.reason) or "both cannot hold"
    origin = f"{flatten(conflict.actor)}, {timestamps.to_local_day(conflict.created_at)}{resolved}"
    if conflict.nearness is not None:
        origin = f"{origin}, nearness {conflict.nearness:.2f}"
    yield f"{conflict.id}  {reason} ({origin})"
    for side in conflict.sides:
        remark = "newer" if conflict.kind == "mark" else "proposed instead"
        yield from _render_side(side, remark if conflict.newer == side.id else "")
    yield from (f"    {flatten(line)}" for line in conflict.commands)


def _render_side(side: ConflictSide, remark: str) -> Iterator[str]:
    project = f", {flatten(side.project)}" if side.project else ""
    status = "" if side.status in ("active", "contradicted") else f" ({side.status})"
    proposed = f"  <- {remark}" if remark else ""
    yield f"  {side.short}{status}  {flatten(side.text)}{proposed}"
    evidence = f"{format_count(side.evidence, 'piece')} of evidence"
    day = timestamps.to_local_day(side.observed_at)
    yield f"      {format_trust(side.trust)}, {day}, {evidence}{project}"


def render_resolution(data: ResolveReport) -> Iterator[str]:
    """Yield how a contradiction was resolved, or would be."""
    shorts = {view.memory.id: view.short for view in data.changed}
    would = "would " if data.dry_run or data.proposed else ""
    if data.proposed and data.dry_run:
        yield "would be proposed to the operator:"
    elif data.proposed:
        told = "it waits for the operator" if data.proposal else "the same was proposed before"
        yield f"proposed: {told}"
    yield from (f"{would}{_format_step(step, shorts)}" for step in data.steps)
    yield from (format_heading(view) for view in data.changed)


def _format_step(step: ResolveStep, shorts: Mapping[str, str]) -> str:
    record = shorts.get(step.id, step.id)
    other = shorts.get(step.other or "", step.other or "")
    if step.action == "supersede":
        return f"supersede {other} with {record}"
    if step.action == "set":
        changes = [
            f"{name} {format_time(value) if value else 'none'}"
            for name, value in step.changes.items()
        ]
        return f"set {record}: {', '.join(changes)}"
    if step.action == "dismiss":
        reason = f" ({step.reason})" if step.reason else ""
        return f"note that {record} and {other} both hold{reason}"
    return f"{step.action} {record}"
