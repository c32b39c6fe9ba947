"""From episodes to facts and ways of working, and from many episodes to one digest of a week; without a model.

What repeats itself is only ever proposed: it waits in the inbox, trusted no more than the weakest episode it was derived from, with links
to each of them and the exact words of their sessions. What was once proposed is not proposed again, whatever became of it.
"""

from __future__ import annotations

from memctl.core import clock
from memctl.core.bounded_work import BoundedWork
from memctl.settings.config import Config
from memctl.store import meta
from memctl.store.database import Database

_LOOKED_AT = "tiers_looked_at"


def look_at_all(db: Database) -> None:
    """Let the next run look at everything, whenever it changed."""
    meta.put(db, _LOOKED_AT, "")


def update_patterns(
    db: Database, config: Config, work: BoundedWork | None = None
) -> dict[str, int]:
    """Look at what changed since the last time: propose what recurs, write a digest of each week.

    Each takes one short transaction. What is cut off starts again the next time, and changes
    nothing twice. Counts what `facts.propose_patterns` and `weekly_digests.write_digests` count.
    """
    from memctl.patterns import facts, weekly_digests

    work = work or BoundedWork()
    began = clock.now()
    since = meta.get(db, _LOOKED_AT)
    facts.propose_patterns(db, config, work, since=since)
    weekly_digests.write_digests(db, config, work, since=since)
    if not work.was_cut:
        with db.write():
            meta.put(db, _LOOKED_AT, began)
    return dict(work.counts)
