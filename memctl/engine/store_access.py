"""The store of one engine: opened when first needed, and closed with its log written.

It is what `MemoryEngine` and its operation groups share: settings, actor and connection.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memctl.core.errors import MemctlError, StoreDamaged
from memctl.core.model import Actor
from memctl.core.typing_lite import TYPE_CHECKING, TypeVar
from memctl.redact.redactor import Redactor, make_redactor
from memctl.results.records import ChangeReport, IngestReport
from memctl.settings.config import Config
from memctl.store.database import WRITE_WAIT_SECONDS, Database
from memctl.store.migrate import is_erasing, open_store

if TYPE_CHECKING:
    from memctl.settings.project_folder import Surroundings

WriteReport = TypeVar("WriteReport", IngestReport, ChangeReport)
# Characters. A shorter actor name cannot hold a secret, so it need not be redacted.
_SHORTEST_SECRET = 24
# Who calls, if neither a terminal nor the environment tells.
UNKNOWN_AGENT = "agent:unknown"
# How long a capture waits for a busy store before it goes to the spool; chosen by hand.
CAPTURE_WAIT_SECONDS = 2.0
# How long taking in the spool may wait for a busy store; the write itself waits in full afterwards.
_SPOOL_WAIT_SECONDS = 0.5
# How long a command stores what others left in the spool before it does its own work; maintenance
# stores the rest. Chosen by hand.
_TAKE_IN_SECONDS = 1.0


class StoreAccess:
    """Settings, actor and the lazily opened store of one engine."""

    def __init__(self, config: Config, actor: Actor, *, patience: float | None = None) -> None:
        """`patience` is how many seconds a write may wait for others (default: 30)."""
        self.config = config
        self.redactor = make_redactor(config)
        self.actor = _redact_actor_name(actor, self.redactor)
        self.patience = patience
        self._takes_in_spool = patience is None
        self._has_written = False
        self._db: Database | None = None
        # What is said of a former store where `create_store` created one.
        self.creation_note: str | None = None
        self._is_new = False
        # The folder and the project that the last caller named; `capture.ignore` may cover them.
        self._caller: tuple[Path | None, str | None] = (None, None)
        # What that folder belongs to, as it was read then.
        self._folders: dict[Path, Surroundings | None] = {}

    @property
    def caller_folder(self) -> Path | None:
        """The folder that the last caller named."""
        return self._caller[0]

    def open_to_read(self, *, exactly: bool = False) -> Database:
        """Return the store. Raises NoStore where there is none yet.

        Text that is damaged is read with marks, for an answer to a person; `exactly`, it is not:
        for a copy, say.
        """
        db = self._open(create=False)
        db.reads_on = not exactly
        return db

    def open_to_write(self, *, take_in_spool: bool = True) -> Database:
        """Return the store after taking in captures and writes from the spool.

        Maintenance counts those captures and takes them in itself; a hook has no time for them.
        Raises NoStore where there is none yet.
        """
        return self._open_for_writing(create=False, take_in_spool=take_in_spool)

    def open_or_create(self) -> Database:
        """Return the store to write to; if there is none, a person's first write creates it.

        A script that names no agent counts as a person's. Raises NoStore for an agent: with a wrong
        HOME or MEMCTL_DB it would begin a second memory that nobody notices.
        """
        is_agent = not self.actor.is_operator and self.actor.name != UNKNOWN_AGENT
        return self._open_for_writing(create=not is_agent, take_in_spool=True)

    def create_store(self) -> Database:
        """Return the store to write to, created if new: `memctl init` and `memctl setup` alone.

        A new one has a new witness; what is said of a former store is in `creation_note`.
        """
        self._is_new = self._db is None and not self.config.db.exists()
        return self._open_for_writing(create=True, take_in_spool=True)

    @contextmanager
    def limit_patience(self, seconds: float) -> Iterator[None]:
        """Meanwhile, let opening and each write wait for others no longer than `seconds`."""
        usual, self.patience = self.patience, min(seconds, self.patience or seconds)
        if self._db is not None:
            self._db.patience = self.patience
        try:
            yield
        finally:
            self.patience = usual
            if self._db is not None:
                self._db.patience = WRITE_WAIT_SECONDS if usual is None else usual

    def _open_for_writing(self, *, create: bool, take_in_spool: bool) -> Database:
        is_first = self._db is None
        db = self._open(create=create)
        if db.obstacle is not None:
            db = self._open_once_writable(db)
        db.reads_on = False
        if is_first and self._takes_in_spool:
            self._compare_with_witness(db)
        # Also where the store was read before: whoever writes has found its place first.
        is_first_write = not self._has_written and not db.in_transaction
        if is_first_write and take_in_spool and self._takes_in_spool:
            self._has_written = True
            self._take_in_spool(db)
        return db

    def close(self) -> None:
        """Write the retrieval log and close the store; it opens again when needed."""
        if self._db is not None:
            self.write_logs()
            if self._db.has_new_events:
                self._renew_witness(self._db)
            self._db.close()
            self._db = None

    def _renew_witness(self, db: Database) -> None:
        """Note the newest change outside the store; a hook has no time for it."""
        if self._takes_in_spool:
            from memctl.store import spool, witness

            with suppress(*spool.STORE_UNAVAILABLE):
                witness.renew_witness(db, self.config)

    def _compare_with_witness(self, db: Database) -> None:
        from memctl.store import spool, witness

        with suppress(*spool.STORE_UNAVAILABLE):
            if self._is_new:
                self.creation_note = witness.begin_witness(db, self.config)
            witness.warn_once(db, self.config)

    @property
    def has_changed_records(self) -> bool:
        """Whether changes were committed since the store was opened."""
        return self._db is not None and self._db.has_committed_events

    def list_warnings(self) -> list[MemctlError]:
        """List what was met in the store and gone around, such as a damaged conversation."""
        return [] if self._db is None else list(self._db.warnings.values())

    def write_logs(self) -> None:
        """Write the log of the retrievals so far; after 20 ms of waiting, to the spool.

        The log omits the words of a query from a folder or project that `capture.ignore` names.
        """
        from memctl.records import ignore_rules
        from memctl.store import spool

        if self._db is None:
            return
        folder, project = self._caller
        ignored = (
            ignore_rules.find_ignore_reason(
                self.config, folders=(folder,), named=(project,), known_folders=self._folders
            )
            if self._db.unwritten
            else None
        )
        spool.flush_logs(self._db, self.config, keeps_words=ignored is None)

    def note_compaction(self, agent: str, session_id: str | None) -> None:
        """Log that a session is about to lose what it was told; to the spool if the store is
        busy.
        """
        from memctl.core import clock
        from memctl.store import logs, spool

        if session_id:
            entry = logs.build_compaction(clock.new_id(), agent, session_id, clock.now())
            spool.note_retrieval(self.open_to_read(), entry, [])

    def embed_written(self, report: WriteReport) -> WriteReport:
        """Embed the records of a write now if that is quick, mark what they may have overtaken, and
        return the report.
        """
        views = (
            report.changed
            if isinstance(report, ChangeReport)
            else [saved.record for saved in report.items]
        )
        if not views:
            return report
        from memctl.retrieve import vectors
        from memctl.store import semantic

        db, written = self.open_to_write(), [view.memory for view in views]
        vectors.embed_now(db, self.config, written)
        if isinstance(report, ChangeReport) or semantic.find_slot_model(db) is None:
            # What is new is marked when maintenance has read what it answers.
            from memctl.consolidate import overtaken

            overtaken.mark_written(db, self.config, written)
        return report

    def _take_in_spool(self, db: Database) -> None:
        from memctl.store import spool

        has_captures = spool.list_files(self.config, "capture")
        has_writes = spool.list_files(self.config, "write")
        if not has_captures and not has_writes:
            return
        db.patience, usual_patience = _SPOOL_WAIT_SECONDS, db.patience
        with suppress(*spool.STORE_UNAVAILABLE):
            if has_captures:
                from memctl.capture import spool_intake

                spool_intake.take_in_spooled(db, self.config, with_requests=False)
            if has_writes:
                from memctl.core import clock
                from memctl.core.bounded_work import BoundedWork
                from memctl.curate import take_in_writes

                until = clock.read_monotonic() + _TAKE_IN_SECONDS
                work = BoundedWork(lambda: clock.read_monotonic() > until)
                take_in_writes.take_in_writes(db, self.config, work, [])
        db.patience = usual_patience

    def _open_once_writable(self, db: Database) -> Database:
        """Open a store anew that could not be written when it was opened.

        Raises what still stands in the way.
        """
        if db.in_transaction:
            return db
        db.close()
        self._db = None
        db = self._open(create=False)
        if db.obstacle is not None:
            raise type(db.obstacle)(str(db.obstacle), hint=db.obstacle.hint)
        return db

    def _open(self, *, create: bool) -> Database:
        if self._db is not None and self._db.is_outdated and not self._db.in_transaction:
            self._db.close()
            self._db = None
        if self._db is None:
            patience = WRITE_WAIT_SECONDS if self.patience is None else self.patience
            self._db = open_store(self.config.db, create=create, patience=patience)
            self._db.acting = self.actor.name, ""
            if self._takes_in_spool:
                self._tell_cut_off_purge(self._db)
        return self._db

    def _tell_cut_off_purge(self, db: Database) -> None:
        """Let the person be told of an erasure that was cut off: words are there that should not.

        The next maintenance or erasure finishes it. A hook has no time to ask.
        """
        with suppress(StoreDamaged):  # Whatever reads more of the store tells that.
            if not is_erasing(db):
                return
            from memctl.store import unfinished

            for begun in unfinished.list_abandoned(db, "purge"):
                told = f"the purge that began at {begun.started_at} was cut off"
                hint = "`memctl maintain --step finish` finishes it"
                db.warnings[begun.id] = MemctlError(told, hint=hint)


class OperationGroup:
    """A topic of the engine's methods, such as `engine.records`."""

    def __init__(self, access: StoreAccess) -> None:
        """`access` is the engine that the group belongs to."""
        self._access = access


def _redact_actor_name(actor: Actor, redactor: Redactor) -> Actor:
    """An actor whose name may be stored: it comes from the environment or the command line."""
    if len(actor.name) < _SHORTEST_SECRET:
        return actor
    from memctl.records.drafts import clean_line

    return Actor(clean_line(actor.name, redactor))
