"""Text files that people write and read: their front matter, their headings, their fences, their lines with numbers.

A context that memctl handed out is blanked before anything is read, line for line, so that its words neither count nor shift the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from memctl.core.frozen import dataclass
from memctl.core.model import SENTINEL_CLOSE, SENTINEL_OPEN
from memctl.readers.base import Input

HEADING = re.compile(r"#{1,6}[ \t]{1,8}(\S.{0,300})")
LIST_ITEM = re.compile(r"\s{0,12}(?:[-*+]|\d{1,3}[.)])\s{1,4}\S")
_FIELD = re.compile(r"([A-Za-z_][\w-]{0,40}):\s{0,8}(.{0,1000})")
_FRONT_LINES = 200


@dataclass(frozen=True, slots=True)
class Document:
    """A text without its front matter; `first` is the number of its first line."""

    front: Mapping[str, str | list[str]]
    lines: list[str]
    first: int

    def value(self, name: str) -> str | None:
        """A field of the front matter that holds one value."""
        value = self.front.get(name)
        return value if isinstance(value, str) and value else None

    def values(self, name: str) -> list[str]:
        """A field of the front matter that holds one value or several."""
        value = self.front.get(name, [])
        return value if isinstance(value, list) else [value]


def document(source: Input) -> Document:
    """The whole input as a document."""
    return document_of(source.read_text())


def document_of(text: str) -> Document:
    """A text as a document."""
    lines = blank_contexts(text).split("\n")
    end = _front_end(lines)
    return Document(
        _front(lines[1:end]) if end else {}, lines[end + 1 if end else 0 :], end + 2 if end else 1
    )


def head_text(head: bytes) -> str:
    """The first bytes of a file as text, or nothing for what is no text."""
    if b"\0" in head or head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b""):
        return ""
    return head.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def blank_contexts(text: str) -> str:
    """The text with each marked context cut out, its line ends kept."""
    kept, start = [], 0
    opened = text.find(SENTINEL_OPEN)
    while opened >= 0:
        kept.append(text[start:opened])
        closed = text.find(SENTINEL_CLOSE, opened)
        start = len(text) if closed < 0 else closed + len(SENTINEL_CLOSE)
        kept.append("\n" * text.count("\n", opened, start))
        opened = text.find(SENTINEL_OPEN, start)
    return "".join([*kept, text[start:]]) if kept else text


def outside_fences(lines: list[str]) -> Iterator[tuple[int, str, bool]]:
    """Each line with its place and whether it stands outside of fenced code."""
    fence = ""
    for place, line in enumerate(lines):
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and (not fence or fence == mark):
            fence = "" if fence else mark
            yield place, line, False
        else:
            yield place, line, not fence


def _front_end(lines: list[str]) -> int:
    """The place of the line that ends the front matter, or 0 without any."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    for place, line in enumerate(lines[1:_FRONT_LINES], 1):
        if line.rstrip() in ("---", "..."):
            return place
    return 0


def _front(lines: list[str]) -> dict[str, str | list[str]]:
    """The simple part of YAML that front matter uses: values and lists of values."""
    found: dict[str, str | list[str]] = {}
    listed: list[str] = []
    for line in lines:
        item = line.strip()
        if item.startswith("- "):
            listed.append(_bare(item[2:]))
        elif field := _FIELD.fullmatch(line.rstrip()):
            value = field[2].strip()
            listed = (
                [_bare(each) for each in value[1:-1].split(",")]
                if value.startswith("[") and value.endswith("]")
                else []
            )
            found[field[1].lower()] = listed if not value or listed else _bare(value)
    return found


def _bare(value: str) -> str:
    return value.strip().strip("\"'")
