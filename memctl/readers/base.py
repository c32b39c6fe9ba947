"""What all readers share: the input that they read and the contract that they keep.

A reader turns one foreign format into turns. It never raises on odd content; it counts what it does
not know.
"""

from __future__ import annotations

import errno
import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from memctl.core.frozen import dataclass, field
from memctl.core.model import Transcript
from memctl.core.regular_files import (
    WHOLE_BYTES,
    IrregularFile,
    open_regular_file,
    read_regular_file,
    read_stream,
)
from memctl.core.typing_lite import Any, BinaryIO, ClassVar, Protocol

# Bytes of a file that readers see when they recognise their format.
HEAD_BYTES = 64 * 1024
# Files near a transcript (a title, a folder) are small; a larger one is something else.
SIDECAR_BYTES = 1024 * 1024
# Longest line in bytes that is read as one.
LINE_BYTES = 64 * 1024 * 1024
# Longest line of JSON in bytes that is read as it is; of a longer one the long strings are cut.
JSON_LINE_BYTES = 8 * 1024 * 1024
_MAX_STEPS_UP = 3
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_SQLITE_MAGIC = b"SQLite format 3\0"
_PACKED_ENDINGS = ("zst", "gz")
# How files begin that are packed with gzip or Zstandard, and how many bytes tell it.
_PACKED_MARKS = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
_MAGIC_BYTES = 4
# Characters of a tool result that are kept. Nine tenths of a transcript are tool output, and
# evidence needs only its beginning and its end.
RESULT_HEAD = 1200
RESULT_TAIL = 800
# A result is not cut to save fewer characters than this; the note about it would cost as much.
_MIN_LEFT_OUT = 200


class Tables(Protocol):
    """Another tool's database, read-only. Missing tables and columns give no rows."""

    path: Path

    def names(self) -> frozenset[str]:
        """The names of all tables."""
        ...

    def columns(self, table: str) -> frozenset[str]:
        """The columns of a table; empty for a missing one."""
        ...

    def rows(
        self,
        table: str,
        where: str = "",
        values: Sequence[Any] = (),
        order_by: str = "",
        columns: Sequence[str] = (),
    ) -> Iterator[dict[str, Any]]:
        """The rows that meet a condition with `?` for values; all columns unless some are named."""
        ...


