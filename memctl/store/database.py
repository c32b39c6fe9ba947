"""The one SQLite library of the process, its settings, and short write transactions.

WAL is read back after setting it; every commit is durable (`synchronous=FULL`). A writer waits its
turn in short random sleeps, because SQLite's own back-off starves some. Driver errors leave as
memctl's. Nothing above this module names the driver.
"""

from __future__ import annotations

import os
import time
from _weakref import ref  # `weakref` itself would be one more module for a hook to load
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from types import ModuleType

from memctl.core.errors import (
    MemctlError,
    StoreDamaged,
    StoreFull,
    StoreLocked,
    StoreRefused,
    UsageError,
)
from memctl.core.typing_lite import Any
from memctl.store import checksums, statements

# One library per process. pysqlite3 bundles the WAL-reset fix and can load extensions; it has no
# wheels for some systems.
try:
    import pysqlite3 as driver
except ImportError:
    import sqlite3 as driver

# Seconds that a write waits for others unless it says otherwise; chosen by hand.
WRITE_WAIT_SECONDS = 30.0
# Seconds that a read of another tool's database waits; chosen by hand.
_FOREIGN_WAIT_SECONDS = 5.0
# "memc" in ASCII: marks the file as ours.
APPLICATION_ID = 0x6D656D63
_LOOK = "keep the file; `memctl doctor` says what is damaged and what helps"
_ROOM = "make room, then try again"
# Pages copied at once from one store into another; chosen by hand.
_PIECE_PAGES = 1000
# What SQLite says where the file lacks something that memctl made.
_MISSING_PARTS = (
    "no such table",
    "no such fts5 table",
    "no such column",
    "no such index",
    "has no column named",
    "vtable constructor failed",
    "invalid fts5 file format",
    "foreign key mismatch",
    "ON CONFLICT clause does not match",
    "SQL logic error",
    "sqlite-vec error",
    "vector blob",
    "vectors blob",
    "memories_vec",
)
# Seconds between two attempts to begin; a random sleep between these keeps writers fair. By hand.
_SHORTEST_SLEEP = 0.0005
_LONGEST_SLEEP = 0.004
# Bytes. A longer write-ahead log is folded in (see `shorten_log`); chosen by hand.
_LONG_LOG_BYTES = 1024 * 1024
# What SQLite says where the file system may be what is wrong.
_WRITE_FAILURES = ("disk I/O", "unable to open", "readonly")
# What a statement names that may change the chain of events, and those that say what they did.
_CHAINED = "memory_events"
_KNOWS_HEAD = ("event_log.append", "event_log.head", "event_log.last")
_PRAGMAS = """
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA recursive_triggers = ON;
PRAGMA secure_delete = ON;
PRAGMA cell_size_check = ON;
PRAGMA trusted_schema = OFF;
PRAGMA journal_size_limit = 8388608;
PRAGMA mmap_size = 0;
"""

Row = Mapping[str, Any]
OperationalError = driver.OperationalError
IntegrityError = driver.IntegrityError


def sqlite_library() -> ModuleType:
    """Return the DB-API module in use (`pysqlite3` or `sqlite3`), for reports and for
    sqlite-utils.
    """
    return driver  # type: ignore[no-any-return, unused-ignore]


@contextmanager
def open_foreign(path: Path, *, immutable: bool, is_copy: bool = False) -> Iterator[Any]:
    """Open another tool's database for reading only.

    `immutable` takes no lock, for files that nobody writes. Only in a copy of our own (`is_copy`)
    may SQLite undo what a crash left half done.
    """
    from urllib.parse import quote

    mode = "immutable=1" if immutable else "mode=rw" if is_copy else "mode=ro"
    connection = driver.connect(
        f"file:{quote(str(path.absolute()))}?{mode}", uri=True, timeout=_FOREIGN_WAIT_SECONDS
    )
    try:
        connection.executescript(
            "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
        )
        connection.text_factory = _lenient
        yield connection
    finally:
        connection.close()


