"""Files that come into being whole and private, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from memctl.core import clock
from memctl.core.errors import UsageError
from memctl.store.migrate import touch_private


@contextmanager
def write_draft(path: Path) -> Iterator[Path]:
    """Open an empty 0600 file that replaces `path` when the block ends well.

    Raises UsageError if that is impossible.
    """
    if path.is_dir():
        raise UsageError(f"{path} is a folder")
    beside = path.with_name(f".{path.name}.{clock.new_id()}.tmp")
    try:
        touch_private(beside)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    try:
        yield beside
        sync_path(beside)
        beside.replace(path)
        sync_path(path.parent)
    finally:
        for leftover in (beside, *list_companions(beside)):
            leftover.unlink(missing_ok=True)


@contextmanager
def create_private_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that appears at `path`, complete and 0600, when the block ends well."""
    with write_draft(path) as beside, beside.open("r+b") as handle:
        yield handle


def list_companions(store: Path) -> tuple[Path, Path]:
    """List the write-ahead log and the shared memory of a store file."""
    return store.with_name(store.name + "-wal"), store.with_name(store.name + "-shm")


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
