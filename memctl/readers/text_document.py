"""Read text files that people write: decode them, split off their front matter, keep line numbers.

A context that memctl handed out is blanked before anything is read, line for line, so that its
words do not count and the other lines keep their numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import SENTINEL_CLOSE, SENTINEL_OPEN
from memctl.readers.base import Input

_FRONT_MATTER_MARK = "---"
_FRONT_MATTER_ENDS = (_FRONT_MATTER_MARK, "...")
# Lines and characters; front matter that is longer is text. Chosen by hand: what people and tools
# write there stays below a tenth of it, and the YAML parser takes up to a second for a megabyte.
_MOST_FRONT_MATTER_LINES = 200
_LONGEST_FRONT_MATTER = 32_768
# `key: value` on one line, with a value that no quote, list or block sign begins.
_PLAIN_FIELD = compile_later(r"([A-Za-z_][\w-]{0,40}:)[ \t]{1,8}([^\s\"'\[{|>#].{0,2000})")


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A text without its front matter; `first_line` is the number of its first line, from 1.

    `front_matter` holds the fields by name in lower case: a value as it is written, or a list. The
    fields of a mapping in it (`metadata:`) stand beside the others, whose names come first.
    """

    front_matter: Mapping[str, str | list[str]]
    lines: list[str]
    first_line: int

    def get_value(self, name: str) -> str | None:
        """Return a field of the front matter that holds one value, or None."""
        value = self.front_matter.get(name)
        return value if isinstance(value, str) and value else None

    def get_values(self, name: str) -> list[str]:
        """Return a field of the front matter that holds one value or several."""
        value = self.front_matter.get(name, [])
        return value if isinstance(value, list) else [value]


def read_document(source: Input) -> TextDocument:
    """Read the whole input as a document."""
    return parse_document(source.read_text())


def parse_document(text: str) -> TextDocument:
    """Split a text into front matter and lines. Front matter that is no YAML mapping is text."""
    lines = blank_out_contexts(text).split("\n")
    end = _find_front_matter_end(lines)
    front_matter = _parse_front_matter("\n".join(lines[1:end])) if end else None
    if front_matter is None:
        return TextDocument({}, lines, 1)
    return TextDocument(front_matter, lines[end + 1 :], end + 2)


def decode_head(head: bytes) -> str:
    """Decode the first bytes of a file; empty for JSON and for what is no text."""
    if b"\0" in head or head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b""):
        return ""
    return head.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def blank_out_contexts(text: str) -> str:
    """Cut out every context that memctl handed out, and keep its line ends."""
    pieces, start = [], 0
    opened = text.find(SENTINEL_OPEN)
    while opened >= 0:
        pieces.append(text[start:opened])
        closed = text.find(SENTINEL_CLOSE, opened)
        start = len(text) if closed < 0 else closed + len(SENTINEL_CLOSE)
        pieces.append("\n" * text.count("\n", opened, start))
        opened = text.find(SENTINEL_OPEN, start)
    return "".join([*pieces, text[start:]]) if pieces else text


def _find_front_matter_end(lines: list[str]) -> int:
    """Return the index of the line that ends the front matter, or 0 if there is none."""
    if lines[0].rstrip() != _FRONT_MATTER_MARK:
        return 0
    for index, line in enumerate(lines[1:_MOST_FRONT_MATTER_LINES], 1):
        if line.rstrip() in _FRONT_MATTER_ENDS:
            return index
    return 0


def _parse_front_matter(text: str) -> dict[str, str | list[str]] | None:
    """Parse YAML into fields that hold text; None for what is no mapping.

    Editors and agents write fields that YAML refuses, such as `globs: *.ts` or `name: Tide: a
    plan`. If the text fails as a whole, it is tried once more with such values in quotes.
    """
    if len(text) > _LONGEST_FRONT_MATTER:
        return None
    value = _load_yaml(text)
    if value is None:
        value = _load_yaml("\n".join(map(_quote_value, text.split("\n"))))
    if not isinstance(value, dict):
        return None
    nested = [held for held in value.values() if isinstance(held, dict)]
    fields = {
        str(name).lower(): _to_text(held)
        for mapping in (*reversed(nested), value)
        for name, held in mapping.items()
        if _to_text(held) is not None
    }
    return {name: held for name, held in fields.items() if held is not None}


def _load_yaml(text: str) -> object:
    """Return the YAML value with every scalar as it is written; None for no YAML."""
    import yaml  # takes 20 ms, and few files have front matter

    try:
        # The safe loader without its types: a date or a number stays as it is written.
        return yaml.load(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError):
        return None


def _quote_value(line: str) -> str:
    field = _PLAIN_FIELD.fullmatch(line.rstrip())
    if field is None:
        return line
    escaped = field[2].replace("'", "''")
    return f"{field[1]} '{escaped}'"


def _to_text(value: object) -> str | list[str] | None:
    """Return text or a list of text; None for a mapping."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return [item.strip() for item in value if isinstance(item, str)]
    return None
