"""Index the words of captured turns, in pieces for which no writer has to wait long."""

from __future__ import annotations

from memctl.core.errors import StoreDamaged
from memctl.maintain.run_state import MaintenanceRun
from memctl.store import derived_tables, turn_index


def index_turns(run: MaintenanceRun) -> None:
    """Index what the index of turns lacks, newest first. Counts `turns_indexed`.

    An index that is damaged, or that another version made, is replaced by an empty one first; after
    `--reindex` every one is.
    """
    is_asked = run.reindex and run.position is None
    if is_asked or not turn_index.is_healthy(run.db):
        _replace_index(run)
    waiting = turn_index.list_waiting(run.db)
    for done, source_id in enumerate(waiting):
        if run.must_stop():
            run.stop("begun")
            return
        run.report_progress(done, len(waiting))
        try:
            added = turn_index.fill_source(run.db, source_id, run.must_stop)
        except StoreDamaged:
            # The index, and not the conversation: that is read with gaps. The next run fills it.
            _replace_index(run)
            run.stop("begun")
            return
        run.count("turns_indexed", added)
    derived_tables.drop_replaced(run.db, run.must_stop)


def _replace_index(run: MaintenanceRun) -> None:
    with run.db.write():
        turn_index.replace_index(run.db)
