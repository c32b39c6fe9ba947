"""Changes to entities, however many records mention them, in short transactions.

The first transaction changes the entities themselves, so that whatever is written from then on goes
where it belongs. The records follow, each with its index entry, all of one operation. A kill leaves
the rest in the ledger of unfinished operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from functools import partial

from memctl.core.errors import UsageError
from memctl.core.typing_lite import Any
from memctl.store import chunks, entities, entity_lookup, entity_merging, event_log, unfinished
from memctl.store.database import Database, Row

# The kind of these operations in the ledger, where adopted projects stand too.
_KIND = "adopt"
# The most records that may follow in the transaction of something else: less than a tenth of a
# chunk. Chosen by hand.
_FEW = 10
# What their data have and those of projects have not.
_MOVED = "entity"


def follow(
    entity: str,
    into: str,
    *,
    names: Iterable[str] | None = None,
    roles: Mapping[str, str | None] | None = None,
    reindex: Iterable[str] = (),
) -> dict[str, Any]:
    """Say what follows a change of entities: what an operation carries out and its ledger keeps.

    The records that mention `entity` will mention `into`; only those that use one of `names` if
    there are some, and if not, only while `entity` is merged. What names one of the `roles` will
    mention its holder, from a time on if one is given. The records of both and of `reindex` are
    indexed anew.
    """
    return {
        _MOVED: entity,
        "into": into,
        "names": None if names is None else sorted(names),
        "roles": dict(roles or {}),
        "reindex": list(reindex),
    }


def follow_names(
    entity: str,
    *,
    roles: Mapping[str, str | None] | None = None,
    reindex: Iterable[str] = (),
) -> dict[str, Any]:
    """Say what follows where an entity gained or lost names: `follow` without a move."""
    return follow(entity, entity, names=(), roles=roles, reindex=reindex)


def change_in_chunks(
    db: Database,
    actor: str,
    cause: str,
    begin: Callable[[], Mapping[str, Any]],
    *,
    operation: str | None = None,
) -> list[str]:
    """Change entities by `begin`, which returns what follows; return the ids of records that moved.

    `begin` is called inside the first transaction; what it raises undoes that.
    """
    running = unfinished.RunningOperation(db, _KIND, {}, actor=actor, id=operation)
    return _RecordMoves(db, running, cause).carry_out(begin)


def merge_in_chunks(db: Database, actor: str, gone: str, kept: str, *, cause: str) -> list[str]:
    """Let the entity `kept` stand for `gone`; return the ids of the records that moved.

    Raises UsageError if either was merged meanwhile.
    """
    return change_in_chunks(db, actor, cause, partial(redirect, db, gone, kept))


def redirect(db: Database, gone: str, kept: str) -> dict[str, Any]:
    """Let `kept` stand for `gone` inside a transaction; return what follows."""
    if any(entity_lookup.get_entity(db, each)["merged_into"] for each in (gone, kept)):
        raise UsageError("one of the two was merged by another process meanwhile")
    entity_merging.redirect_entity(db, gone, kept)
    return follow(gone, kept)


def leave_to_follow(db: Database, actor: str, cause: str, following: Mapping[str, Any]) -> str:
    """Note what follows in the transaction of a larger change; return the operation's id.

    `finish` carries it out. It must be one operation with that change (`group_changes`).
    """
    data = {**following, "cause": cause}
    return unfinished.begin_operation(db, _KIND, data, actor=actor, id=db.operation)


def settle_or_leave(
    db: Database, actor: str, cause: str, following: Mapping[str, Any] | None
) -> str | None:
    """Carry out at once what follows for few records; for many, leave it to `finish`.

    Call it in the transaction of a larger change. Returns the id to finish, if anything is left.
    """
    if following is None:
        return None
    running = unfinished.RunningOperation(db, _KIND, {**following}, actor=actor, id=db.operation)
    moves = _RecordMoves(db, running, cause)
    return None if moves.try_at_once() else leave_to_follow(db, actor, cause, following)


def finish(db: Database, operation_id: str) -> list[str]:
    """Carry out what was left to follow, after its transaction; return the ids of the moved."""
    for begun in unfinished.list_operations(db, _KIND):
        if begun.id == operation_id:
            return _go_on(db, begun)
    return []


def finish_abandoned(db: Database, must_stop: Callable[[], bool] = lambda: False) -> None:
    """Finish what was cut off and is worked on by nobody."""
    for begun in unfinished.list_abandoned(db, _KIND):
        if _MOVED not in begun.data or must_stop():
            continue
        with db.write():
            is_ours = unfinished.claim_abandoned(db, begun)
        if is_ours:
            _go_on(db, begun)


def _go_on(db: Database, begun: unfinished.UnfinishedOperation) -> list[str]:
    # Operations of an earlier version know of no names and roles: they are merges.
    data = {**follow(begun.data[_MOVED], begun.data["into"]), **begun.data}
    running = unfinished.RunningOperation(
        db, _KIND, data, actor=begun.actor, id=begun.id, begun=True
    )
    return _RecordMoves(db, running, str(data["cause"])).carry_out(None)


class _RecordMoves:
    """The records that follow one change of entities."""

    def __init__(self, db: Database, running: unfinished.RunningOperation, cause: str) -> None:
        self.db, self.running, self.cause = db, running, cause
        self.moved: dict[str, None] = {}
        self.steps: list[Callable[[], object]] = []

    def carry_out(self, begin: Callable[[], Mapping[str, Any]] | None) -> list[str]:
        """Change the entities unless that is done, then the records; return those moved."""
        self.steps = [partial(self._begin, begin) if begin else self._list_all]
        while self.steps:
            chunks.change_in_chunks(
                self.db,
                self.steps,
                lambda step: step(),
                note=self._note,
                around=self._group,
            )
            self.steps = self._list_left()
        self.running.end()
        return list(self.moved)

    def try_at_once(self) -> bool:
        """Let the records follow inside the open transaction if they are few; whether it did."""
        self._list_all()
        self.steps += self._list_left()
        if len(self.steps) > _FEW:
            return False
        while self.steps:
            for step in self.steps:
                step()
            self.steps = self._list_left()
        return True

    def _begin(self, begin: Callable[[], Mapping[str, Any]]) -> None:
        self.running.data = {**begin(), "cause": self.cause}
        self._list_all()

    def _list_all(self) -> None:
        """Add a step for each record concerned; it is taken in the same run."""
        data = self.running.data
        ids = entity_merging.list_mentioning(self.db, data[_MOVED], data["into"], *data["reindex"])
        self.steps += [partial(self._move, memory_id) for memory_id in ids]

    def _list_left(self) -> list[Callable[[], object]]:
        """What is to be done yet: what others wrote meanwhile, then what names a role."""
        data = self.running.data
        left: list[Callable[[], object]] = [
            partial(self._move, memory_id)
            for memory_id in entity_merging.list_unmoved(
                self.db, data[_MOVED], data["into"], data["names"]
            )
        ]
        return left or [
            partial(self._pass_on, row, holder)
            for role, since in data["roles"].items()
            for row, holder in entity_merging.list_misattributed(self.db, role, since=since)
        ]

    def _move(self, memory_id: str) -> None:
        data = self.running.data
        if entity_merging.move_mentions_of(
            self.db, memory_id, data[_MOVED], data["into"], data["names"]
        ):
            self.moved[memory_id] = None
        entities.reindex_memories(self.db, [memory_id])

    def _pass_on(self, row: Row, holder: str) -> None:
        """Let a record mention who holds a role, if it still mentions another."""
        memory_id, entity_id, name = row["memory_id"], row["entity_id"], row["name"]
        if name in entity_merging.list_names_used(self.db, memory_id, entity_id):
            entity_merging.move_mention(self.db, memory_id, (entity_id, name), (holder, name))
            entities.reindex_memories(self.db, [memory_id])
            self.moved[memory_id] = None

    def _note(self, done: int) -> None:
        self.running.note(is_done=done == len(self.steps) and not self._list_left())

    def _group(self) -> AbstractContextManager[object]:
        return event_log.group_changes(
            self.db, actor=self.running.actor, cause=self.cause, operation=self.running.id
        )
