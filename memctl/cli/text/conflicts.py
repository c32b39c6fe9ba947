"""Contradictions and their resolution as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.cli.text.formatting import flatten, format_count, format_time
from memctl.cli.text.record_parts import format_heading, format_trust
from memctl.results.conflicts import (
    Conflict,
    ConflictSide,
    ConflictsReport,
    ResolveReport,
    ResolveStep,
)


def render_conflicts(data: ConflictsReport) -> Iterator[str]:
    """Each contradiction with both sides and what would settle it."""
    for item in data.items:
        yield from _render_conflict(item)
    open_ = sum(item.resolved_at is None for item in data.items)
    yield f"{format_count(open_, 'open contradiction')}." if open_ else "No open contradiction."


def _render_conflict(item: Conflict) -> Iterator[str]:
    settled = f", settled {item.resolved_at[:10]}" if item.resolved_at else ""
    yield f"{item.id}  {flatten(item.reason) or 'both cannot hold'} ({flatten(item.actor)}, {item.created_at[:10]}{settled})"
    for side in item.sides:
        yield from _render_side(side, instead=item.newer == side.id)
    yield from (f"    {flatten(line)}" for line in item.commands)


def _render_side(side: ConflictSide, *, instead: bool) -> Iterator[str]:
    project = f", {flatten(side.project)}" if side.project else ""
    status = "" if side.status in ("active", "contradicted") else f" ({side.status})"
    proposed = "  <- proposed instead" if instead else ""
    yield f"  {side.short}{status}  {flatten(side.text)}{proposed}"
    yield f"      {format_trust(side.trust)}, {side.observed_at[:10]}, {format_count(side.evidence, 'piece')} of evidence{project}"


def render_resolution(data: ResolveReport) -> Iterator[str]:
    """How a contradiction was settled, or would be."""
    shorts = {view.memory.id: view.short for view in data.changed}
    would = "would " if data.dry_run else ""
    yield from (f"{would}{_format_step(step, shorts)}" for step in data.steps)
    yield from (format_heading(view) for view in data.changed)


def _format_step(step: ResolveStep, shorts: Mapping[str, str]) -> str:
    one, other = shorts.get(step.id, step.id), shorts.get(step.other or "", step.other or "")
    if step.action == "supersede":
        return f"let {one} take the place of {other}"
    if step.action == "set":
        return f"set {one}: {', '.join(f'{name} {format_time(value) if value else None}' for name, value in step.changes.items())}"
    if step.action == "dismiss":
        return f"note that {one} and {other} both hold{f' ({step.reason})' if step.reason else ''}"
    return f"{step.action} {one}"
