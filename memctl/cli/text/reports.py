"""The colder results as lines of text: upkeep, the store, projects, transfers, logs. Pure."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memctl.cli.text.maintenance import did_words
from memctl.cli.text.records import at, counts, flags, flat, number
from memctl.core.model import Event, Job
from memctl.results.maintenance import ConsolidationReport
from memctl.results.projects import Doubt, ProjectReport, ProjectView
from memctl.results.saved_views import ViewReport
from memctl.results.store import DoctorReport, LogReport, StatusReport, TransferReport

_MARKS = {"ok": "ok", "note": "note", "problem": "PROBLEM"}


def consolidation(data: ConsolidationReport) -> Iterator[str]:
    """What consolidation did or would do."""
    would = "would " if data.dry_run else ""
    yield from (
        f"{would}{step.action}  {step.id}  {step.other}  {flat(step.reason)}" for step in data.steps
    )
    yield f"{number(len(data.steps), 'step')}, {number(data.looked_at, 'record')} looked at."


def doctor(data: DoctorReport) -> Iterator[str]:
    """Findings, each with its cure."""
    for check in data.checks:
        yield f"{_MARKS.get(check.state, check.state):<8} {check.name}: {flat(check.detail)}"
        if check.cure:
            yield f"         {flat(check.cure)}"
    if data.backup:
        yield f"backup   {data.backup}"
    yield from (f"mended   {flat(text)}" for text in data.repaired)
    found = Counter(check.state for check in data.checks)
    yield f"{number(found['problem'], 'problem') if found['problem'] else 'No problems'}, {number(found['note'], 'note')}."


def status(data: StatusReport) -> Iterator[str]:
    """The store at a glance."""
    if data.as_of:
        yield f"as of {at(data.as_of)}: records, projects and sources; the rest is of now"
    yield f"store: {data.db} ({size_of(data.size_bytes)}, schema {data.schema_version})"
    yield f"records: {counts(data.records)}"
    if data.types:
        yield f"by type: {counts(data.types)}"
    yield f"projects: {data.projects}"
    yield f"sources: {data.sources}" + (
        f", {size_of(data.original_bytes)} kept as {size_of(data.stored_bytes)}"
        if data.sources
        else ""
    )
    yield f"queue: {counts(data.queue, 'empty')}; spool: {data.spool or 'empty'}"
    yield f"last maintained: {at(data.last_maintained or 'never')}"
    if data.muted:
        yield f"muted rules: {', '.join(map(flat, data.muted))} (see memctl stats quality)"
    if not data.records and not data.sources:
        yield "Nothing is in it yet. Begin with `memctl setup`, `memctl backfill` or `memctl ingest TEXT`."
    yield from flags(data.flags)


def projects(data: ProjectReport) -> Iterator[str]:
    """Projects, and what is doubtful about them."""
    for view in data.items:
        yield from _project(view)
    if not data.items:
        yield "No project is known yet."
    for doubt in data.doubtful:
        yield f"doubtful: {flat(doubt_of(doubt))}"
    if data.doubtful:
        yield "Settle it with `memctl project settle`, or `memctl project adopt` and `memctl project apart`."


def doubt_of(doubt: Doubt) -> str:
    """One doubt as a person reads it."""
    newer = f"{doubt.name} ({doubt.project_id}, {doubt.root_path or 'no folder'})"
    older = f"{doubt.other_name} ({doubt.other_id}, {doubt.other_root_path or 'no folder'})"
    return f"{newer} may be {older}, {doubt.why}"


def _project(view: ProjectView) -> Iterator[str]:
    project = view.project
    yield f"{project.id}  {flat(project.name)}  {counts(view.records, 'no records')}"
    yield from (f"    {kind}: {flat(value)}" for kind, value in project.aliases)
    yield from (f"    linked with: {flat(other)}" for other in view.linked)


def transfer(data: TransferReport) -> Iterator[str]:
    """An export, import, backup or restore."""
    yield f"{'would read ' if data.dry_run else ''}{data.path}"
    yield from (
        f"  {section}: {counts(numbers)}"
        for section, numbers in data.counts.items()
        if any(numbers.values())
    )
    yield from (f"problem: {flat(text)}" for text in data.problems)
    if data.text:
        yield from map(flat, data.text.splitlines())


def log(data: LogReport) -> Iterator[str]:
    """What happened, newest first."""
    yield from (_job(job) for job in data.events)
    yield from (_retrieval(row) for row in data.retrievals)
    yield from (_event(event) for event in data.changes)
    if not (data.events or data.retrievals or data.changes):
        yield "Nothing yet."


def _job(job: Job) -> str:
    did = {
        name: n for name, n in job.outcome.items() if isinstance(n, int) and not isinstance(n, bool)
    }
    said = flat(job.error) or did_words(did)
    return (
        f"{at(job.created_at)}  {job.id}  {job.state}  {flat(job.trigger)} by {flat(job.actor)}"
        + (f": {said}" if said else "")
    )


def _retrieval(row: Mapping[str, Any]) -> str:
    command, served, asked = (
        flat(str(row.get(name) or "")) for name in ("command", "actor", "query")
    )
    what = f'{command} "{asked}"' if asked else command
    return f"{at(str(row.get('at')))}  {row.get('id')}  {what} for {served}: {len(row.get('returned') or ())} returned"


def _event(event: Event) -> str:
    fields = (
        ", ".join(sorted(set(event.after or ()) - {"updated_at"}))
        if event.before is not None
        else ""
    )
    return (
        f"{event.seq}  {at(event.at)}  {event.memory_id}  {event.verb} by {flat(event.actor)} ({flat(event.cause)})"
        + (f": {fields}" if fields else "")
    )


def views(data: ViewReport) -> Iterator[str]:
    """Saved views, each as its options would be typed."""
    for view in data.items:
        yield "  ".join(
            part
            for part in (
                data.outcome or "",
                flat(view.name),
                " ".join([view.kind, *_typed(view.options)]),
            )
            if part
        )
        if view.unknown:
            yield f"    made by a newer memctl, not understood here: {', '.join(map(flat, view.unknown))}"
    if not data.items:
        yield "No saved views."


# Options that are spelled otherwise than what they are called in data; words that stand by themselves have no spelling.
_SPELLINGS = {
    "query": "",
    "types": "--type",
    "kinds": "--kind",
    "scopes": "--scope",
    "everywhere": "--global",
}


def _typed(options: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        spelling = _SPELLINGS.get(name, f"--{name.replace('_', '-')}")
        for item in value if isinstance(value, list) else [value]:
            yield " ".join(
                part
                for part in (spelling, "" if item is True else shlex.quote(flat(str(item))))
                if part
            )


def size_of(number: int) -> str:
    """A number of bytes as a person reads it."""
    for unit, step in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= step:
            return f"{number / step:.1f} {unit}"
    return f"{number} bytes"


MAKERS: dict[type, Callable[[Any], Iterator[str]]] = {
    ConsolidationReport: consolidation,
    DoctorReport: doctor,
    StatusReport: status,
    ProjectReport: projects,
    TransferReport: transfer,
    ViewReport: views,
    LogReport: log,
}
