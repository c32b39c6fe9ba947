"""Past sessions and memories of other tools as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.cli.text.formatting import (
    flatten,
    format_count,
    format_counts,
    format_duration,
    format_size,
)
from memctl.core.frozen import asdict
from memctl.results.backfill import BackfillReport, MemoriesReport, MemoryFile

_READ_COUNTERS = (
    "captured",
    "grown",
    "unchanged",
    "spooled",
    "empty",
    "refused",
    "ignored",
    "failed",
)

_SKIPPED_COUNTERS: Mapping[str, str] = {
    "known": "already taken in",
    "older": "older",
    "elsewhere": "of other projects",
    "sub_agents": "of sub-agents",
    "over_limit": "over the limit",
}


def render_backfill(data: BackfillReport) -> Iterator[str]:
    """A backfill, or its plan."""
    for agent in data.agents:
        numbers = asdict(agent)
        taken = format_counts({name: numbers[name] for name in _READ_COUNTERS if numbers[name]}, "")
        left_out = format_counts(
            {word: numbers[name] for name, word in _SKIPPED_COUNTERS.items() if numbers[name]}, ""
        )
        said = (
            f"{format_count(agent.files, 'file')}, {format_size(agent.bytes)}",
            taken,
            f"left out: {left_out}" if left_out else "",
        )
        yield f"{agent.agent}: {'; '.join(filter(None, said))}"
    if not data.agents:
        yield "No sessions of any agent were found on this machine."
    elif data.dry_run:
        yield f"would read {format_count(data.files, 'file')}, {format_size(data.bytes)}, in about {format_duration(data.estimate_seconds)}"
    else:
        yield f"{format_count(data.sessions, 'session')} taken in from {format_size(data.bytes_read)} in {format_duration(data.seconds)}"
    yield from map(flatten, data.notes)
    yield from (f"problem: {flatten(text)}" for text in data.problems)
    if data.interrupted:
        yield "Stopped half-way; `memctl backfill` goes on from here."
    elif data.sessions:
        yield "Next: `memctl maintain` extracts candidates, `memctl inbox` shows them."


def render_imported_memories(data: MemoriesReport) -> Iterator[str]:
    """What became of other tools' memories."""
    for item in data.items:
        yield from _render_memory_file(item, would=data.dry_run)
    new = sum(item.new for item in data.items)
    if not data.items:
        yield "No memories of other tools were found here."
    elif data.dry_run:
        yield f"{format_count(new, 'candidate')} would go to the inbox"
    else:
        yield f"{format_count(new, 'candidate')} went to the inbox" + (
            "; `memctl inbox` shows them." if new else ""
        )


def _render_memory_file(item: MemoryFile, *, would: bool) -> Iterator[str]:
    where = ", ".join(filter(None, (flatten(item.kind), flatten(item.project))))
    head = f"{flatten(item.path)} ({where})" if where else flatten(item.path)
    if item.problem:
        yield f"problem: {head}: {flatten(item.problem)}"
    elif item.note or not item.found:
        yield f"{head}: {flatten(item.note) or 'no memory in it'}"
    else:
        said = format_counts(
            {"new": item.new, "known": item.known, "rejected before": item.rejected}, ""
        )
        yield f"{head}: {format_count(item.found, 'memory', 'memories')} ({said})"
    if item.redacted:
        yield f"  secrets {'that would be ' if would else ''}taken out: {format_counts(item.redacted)}"
