"""Captured conversations as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text.formatting import flatten, format_count, format_counts
from memctl.results.captures import CaptureReport


def render_capture(data: CaptureReport) -> Iterator[str]:
    """What was taken in."""
    if data.state == "spooled":
        yield f"Left in the spool until the store can take it: {data.spool_file}"
    if data.state == "requested":
        yield f"Left for the next memctl maintain: {data.spool_file}"
    for item in data.items:
        new = f", {item.new_turns} new" if item.outcome == "grown" else ""
        place = f", project {flatten(item.project)}" if item.project else ""
        yield (
            f"{item.outcome}  {item.source_id}  {flatten(item.agent)} session {flatten(item.session_id)}: "
            f"{format_count(item.turns, 'turn')}{new}, {item.human_turns} by a person{place}"
        )
        if item.redacted:
            kinds = format_counts(
                {kind.replace("_", " "): many for kind, many in item.redacted.items()}
            )
            yield f"    {format_count(sum(item.redacted.values()), 'secret')} removed ({kinds})"
        if item.unknown:
            yield f"    passed over, not understood: {', '.join(f'{flatten(name)} ({many})' for name, many in item.unknown.items())}"