def _lenient(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _mark_damage(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


@contextmanager
def foreign_errors(path: Path) -> Iterator[None]:
    """Raise driver errors about another tool's database as errors that are not about our store."""
    try:
        yield
    except driver.DatabaseError as error:
        busy = is_busy(error)
        hint = "try again when the program that uses it is idle" if busy else None
        raise UsageError(f"cannot read the database {path}: {error}", hint=hint) from error


class Database:
    """An open store: named statements in, rows out, writes only inside `write()`."""

    # Why nothing can be written to it, where it is known from the start (see `unwritable`).
    obstacle: StoreLocked | None = None

    def __init__(self, path: Path, *, patience: float = WRITE_WAIT_SECONDS) -> None:
        """`patience` is how many seconds opening, and each write, wait their turn."""
        self.path = path
        self.patience = patience
        # Log lines of what was read, each with the ids it touched; they are written once the answer
        # is out.
        self.unwritten: list[tuple[dict[str, Any], list[str]]] = []
        # Which changes are made as one (an id, given to the first of them), and by whom and why
        # where a change does not say so itself.
        self.operation: str | None = None
        self.acting: tuple[str, str] = ("memctl", "")
        # A weak reference to what entered the open transaction.
        self._owner: Any = None
        # Guards the full-text index in the open transaction, from the first change to it.
        self.index_guard: Any = None
        # The chain value of the newest change, while only `event_log` appends in the open
        # transaction.
        self.chain_head: str | None = None
        # Whether this connection changed what the witness notes.
        self.has_new_events = False
        # Whether such changes were committed, and whether they were before the last commit began:
        # an interrupt can come between the commit and whatever follows it.
        self.has_committed_events = False
        self._had_committed_events = False
        # What was met and gone around, for the person to be told: an error for each.
        self.warnings: dict[str, MemctlError] = {}
        # Whether text that is damaged is read with marks in place of what is no text, and told of:
        # for answers, so not in a write transaction; `derives` is for what is derived from rows.
        self.reads_on = False
        self.derives = False
        # Which indexes a search could not rely on: `text`, `vectors`.
        self.damaged_indexes: set[str] = set()
        # The tables whose rows this connection gives checksums as it changes them.
        self._watched: set[tuple[str, str]] = set()
        self._knows_checksums = False
        # The texts of statements that need nothing else before they run.
        self._plain: dict[str, str] = {}
        with _as_memctl_errors(path):
            self._conn = self._connect()
            self._conn.row_factory = driver.Row
            self._retry_while_busy(lambda: self._conn.executescript(_PRAGMAS), patience)

    def _connect(self) -> Any:
        return driver.connect(
            str(self.path), timeout=0, isolation_level=None, check_same_thread=False
        )

    @property
    def is_outdated(self) -> bool:
        """Whether it must be opened anew to be read further: never, unless it is unwritable."""
        return False

    def close(self) -> None:
        """Close the connection; the last one to close folds the write-ahead log in."""
        self._conn.close()

    def all(self, name: str, /, **params: Any) -> list[Row]:
        """Return every row of a named statement."""
        with _as_memctl_errors(self.path):
            try:
                rows: list[Row] = self._run_or_wait(
                    lambda: list(self._conn.execute(self._prepare(name), params))
                )
            except driver.OperationalError as error:
                if not self._may_read_on(error):
                    raise
                rows = self._read_on(name, params)
            return rows

    def each(self, name: str, /, **params: Any) -> Iterator[Row]:
        """Yield rows one by one, for results too large to hold; use it inside `snapshot()`."""
        with _as_memctl_errors(self.path):
            yield from self._conn.execute(self._prepare(name), params)

    def each_leniently(self, name: str, /, **params: Any) -> Iterator[Row]:
        """Yield rows like `each`; bytes that are no text become lone surrogates in them."""
        rows: Any = None
        while True:
            with _as_memctl_errors(self.path):
                self._conn.text_factory = _mark_damage
                try:
                    rows = rows or self._conn.execute(self._prepare(name), params)
                    row = rows.fetchone()
                finally:
                    self._conn.text_factory = str
            if row is None:
                return
            yield row

    def one(self, name: str, /, **params: Any) -> Row | None:
        """Return the first row, or None."""
        with _as_memctl_errors(self.path):
            try:
                row: Row | None = self._run_or_wait(
                    lambda: self._conn.execute(self._prepare(name), params).fetchone()
                )
            except driver.OperationalError as error:
                if not self._may_read_on(error):
                    raise
                row = next(iter(self._read_on(name, params)), None)
            return row

    def value(self, name: str, /, **params: Any) -> Any:
        """Return the first column of the first row, or None."""
        row = self.one(name, **params)
        return None if row is None else row[0]  # type: ignore[index]

    def run(self, name: str, /, **params: Any) -> int:
        """Execute a named change inside `write()`; return the number of rows it changed."""
        with _as_memctl_errors(self.path):
            return int(
                self._run_or_wait(lambda: self._conn.execute(self._prepare(name), params).rowcount)
            )

    def check_rows(self, name: str, table: str, **params: Any) -> list[Row]:
        """Execute a statement of `checksums` for a table; return its rows."""
        with _as_memctl_errors(self.path):
            self._learn_checksums()
            columns = list(self._conn.execute(self._prepare("checksums.columns"), {"table": table}))
            return list(self._conn.execute(checksums.build_statement(name, table, columns), params))

    def define(self, name: str, words: Mapping[str, str], /, **params: Any) -> int:
        """Execute a named statement with words replaced, where names of tables or sizes differ.

        Returns the number of rows it changed.
        """
        text = statements.get_statement(name)
        for word, value in words.items():
            text = text.replace(word, value)
        self.chain_head = None
        with _as_memctl_errors(self.path):
            return int(self._conn.execute(text, params).rowcount)

    def run_many(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Execute a named change once for each mapping."""
        with _as_memctl_errors(self.path):
            self._conn.executemany(self._prepare(name), rows)

    def script(self, text: str) -> None:
        """Run a script that begins and commits by itself (migrations).

        One that fails halfway leaves nothing behind.
        """
        self.chain_head = None
        try:
            with _as_memctl_errors(self.path):
                self._conn.executescript(text)
        except BaseException:
            self.roll_back()
            raise

    def pragma(self, name: str, value: str | int | None = None) -> Any:
        """Read a pragma, or set it and return what it became."""
        text = f"PRAGMA {name}" if value is None else f"PRAGMA {name} = {value}"
        with _as_memctl_errors(self.path):
            row = self._run_or_wait(lambda: self._conn.execute(text).fetchone())
        return None if row is None else row[0]

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open; one that an interrupt left without an owner is ended."""
        if not self._conn.in_transaction:
            return False
        if self._owner is not None and self._owner() is None:
            self.end_interrupted_transaction()
            return False
        return True

    def write(self, wait: float | None = None) -> AbstractContextManager[Database]:
        """One short write transaction as a context; nested use joins the outer one.

        Raises StoreLocked after `wait` seconds (default: `patience`), and RuntimeError inside a
        `snapshot()`, whose end would roll the write back.
        """
        if self.in_transaction:
            outer = None if self._owner is None else self._owner()
            if outer is not None and not outer.is_write:
                raise RuntimeError(f"{self.path}: a write inside a snapshot would be lost")
            return _JoinedTransaction(self)
        seconds = self.patience if wait is None else wait
        return _Transaction(self, self._begin_writing, seconds, is_write=True)

    def snapshot(self) -> AbstractContextManager[Database]:
        """One consistent view for several reads; never blocks a writer and never becomes one."""
        if self.in_transaction:
            return _JoinedTransaction(self)
        return _Transaction(self, self._begin_reading, self.patience, is_write=False)

    def end_interrupted_transaction(self) -> None:
        """Roll back what an interrupt (Ctrl-C, an alarm) may have left open.

        The traceback of the interrupt keeps the transaction alive while it is being handled.
        Whoever catches one outside all transactions calls this before anything else.
        """
        self.operation = None
        self.roll_back()

    def begin_owned(self, owner: Any, begin: Callable[[], None], wait: float) -> None:
        """Begin a transaction for as long as `owner`, a weak reference, refers to something."""
        try:
            self._owner = owner
            self.chain_head = None
            with _as_memctl_errors(self.path):
                self._retry_while_busy(begin, wait)
        except BaseException:
            self.roll_back()
            raise

    def commit(self) -> None:
        """Commit the open transaction; what fails here is rolled back by `write()`."""
        if self.index_guard is not None:
            self.index_guard.settle()
        self._had_committed_events = self.has_committed_events
        self.has_committed_events = self._had_committed_events or self.has_new_events
        with _as_memctl_errors(self.path):
            self._conn.execute("COMMIT")

    def roll_back(self) -> None:
        """Roll back the open transaction, if there is one."""
        if self._conn.in_transaction:
            self._conn.execute("ROLLBACK")
            self.has_committed_events = self._had_committed_events
        # Also where SQLite rolled back by itself, as it does after an error of the disk.
        self._watched.clear()
        self._plain.clear()
        self.chain_head = None
        self.index_guard = None

    def write_ahead_log(self) -> None:
        """Switch to WAL and read it back.

        Raises StoreDamaged on a file system that cannot do it.
        """
        with _as_memctl_errors(self.path):
            mode = self._retry_while_busy(
                lambda: self._conn.execute("PRAGMA journal_mode = WAL").fetchone()[0],
                self.patience,
            )
        if str(mode).lower() != "wal":
            raise StoreDamaged(
                f"{self.path}: write-ahead logging is not available here (journal mode {mode})"
            )

    def copy_pages_into(
        self, target: Database, once_locked: Callable[[], None] | None = None
    ) -> None:
        """Make `target` a copy of this store, in one write transaction of `target`.

        Whoever has `target` open sees the old content, then the new. `once_locked` is called when
        nobody else can write to `target` and nothing of it has changed; if it raises, nothing
        will. Raises StoreLocked after `target.patience` seconds.
        """
        deadline = time.monotonic() + target.patience
        is_locked = False

        def watch(status: int, _remaining: int, _total: int) -> None:
            nonlocal is_locked
            if status == 0 and not is_locked:
                is_locked = True
                if once_locked is not None:
                    once_locked()
            if not is_locked and time.monotonic() >= deadline:
                raise StoreLocked(
                    f"{target.path}: other writers kept the store busy for {target.patience:g} s"
                )

        with _as_memctl_errors(target.path):
            # In several pieces, because what comes after the last one is called too late.
            pages = int(self._conn.execute("PRAGMA page_count").fetchone()[0])
            piece = max(1, min(_PIECE_PAGES, pages // 2))
            self._conn.backup(target._conn, pages=piece, progress=watch, sleep=_LONGEST_SLEEP)

    def shorten_log(self) -> None:
        """Fold in a long write-ahead log, unless others are at work.

        Processes that exit without closing never restart it, because each one that opens the store
        alone reads it whole and treats nothing of it as folded in: it would grow with every prompt,
        and every prompt would wait longer.
        """
        try:
            # SQLite keeps the log beside the file itself where the store is a symbolic link.
            is_long = os.stat(f"{os.path.realpath(self.path)}-wal").st_size > _LONG_LOG_BYTES
        except OSError:
            return
        if is_long:
            with suppress(driver.OperationalError):
                self._conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def load_extension(self, path: str) -> bool:
        """Load an extension library by path; False if this SQLite cannot."""
        if not hasattr(self._conn, "enable_load_extension"):
            return False
        try:
            self._conn.enable_load_extension(True)
            self._conn.load_extension(path)
            self._conn.enable_load_extension(False)
        except driver.Error:
            return False
        return True

    def _prepare(self, name: str) -> str:
        """Return the text of a statement; the rows of the table that it changes get checksums."""
        if name in self._plain:
            return self._plain[name]
        text = statements.get_statement(name)
        if checksums.ends_watching(text):
            self._watched.clear()
            self._plain.clear()
            self.chain_head = None
            return text
        for watch in checksums.list_watches(text):
            if watch not in self._watched:
                self._learn_checksums()
                checksums.watch_table(self._conn, *watch)
                self._watched.add(watch)
        if _CHAINED in text and name not in _KNOWS_HEAD:
            self.chain_head = None  # It may change what the next event is chained to.
        else:
            self._plain[name] = text
        return text

    def _learn_checksums(self) -> None:
        if not self._knows_checksums:
            checksums.add_function(self._conn)
            self._knows_checksums = True

    @property
    def may_read_on(self) -> bool:
        """Whether what is damaged may be marked or left out of what is read now."""
        owner = None if self._owner is None else self._owner()
        is_writing = self._conn.in_transaction and (owner is None or owner.is_write)
        return self.derives or (self.reads_on and not is_writing)

    def _may_read_on(self, error: Exception) -> bool:
        return "Could not decode" in str(error) and self.may_read_on

    def _read_on(self, name: str, params: Mapping[str, Any]) -> list[Row]:
        """Read rows of which some hold what is no text."""
        from memctl.store import damaged_text  # here, because nothing else needs it

        rows: list[Row] = damaged_text.read_with_marks(self, name, params)
        return rows

    def fetch_with_marks(
        self, name: str, params: Mapping[str, Any], decode: Callable[[bytes], str]
    ) -> Iterator[Row]:
        """Yield rows whose text is made of bytes by `decode`."""
        with _as_memctl_errors(self.path):
            self._conn.text_factory = decode
            try:
                yield from self._conn.execute(self._prepare(name), params)
            finally:
                self._conn.text_factory = str

    def _begin_writing(self) -> None:
        self._conn.execute("BEGIN IMMEDIATE")

    def _begin_reading(self) -> None:
        """Begin now, not at the first read.

        A store that another process is creating or closing is then waited for here.
        """
        self._conn.execute("BEGIN DEFERRED")
        try:
            self._conn.execute("PRAGMA user_version").fetchone()
        except BaseException:
            self.roll_back()
            raise

    def _run_or_wait(self, action: Any) -> Any:
        """Run a statement.

        Outside a transaction even a read may have to wait while another process creates, recovers
        or closes the store.
        """
        return (
            action() if self._conn.in_transaction else self._retry_while_busy(action, self.patience)
        )

    def _retry_while_busy(self, action: Any, wait: float) -> Any:
        """Run `action` until SQLite is not busy; random short sleeps keep the queue of writers
        fair.
        """
        deadline = time.monotonic() + wait
        while True:
            try:
                return action()
            except driver.OperationalError as error:
                if not is_busy(error):
                    raise
                if time.monotonic() >= deadline:
                    raise StoreLocked(
                        f"{self.path}: other writers kept the store busy for {wait:g} s"
                    ) from error
                from random import uniform  # here, because hardly a call has to wait

                time.sleep(uniform(_SHORTEST_SLEEP, _LONGEST_SLEEP))


class _Transaction:
    """The outermost transaction of a store: begun on entry, committed or rolled back on exit.

    A signal handler can raise between any two bytecodes, also where no `try` stands: at the last
    one of `__enter__` and at the first one of `__exit__`. The store then finds this object gone and
    rolls back (`Database.in_transaction`). There is no `__del__` for that, because it would swallow
    what a signal handler raises inside it.
    """

    def __init__(
        self, db: Database, begin: Callable[[], None], wait: float, *, is_write: bool
    ) -> None:
        self._db = db
        self._begin = begin
        self._wait = wait
        self.is_write = is_write
        self._acting = db.acting

    def __enter__(self) -> Database:
        self._db.begin_owned(ref(self), self._begin, self._wait)
        return self._db

    def __exit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        guard = self._db.index_guard
        try:
            if self.is_write:
                self._db.operation = None
                self._db.acting = self._acting
            if self.is_write and kind is None:
                self._db.commit()
        except StoreDamaged:
            kind = StoreDamaged
            raise
        finally:
            self._db.roll_back()
            if guard is not None and kind is StoreDamaged and guard.mend():
                raise StoreLocked(
                    f"{self._db.path}: the full-text index was damaged and is now made anew; "
                    "nothing of this change was written"
                )


class _JoinedTransaction:
    """A transaction inside another one, which alone commits or rolls back."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def __enter__(self) -> Database:
        return self._db

    def __exit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        if kind is None and not self._db.in_transaction:
            raise RuntimeError(f"{self._db.path}: the outer transaction was rolled back meanwhile")


def is_busy(error: Exception) -> bool:
    """Whether a driver error only means that somebody else is writing."""
    text = str(error)
    return "locked" in text or "busy" in text


@contextmanager
def _as_memctl_errors(path: Path) -> Iterator[None]:
    """Raise driver errors as memctl's: busy, damaged, disk full or not writable.

    Every other driver error is a bug and keeps its traceback.
    """
    try:
        yield
    except driver.OperationalError as error:
        if is_busy(error):
            raise StoreLocked(f"{path}: the store is busy") from error
        if "is full" in str(error):
            raise StoreFull(f"{path}: no room is left on the disk for it", hint=_ROOM) from error
        if any(mark in str(error) for mark in _WRITE_FAILURES):
            from memctl.store import obstacles

            obstacle = obstacles.find_obstacle(path)
            if obstacle is not None:
                raise obstacle from error
        if "unable to open" in str(error) or "readonly" in str(error):
            hint = (
                "SQLite writes beside the store even when it only reads: "
                "can you write to its folder?"
            )
            raise StoreRefused(f"{path}: {error}", hint=hint) from error
        if any(mark in str(error) for mark in ("disk I/O", "Could not decode", *_MISSING_PARTS)):
            raise StoreDamaged(f"{path}: {error}", hint=_LOOK) from error
        raise
    except driver.IntegrityError:
        raise
    except MemoryError as error:  # Damaged lengths ask for more than there is.
        raise StoreDamaged(f"{path}: SQLite ran out of memory over it", hint=_LOOK) from error
    except UnicodeDecodeError as error:  # What SQLite says of a damaged file quotes the damage.
        raise StoreDamaged(f"{path}: it holds what is no text", hint=_LOOK) from error
    except driver.DatabaseError as error:
        if isinstance(
            error, driver.ProgrammingError | driver.InterfaceError | driver.NotSupportedError
        ):
            raise
        raise StoreDamaged(f"{path}: {error}", hint=_LOOK) from error
