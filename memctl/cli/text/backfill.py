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
from memctl.cli.text.record_parts import SHORT_ID_LENGTH
from memctl.core.frozen import asdict
from memctl.results.backfill import (
    BackfillAgent,
    BackfillReport,
    MemoriesReport,
    MemoryFile,
    NoteChange,
)

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
    "known": "already captured",
    "older": "older",
    "elsewhere": "of other projects",
    "sub_agents": "of sub-agents",
    "over_limit": "over the limit",
    "copies": "replaced by another file",
}


def render_backfill(data: BackfillReport) -> Iterator[str]:
    """Yield the numbers of a backfill or of its plan, agent by agent."""
    yield from map(_format_agent, data.agents)
    if not data.agents:
        yield "No sessions of any agent were found on this machine."
    elif data.dry_run:
        yield (
            f"would read {format_count(data.files, 'file')}, {format_size(data.bytes)},"
            f" in about {format_duration(data.estimate_seconds)}"
        )
    else:
        yield (
            f"{format_count(data.sessions, 'session')} captured from"
            f" {format_size(data.bytes_read)} in {format_duration(data.seconds)}"
        )
    yield from map(flatten, data.notes)
    yield from (f"problem: {flatten(text)}" for text in data.problems)
    if data.interrupted:
        yield "Interrupted; `memctl backfill` continues from here."
    elif data.sessions:
        yield "Next: `memctl maintain` extracts candidates, `memctl inbox` shows them."


def _format_agent(agent: BackfillAgent) -> str:
    numbers = asdict(agent)
    parts = [f"{format_count(agent.files, 'file')}, {format_size(agent.bytes)}"]
    read = {name: numbers[name] for name in _READ_COUNTERS}
    skipped = {word: numbers[name] for name, word in _SKIPPED_COUNTERS.items()}
    if any(read.values()):
        parts.append(format_counts(read))
    if any(skipped.values()):
        parts.append(f"left out: {format_counts(skipped)}")
    return f"{agent.agent}: {'; '.join(parts)}"


def render_imported_memories(data: MemoriesReport) -> Iterator[str]:
    """Yield what became of other tools' memories, file by file."""
    for item in data.items:
        yield from _render_memory_file(item, dry_run=data.dry_run)
    new = sum(item.new + item.changed for item in data.items)
    candidates = format_count(new, "candidate")
    if not data.items:
        yield "No memories of other tools were found here."
    elif data.dry_run:
        yield f"{candidates} would go to the inbox"
    else:
        has_news = new or any(item.gone for item in data.items)
        shows = "; `memctl inbox` shows them." if new else "; see `memctl inbox`."
        yield f"{candidates} went to the inbox" + (shows if has_news else "")


def _render_memory_file(item: MemoryFile, *, dry_run: bool) -> Iterator[str]:
    where = ", ".join(filter(None, (flatten(item.kind), flatten(item.project))))
    head = f"{flatten(item.path)} ({where})" if where else flatten(item.path)
    counts = {
        "new": item.new,
        "changed": item.changed,
        "moved": item.moved,
        "gone": item.gone,
        "back": item.back,
        "unchanged": item.unchanged,
        "known": max(0, item.known - item.unchanged - item.moved) if item.found else 0,
        "rejected before": item.rejected,
    }
    if item.problem:
        yield f"problem: {head}: {flatten(item.problem)}"
    elif item.note:
        yield f"{head}: {flatten(item.note)}"
    elif not item.found:
        yield f"{head}: no memories in it"
    else:
        memories = format_count(item.found, "memory", "memories")
        yield f"{head}: {memories} ({format_counts(counts, '')})"
    yield from (f"  {line}" for change in item.changes for line in _render_change(change, dry_run))
    if item.redacted:
        would = "that would be " if dry_run else ""
        yield f"  secrets {would}removed: {format_counts(item.redacted)}"


def _render_change(change: NoteChange, dry_run: bool) -> Iterator[str]:
    """Yield what a changed line means for its record, and what is left to decide."""
    old = f"{change.record_id[:SHORT_ID_LENGTH]} {flatten(change.title)}"
    if change.new_id is not None:
        verb = "superseded" if change.change == "changed" else "proposed instead"
        yield f"changed: {old}"
        # The id of a candidate that was only tried leads nowhere.
        new_id = "" if dry_run else f"{change.new_id[:SHORT_ID_LENGTH]} "
        yield f"    {verb}: {new_id}{flatten(change.new_title)}"
    elif change.change == "gone":
        yield f"gone: {old} (you decide whether to archive it)"
    elif change.change == "said elsewhere":
        yield f"gone: {old} (still said elsewhere)"
    else:
        yield f"{flatten(change.change)}: {old}"
