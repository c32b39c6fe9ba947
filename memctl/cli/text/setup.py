"""The text of what connects agents and reads their past."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memctl.cli.text.records import counts, flat, number
from memctl.cli.text.reports import size_of
from memctl.core.frozen import asdict
from memctl.results.backfill import BackfillReport, MemoriesReport, MemoryFile

_TAKEN = ("captured", "grown", "unchanged", "spooled", "empty", "refused", "ignored", "failed")
_LEFT_OUT: Mapping[str, str] = {
    "known": "already taken in",
    "older": "older",
    "elsewhere": "of other projects",
    "sub_agents": "of sub-agents",
    "over_limit": "over the limit",
}


def backfill(data: BackfillReport) -> Iterator[str]:
    """A backfill, or its plan."""
    for agent in data.agents:
        numbers = asdict(agent)
        taken = counts({name: numbers[name] for name in _TAKEN if numbers[name]}, "")
        left_out = counts(
            {word: numbers[name] for name, word in _LEFT_OUT.items() if numbers[name]}, ""
        )
        said = (
            f"{number(agent.files, 'file')}, {size_of(agent.bytes)}",
            taken,
            f"left out: {left_out}" if left_out else "",
        )
        yield f"{agent.agent}: {'; '.join(filter(None, said))}"
    if not data.agents:
        yield "No sessions of any agent were found on this machine."
    elif data.dry_run:
        yield f"would read {number(data.files, 'file')}, {size_of(data.bytes)}, in about {_duration(data.estimate_seconds)}"
    else:
        yield f"{number(data.sessions, 'session')} taken in from {size_of(data.bytes_read)} in {_duration(data.seconds)}"
    yield from map(flat, data.notes)
    yield from (f"problem: {flat(text)}" for text in data.problems)
    if data.interrupted:
        yield "Stopped half-way; `memctl backfill` goes on from here."
    elif data.sessions:
        yield "Next: `memctl maintain` extracts candidates, `memctl inbox` shows them."


def memories(data: MemoriesReport) -> Iterator[str]:
    """What became of other tools' memories."""
    for item in data.items:
        yield from _memory_file(item, would=data.dry_run)
    new = sum(item.new for item in data.items)
    if not data.items:
        yield "No memories of other tools were found here."
    elif data.dry_run:
        yield f"{number(new, 'candidate')} would go to the inbox"
    else:
        yield f"{number(new, 'candidate')} went to the inbox" + (
            "; `memctl inbox` shows them." if new else ""
        )


def _memory_file(item: MemoryFile, *, would: bool) -> Iterator[str]:
    where = ", ".join(filter(None, (flat(item.kind), flat(item.project))))
    head = f"{flat(item.path)} ({where})" if where else flat(item.path)
    if item.problem:
        yield f"problem: {head}: {flat(item.problem)}"
    elif item.note or not item.found:
        yield f"{head}: {flat(item.note) or 'no memory in it'}"
    else:
        said = counts({"new": item.new, "known": item.known, "rejected before": item.rejected}, "")
        yield f"{head}: {number(item.found, 'memory', 'memories')} ({said})"
    if item.redacted:
        yield f"  secrets {'that would be ' if would else ''}taken out: {counts(item.redacted)}"


def _duration(seconds: float) -> str:
    if seconds < 1:
        return "a moment"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


MAKERS: dict[type, Callable[[Any], Iterator[str]]] = {
    BackfillReport: backfill,
    MemoriesReport: memories,
}
