"""A file by which one process keeps others from doing the same."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memctl.core.errors import StoreLocked


@contextmanager
def hold_lock(path: Path, why: str, *, hint: str | None = None) -> Iterator[None]:
    """Hold the lock that an empty file is. The system lets go of it when a process dies.

    Raises StoreLocked, which says `why`, where another process holds it.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        raise StoreLocked(why, hint=hint) from error
    try:
        yield
    finally:
        os.close(handle)
