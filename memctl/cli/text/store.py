"""The state of the store as lines of text: status, statistics, checks, logs, transfers. Pure."""

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
from memctl.core.model import Event, Job
from memctl.results.store import DoctorReport, LogReport, StatsReport, StatusReport, TransferReport

_MAX_NAMES = 8

_STATE_MARKS = {"ok": "ok", "note": "note", "problem": "PROBLEM"}


def render_stats(data: StatsReport) -> Iterator[str]:
    """The store in numbers."""
    yield f"records in force: {data.records}; all: {format_counts(data.statuses)}"
    yield from _render_breakdown("by type", data.types)
    yield from _render_breakdown("by kind", data.kinds)
    yield from _render_breakdown("by scope", data.scopes)
    yield from _render_breakdown(
        "by trust", {TRUST_WORDS.get(word, word): many for word, many in data.trust.items()}, ": "
    )
    yield from _render_breakdown("by project", data.projects)
    yield f"they rest on {format_count(data.evidence, 'quote')} from {format_count(data.sources, 'original')}"
    yield from _render_breakdown("links", data.links)
    yield from _render_breakdown("entities", data.entities)
    yield f"captured: {format_counts(data.sessions, 'nothing')}" + (
        f" ({format_count(data.turns, 'turn')})" if data.turns else ""
    )
    yield f"last 7 days: {_format_recent_activity(data, 0)}; last 30: {_format_recent_activity(data, 1)}"
    yield f"given to nobody yet: {data.never_served}; said to have helped {format_count(data.good, 'time')}, to have misled {format_count(data.bad, 'time')}"
    if data.oldest_waiting:
        yield f"the oldest candidate waits since {data.oldest_waiting[:10]} (memctl inbox)"
    if data.proposals:
        yield f"{format_count(data.proposals, 'proposal')} of maintenance to decide on (memctl inbox)"
    if data.muted:
        yield f"muted rules: {', '.join(map(flatten, data.muted))} (memctl stats quality)"


def _format_recent_activity(data: StatsReport, which: int) -> str:
    told = (
        (data.changes[which], "change"),
        (data.captures[which], "capture"),
        (data.retrievals[which], "retrieval"),
    )
    return ", ".join(format_count(many, word) for many, word in told)


def _render_breakdown(what: str, numbers: Any, between: str = " ") -> Iterator[str]:
    """Numbers by name on one line, those that count most first; what is beyond a few is summed up."""
    if numbers:
        names = list(numbers)
        shown = {name: numbers[name] for name in names[:_MAX_NAMES]}
        rest = sum(numbers[name] for name in names[_MAX_NAMES:])
        told = (
            format_counts(shown)
            if between == " "
            else ", ".join(f"{many} where {flatten(name)}" for name, many in shown.items() if many)
        )
        yield f"{what}: {told}" + (f", {rest} of others" if rest else "")


def render_doctor(data: DoctorReport) -> Iterator[str]:
    """Findings, each with its cure."""
    for check in data.checks:
        yield f"{_STATE_MARKS.get(check.state, check.state):<8} {check.name}: {flatten(check.detail)}"
        if check.cure:
            yield f"         {flatten(check.cure)}"
    if data.backup:
        yield f"backup   {data.backup}"
    yield from (f"mended   {flatten(text)}" for text in data.repaired)
    found = Counter(check.state for check in data.checks)
    yield f"{format_count(found['problem'], 'problem') if found['problem'] else 'No problems'}, {format_count(found['note'], 'note')}."


def render_status(data: StatusReport) -> Iterator[str]:
    """The store at a glance."""
    if data.as_of:
        yield f"as of {format_time(data.as_of)}: records, projects and sources; the rest is of now"
    yield f"store: {data.db} ({format_size(data.size_bytes)}, schema {data.schema_version})"
    yield f"records: {format_counts(data.records)}"
    if data.types:
        yield f"by type: {format_counts(data.types)}"
    yield f"projects: {data.projects}"
    yield f"sources: {data.sources}" + (
        f", {format_size(data.original_bytes)} kept as {format_size(data.stored_bytes)}"
        if data.sources
        else ""
    )
    yield f"queue: {format_counts(data.queue, 'empty')}; spool: {data.spool or 'empty'}"
    yield f"last maintained: {format_time(data.last_maintained or 'never')}"
    if data.muted:
        yield f"muted rules: {', '.join(map(flatten, data.muted))} (see memctl stats quality)"
    if not data.records and not data.sources:
        yield "Nothing is in it yet. Begin with `memctl setup`, `memctl backfill` or `memctl ingest TEXT`."
    yield from render_flags(data.flags)


def render_transfer(data: TransferReport) -> Iterator[str]:
    """An export, import, backup or restore."""
    yield f"{'would read ' if data.dry_run else ''}{data.path}"
    yield from (
        f"  {section}: {format_counts(numbers)}"
        for section, numbers in data.counts.items()
        if any(numbers.values())
    )
    yield from (f"problem: {flatten(text)}" for text in data.problems)
    if data.text:
        yield from map(flatten, data.text.splitlines())


def render_log(data: LogReport) -> Iterator[str]:
    """What happened, newest first."""
    yield from (_format_job(job) for job in data.events)
    yield from (_format_retrieval(row) for row in data.retrievals)
    yield from (_format_event(event) for event in data.changes)
    if not (data.events or data.retrievals or data.changes):
        yield "Nothing yet."


def _format_job(job: Job) -> str:
    did = {
        name: n for name, n in job.outcome.items() if isinstance(n, int) and not isinstance(n, bool)
    }
    said = flatten(job.error) or format_work_done(did)
    return (
        f"{format_time(job.created_at)}  {job.id}  {job.state}  {flatten(job.trigger)} by {flatten(job.actor)}"
        + (f": {said}" if said else "")
    )


def _format_retrieval(row: Mapping[str, Any]) -> str:
    command, served, asked = (
        flatten(str(row.get(name) or "")) for name in ("command", "actor", "query")
    )
    what = f'{command} "{asked}"' if asked else command
    return f"{format_time(str(row.get('at')))}  {row.get('id')}  {what} for {served}: {len(row.get('returned') or ())} returned"


def _format_event(event: Event) -> str:
    fields = (
        ", ".join(sorted(set(event.after or ()) - {"updated_at"}))
        if event.before is not None
        else ""
    )
    return (
        f"{event.seq}  {format_time(event.at)}  {event.memory_id}  {event.verb} by {flatten(event.actor)} ({flatten(event.cause)})"
        + (f": {fields}" if fields else "")
    )
