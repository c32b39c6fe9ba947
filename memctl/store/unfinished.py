"""Operations that take more than one short transaction, from their first chunk to their last.

A caller plans first, then begins an operation together with its first chunk, notes how far it came
in the transaction of every further chunk, and ends it with the last one. Whatever a kill cuts off
stands here: `maintain` finishes it, doctor names it. A claim (process and time) tells a cut-off
operation from one that is being worked on.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core import clock, process_identity, timestamps
from memctl.core.errors import StoreLocked
from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any
from memctl.store.database import Database, Row
from memctl.store.rows import parse_json_column, to_canonical_json

# Seconds for which a claim counts without being renewed. A chunk takes less than one; chosen by
# hand so that a stopped laptop does not lose its claim too soon.
_CLAIM_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class UnfinishedOperation:
    """An operation that was begun and not ended. `data` is what its kind needs to go on."""

    id: str
    kind: str
    data: Mapping[str, Any]
    actor: str
    started_at: str
    touched_at: str
    worker: Mapping[str, Any]
    claims: int


def begin_operation(
    db: Database, kind: str, data: Mapping[str, Any], *, actor: str, id: str | None = None
) -> str:
    """Note that an operation begins; call it in the transaction of the first chunk.

    `kind` is `import`, `ingest`, `revert`, `purge`, `adopt` or `upgrade`; `id` may be given to use
    the one under which the changes are grouped. Returns the id.
    """
    operation_id = id or clock.new_id()
    db.run(
        "unfinished.begin",
        id=operation_id,
        kind=kind,
        data=to_canonical_json(dict(data)),
        actor=actor,
        at=clock.now(),
        worker=_describe_worker(),
    )
    return operation_id


def note_progress(db: Database, operation_id: str, data: Mapping[str, Any]) -> None:
    """Note how far an operation came and renew its claim, in the transaction of the chunk.

    Raises StoreLocked, which undoes the chunk, if the ledger knows nothing of the operation.
    """
    changed = db.run(
        "unfinished.note",
        id=operation_id,
        data=to_canonical_json(dict(data)),
        at=clock.now(),
        worker=_describe_worker(),
    )
    _require_noted(db, changed)


def end_operation(db: Database, operation_id: str) -> None:
    """Note that an operation is done, in the transaction of its last chunk.

    Raises StoreLocked, which undoes the chunk, if the ledger knows nothing of the operation.
    """
    _require_noted(db, db.run("unfinished.end", id=operation_id))


def list_operations(db: Database, kind: str | None = None) -> list[UnfinishedOperation]:
    """List the operations that were begun and not ended, oldest first; of one kind if named."""
    return [_from_row(row) for row in db.all("unfinished.list", kind=kind)]


def list_abandoned(db: Database, kind: str | None = None) -> list[UnfinishedOperation]:
    """List the unfinished operations that no living process works on."""
    now = clock.now()
    return [
        operation
        for operation in list_operations(db, kind)
        if not process_identity.is_alive(operation.worker, now)
    ]


def claim_abandoned(db: Database, operation: UnfinishedOperation) -> bool:
    """Take over an abandoned operation; False if somebody else did or ended it meanwhile."""
    return bool(
        db.run(
            "unfinished.claim",
            id=operation.id,
            touched_at=operation.touched_at,
            claims=operation.claims,
            at=clock.now(),
            worker=_describe_worker(),
        )
    )


def _require_noted(db: Database, changed: int) -> None:
    """Stop an operation whose first chunks are gone: a restore replaced the store meanwhile."""
    if not changed:
        raise StoreLocked(
            f"{db.path}: a restore replaced the store meanwhile, or this was ended elsewhere",
            hint="look at what the store holds now, then run the command again",
        )


def _describe_worker() -> str:
    until = timestamps.add_seconds(clock.now(), seconds=_CLAIM_SECONDS)
    return to_canonical_json({**process_identity.describe_process(), "until": until})


def _from_row(row: Row) -> UnfinishedOperation:
    return UnfinishedOperation(
        row["id"],
        row["kind"],
        parse_json_column(row["data"]),
        row["actor"],
        row["started_at"],
        row["touched_at"],
        parse_json_column(row["worker"]),
        row["claims"],
    )


class RunningOperation:
    """The place of one operation in the ledger, kept up from chunk to chunk.

    An operation that is done in its first chunk never stands there.
    """

    def __init__(
        self,
        db: Database,
        kind: str,
        data: Mapping[str, Any],
        *,
        actor: str,
        id: str | None = None,
        begun: bool = False,
    ) -> None:
        self.db, self.kind, self.data, self.actor = db, kind, data, actor
        self.id = id or clock.new_id()
        self._begun = begun

    def note(self, *, is_done: bool) -> None:
        """Note a chunk in its own transaction: begin, go on or end."""
        if not is_done:
            if self._begun:
                note_progress(self.db, self.id, self.data)
            else:
                begin_operation(self.db, self.kind, self.data, actor=self.actor, id=self.id)
                self._begun = True
        elif self._begun:
            end_operation(self.db, self.id)
            self._begun = False

    def end(self) -> None:
        """End what `note` did not, in a transaction of its own."""
        if self._begun:
            with self.db.write():
                end_operation(self.db, self.id)
            self._begun = False
