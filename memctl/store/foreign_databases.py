"""Other tools' SQLite databases, read only: never written or migrated, locked for one short read.

A database that is not in use is read without any lock. One whose log a crash left behind is read
from a private copy, because recovering it would write beside the original. Only real tables are
read: a view or a trigger of a foreign file is a program.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memctl.core import process_identity
from memctl.core.errors import UsageError
from memctl.core.regular_files import open_regular_file
from memctl.core.typing_lite import Any
from memctl.store.database import OperationalError, foreign_errors, open_foreign

_PAGE_ROWS = 500
_WAL_VERSION = 2


@contextmanager
def open_tables(path: Path) -> Iterator[ForeignTables]:
    """Open the tables of another tool's database for the length of the block.

    Raises UsageError for a file that is no database or is busy.
    """
    with tempfile.TemporaryDirectory(prefix=process_identity.name_temporary()) as private:
        place, is_still = _choose_readable_file(path, Path(private))
        with (
            foreign_errors(path),
            open_foreign(place, immutable=is_still, is_copy=place != path) as connection,
        ):
            yield ForeignTables(path, connection)


def _choose_readable_file(path: Path, private: Path) -> tuple[Path, bool]:
    """Return the file to open, and whether nothing else writes it."""
    try:
        with open_regular_file(path) as stream:
            header = stream.read(20)
        log, index, journal = (
            path.with_name(path.name + ending) for ending in ("-wal", "-shm", "-journal")
        )
        if _has_content(journal) and _is_half_written(path):
            log = journal
        elif (
            len(header) < 20
            or header[18] != _WAL_VERSION
            or (_has_content(log) and index.is_file())
        ):
            return path, False
        elif not _has_content(log):
            return path, True
        for file in (path, log):
            shutil.copyfile(file, private / file.name)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    return private / path.name, False


def _has_content(file: Path) -> bool:
    return file.is_file() and file.stat().st_size > 0


def _is_half_written(path: Path) -> bool:
    """Whether a crash left a write half done.

    The next program that opens the database undoes it, which must not be us.
    """
    try:
        with foreign_errors(path), open_foreign(path, immutable=False) as connection:
            ForeignTables(path, connection).names()
    except UsageError as error:
        return "readonly" in str(error)
    return False


class ForeignTables:
    """The tables of one open database; see `readers.base.Tables`."""

    def __init__(self, path: Path, connection: Any) -> None:
        import sqlite_utils

        self.path = path
        self._database = sqlite_utils.Database(
            connection, recursive_triggers=False, execute_plugins=False
        )
        self._columns: dict[str, frozenset[str]] = {}

    def names(self) -> frozenset[str]:
        """Return the names of the real tables."""
        return frozenset(self._database.table_names())

    def columns(self, table: str) -> frozenset[str]:
        """Return the columns of a table; none if it does not exist."""
        if table not in self._columns:
            there = table in self.names()
            self._columns[table] = (
                frozenset(column.name for column in self._database.table(table).columns)
                if there
                else frozenset()
            )
        return self._columns[table]

    def rows(
        self,
        table: str,
        where: str = "",
        values: Sequence[Any] = (),
        order_by: str = "",
        columns: Sequence[str] = (),
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows that meet a condition, a page at a time, so that no lock lasts longer."""
        if not self.columns(table) >= set(columns) or not self.columns(table):
            return
        select = ", ".join(f'"{name}"' for name in columns) or "*"
        offset = 0
        while True:
            with foreign_errors(self.path):
                found = self._database.table(table).rows_where(
                    where or None,
                    list(values),
                    order_by=order_by or None,
                    select=select,
                    limit=_PAGE_ROWS,
                    offset=offset,
                )
                try:
                    page = list(found)
                except OperationalError as error:
                    if "no such column" not in str(error):
                        raise
                    return
            yield from page
            if len(page) < _PAGE_ROWS:
                return
            offset += _PAGE_ROWS
