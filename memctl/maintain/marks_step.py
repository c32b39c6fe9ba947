"""Mark the records that a newer one may have overtaken, a few at a time.

What waits is in the store: whoever changes a record or a link asks for its mark in the same
transaction. Where marks are made otherwise than they were, all are asked for again, in pieces.
"""

from __future__ import annotations

from memctl.consolidate import overtaken
from memctl.consolidate.neighbours import NeighbourFinder
from memctl.maintain.run_state import MaintenanceRun
from memctl.store import marks

# Records whose marks are made in one transaction: 10 took up to 220 ms of processor time in a store
# of 100,000 records on a busy machine.
_BATCH = 5


def mark_overtaken(run: MaintenanceRun) -> None:
    """Make the marks that are asked for. Counts `marked`."""
    if marks.are_outdated(run.db) and not _ask_for_all(run):
        return
    finder = NeighbourFinder(run.db, run.config)
    after, done, total = "", 0, marks.count_waiting(run.db)
    while batch := marks.list_waiting(run.db, after, _BATCH):
        if run.must_stop():
            run.stop()
            return
        with run.db.write():
            finder.begin_batch()
            run.count("marked", overtaken.mark_records(run.db, batch, finder))
        after, done = batch[-1], done + len(batch)
        run.report_progress(done, max(total, done))


def _ask_for_all(run: MaintenanceRun) -> bool:
    """Ask for the marks of all records in force; False where that was cut off."""
    position: int | None = int(run.position or 0)
    while position is not None:
        if run.must_stop():
            run.stop(str(position))
            return False
        with run.db.write():
            position = marks.request_piece(run.db, position)
    return True
