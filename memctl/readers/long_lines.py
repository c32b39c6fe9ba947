"""A line of JSON that is too long to be read as it is, with its long strings cut.

Images, files and the output of tools make lines of hundreds of megabytes; what a person said on
such a line is short. The line is read in pieces and never held as a whole.

Keeps true: every string up to `SHORT_BYTES` stays as it is; what comes out parses if the line did.
"""

from __future__ import annotations

import re

from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import BinaryIO

# Bytes of a string that stay, while the line is still small, once it has grown, and afterwards.
LONG_BYTES = 1024 * 1024
_MIDDLE_BYTES = 64 * 1024
SHORT_BYTES = 4096
# Bytes of a shortened line from which its strings get less room, twice.
_GROWN = 8 * 1024 * 1024
_LARGE = 16 * 1024 * 1024
# What is longer even with its strings cut is no line of a transcript.
_MOST_BYTES = 48 * 1024 * 1024
# Bytes read at once.
_PIECE = 64 * 1024
# Bytes of a cut string's end that stay, if there are words in them.
_TAIL = 2048
_BODY = compile_later(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
# The beginning of an escape, or of a character of several bytes, on which a string was cut.
_HALF_ESCAPE = compile_later(rb"\\(?:u[0-9a-fA-F]{0,3})?$|\\u[dD][89abAB][0-9a-fA-F]{2}$")
_HALF_CHARACTER = compile_later(rb"[\xc0-\xff][\x80-\xbf]{0,2}$")


class LineCutter:
    """Takes a line piece by piece and keeps it with its strings cut to `most` bytes at most."""

    def __init__(self, most: int = LONG_BYTES) -> None:
        self._most = most
        self._kept = bytearray()
        self._rest = b""
        self._is_inside = False
        # Of the string being read: the bytes that stay, the number left out, and the last of them.
        self._length = 0
        self._left_out = 0
        self._tail = b""
        self.size = 0

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the line."""
        self.size += len(piece)
        data, at = self._rest + piece, 0
        self._rest = b""
        while at < len(data):
            if not self._is_inside:
                quote = data.find(b'"', at)
                end = len(data) if quote < 0 else quote + 1
                self._keep(data[at:end])
                self._is_inside, at = quote >= 0, end
                continue
            match = _BODY.match(data, at)
            assert match is not None
            end = match.end()
            self._take_body(data[at:end])
            if data[end : end + 1] == b'"':
                self._close()
            elif end < len(data):
                self._rest = data[end:]  # half an escape
                return
            at = end + 1

    def finish(self) -> bytes:
        """Return the line as it is kept; empty if it is too long even so."""
        self._keep(self._rest)
        return bytes(self._kept) if len(self._kept) <= _MOST_BYTES else b""

    def _keep(self, part: bytes) -> None:
        if len(self._kept) <= _MOST_BYTES:
            self._kept += part

    def _take_body(self, body: bytes) -> None:
        grown = len(self._kept)
        room = _MIDDLE_BYTES if grown > _GROWN else self._most
        room = SHORT_BYTES if grown > _LARGE else min(room, self._most)
        fits = body[: max(0, room - self._length)] if not self._left_out else b""
        over = len(body) - len(fits)
        self._keep(fits)
        self._length += len(fits)
        if over:
            self._left_out += over
            self._tail = (self._tail + body[len(fits) :])[-_TAIL:]

    def _close(self) -> None:
        if self._left_out:
            # A character may be two escapes, so half of one may stand before half of the other.
            for half in (_HALF_ESCAPE, _HALF_ESCAPE, _HALF_CHARACTER):
                found = half.search(self._kept, max(0, len(self._kept) - 6))
                if found is not None and not _is_escaped(self._kept, found.start()):
                    del self._kept[found.start() :]
            # After a blank nothing is half: neither an escape nor a character.
            _, _, tail = self._tail.partition(b" ")
            self._keep(b"\\n[... %d bytes left out ...]\\n" % (self._left_out - len(tail)) + tail)
        self._keep(b'"')
        self._is_inside, self._length, self._left_out, self._tail = False, 0, 0, b""


def _is_escaped(kept: bytearray, at: int) -> bool:
    """Whether a backslash belongs to the backslash before it."""
    before = at
    while before > 0 and kept[before - 1] == ord("\\"):
        before -= 1
    return kept[at] == ord("\\") and (at - before) % 2 == 1


def read_rest(start: bytes, stream: BinaryIO, most: int = LONG_BYTES) -> tuple[bytes, int]:
    """Read a line to its end whose start was read; return it, strings cut, and its length in bytes.

    It is empty if it is too long even with its strings cut.
    """
    cutter = LineCutter(most)
    for at in range(0, len(start), _PIECE):
        cutter.feed(start[at : at + _PIECE])
    is_open = not start.endswith(b"\n")
    while is_open and (piece := stream.readline(_PIECE)):
        cutter.feed(piece)
        is_open = not piece.endswith(b"\n")
    return cutter.finish(), cutter.size


def read_lines(start: bytes, stream: BinaryIO, enough: int) -> bytes:
    """Return the whole line that begins with `start`, and so many bytes of lines after it.

    Of all but a first line of up to a megabyte the long strings are cut. Nothing is returned if the
    first line is the only one, or too long even so.
    """
    start += stream.readline(LONG_BYTES)
    if start.endswith(b"\n"):
        first, size = start, len(start)
    else:
        first, size = read_rest(start, stream, SHORT_BYTES)
    lines = [first if first.endswith(b"\n") else b""]
    while lines[0] and sum(map(len, lines[1:])) < enough and size < _GROWN:
        line, length = read_rest(b"", stream, SHORT_BYTES)
        if not length:
            break
        lines.append(line)
        size += length
    return b"".join(lines)
