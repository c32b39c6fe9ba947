"""From episodes to facts and ways of working, and from many episodes to one digest of a week; without a model.

What repeats itself is only ever proposed: it waits in the inbox, trusted no more than the weakest episode it was derived from, with links
to each of them and the exact words of their sessions. What was once proposed is not proposed again, whatever became of it.
"""

from __future__ import annotations

from memctl.core import clock
from memctl.settings.config import Config
from memctl.store import meta
from memctl.store.database import Db

_LOOKED_AT = "tiers_looked_at"


def look_at_all(db: Db) -> None:
    """Let the next run look at everything, whenever it changed."""
    meta.put(db, _LOOKED_AT, "")


def run(db: Db, config: Config) -> dict[str, int]:
    """Look at what changed since the last time; how many facts were proposed or gained words, and weeks told or told anew.

    One short transaction for each of them; what is cut short is done again from the start the next time, and changes nothing twice.
    """
    from memctl.patterns import facts, weekly_digests

    now, since = clock.now(), meta.get(db, _LOOKED_AT)
    done = {
        **facts.propose_all(db, config, since=since),
        **weekly_digests.tell_all(db, config, since=since),
    }
    with db.write():
        meta.put(db, _LOOKED_AT, now)
    return done
