"""Looking at the store: lists, one record, the inbox, the numbers, the log. Only reads."""

from __future__ import annotations

from collections import Counter

from memctl import freshness, proposals, spool
from memctl.config import Config
from memctl.data import replace
from memctl.db import Db
from memctl.errors import UsageError
from memctl.migrate import schema_version
from memctl.results import LogReport, Page, RecordView, StatusReport
from memctl.retrieve import sense
from memctl.store import logs, meta, quality, queue, records, semantic, stream, tally
from memctl.store.records import Filter
from memctl.views import former, view, views

LOG_KINDS = ("events", "retrievals", "changes")


def page(db: Db, wanted: Filter, *, limit: int = -1, offset: int = 0) -> Page:
    """A part of the records within filters, newest change first, with the number of all."""
    with db.snapshot():
        found = records.select(db, wanted, limit=limit, offset=offset)
        complete = limit < 0 and not offset
        return Page(tuple(views(db, found)), len(found) if complete else len(records.select(db, wanted)))


def inbox(db: Db, wanted: Filter, *, limit: int, offset: int) -> Page:
    """Candidates, surest first; where no filter narrows them, with the proposals that wait too."""
    with db.snapshot():
        waiting = records.select(db, replace(wanted, statuses=("inbox",)))
        waiting.sort(key=lambda memory: (-memory.confidence, -memory.trust, memory.id))
        shown = waiting[offset:] if limit < 0 else waiting[offset : offset + limit]
        asked = proposals.open_ones(db) if replace(wanted, statuses=()) == Filter() else ()
        return Page(tuple(views(db, shown)), len(waiting), asked)


def show(db: Db, config: Config, record_id: str) -> RecordView:
    """One record, with what time and use have made of it. Raises NotFound."""
    with db.snapshot():
        memory = records.resolve(db, record_id)
        return replace(view(db, memory), standing=freshness.standing(db, config, memory), former=former(db, memory.id))


def status(db: Db, config: Config) -> StatusReport:
    """The store at a glance."""
    with db.snapshot():
        counts = tally.records(db)
        states, types = Counter[str](), Counter[str]()
        for row in counts:
            states[row["status"]] += row["count"]
            types[row["type"]] += row["count"]
        sizes = tally.sources(db)
        return StatusReport(
            db=str(db.path), schema_version=schema_version(db), size_bytes=db.path.stat().st_size, records=dict(states), types=dict(types),
            projects=tally.projects(db), sources=sizes["sources"], original_bytes=sizes["original_bytes"],
            stored_bytes=sizes["stored_bytes"], queue=queue.tally(db), spool=len(spool.files(config)),
            last_maintained=meta.get(db, "last_maintained"), flags=sense.ready(db, config, semantic.serving(db))[1],
            muted=tuple(row["rule"] for row in quality.muted(db)),
        )  # fmt: skip


def log(db: Db, kind: str, *, limit: int, since: str | None) -> LogReport:
    """What happened, newest first. Raises UsageError for an unknown kind."""
    if kind == "events":
        return LogReport(kind, events=tuple(queue.recent(db, limit=limit, since=since)))
    if kind == "retrievals":
        return LogReport(kind, retrievals=tuple(logs.recent(db, limit=limit, since=since)))
    if kind == "changes":
        return LogReport(kind, changes=tuple(stream.recent(db, limit=limit, since=since)))
    raise UsageError(f"a log is one of {', '.join(LOG_KINDS)}, not {kind!r}")
