"""Records written by hand, all or none; active at once where policy allows, else in the inbox."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memctl.core import clock
from memctl.core.errors import StoreLocked
from memctl.core.garbage import collect_seldom
from memctl.core.model import Actor, NewMemory, Place
from memctl.curate import save_draft, spooled_writes
from memctl.curate.chunked_writes import ChunkedWrite, TakenOver
from memctl.curate.save_draft import Written
from memctl.curate.undrafted_writes import Whereabouts, spool_items
from memctl.curate.write_drafts import WriteDraft, draft_items
from memctl.records.views import read_views
from memctl.redact.redactor import make_redactor
from memctl.results.records import IngestReport, Saved
from memctl.settings.config import Config
from memctl.store.database import Database

# So many are stored in one transaction; more wait in the spool while they are stored in several.
_MOST_AT_ONCE = 25


def ingest_items(
    db: Database,
    config: Config,
    actor: Actor,
    items: Sequence[NewMemory],
    place: Place,
    progress: Callable[[int, int], None] | None = None,
) -> IngestReport:
    """Write records; what a busy store cannot take now waits in the spool.

    All are drafted and checked before the first is stored: raises UsageError or RefusedByPolicy
    naming the item, and then nothing is written.
    """
    with collect_seldom():
        try:
            drafts = draft_items(db, config, actor, items, place)
            save_draft.require_all_allowed(db, actor, drafts, make_redactor(config))
        except StoreLocked:
            return spool_items(config, actor, items, Whereabouts(place=place))
        return _store_or_spool(db, config, actor, drafts, progress)


def _store_or_spool(
    db: Database,
    config: Config,
    actor: Actor,
    drafts: Sequence[WriteDraft],
    progress: Callable[[int, int], None] | None,
) -> IngestReport:
    operation = clock.new_id()
    file = None
    if len(drafts) > _MOST_AT_ONCE:
        file = spooled_writes.spool_ingest(config, actor, drafts, operation)
    write = ChunkedWrite(db, config, actor, drafts, operation=operation, file=file)
    try:
        write.run(tell=progress or (lambda stored, total: None))
    except (StoreLocked, TakenOver):
        rest = drafts[write.progress.stored :]
        if file is None and rest:
            file = spooled_writes.spool_ingest(config, actor, rest, operation)
        # Where everything is stored, maintenance compares it.
        return _report(db, write.written, spool_file=None if file is None else str(file))
    if file is not None:
        file.unlink(missing_ok=True)
    return _report(db, write.written)


def _report(
    db: Database, written: Iterable[Written], *, spool_file: str | None = None
) -> IngestReport:
    listed = list(written)
    views = {
        view.memory.id: view
        for view in read_views(
            db, dict.fromkeys(item.memory_id for item in listed if item.outcome != "refused")
        )
    }
    return IngestReport(
        tuple(
            Saved(item.outcome, views[item.memory_id], item.note)
            for item in listed
            if item.memory_id in views
        ),
        spool_file=spool_file,
        problems=tuple(item.note or "" for item in listed if item.outcome == "refused"),
    )
