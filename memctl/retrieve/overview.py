"""Looking at the store: lists, one record, the inbox, the numbers, the log. Only reads."""

from __future__ import annotations

from collections import Counter

from memctl.core import clock
from memctl.core.errors import UsageError
from memctl.core.frozen import replace
from memctl.records import as_of as asof
from memctl.records import proposals
from memctl.records.views import former, view, views
from memctl.results.records import Page, RecordView
from memctl.results.store import LogReport, StatusReport
from memctl.retrieve import freshness, query_embedding
from memctl.settings.config import Config
from memctl.store import counts, event_log, logs, meta, quality, queue, records, semantic, spool
from memctl.store.database import Db
from memctl.store.migrate import schema_version
from memctl.store.records import Filter

LOG_KINDS = ("events", "retrievals", "changes")


def page(
    db: Db, wanted: Filter, *, limit: int = -1, offset: int = 0, as_of: str | None = None
) -> Page:
    """A part of the records within filters, newest change first, with the number of all; with `as_of` what it was at that time."""
    with db.snapshot():
        if as_of is not None:
            return _page_then(
                db, wanted, asof.moment(as_of, end_of_day=True) or as_of, limit, offset
            )
        found = records.select(db, wanted, limit=limit, offset=offset)
        complete = limit < 0 and not offset
        return Page(
            tuple(views(db, found)), len(found) if complete else len(records.select(db, wanted))
        )


def profile(db: Db, *, as_of: str | None = None) -> Page:
    """The profile facts in force: those that hold now, or that held at a time."""
    from memctl.retrieve.candidates import is_valid

    whole = page(db, Filter(types=("profile",), statuses=("active", "contradicted")), as_of=as_of)
    at = whole.as_of or clock.now()
    items = tuple(view for view in whole.items if is_valid(view.memory, at))
    return replace(whole, items=items, total=len(items))


def _page_then(db: Db, wanted: Filter, at: str, limit: int, offset: int) -> Page:
    found = asof.select(db, wanted, at)
    shown = found[offset:] if limit < 0 else found[offset : offset + limit]
    return Page(tuple(asof.views(db, shown, at)), len(found), as_of=at)


def inbox(db: Db, wanted: Filter, *, limit: int, offset: int) -> Page:
    """Candidates, surest first; where no filter narrows them, with the proposals that wait too."""
    with db.snapshot():
        waiting = records.select(db, replace(wanted, statuses=("inbox",)))
        waiting.sort(key=lambda memory: (-memory.confidence, -memory.trust, memory.id))
        shown = waiting[offset:] if limit < 0 else waiting[offset : offset + limit]
        asked = proposals.open_ones(db) if replace(wanted, statuses=()) == Filter() else ()
        return Page(tuple(views(db, shown)), len(waiting), asked)


def show(db: Db, config: Config, record_id: str, *, as_of: str | None = None) -> RecordView:
    """One record, with what time and use have made of it; with `as_of` as it was at that time. Raises NotFound."""
    at = asof.moment(as_of, end_of_day=True)
    with db.snapshot():
        memory = records.resolve(db, record_id)
        if at is not None:
            return asof.views(db, [asof.one(db, memory, at)], at)[0]
        return replace(
            view(db, memory),
            standing=freshness.standing(db, config, memory),
            former=former(db, memory.id),
        )


def status(db: Db, config: Config, *, as_of: str | None = None) -> StatusReport:
    """The store at a glance; with `as_of` its records, projects and sources as they were at that time."""
    at = asof.moment(as_of, end_of_day=True)
    with db.snapshot():
        states, types = _counts(db) if at is None else _counts_then(db, at)
        sizes = counts.sources(db)
        report = StatusReport(
            db=str(db.path),
            schema_version=schema_version(db),
            size_bytes=db.path.stat().st_size,
            records=dict(states),
            types=dict(types),
            projects=counts.projects(db),
            sources=sizes["sources"],
            original_bytes=sizes["original_bytes"],
            stored_bytes=sizes["stored_bytes"],
            queue=queue.tally(db),
            spool=len(spool.files(config)),
            last_maintained=meta.get(db, "last_maintained"),
            flags=query_embedding.ready(db, config, semantic.serving(db))[1],
            muted=tuple(row["rule"] for row in quality.muted(db)),
        )
        return report if at is None else replace(report, **counts.then(db, at), as_of=at)


def _counts(db: Db) -> tuple[Counter[str], Counter[str]]:
    """How many records stand in each status, and are of each type."""
    states, types = Counter[str](), Counter[str]()
    for row in counts.records(db):
        states[row["status"]] += row["count"]
        types[row["type"]] += row["count"]
    return states, types


def _counts_then(db: Db, at: str) -> tuple[Counter[str], Counter[str]]:
    found = asof.select(db, Filter(), at)
    return Counter(memory.status for memory in found), Counter(memory.type for memory in found)


def log(db: Db, kind: str, *, limit: int, since: str | None) -> LogReport:
    """What happened, newest first. Raises UsageError for an unknown kind."""
    if kind == "events":
        return LogReport(kind, events=tuple(queue.recent(db, limit=limit, since=since)))
    if kind == "retrievals":
        return LogReport(kind, retrievals=tuple(logs.recent(db, limit=limit, since=since)))
    if kind == "changes":
        return LogReport(kind, changes=tuple(event_log.recent(db, limit=limit, since=since)))
    raise UsageError(f"a log is one of {', '.join(LOG_KINDS)}, not {kind!r}")