@dataclass(frozen=True, slots=True)
class Input:
    """What to read: a file, text that was piped in, or the tables of a foreign database.

    `session` asks for one of the sessions of a database. `unknown` collects, by a short label, how
    often something was not understood.
    """

    path: Path | None = None
    data: bytes | None = None
    unknown: Counter[str] = field(default_factory=Counter)
    tables: Tables | None = None
    session: str | None = None

    @property
    def stem(self) -> str:
        """The file's name without its extension; empty for piped text."""
        if self.path is None:
            return ""
        stem, _, ending = self.path.name.rpartition(".")
        return Path(stem).stem if ending in _PACKED_ENDINGS else self.path.stem

    def read_head(self) -> bytes:
        """Return the first 64 KiB.

        If that is less than the first line, and the line is a JSON object: its whole lines, as many
        as fit, with their long strings cut.
        """
        with self._open() as stream:
            head = stream.read(HEAD_BYTES)
            if not head.startswith(b"{") or b"\n" in head:
                return head
            # Imported here: hardly any file begins so.
            from memctl.readers import long_lines

            return long_lines.read_lines(head, stream, HEAD_BYTES) or head

    def is_database(self) -> bool:
        """Return whether the file is a SQLite database; False if it cannot be read."""
        if self.path is None:
            return False
        try:
            with open_regular_file(self.path) as stream:
                return stream.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC
        except (OSError, ValueError):
            return False

    def read_lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield each line's number, from 1, and its bytes.

        A line over 64 MiB comes in pieces, which no format accepts.
        """
        if self.data is not None:
            yield from enumerate(decode_marked(self.data).split(b"\n"), 1)
            return
        size = 0
        with self._open() as stream:
            for number, line in enumerate(iter(lambda: stream.readline(LINE_BYTES), b""), 1):
                # What is packed may be of any size.
                size += len(line)
                if size > WHOLE_BYTES:
                    raise IrregularFile(errno.EFBIG, "is larger when unpacked than is read")
                yield number, line

    def read_raw_json_lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number, from 1, and the bytes of each line of a JSONL file.

        A line over 8 MiB comes with its long strings cut, and memory holds no more of it.
        """
        size = 0
        with self._open() as stream:
            for number, line in enumerate(iter(lambda: stream.readline(JSON_LINE_BYTES), b""), 1):
                length = len(line)
                if length == JSON_LINE_BYTES and not line.endswith(b"\n"):
                    # Imported here: hardly any file has such lines.
                    from memctl.readers import long_lines

                    line, length = long_lines.read_rest(line, stream)
                    line = line or b"too long"
                size += length
                if size > WHOLE_BYTES:  # what is packed may be of any size
                    raise IrregularFile(errno.EFBIG, "is larger when unpacked than is read")
                yield number, line

    def read_json_lines(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the objects of a JSONL file with their line numbers.

        Blank lines are skipped; lines without an object are counted as unknown.
        """
        for number, line in self.read_raw_json_lines():
            if not line.strip():
                continue
            value = parse_json(line)
            if isinstance(value, dict):
                yield number, value
            else:
                self.unknown["bad line"] += 1

    def read_text(self) -> str:
        r"""Return the input as text: no byte order mark, `\n` line ends, bad bytes replaced."""
        return self._read_bytes().decode("utf-8-sig", "replace").replace("\r\n", "\n")

    def read_json(self) -> Any:
        """Return the input as one JSON value, or None if it is not JSON."""
        return parse_json(self._read_bytes())

    def read_json_object(self) -> dict[str, Any]:
        """Return the input as one JSON object.

        Anything else is counted as unknown and gives an empty object.
        """
        value = self.read_json()
        if isinstance(value, dict):
            return value
        self.unknown["not JSON"] += 1
        return {}

    def read_beside(self, name: str) -> bytes | None:
        """Return a small file near this one, such as `meta.json` or `../index.json`.

        None for a missing file, a link, a file over 1 MiB or a suspicious name.
        """
        path = self._resolve_near(name)
        try:
            if path is None or path.is_symlink():
                return None
            return read_regular_file(path, most=SIDECAR_BYTES)
        except (OSError, ValueError):
            return None

    def read_json_beside(self, name: str) -> dict[str, Any]:
        """Return the JSON object in a small file near this one; empty if there is none."""
        value = parse_json(self.read_beside(name) or b"")
        return value if isinstance(value, dict) else {}

    def list_files(self, folder: str) -> list[Path]:
        """Return the files (no links) directly in a folder near this one, by name."""
        path = self._resolve_near(folder)
        if path is None:
            return []
        try:
            return sorted(
                file for file in path.iterdir() if file.is_file() and not file.is_symlink()
            )
        except (OSError, ValueError):
            return []

    def _resolve_near(self, name: str) -> Path | None:
        """Return a path relative to this file's folder: up to three steps up, then names."""
        parts = name.split("/")
        steps_up = parts.count("..")
        if self.path is None or steps_up > _MAX_STEPS_UP:
            return None
        is_odd = any(part in ("", ".", "..") or "\\" in part for part in parts[steps_up:])
        return None if is_odd else self.path.parent.joinpath(*parts)

    def _open(self) -> BinaryIO:
        if self.data is not None:
            return io.BytesIO(decode_marked(self.data))
        assert self.path is not None
        stream: BinaryIO = open_regular_file(self.path, most=WHOLE_BYTES)
        head = stream.peek(_MAGIC_BYTES)[:_MAGIC_BYTES]  # type: ignore[attr-defined]
        if head.startswith(_PACKED_MARKS):
            # Imported here: agents pack only what they have put away.
            from memctl.readers import compressed

            return compressed.unpack(stream, head, self.path.name)
        if not head.startswith(_UTF16_MARKS):
            return stream
        with stream:
            return io.BytesIO(decode_marked(read_stream(stream, str(self.path))))

    def _read_bytes(self) -> bytes:
        with self._open() as stream:
            return read_stream(stream, str(self.path or "what was piped in"))


def decode_marked(raw: bytes) -> bytes:
    """Return text whose byte order mark tells UTF-16 as UTF-8; anything else as it is."""
    if not raw.startswith(_UTF16_MARKS):
        return raw
    return raw.decode("utf-16", "replace").encode("utf-8", "replace")


class Reader(Protocol):
    """One transcript format: its `name`, and the `agent` whose sessions it holds."""

    name: ClassVar[str]
    agent: ClassVar[str]
    is_chat: ClassVar[bool]

    def sniff(self, head: bytes, name: str) -> float:
        """Return how sure this reader is, 0 to 1, judging by the head.

        A reader that returns 0.95 or more is chosen at once, one below 0.3 never (see `detect`).

        The file name only breaks ties.
        """
        ...

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the conversations in the input, in order. Never raises on odd content."""
        ...


def parse_json(raw: bytes | str) -> Any:
    """Return the JSON value, or None if the bytes are not JSON or are nested too deeply."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def clip(text: str) -> str:
    """Cut a tool result to its head and tail, with a note of how many characters are missing."""
    left_out = len(text) - RESULT_HEAD - RESULT_TAIL
    if left_out <= _MIN_LEFT_OUT:
        return text
    return f"{text[:RESULT_HEAD]}\n[... {left_out} characters left out ...]\n{text[-RESULT_TAIL:]}"


def make_digest_id(prefix: str, text: str) -> str:
    """Make an id from a text alone, for sessions without an id."""
    # Imported here: most sessions have ids, and starting a hook should not pay for the import.
    import hashlib

    return f"{prefix}-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"
