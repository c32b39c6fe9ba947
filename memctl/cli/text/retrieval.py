"""Searches and contexts as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text.formatting import (
    flatten,
    format_count,
    format_period,
    format_time,
    render_flags,
)
from memctl.cli.text.record_parts import format_heading, render_newer
from memctl.core.timestamps import to_local_day
from memctl.results.retrieval import (
    ContextMark,
    ContextOmission,
    ContextReport,
    Hit,
    SearchReport,
    WhyNot,
)


def render_search(data: SearchReport) -> Iterator[str]:
    """Yield the results, best first."""
    if data.period:
        yield format_period(data.period, data.since, data.until)
    for hit in data.items:
        yield from render_hit(hit)
    if not data.items:
        yield "Nothing relevant."
        # What was off may explain the gap. Beside results it only distracts.
        yield from render_flags(data.flags)
    for hub in data.hubs:
        if hub.problem:
            yield f"The hub {flatten(hub.name)} gave no answer: {flatten(hub.problem)}"
        elif hub.found:
            found = format_count(hub.found, "result")
            yield f"{found} from the hub {flatten(hub.name)}, {hub.ranking}."


def render_hit(hit: Hit) -> Iterator[str]:
    """Yield one result: its score, its heading, its summary and why it was found."""
    memory = hit.record.memory
    yield f"{hit.score:.2f}  {format_heading(hit.record)}"
    if flatten(memory.summary) not in ("", flatten(memory.title)):
        yield f"      {flatten(memory.summary)}"
    yield f"      {flatten(hit.why)}"
    if hit.hub:
        yield f"      said by {flatten(hit.member or '?')}; not in this store, only at a hub"
    yield from (f"      {line}" for line in render_newer(hit.record))


def render_why_not(data: WhyNot) -> Iterator[str]:
    """Yield why a record is not among the results."""
    yield format_heading(data.record)
    yield f"  {flatten(data.sentence)}"
    if data.score is not None:
        parts = ", ".join(f"{name} {value:.2f}" for name, value in data.parts.items())
        yield f"  score {data.score:.2f}" + (f": {parts}" if parts else "")
    yield from (f"  {line}" for line in render_newer(data.record))


def render_context(data: ContextReport) -> Iterator[str]:
    """Yield the context as an agent reads it; nothing if it is empty. What was left out follows, if
    that was asked for.
    """
    if data.text.strip():
        yield from data.text.rstrip("\n").split("\n")
    if data.omissions:
        yield f"Left out: {format_count(len(data.omissions), 'record')}."
    for omission in data.omissions:
        yield f"  {omission.short}  {flatten(omission.title)}"
        yield f"      {_format_omission(omission)}"
    if data.marks:
        yield f"Named with a newer record: {format_count(len(data.marks), 'record')}."
    for mark in data.marks:
        yield f"  {mark.short}  {flatten(mark.title)}"
        yield f"      {_format_mark(mark)}"


def _format_mark(mark: ContextMark) -> str:
    """Return what speaks for the remark that a newer record may replace one."""
    day = to_local_day(mark.newer_observed_at)
    beside = "" if mark.is_told else "; no room for it, or known already"
    return (
        f"{mark.newer_short} of {day} seems to answer the same question anew ({mark.nearness:.2f})"
        f"{beside}"
    )


def _format_omission(omission: ContextOmission) -> str:
    """Return why a record was left out, in a few words."""
    if omission.reason == "read_by_agent":
        return f"the agent reads it itself, in {flatten(omission.file or 'a file')}"
    if omission.reason == "told_before":
        return f"told to this session before{_format_telling(omission)}"
    return "no room for it within the budget"


def _format_telling(omission: ContextOmission) -> str:
    return f", at {format_time(omission.told_at)}" if omission.told_at else ""
