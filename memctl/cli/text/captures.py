"""Captured conversations as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text.formatting import flatten, format_count, format_counts
from memctl.results.captures import Captured, CaptureReport


def render_capture(data: CaptureReport) -> Iterator[str]:
    """Yield what was captured, conversation by conversation."""
    if data.state == "spooled":
        yield f"Left in the spool until the store is available: {data.spool_file}"
    if data.state == "requested":
        yield f"Left for the next memctl maintain: {data.spool_file}"
    for item in data.items:
        yield from _render_conversation(item)


def _render_conversation(item: Captured) -> Iterator[str]:
    new = f", {item.new_turns} new" if item.outcome == "grown" else ""
    project = f", project {flatten(item.project) or 'unknown'}"
    session = f"{flatten(item.agent)} session {flatten(item.session_id)}"
    turns = f"{format_count(item.turns, 'turn')}{new}, {item.human_turns} by a person{project}"
    yield f"{item.outcome}  {item.source_id}  {session}: {turns}"
    if item.redacted:
        kinds = {kind.replace("_", " "): number for kind, number in item.redacted.items()}
        secrets = format_count(sum(kinds.values()), "secret")
        yield f"    {secrets} removed ({format_counts(kinds)})"
    if item.unknown:
        unknown = ", ".join(f"{flatten(name)} ({many})" for name, many in item.unknown.items())
        yield f"    skipped, not understood: {unknown}"
