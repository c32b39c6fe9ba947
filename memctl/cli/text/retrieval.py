"""Searches and contexts as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text.formatting import flatten, render_flags
from memctl.cli.text.record_parts import format_heading
from memctl.results.retrieval import ContextReport, Hit, SearchReport, WhyNot


def render_search(data: SearchReport) -> Iterator[str]:
    """Yield the results, best first."""
    for hit in data.items:
        yield from render_hit(hit)
    if not data.items:
        yield "Nothing relevant."
        # What was off may explain the gap. Beside results it only distracts.
        yield from render_flags(data.flags)


def render_hit(hit: Hit) -> Iterator[str]:
    """Yield one result: its score, its heading, its summary and why it was found."""
    memory = hit.record.memory
    yield f"{hit.score:.2f}  {format_heading(hit.record)}"
    if flatten(memory.summary) not in ("", flatten(memory.title)):
        yield f"      {flatten(memory.summary)}"
    yield f"      {flatten(hit.why)}"


def render_why_not(data: WhyNot) -> Iterator[str]:
    """Yield why a record is not among the results."""
    yield format_heading(data.record)
    yield f"  {flatten(data.sentence)}"
    if data.score is not None:
        parts = ", ".join(f"{name} {value:.2f}" for name, value in data.parts.items())
        yield f"  score {data.score:.2f}" + (f": {parts}" if parts else "")


def render_context(data: ContextReport) -> Iterator[str]:
    """Yield the context as an agent reads it; nothing if it is empty."""
    if data.text.strip():
        yield from data.text.rstrip("\n").split("\n")
