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

from memctl.core.typing_lite import BinaryIO

# Bytes of a file that is read as a whole, at most: several times the largest export of chats that
# was met (some hundred megabytes). Chosen by hand.
WHOLE_BYTES = 1 << 30


# A pipe that the shell has opened for a command ends; a named one, or a device, may never.
OPENED_BY_SHELL = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")
# Bytes read at once.
_PIECE_BYTES = 1 << 20


class IrregularFile(OSError):
    """The name stands for something else than a regular file, or for one that is too large."""


def open_regular_file(path: PathLike[str] | str, *, most: int | None = None) -> BufferedReader:
    """Open a regular file for reading, without waiting; of at most so many bytes, if told.

    Raises OSError (IrregularFile).
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    return _check_opened(handle, str(path), most)


def _check_opened(handle: int, name: str, most: int | None) -> BufferedReader:
    """Return the stream of an open file, unless it is none that may be read."""
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise IrregularFile(errno.EINVAL, "is not a regular file", name)
        if most is not None and os.fstat(handle).st_size > most:
            raise IrregularFile(errno.EFBIG, f"is larger than {most} bytes", name)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_file_within(folder: int, name: str, *, most: int) -> bytes:
    """Return the bytes of a regular file of at most `most` in an open folder; no link is followed.

    Raises OSError (IrregularFile).
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
    handle = os.open(name, flags, dir_fd=folder)
    with _check_opened(handle, name, most) as stream:
        return read_stream(stream, name, most=most)


def open_given_file(path: PathLike[str] | str) -> BinaryIO:
    """Open a regular file, or a pipe that the shell has opened, for reading. Raises OSError."""
    if os.fspath(path).startswith(OPENED_BY_SHELL) and not os.path.isfile(path):
        return open(path, "rb")
    return open_regular_file(path)


def read_regular_file(path: PathLike[str] | str, *, most: int = WHOLE_BYTES) -> bytes:
    """Return the bytes of a regular file of at most `most`. Raises OSError (IrregularFile)."""
    with open_regular_file(path, most=most) as stream:
        return read_stream(stream, str(path), most=most)


def read_stream(stream: BinaryIO, name: str, *, most: int = WHOLE_BYTES) -> bytes:
    """Return all bytes of a stream that holds at most `most`. Raises IrregularFile.

    They are read in pieces, because what is asked for at once is set aside at once.
    """
    parts, size = [], 0
    while part := stream.read(min(_PIECE_BYTES, most + 1 - size)):
        parts.append(part)
        size += len(part)
        if size > most:
            raise IrregularFile(errno.EFBIG, f"is larger than {most} bytes", name)
    return b"".join(parts)
