"""Records that were changed are compared with those around them, a few at a time.

How far that came stands in the store, so that any run goes on there. What is written meanwhile comes later in the order and is looked at
by this run or the next; a little is looked at twice, because a change can become visible after a later one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from memctl.consolidate import apply as consolidation
from memctl.core import clock, timestamps
from memctl.core.model import Memory
from memctl.maintain import pending_work
from memctl.maintain.run_state import Run
from memctl.store import meta, records

_BATCH = 20
# A writer notes the time, and may then wait its turn for half a minute.
_OVERLAP_SECONDS = 60.0
_LIVE = ("active", "contradicted", "inbox")


def consolidate(run: Run) -> Mapping[str, int]:
    """Compare what was changed since the last time."""
    looked_at, counts = clock.now(), Counter[str]()
    at, memory_id = pending_work.compared_until(run.db)
    rows = [
        (row["updated_at"], row["id"]) for row in run.db.all("steps.changed", at=at, id=memory_id)
    ]
    for start in range(0, len(rows), _BATCH):
        if run.enough():
            run.stop(" ".join(rows[start - 1]) if start else None)
            return counts
        part = rows[start : start + _BATCH]
        _compare(run, [each for _, each in part], counts)
        _compared(run, *part[-1])
        run.tell(min(start + _BATCH, len(rows)), len(rows))
    _compared(run, max(at, timestamps.add_seconds(looked_at, seconds=-_OVERLAP_SECONDS)), "")
    return counts


def _compare(run: Run, ids: list[str], counts: Counter[str]) -> None:
    found: Mapping[str, Memory] = records.by_ids(run.db, ids)
    living = [memory for memory in found.values() if memory.status in _LIVE]
    for step in consolidation.consolidate_some(run.db, run.config, living):
        counts[step.action] += 1
    counts["compared"] += len(living)


def _compared(run: Run, at: str, memory_id: str) -> None:
    with run.db.write():
        meta.put(run.db, pending_work.CONSOLIDATED, f"{at} {memory_id}".rstrip())
