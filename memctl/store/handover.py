"""Writing a file that is no sound database into the place of another, with nobody else in it.

SQLite can do nothing with a damaged store, and giving its name to another file would leave whoever
has it open on the old one. So the file itself is written anew under the lock that every opener of a
database asks for: those who come meanwhile wait, and then find the new content.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memctl.core import clock
from memctl.core.errors import StoreLocked
from memctl.store import files

# The bytes of a database file on which SQLite keeps its locks (sqlite3's os.h): PENDING_BYTE,
# RESERVED_BYTE and the SHARED range. Whoever has the file open in WAL mode holds a shared lock.
_FIRST_LOCK_BYTE = 0x40000000
_LOCK_BYTES = 512
# Bytes of the first page, at most (sqlite.org/fileformat2.html); without it a file is no database.
_HEADER_BYTES = 65536
_BLOCK_BYTES = 1 << 20
# Seconds between two attempts to get the lock; chosen by hand.
_PAUSE_SECONDS = 0.01


def replace_content(store: Path, new: Path, kept: Path, patience: float) -> None:
    """Keep the bytes of a store as `kept`, with its log, and write those of `new` in their place.

    `kept` is a new name. A kill halfway leaves a file that is no database, and `kept` complete.
    Nothing in this process may have the store open. Raises StoreLocked after `patience` seconds,
    OSError.
    """
    with _hold_alone(store, patience) as handle:
        _keep_bytes(handle, store, kept)
        for beside in (*_list_logs(store), files.list_companions(store)[1]):
            beside.unlink(missing_ok=True)
        _overwrite(handle, new)
        os.fchmod(handle, 0o600)


def _list_logs(store: Path) -> tuple[Path, Path]:
    """List the logs of a store, either of which would be applied to whatever has its name."""
    log, _ = files.list_companions(store)
    return log, log.with_name(f"{log.name.removesuffix('-wal')}-journal")


@contextmanager
def _hold_alone(store: Path, patience: float) -> Iterator[int]:
    handle = os.open(store, os.O_RDWR)
    try:
        deadline = clock.read_monotonic() + patience
        while not _try_lock(handle):
            if clock.read_monotonic() >= deadline:
                raise StoreLocked(
                    f"{store}: it is damaged, and another process has it open",
                    hint="end that process, then restore again",
                )
            clock.sleep(_PAUSE_SECONDS)
        yield handle
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, _LOCK_BYTES, _FIRST_LOCK_BYTE)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _keep_bytes(handle: int, store: Path, kept: Path) -> None:
    """Copy the file and its logs.

    The file is read by its locked handle alone, because closing another would drop the lock.
    """
    for log, ending in zip(_list_logs(store), ("-wal", "-journal"), strict=True):
        if log.is_file() and log.stat().st_size:
            with log.open("rb") as stream:
                _copy_bytes(stream.fileno(), kept.with_name(kept.name + ending))
    _copy_bytes(handle, kept)
    files.sync_path(kept.parent)


def _copy_bytes(source: int, place: Path) -> None:
    target = os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.fchmod(target, 0o600)
        _write_blocks(source, target, 0)
        os.fsync(target)
    finally:
        os.close(target)


def _overwrite(handle: int, new: Path) -> None:
    """Write the header last: until then the file is visibly no database."""
    source = os.open(new, os.O_RDONLY)
    try:
        size = os.fstat(source).st_size
        _reserve(handle, size)
        _write_at(handle, bytes(_HEADER_BYTES), 0)
        os.fsync(handle)
        _write_blocks(source, handle, _HEADER_BYTES)
        os.ftruncate(handle, size)
        os.fsync(handle)
        _write_at(handle, os.pread(source, _HEADER_BYTES, 0), 0)
        os.fsync(handle)
    finally:
        os.close(source)


def _reserve(handle: int, size: int) -> None:
    """Find out that a disk is full before anything is overwritten, where the system can tell."""
    try:
        os.posix_fallocate(handle, 0, max(size, _HEADER_BYTES))
    except (AttributeError, OSError) as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise


def _write_blocks(source: int, target: int, at: int) -> None:
    """Copy all bytes from a position on, to the same position."""
    while block := os.pread(source, _BLOCK_BYTES, at):
        _write_at(target, block, at)
        at += len(block)


def _write_at(target: int, data: bytes, at: int) -> None:
    rest = memoryview(data)
    while rest:
        written = os.pwrite(target, rest, at)
        rest, at = rest[written:], at + written
