"""Why the store's folder takes no more data. It is asked only once a write has failed.

SQLite calls a full disk, a quota and a lack of inodes by several names ("unable to open database
file", "disk I/O error"), so the file system itself is asked.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from memctl.core.errors import StoreLocked
from memctl.core.system_errors import explain_failed_write

# Bytes of the file that even a reader creates beside the store.
_SHARED_MEMORY_BYTES = 64 * 1024


def find_obstacle(store: Path) -> StoreLocked | None:
    """Return the error that says why nothing can be written beside the store; None if it can."""
    # SQLite's files are beside the file itself where the store is a symbolic link.
    folder = Path(os.path.realpath(store)).parent
    return explain_failed_write(_find_error_number(folder), store)


def _find_error_number(folder: Path) -> int | None:
    try:
        found = os.statvfs(folder)
        has_inodes = found.f_favail > 0 or found.f_files == 0
        if found.f_bavail * found.f_frsize < _SHARED_MEMORY_BYTES or not has_inodes:
            return errno.ENOSPC
        _try_to_write(folder)
    except OSError as error:
        return error.errno
    except AttributeError:  # no such call on this system
        return None
    return None


def _try_to_write(folder: Path) -> None:
    """Write as much as SQLite needs to a file without a name, where the system has such files."""
    kind = getattr(os, "O_TMPFILE", None)
    if kind is None:
        return
    handle = os.open(folder, kind | os.O_WRONLY, 0o600)
    try:
        os.write(handle, bytes(_SHARED_MEMORY_BYTES))
    finally:
        os.close(handle)
