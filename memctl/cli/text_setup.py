"""The text of what connects agents and reads their past."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memctl.cli.text import counts, flat
from memctl.cli.text_reports import size_of
from memctl.data import asdict
from memctl.results import BackfillReport

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
        left_out = counts({word: numbers[name] for name, word in _LEFT_OUT.items() if numbers[name]}, "")
        said = (f"{agent.files} files, {size_of(agent.bytes)}", taken, f"left out: {left_out}" if left_out else "")
        yield f"{agent.agent}: {'; '.join(filter(None, said))}"
    if not data.agents:
        yield "No sessions of any agent were found on this machine."
    elif data.dry_run:
        yield f"would read {data.files} files, {size_of(data.bytes)}, in about {_duration(data.estimate_seconds)}"
    else:
        yield f"{data.sessions} sessions taken in from {size_of(data.bytes_read)} in {_duration(data.seconds)}"
    yield from map(flat, data.notes)
    yield from (f"problem: {flat(text)}" for text in data.problems)
    if data.interrupted:
        yield "Stopped half-way; `memctl backfill` goes on from here."
    elif data.sessions:
        yield "Next: `memctl maintain` extracts candidates, `memctl inbox` shows them."


def _duration(seconds: float) -> str:
    if seconds < 1:
        return "a moment"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


MAKERS: dict[type, Callable[[Any], Iterator[str]]] = {BackfillReport: backfill}
