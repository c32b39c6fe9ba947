"""A store that is read where SQLite can write nothing beside it.

Even a reader of a store in WAL mode makes a `-shm` file, which a read-only file system, a full disk
and one without inodes refuse. A store that was closed cleanly lies in its one file alone, and
`immutable=1` reads that without any other file and without locks.

SQLite then trusts that nobody writes, which no file system promises: a read-only mount shows what
somebody else may write elsewhere (a folder that a container shares), and a full disk gets room
again. So the file's identity, size and times are compared with those at opening after each
statement and before each row is given out: an answer is of one state of the file, or there is none.
Changes that wait in the write-ahead log would be missed without a word, so a store with such a log
is not opened. (`nolock` would still want the `-shm`; exclusive locking wants a `-wal`, and a lock
that a read-only file system does not give.)
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from memctl.core.errors import MemctlError, StoreDamaged, StoreLocked
from memctl.core.typing_lite import Any
from memctl.store.database import Database, Row, sqlite_library

# What is written before it reaches the store's file.
_UNFINISHED_FILES = ("-wal", "-journal")
# Where in the file the versions of its writing and reading are (SQLite's file format), in bytes.
_MODES_AT = 18
# What they are with a write-ahead log.
_WAL_MODES = b"\x02\x02"


class UnwritableDatabase(Database):
    """A store opened for reading its one file only, for as long as that does not change."""

    obstacle: StoreLocked

    def __init__(self, path: Path, obstacle: StoreLocked, *, patience: float) -> None:
        """`obstacle` says why nothing can be written; each write raises it.

        Raises it at once where changes wait beside the file, which cannot be read then.
        """
        self.obstacle = obstacle
        self._mark = _read_mark(path)
        _refuse_waiting_changes(path, obstacle)
        super().__init__(path, patience=patience)

    def _connect(self) -> Any:
        from urllib.parse import quote

        connection = sqlite_library().connect(
            f"file:{quote(os.fsencode(self.path.absolute()))}?mode=ro&immutable=1",
            uri=True,
            timeout=0,
            isolation_level=None,
            check_same_thread=False,
        )
        # Large sorts would need a file, which the same disk may have no room for.
        connection.execute("PRAGMA temp_store = MEMORY")
        return connection

    @property
    def is_outdated(self) -> bool:
        """Whether somebody wrote to the store, or is about to: it must be opened anew."""
        return self._mark != _read_mark(self.path) or bool(_list_waiting(self.path))

    def all(self, name: str, /, **params: Any) -> list[Row]:
        """Return every row of a named statement. Raises StoreLocked if the file has changed."""
        with self._checked():
            return super().all(name, **params)

    def each(self, name: str, /, **params: Any) -> Iterator[Row]:
        """Yield rows one by one. Raises StoreLocked once the file has changed."""
        return self._check_each(super().each(name, **params))

    def each_leniently(self, name: str, /, **params: Any) -> Iterator[Row]:
        """Yield rows, also of damaged text. Raises StoreLocked once the file has changed."""
        return self._check_each(super().each_leniently(name, **params))

    def _check_each(self, rows: Iterator[Row]) -> Iterator[Row]:
        while True:
            with self._checked():
                row = next(rows, None)
            if row is None:
                return
            yield row

    def one(self, name: str, /, **params: Any) -> Row | None:
        """Return the first row, or None. Raises StoreLocked if the file has changed."""
        with self._checked():
            return super().one(name, **params)

    def check_rows(self, name: str, table: str, **params: Any) -> list[Row]:
        """Execute a statement of `checksums`. Raises StoreLocked if the file has changed."""
        with self._checked():
            return super().check_rows(name, table, **params)

    def run(self, name: str, /, **params: Any) -> int:
        """Copy the store, which alone is no change. Raises StoreLocked if the file has changed."""
        with self._checked():
            return super().run(name, **params)

    def pragma(self, name: str, value: str | int | None = None) -> Any:
        """Read a pragma. Raises StoreLocked if the file has changed."""
        with self._checked():
            if name == "journal_mode" and self._read_modes() == _WAL_MODES:
                return "wal"  # SQLite tells of the connection, which uses no log.
            return super().pragma(name, value)

    def write(self, wait: float | None = None) -> AbstractContextManager[Database]:
        """Raise what stands in the way of writing."""
        raise repeat_error(self.obstacle)

    def script(self, text: str) -> None:
        """Raise what stands in the way of writing."""
        raise repeat_error(self.obstacle)

    def write_ahead_log(self) -> None:
        """Raise what stands in the way of migrating an older store."""
        error = repeat_error(self.obstacle)
        error.hint = "this memctl has to bring the store up to date once before it can read it"
        raise error

    def shorten_log(self) -> None:
        """Do nothing: there is no log."""

    def _read_modes(self) -> bytes:
        """Return what the file says of how it is written and read."""
        with self.path.open("rb") as stream:
            stream.seek(_MODES_AT)
            return stream.read(len(_WAL_MODES))

    @contextmanager
    def _checked(self) -> Iterator[None]:
        """Give out what was read, or its damage, only if it is of the file that was opened."""
        try:
            yield
        except StoreDamaged as error:
            self._refuse_changed(error)
            raise
        self._refuse_changed()

    def _refuse_changed(self, cause: MemctlError | None = None) -> None:
        if self._mark != _read_mark(self.path):
            raise StoreLocked(
                f"{self.path}: it was written while it was read", hint="try again"
            ) from cause


def repeat_error(error: StoreLocked) -> StoreLocked:
    """Return a new error that says the same, to be raised again."""
    return type(error)(str(error), hint=error.hint)


def _refuse_waiting_changes(path: Path, obstacle: StoreLocked) -> None:
    waiting = _list_waiting(path)
    if not waiting:
        return
    names = " and ".join([path.name, *waiting])
    raise type(obstacle)(
        f"{obstacle}; changes wait in {path.parent / waiting[0]}, and without them it cannot be "
        "read rightly",
        hint="make the place writable or make room there; or copy "
        f"{names} into a folder with room and read that copy with `--db`",
    )


def _list_waiting(path: Path) -> list[str]:
    """List the names of the files with changes that the store's own file may not have yet."""
    # SQLite keeps them beside the file itself where the store is a symbolic link.
    real = os.path.realpath(path)
    return [
        os.path.basename(real) + ending
        for ending in _UNFINISHED_FILES
        if _read_size(real + ending) > 0
    ]


def _read_size(path: str) -> int:
    """Return the size of a file in bytes; 0 if there is none."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _read_mark(path: Path) -> tuple[int, ...]:
    """Return what differs once a file was written or replaced; nothing if it is gone."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
