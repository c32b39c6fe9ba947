"""Looking at the store: lists, one record, the inbox, the numbers, the log. Only reads."""

from __future__ import annotations

from memctl.core import clock
from memctl.core.errors import UsageError
from memctl.core.frozen import replace
from memctl.core.model import Filter
from memctl.records import proposals, upkeep
from memctl.records.as_of import records_at
from memctl.records.record_source import PresentRecords
from memctl.records.views import build_view, list_former, list_views
from memctl.results.records import Page, RecordView
from memctl.results.store import LogReport, StatusReport
from memctl.retrieve import freshness, query_embedding
from memctl.settings.config import Config
from memctl.store import (
    event_log,
    logs,
    quality,
    queue,
    records,
    semantic,
    spool,
    sync_group,
)
from memctl.store.database import Database
from memctl.store.migrate import read_schema_version

LOG_KINDS = ("events", "retrievals", "changes")


def list_records(
    db: Database, wanted: Filter, *, limit: int = -1, offset: int = 0, as_of: str | None = None
) -> Page:
    """A part of the records within filters, newest change first, with the number of all; with
    `as_of` as they were at that time.
    """
    source = records_at(db, as_of)
    with db.snapshot():
        memories, total = source.read_page(wanted, limit, offset)
        return Page(tuple(list_views(source, memories)), total, as_of=source.at)


def list_profile(db: Database, *, as_of: str | None = None) -> Page:
    """The profile facts in force: those that hold now, or that held at a time."""
    whole = list_records(
        db, Filter(types=("profile",), statuses=("active", "contradicted")), as_of=as_of
    )
    at = whole.as_of or clock.now()
    items = tuple(view for view in whole.items if view.memory.is_valid_at(at))
    return replace(whole, items=items, total=len(items))


def list_inbox(db: Database, wanted: Filter, *, limit: int, offset: int) -> Page:
    """Candidates, surest first; where no filter narrows them, with the proposals that wait too."""
    with db.snapshot():
        waiting = records.select_records(db, replace(wanted, statuses=("inbox",)))
        waiting.sort(key=lambda memory: (-memory.confidence, -memory.trust, memory.id))
        shown = waiting[offset:] if limit < 0 else waiting[offset : offset + limit]
        is_whole = replace(wanted, statuses=(), viewer=None) == Filter()
        asked = proposals.list_open(db) if is_whole else ()
        return Page(tuple(list_views(PresentRecords(db), shown)), len(waiting), asked)


def show_record(
    db: Database, config: Config, record_id: str, *, as_of: str | None = None
) -> RecordView:
    """One record, with notes on its age and usage; with `as_of` as it was at that time. Raises
    NotFound.
    """
    source = records_at(db, as_of)
    with db.snapshot():
        memory = source.find_record(record_id)
        return replace(
            build_view(source, memory),
            standing=freshness.describe_standing(source, config, memory),
            former=list_former(source, memory.id),
        )


def read_status(db: Database, config: Config, *, as_of: str | None = None) -> StatusReport:
    """The store at a glance; with `as_of` its records, projects and sources as they were at that
    time.
    """
    source = records_at(db, as_of)
    with db.snapshot():
        statuses, types = source.count_records()
        state = upkeep.find_upkeep(db, config)
        return StatusReport(
            db=str(db.path),
            schema_version=read_schema_version(db),
            size_bytes=db.path.stat().st_size,
            records=dict(statuses),
            types=dict(types),
            **source.count_originals(),
            queue=queue.count_by_state(db),
            spool=len(spool.list_files(config)),
            last_maintained=state.last_run,
            upkeep=state.way,
            maintained_by=state.started_by,
            flags=query_embedding.find_ready_embedder(db, config, semantic.find_serving_model(db))[
                1
            ],
            muted=tuple(row["rule"] for row in quality.list_muted(db)),
            as_of=source.at,
            warnings=(),
            places=sync_group.list_place_states(db),
        )


def read_log(
    db: Database, kind: str, *, limit: int, since: str | None, viewer: str = "operator"
) -> LogReport:
    """What happened, newest first; nothing of what is private to another agent than the viewer.

    Raises UsageError for an unknown kind.
    """
    if kind == "events":
        return LogReport(kind, events=tuple(queue.list_recent(db, limit=limit, since=since)))
    if kind == "retrievals":
        return LogReport(kind, retrievals=tuple(logs.list_recent(db, limit=limit, since=since)))
    if kind == "changes":
        changes = event_log.list_recent(db, limit=limit, since=since)
        about = records.list_by_ids(db, {change.memory_id for change in changes})
        private = {key for key, it in about.items() if records.is_private_to_another(it, viewer)}
        shown = (change for change in changes if change.memory_id not in private)
        return LogReport(kind, changes=tuple(shown))
    raise UsageError(f"a log is one of {', '.join(LOG_KINDS)}, not {kind!r}")
