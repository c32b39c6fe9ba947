"""One sync of a store at a time."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memctl.core.errors import StoreLocked
from memctl.settings.config import Config


@contextmanager
def hold_sync(config: Config) -> Iterator[None]:
    """Keep other syncs of this store out. The system lets go of it when a process dies.

    Raises StoreLocked.
    """
    handle = os.open(name_lock(config), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        raise StoreLocked("another sync of this store is running", hint="it ends soon") from error
    try:
        yield
    finally:
        os.close(handle)


def name_lock(config: Config) -> Path:
    """Return the lock of a store's syncs, which is empty."""
    return config.db.with_name(f"{config.db.name}.sync.lock")
