"""Store drafts in short transactions: so many as fit into a moment, then others get their turn.

Everything slow is done between transactions: drafts come redacted and checked, and what a record
says of others is compared once it is stored. All changes are one operation of the event log. Where
more than one transaction is needed, a file in the spool holds the drafts and the ledger of
unfinished operations says how far they came, so that whoever finds the rest can finish it. Storing
a draft again does nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memctl.consolidate.neighbours import NeighbourFinder
from memctl.consolidate.new_records import NewRecordPlan, NewRecordRelator
from memctl.core import clock
from memctl.core.frozen import dataclass
from memctl.core.model import Actor, Memory
from memctl.curate import save_draft
from memctl.curate.save_draft import Written
from memctl.curate.write_drafts import WriteDraft
from memctl.redact.redactor import make_redactor
from memctl.settings.config import Config
from memctl.store import event_log, records, unfinished
from memctl.store.chunks import CHUNK_SECONDS, pause_between_chunks
from memctl.store.database import Database

KIND = "ingest"
# How long one transaction stores or relates records: less than a chunk elsewhere, since the ledger
# and the commit come on top.
_HOLD_SECONDS = 0.8 * CHUNK_SECONDS
# Drafts looked up together, and the most of one transaction: their comparison is lost with a kill.
_TOGETHER = 25
_MOST_TOGETHER = 200


class TakenOver(Exception):
    """Another process is storing these drafts."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far drafts came: how many are stored, and how many of those compared with the rest."""

    stored: int = 0
    compared: int = 0


class ChunkedWrite:
    """The way of drafts into the store: `written` says what became of each, `progress` how far
    it came.

    `file` holds the drafts in the spool, if they are too many for one transaction.
    """

    def __init__(
        self,
        db: Database,
        config: Config,
        actor: Actor,
        drafts: Sequence[WriteDraft],
        *,
        operation: str,
        file: Path | None = None,
        progress: Progress = Progress(),
        is_begun: bool = False,
    ) -> None:
        self._db = db
        self._actor = actor
        self._drafts = drafts
        self._operation = operation
        self._file = file
        self.progress = progress
        self.written: list[Written] = []
        self._is_begun = is_begun
        self._redactor = make_redactor(config)
        self._finder = NeighbourFinder(db, config)
        self._relator = NewRecordRelator(
            db,
            self._finder,
            actor=actor,
            cause=KIND,
            settles=lambda step: actor.is_operator and step.explicit,
        )

    def run(
        self,
        must_stop: Callable[[], bool] = lambda: False,
        tell: Callable[[int, int], None] = lambda stored, total: None,
    ) -> bool:
        """Store and compare all drafts that are not stored yet; False if told to stop before.

        `written` says what became of each; `tell` gets how many are stored, and of how many. Raises
        StoreLocked where others keep the store busy, TakenOver where another process stores them;
        `progress` says how far it came then.
        """
        if self.progress.compared < self.progress.stored:
            self._relate(self._find_uncompared())
        while self.progress.stored < len(self._drafts):
            if must_stop():
                return False
            if self.progress.stored:
                pause_between_chunks()
            chunk = self._store_some()
            self.written += chunk
            self._relate(
                [item.created for item in chunk if item.created is not None],
                changed={item.memory_id for item in chunk if item.outcome == "merged"},
            )
            tell(self.progress.stored, len(self._drafts))
        return True

    def _store_some(self) -> list[Written]:
        """Store as many drafts as fit into one transaction."""
        start = self.progress.stored
        chunk: list[Written] = []
        with self._write():
            self._refuse_twice()
            self._finder.follow_changes()
            deadline = clock.read_monotonic() + _HOLD_SECONDS
            for written in self._save_from(start):
                chunk.append(written)
                if clock.read_monotonic() >= deadline or len(chunk) >= _MOST_TOGETHER:
                    break
            progress = Progress(start + len(chunk), self.progress.compared)
            self._note(progress)
        self._advance(progress)
        self._finder.note_written(
            (item.number, item.created, bool(draft.entities))
            for item, draft in zip(chunk, self._drafts[start:], strict=False)
            if item.created is not None
        )
        self._finder.forget(item.memory_id for item in chunk if item.outcome == "merged")
        return chunk

    def _save_from(self, start: int) -> Iterator[Written]:
        for at in range(start, len(self._drafts), _TOGETHER):
            some = self._drafts[at : at + _TOGETHER]
            self._finder.foresee(draft.memory for draft in some)
            yield from save_draft.save_drafts(self._db, self._actor, some, self._redactor)

    def _relate(self, memories: Sequence[Memory], changed: Container[str] = ()) -> None:
        """Compare records that were just stored with all others, and do what follows from it.

        `changed` are the ids of those that were changed after that.
        """
        self._finder.follow_changes()
        made = self._relator.plan(memories, changed)
        plans = [plan for plan in made if plan.steps or plan.near]
        waiting = [plan for plan in plans if plan.steps]
        while waiting or self.progress.compared < self.progress.stored:
            waiting = self._carry_out_some(waiting)

    def _carry_out_some(self, plans: Sequence[NewRecordPlan]) -> list[NewRecordPlan]:
        """Carry out plans for one transaction; returns those that are left."""
        if not plans and self._file is None:
            self.progress = Progress(self.progress.stored, self.progress.stored)
            return []
        left = list(plans)
        with self._write():
            deadline = clock.read_monotonic() + _HOLD_SECONDS
            while left:
                self._relator.carry_out(left.pop(0))
                if clock.read_monotonic() >= deadline:
                    break
            progress = self.progress
            if not left:
                progress = Progress(progress.stored, progress.stored)
                self._note(progress)
        self._advance(progress)
        return left

    def _find_uncompared(self) -> list[Memory]:
        """What another process stored and could not compare any more."""
        ids = [
            draft.memory.id for draft in self._drafts[self.progress.compared : self.progress.stored]
        ]
        found = records.list_by_ids(self._db, ids)
        return [found[each] for each in ids if each in found and found[each].status != "superseded"]

    @contextmanager
    def _write(self) -> Iterator[None]:
        """One short transaction, whose changes belong to the operation."""
        with (
            self._db.write(),
            event_log.group_changes(
                self._db, actor=self._actor.name, cause=KIND, operation=self._operation
            ),
        ):
            yield

    def _refuse_twice(self) -> None:
        """Raise TakenOver if another process began to store these drafts meanwhile."""
        if self._file is None or self._is_begun:
            return
        if any(each.id == self._operation for each in unfinished.list_operations(self._db, KIND)):
            raise TakenOver(f"{self._db.path}: another process stores {self._file.name}")

    def _note(self, progress: Progress) -> None:
        """Say in the open transaction how far this comes with its commit."""
        if self._file is None:
            return
        data = {
            "file": self._file.name,
            "stored": progress.stored,
            "compared": progress.compared,
        }
        if progress.compared >= len(self._drafts):
            unfinished.end_operation(self._db, self._operation)
        elif self._is_begun:
            unfinished.note_progress(self._db, self._operation, data)
        else:
            unfinished.begin_operation(
                self._db, KIND, data, actor=self._actor.name, id=self._operation
            )

    def _advance(self, progress: Progress) -> None:
        """Count what a transaction did, once it is committed: before that, nothing is stored."""
        self.progress = progress
        self._is_begun = self._file is not None
