"""Two entities become one, however many records mention them.

The first transaction lets one stand for the other, so that whatever is written from then on goes
there; the records follow in short ones, all of one operation. A kill leaves the rest in the ledger
of unfinished operations.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

from memctl.core.errors import UsageError
from memctl.core.model import Actor
from memctl.store import chunks, entity_lookup, entity_merging, event_log, unfinished
from memctl.store.database import Database

# The kind of these operations in the ledger, where adopted projects stand too.
_KIND = "adopt"
# What their data have and those of projects have not.
_MERGED = "entity"


def merge_in_chunks(db: Database, actor: Actor, gone: str, kept: str, *, cause: str) -> int:
    """Let the entity `kept` stand for `gone`; count the records that moved.

    Raises UsageError if either was merged meanwhile.
    """
    data = {_MERGED: gone, "into": kept, "cause": cause}
    running = unfinished.RunningOperation(db, _KIND, data, actor=actor.name)
    return _move_records(db, running, [partial(_redirect, db, gone, kept)])


def finish_merges(db: Database, must_stop: Callable[[], bool] = lambda: False) -> None:
    """Finish what was cut off and is worked on by nobody."""
    for begun in unfinished.list_abandoned(db, _KIND):
        if _MERGED not in begun.data or must_stop():
            continue
        with db.write():
            is_ours = unfinished.claim_abandoned(db, begun)
        if is_ours:
            running = unfinished.RunningOperation(
                db, _KIND, begun.data, actor=begun.actor, id=begun.id, begun=True
            )
            _move_records(db, running, [])


def _redirect(db: Database, gone: str, kept: str) -> None:
    if any(entity_lookup.get_entity(db, each)["merged_into"] for each in (gone, kept)):
        raise UsageError("one of the two was merged by another process meanwhile")
    entity_merging.redirect_entity(db, gone, kept)


def _move_records(
    db: Database, running: unfinished.RunningOperation, first: list[Callable[[], object]]
) -> int:
    """Let the records mention the standing entity and have all its names; count those moved."""
    gone, kept, cause = (str(running.data[name]) for name in (_MERGED, "into", "cause"))
    moved: set[str] = set()

    def move(memory_id: str) -> None:
        if entity_merging.move_mentions_of(db, memory_id, gone):
            moved.add(memory_id)

    def group() -> AbstractContextManager[object]:
        return event_log.group_changes(db, actor=running.actor, cause=cause, operation=running.id)

    steps = list(first)
    ids = entity_merging.list_mentioning(db, gone, kept)
    while steps or ids:
        steps += [partial(move, memory_id) for memory_id in ids]
        chunks.change_in_chunks(
            db,
            steps,
            lambda step: step(),
            note=lambda done, all=len(steps): running.note(  # type: ignore[misc]
                is_done=done == all and not entity_merging.list_unmoved(db, gone)
            ),
            around=group,
        )
        # What others wrote between the look and the first transaction.
        steps, ids = [], entity_merging.list_unmoved(db, gone)
    running.end()
    return len(moved)
