"""Derive facts and workflows from episodes, and one digest of each week; without a model.

What recurs is only proposed: it waits in the inbox, trusted no more than the weakest episode it was
derived from, linked to each of them, with the exact words of their sessions. What was once proposed
is not proposed again, whatever became of it.
"""

from __future__ import annotations

from memctl.core import clock
from memctl.core.bounded_work import BoundedWork
from memctl.settings.config import Config
from memctl.store import meta
from memctl.store.database import Database

_LAST_LOOKED_KEY = "tiers_looked_at"


def forget_last_look(db: Database) -> None:
    """Let the next run look at every session, whenever it changed."""
    meta.put_note(db, _LAST_LOOKED_KEY, "")


def update_patterns(
    db: Database, config: Config, work: BoundedWork | None = None
) -> dict[str, int]:
    """Look at what changed since the last time: propose what recurs, write a digest of each week.

    Each takes one short transaction. What is cut off starts again the next time, and changes
    nothing twice. Counts what `propose_patterns` and `write_digests` count.
    """
    from memctl.patterns import pattern_candidates, weekly_digests

    work = work or BoundedWork()
    began = clock.now()
    since = meta.get_time(db, _LAST_LOOKED_KEY)
    pattern_candidates.propose_patterns(db, config, work, since=since)
    weekly_digests.write_digests(db, config, work, since=since)
    if not work.was_cut:
        with db.write():
            meta.put_note(db, _LAST_LOOKED_KEY, began)
    return dict(work.counts)
