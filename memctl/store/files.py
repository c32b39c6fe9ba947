"""Paths and bytes of the files of a store."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from memctl.core import clock

# Bytes read or overwritten at once.
_BLOCK_BYTES = 1 << 20
# Descriptors of files that SQLite has locks on, by device and inode. The locks belong to the
# process: closing any other descriptor of the file would drop them.
_kept_open: dict[tuple[int, int], int] = {}


def list_companions(store: Path) -> tuple[Path, Path]:
    """List the write-ahead log and the shared memory of a store file.

    They are beside the file itself where the store is a symbolic link.
    """
    place = Path(os.path.realpath(store))
    return place.with_name(place.name + "-wal"), place.with_name(place.name + "-shm")


def locate_sync_key(store: Path) -> Path:
    """Return where the keys are by which a store takes part in a group of stores."""
    return store.with_name(store.name + ".sync")


def locate_hub_passwords(store: Path) -> Path:
    """Return where the passwords are by which a store logs in to hubs."""
    return store.with_name(store.name + ".hubs")


def format_now() -> str:
    """Return the current time as part of a file name."""
    return clock.now().replace(":", "-")


def sync_path(path: Path) -> None:
    """Make what was written to a file or folder survive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_open_file(path: Path) -> bytes:
    """Read a file that SQLite may have open in this process. Raises OSError.

    The descriptor stays open to the end of the process.
    """
    found = path.stat()
    key = found.st_dev, found.st_ino
    if key not in _kept_open:
        _kept_open[key] = os.open(path, os.O_RDONLY)
    handle, parts, at = _kept_open[key], [], 0
    while part := os.pread(handle, _BLOCK_BYTES, at):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def shred_file(path: Path) -> None:
    """Overwrite a file and delete it; nothing happens if there is none, and of a link only the link
    goes.
    """
    with suppress(FileNotFoundError):
        if not path.is_symlink():
            with path.open("r+b") as old:
                overwrite(old.fileno())
        path.unlink()


def overwrite(handle: int) -> None:
    """Write zeros over all bytes of an open file."""
    size = os.fstat(handle).st_size
    for at in range(0, size, _BLOCK_BYTES):
        os.pwrite(handle, bytes(min(_BLOCK_BYTES, size - at)), at)
    os.fsync(handle)
