"""Compare changed records with their neighbours, a few at a time.

The store keeps how far that came, so any run continues there. Records written meanwhile come later
in the order: this run or the next sees them. A few records are compared twice, because a change can
become visible after a later one.

What a bulk write compared is compared again: it merges nothing but equal words, and the vectors by
which long statements and typed answers are judged are made only after it. What does not change
within a run (words, statements, verdicts on pairs) is read and judged once.
"""

from __future__ import annotations

from memctl.consolidate import apply as consolidation
from memctl.consolidate.neighbours import NeighbourFinder
from memctl.core import clock, timestamps
from memctl.maintain import pending_work
from memctl.maintain.run_state import MaintenanceRun
from memctl.store import maintenance_steps, meta, records

# Records compared in one transaction. Chosen by hand.
_BATCH = 20
# A writer notes the time of a change and may then wait half a minute for its turn; twice that.
_OVERLAP_SECONDS = 60.0
_COMPARED_STATUSES = ("active", "contradicted", "inbox")


def compare_changed_records(run: MaintenanceRun) -> None:
    """Compare what was changed since the last time. Counts `compared`, and each action taken."""
    began = clock.now()
    last_at, last_id = pending_work.read_compared_until(run.db)
    changed = maintenance_steps.list_changed(run.db, last_at, last_id)
    finder = NeighbourFinder(run.db, run.config)
    for start in range(0, len(changed), _BATCH):
        if run.must_stop():
            run.stop(" ".join(changed[start - 1]) if start else None)
            return
        batch = changed[start : start + _BATCH]
        _compare_batch(run, [memory_id for _, memory_id in batch], finder)
        _save_compared_until(run, *batch[-1])
        run.report_progress(min(start + _BATCH, len(changed)), len(changed))
    overlap_start = timestamps.add_seconds(began, seconds=-_OVERLAP_SECONDS)
    _save_compared_until(run, max(last_at, overlap_start), "")


def _compare_batch(run: MaintenanceRun, ids: list[str], finder: NeighbourFinder) -> None:
    found = records.list_by_ids(run.db, ids, only_readable=True).values()
    living = [memory for memory in found if memory.status in _COMPARED_STATUSES]
    for decision in consolidation.consolidate_records(run.db, run.config, living, finder):
        run.count(decision.action)
    run.count("compared", len(living))


def _save_compared_until(run: MaintenanceRun, at: str, memory_id: str) -> None:
    with run.db.write():
        meta.put_note(run.db, pending_work.COMPARED_UNTIL, f"{at} {memory_id}".rstrip())
