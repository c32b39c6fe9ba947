"""What every reader shares: the input it reads, the contract it keeps, the helpers that cut and count.

A reader turns one foreign format into turns. It never raises on odd content: what it does not know it counts.
"""

from __future__ import annotations

import io
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Protocol

from memctl.core.frozen import dataclass, field
from memctl.core.model import Transcript

HEAD_BYTES = 65536
# A first line may hold a system prompt or a paste; up to this length the head goes to its end.
OPENING_BYTES = 1 << 20
# A file that stands beside a transcript (a title, a folder) is small; more than this is something else.
SIDECAR_BYTES = 1 << 20
_MOST_STEPS_UP = 2
_DATABASE = b"SQLite format 3\0"
LINE_LIMIT = 64 * 1024 * 1024
# Tool output is nine tenths of a transcript; its head and tail are what evidence needs.
RESULT_HEAD, RESULT_TAIL = 1200, 800


class Tables(Protocol):
    """Another tool's database, open for reading only. Tables and columns that are not there give no rows."""

    path: Path

    def names(self) -> frozenset[str]:
        """The tables it has."""
        ...

    def columns(self, table: str) -> frozenset[str]:
        """The columns of a table; none for one that is not there."""
        ...

    def rows(
        self,
        table: str,
        where: str = "",
        values: Sequence[Any] = (),
        order_by: str = "",
        columns: Sequence[str] = (),
    ) -> Iterator[dict[str, Any]]:
        """The rows of a table that meet a condition with `?` for values; all columns unless some are named."""
        ...


@dataclass(frozen=True, slots=True)
class Input:
    """What to read: a file that is streamed, text that was piped in, or a foreign database (`session` asks for one of its sessions)."""

    path: Path | None = None
    data: bytes | None = None
    unknown: Counter[str] = field(default_factory=Counter)
    tables: Tables | None = None
    session: str | None = None

    def read_head(self) -> bytes:
        """The first 64 KiB, or the first line where it is an object and longer: enough to tell a format by."""
        with io.BytesIO(self.data) if self.data is not None else self._open() as stream:
            head = stream.read(HEAD_BYTES)
            rest = (
                stream.readline(OPENING_BYTES)
                if head.startswith(b"{") and b"\n" not in head
                else b""
            )
        return head + rest if rest.endswith(b"\n") else head

    def is_database(self) -> bool:
        """Whether the file is a SQLite database; False for what cannot be read."""
        try:
            # A pipe would lose what is read from it here.
            with open(
                self.path if self.path is not None and self.path.is_file() else os.devnull, "rb"
            ) as stream:
                return stream.read(len(_DATABASE)) == _DATABASE
        except (OSError, ValueError):
            return False

    def read_lines(self) -> Iterator[tuple[int, bytes]]:
        """Line number from 1 and the line's bytes; a line over 64 MiB comes in pieces, which no format accepts."""
        if self.data is not None:
            yield from enumerate(self.data.split(b"\n"), 1)
            return
        with self._open() as stream:
            yield from enumerate(iter(lambda: stream.readline(LINE_LIMIT), b""), 1)

    def read_json_lines(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The JSON objects of a JSONL file with their line numbers; blank lines are skipped, bad ones counted."""
        for number, line in self.read_lines():
            if not line.strip():
                continue
            value = parse_json(line)
            if isinstance(value, dict):
                yield number, value
            else:
                self.unknown["bad line"] += 1

    def read_text(self) -> str:
        """The whole input as text, without a byte order mark, with undecodable bytes replaced."""
        raw = self.data if self.data is not None else self._read()
        return raw.decode("utf-8-sig", "replace").replace("\r\n", "\n")

    def read_json(self) -> Any:
        """The whole input as one JSON value, or None if it is not JSON."""
        return parse_json(self.data if self.data is not None else self._read())

    def read_beside(self, name: str) -> bytes | None:
        """A small file near this one, such as `meta.json` or `../index.json`; None where there is none that can be trusted to be it."""
        path = self._near(name)
        try:
            if (
                path is None
                or path.is_symlink()
                or not path.is_file()
                or path.stat().st_size > SIDECAR_BYTES
            ):
                return None
            return path.read_bytes()
        except (OSError, ValueError):
            return None

    def list_files(self, folder: str) -> list[Path]:
        """The files (no links) directly in a folder near this one, by name."""
        place = self._near(folder)
        try:
            return (
                sorted(path for path in place.iterdir() if path.is_file() and not path.is_symlink())
                if place is not None
                else []
            )
        except (OSError, ValueError):
            return []

    def _near(self, name: str) -> Path | None:
        """A path relative to this file's folder: names only, after at most two steps up."""
        parts = name.split("/")
        below = (
            parts[parts.count("..") :]
            if parts[: parts.count("..")] == [".."] * parts.count("..")
            else [".."]
        )
        if (
            self.path is None
            or parts.count("..") > _MOST_STEPS_UP
            or any(part in ("", ".", "..") or "\\" in part for part in below)
        ):
            return None
        return self.path.parent.joinpath(*parts)

    def _open(self) -> BinaryIO:
        assert self.path is not None
        return open(self.path, "rb")

    def _read(self) -> bytes:
        with self._open() as stream:
            return stream.read()


class Reader(Protocol):
    """One transcript format. `name` is the format's, `agent` whose sessions it holds."""

    name: ClassVar[str]
    agent: ClassVar[str]
    is_chat: ClassVar[bool]

    def sniff(self, head: bytes, name: str) -> float:
        """How sure this reader is, 0 to 1, from the first 64 KiB (the file name only breaks ties)."""
        ...

    def read(self, source: Input) -> Iterator[Transcript]:
        """The conversations in the input, in order. Never raises on odd content."""
        ...


def parse_json(raw: bytes | str) -> Any:
    """The JSON value, or None for anything that is not JSON (depth bombs and bad encodings included)."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def clip(text: str) -> str:
    """A tool result cut to its head and tail, with the number of characters left out between."""
    left_out = len(text) - RESULT_HEAD - RESULT_TAIL
    if left_out <= 200:
        return text
    return f"{text[:RESULT_HEAD]}\n[... {left_out} characters left out ...]\n{text[-RESULT_TAIL:]}"
