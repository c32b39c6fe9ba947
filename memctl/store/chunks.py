"""Many changes in short transactions: others get their turn before a tenth of a second is over.

What takes long (reading, comparing, embedding) is done before. Inside a chunk a change is only
checked once more and made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from memctl.core import clock
from memctl.core.typing_lite import TypeVar
from memctl.store.database import Database

Item = TypeVar("Item")

# Seconds of work in one transaction. Chosen by hand, so that the last change, a commit that has to
# wait for the disk, and a machine at half its speed stay below a quarter of a second.
CHUNK_SECONDS = 0.06
# Seconds between two chunks: longer than the longest sleep of a waiting writer, which would
# otherwise seldom meet a free store.
_PAUSE_SECONDS = 0.005


def change_in_chunks(
    db: Database,
    items: Sequence[Item],
    change: Callable[[Item], object],
    *,
    note: Callable[[int], object] = lambda done: None,
    must_stop: Callable[[], bool] = lambda: False,
    around: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> int:
    """Make a change for each item, in as many short transactions as that takes; count the items.

    `note` gets how many items are done, in the transaction of their chunk. `must_stop` is asked
    between chunks; what is left then is the caller's to remember. `around` is entered inside each
    transaction.
    """
    done = 0
    is_alone = not db.in_transaction  # Inside another transaction nobody else gets a turn.
    while done < len(items) and not must_stop():
        if done and is_alone:
            pause_between_chunks()
        with db.write(), around():
            until = clock.read_monotonic() + CHUNK_SECONDS
            while done < len(items):
                change(items[done])
                done += 1
                if clock.read_monotonic() >= until:
                    break
            note(done)
    return done


def pause_between_chunks() -> None:
    """Leave the store to others for a moment."""
    clock.sleep(_PAUSE_SECONDS)
