"""Opening files that somebody else named: never a pipe, a device or a folder, and never waiting.

A name may stand for a pipe that nobody writes to, a device without an end, or a file of the system
that waits for news. Opening one of them in the usual way stops the program for good.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from os import PathLike


class IrregularFile(OSError):
    """The name stands for something else than a regular file, or for one that is too large."""


def open_regular_file(path: PathLike[str] | str) -> BufferedReader:
    """Open a regular file for reading, without waiting. Raises OSError (IrregularFile)."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise IrregularFile(errno.EINVAL, "is not a regular file", str(path))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_regular_file(path: PathLike[str] | str, *, most: int) -> bytes:
    """Return the bytes of a regular file of at most `most`. Raises OSError (IrregularFile)."""
    with open_regular_file(path) as stream:
        found = stream.read(most + 1)
    if len(found or b"") > most:
        raise IrregularFile(errno.EFBIG, f"is larger than {most} bytes", str(path))
    return found or b""
