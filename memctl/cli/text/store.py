"""Status, statistics, checks, logs and transfers of the store as lines of text. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from memctl.cli.text.formatting import (
    flatten,
    format_count,
    format_counts,
    format_size,
    format_time,
    render_flags,
)
from memctl.cli.text.maintenance import format_work_done
from memctl.cli.text.record_parts import TRUST_WORDS
from memctl.core import timestamps
from memctl.core.model import Event, Job
from memctl.results.store import (
    DoctorReport,
    LogReport,
    ReportFile,
    StatsReport,
    StatusReport,
    TransferReport,
)

# How many names a breakdown shows before it sums up the others.
_MAX_NAMES = 8
_UPKEEP_WAYS = {
    "hooks": "by hooks, after a session",
    "nothing": "nothing starts it (memctl setup timer)",
}
_STARTERS = {"hook": "a hook"}
_STATE_MARKS = {"ok": "ok", "note": "note", "problem": "PROBLEM"}


def render_status(data: StatusReport) -> Iterator[str]:
    """Yield the store at a glance."""
    if data.as_of:
        yield (
            f"as of {format_time(data.as_of)}: records, projects and sources; the rest is current"
        )
    yield f"store: {data.db} ({format_size(data.size_bytes)}, schema {data.schema_version})"
    yield f"records: {format_counts(data.records)}"
    if data.types:
        yield f"by type: {format_counts(data.types)}"
    yield f"projects: {data.projects}"
    sizes = f"{format_size(data.original_bytes)} kept as {format_size(data.stored_bytes)}"
    yield f"sources: {data.sources}" + (f", {sizes}" if data.sources else "")
    yield f"queue: {format_counts(data.queue, 'empty')}; spool: {data.spool or 'empty'}"
    yield f"upkeep: {_format_upkeep(data)}"
    if data.places:
        from memctl.cli.text.sync import describe_place  # few stores follow others

        yield from (f"sync: {describe_place(place)}" for place in data.places)
    if data.muted:
        yield f"muted rules: {', '.join(map(flatten, data.muted))} (see memctl stats quality)"
    yield from (f"Warning: {flatten(warning)}" for warning in data.warnings)
    if not data.records and not data.sources:
        yield (
            "The store is empty. Begin with `memctl setup`, `memctl backfill` or `memctl add TEXT`."
        )
    yield from render_flags(data.flags)


def _format_upkeep(data: StatusReport) -> str:
    """Say what starts maintenance, and when it last ran."""
    way = _UPKEEP_WAYS.get(data.upkeep, f"every 15 minutes by {data.upkeep}")
    if data.last_maintained is None:
        return f"{way}; never ran"
    starter = data.maintained_by
    by = f", started by {_STARTERS.get(starter, starter)}" if starter else ""
    return f"{way}; last ran {format_time(data.last_maintained)}{by}"


def render_stats(data: StatsReport) -> Iterator[str]:
    """Yield the store in numbers."""
    yield f"records in force: {data.records}; all: {format_counts(data.statuses)}"
    yield from _render_breakdown("by type", data.types)
    yield from _render_breakdown("by kind", data.kinds)
    yield from _render_breakdown("by scope", data.scopes)
    trust = {TRUST_WORDS.get(word, word): number for word, number in data.trust.items()}
    yield from _render_breakdown("by trust", trust, between=" where ")
    yield from _render_breakdown("by project", data.projects)
    quotes, sources = format_count(data.evidence, "quote"), format_count(data.sources, "source")
    yield f"{quotes} from {sources}"
    yield from _render_breakdown("links", data.links)
    yield from _render_breakdown("entities", data.entities)
    turns = f" ({format_count(data.turns, 'turn')})" if data.turns else ""
    yield f"captured: {format_counts(data.sessions, 'nothing')}{turns}"
    week, month = _format_recent_activity(data, 0), _format_recent_activity(data, 1)
    yield f"last 7 days: {week}; last 30: {month}"
    yield f"never served: {data.never_served}; votes: {data.good} helped, {data.bad} misled"
    if data.oldest_waiting:
        day = timestamps.to_local_day(data.oldest_waiting)
        yield f"oldest candidate waiting since {day} (memctl inbox)"
    if data.proposals:
        yield f"{format_count(data.proposals, 'maintenance proposal')} to decide on (memctl inbox)"
    if data.muted:
        yield f"muted rules: {', '.join(map(flatten, data.muted))} (memctl stats quality)"


def _format_recent_activity(data: StatsReport, period: int) -> str:
    """Return what happened in the last 7 days (period 0) or the last 30 days (1)."""
    counts = (
        (data.changes[period], "change"),
        (data.captures[period], "capture"),
        (data.retrievals[period], "retrieval"),
    )
    return ", ".join(format_count(number, word) for number, word in counts)


def _render_breakdown(title: str, numbers: Mapping[str, int], between: str = " ") -> Iterator[str]:
    """Yield numbers and their names on one line; those beyond a few names are summed up."""
    if not numbers:
        return
    names = list(numbers)
    parts = [
        f"{numbers[name]}{between}{flatten(name)}" for name in names[:_MAX_NAMES] if numbers[name]
    ]
    others = sum(numbers[name] for name in names[_MAX_NAMES:])
    if others:
        parts.append(f"{others} of others")
    yield f"{title}: {', '.join(parts) or 'none'}"


def render_doctor(data: DoctorReport) -> Iterator[str]:
    """Yield the findings, each with its cure."""
    for check in data.checks:
        mark = _STATE_MARKS.get(check.state, check.state)
        yield f"{mark:<8} {check.name}: {flatten(check.detail)}"
        if check.cure:
            yield f"         {flatten(check.cure)}"
    if data.backup:
        yield f"backup   {data.backup}"
    yield from (f"repaired {flatten(text)}" for text in data.repaired)
    states = Counter(check.state for check in data.checks)
    problems = format_count(states["problem"], "problem") if states["problem"] else "No problems"
    yield f"{problems}, {format_count(states['note'], 'note')}."
    if data.next_step:
        yield f"Next: {flatten(data.next_step)}"


def render_transfer(data: TransferReport) -> Iterator[str]:
    """Yield the counts and problems of an export, import, backup or restore."""
    yield f"{'would read ' if data.dry_run else ''}{data.path}"
    for section, numbers in data.counts.items():
        if any(numbers.values()):
            yield f"  {section}: {format_counts(numbers)}"
    yield from (f"problem: {flatten(text)}" for text in data.problems)
    yield from (f"removed an older backup: {flatten(path)}" for path in data.removed)
    if data.text:
        yield from map(flatten, data.text.splitlines())


def render_log(data: LogReport) -> Iterator[str]:
    """Yield events, retrievals or changes, newest first."""
    yield from map(_format_job, data.events)
    yield from map(_format_retrieval, data.retrievals)
    yield from map(_format_event, data.changes)
    if not (data.events or data.retrievals or data.changes):
        yield "Nothing yet."


def _format_job(job: Job) -> str:
    counts = {
        name: number
        for name, number in job.outcome.items()
        if isinstance(number, int) and not isinstance(number, bool)
    }
    result = flatten(job.error) or format_work_done(counts)
    origin = f"{flatten(job.trigger)} by {flatten(job.actor)}"
    line = f"{format_time(job.created_at)}  {job.id}  {job.state}  {origin}"
    return f"{line}: {result}" if result else line


def _format_retrieval(row: Mapping[str, Any]) -> str:
    command, actor, query = (
        flatten(str(row.get(name) or "")) for name in ("command", "actor", "query")
    )
    what = f'{command} "{query}"' if query else command
    returned = len(row.get("returned") or ())
    return (
        f"{format_time(str(row.get('at')))}  {row.get('id')}  {what} for {actor}:"
        f" {returned} returned"
    )


def _format_event(event: Event) -> str:
    line = (
        f"{event.seq}  {format_time(event.at)}  {event.memory_id}  {event.verb}"
        f" by {flatten(event.actor)} ({flatten(event.cause)})"
    )
    if event.before is None:
        return line
    fields = ", ".join(sorted(set(event.after or ()) - {"updated_at"}))
    return f"{line}: {fields}" if fields else line


def render_report_file(data: ReportFile) -> Iterator[str]:
    """Yield where the page is."""
    yield f"{data.path} ({format_size(data.size)}, private to you)"
