"""Editors for text files: a marked block in somebody's file, and whole files of our own. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from memctl.core.frozen import dataclass
from memctl.importers.page_statements import OWN_BLOCK_BEGIN, OWN_BLOCK_END
from memctl.setup.textedit import Edit, Unfit, insert

# The marks around a block, and the mark of a file that setup wrote whole.
BEGIN = OWN_BLOCK_BEGIN
END = OWN_BLOCK_END
WHOLE = "Written by memctl setup"


@dataclass(frozen=True, slots=True)
class Block:
    """A block between two marks in comments. `limit` is the most characters the agent reads."""

    body: str = ""
    opening: str = "# "
    closing: str = ""
    limit: int | None = None
    name: str = "block"

    def is_current(self, text: str) -> bool:
        """Whether the block stands there as it would be written now."""
        return self._block(newline_of(text)) in text

    def has_ours(self, text: str) -> bool:
        """Whether a block stands there, or a part of one."""
        return BEGIN in text

    def add(self, text: str) -> Edit:
        """Return the text with the block at its end. Raises Unfit."""
        newline = newline_of(text)
        before = newline if text.strip("\ufeff") and not text.endswith("\n") else ""
        edit = insert(text, [(len(text), before + self._block(newline))])
        if self.limit and len(edit.text) > self.limit:
            limit = f"{self.limit:,} characters"
            raise Unfit(f"with the addition it would exceed the {limit} that the agent reads")
        return edit

    def remove(self, text: str, _made: Sequence[tuple[str, ...]] | None) -> str:
        """Return the text without any block and its marks. Raises Unfit for an unclosed block."""
        while BEGIN in text:
            start, stop = (
                text.rfind("\n", 0, text.index(BEGIN)) + 1,
                text.find(END, text.index(BEGIN)),
            )
            if stop < 0:
                raise Unfit(f"it has the mark {BEGIN!r} but not the one that ends it")
            line_end = text.find("\n", stop)
            text = text[:start] + (text[line_end + 1 :] if line_end >= 0 else "")
        return text

    def agrees(self, text: str, other: str) -> bool:
        """Whether two texts say the same."""
        return BEGIN not in text and text.rstrip("\r\n") == other.rstrip("\r\n")

    def is_bare(self, text: str) -> bool:
        """Whether nothing is left."""
        return not text.strip("\ufeff \t\r\n")

    def _block(self, newline: str) -> str:
        lines = [
            self.opening + BEGIN + self.closing,
            *self.body.rstrip("\n").split("\n"),
            self.opening + END + self.closing,
        ]
        return newline.join(lines) + newline


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file that setup writes whole; `mark` is a text that every version of it holds."""

    body: str = ""
    mark: str = WHOLE
    name: str = "file"

    def is_current(self, text: str) -> bool:
        """Whether it stands there as it would be written now."""
        return text == self.body

    def has_ours(self, text: str) -> bool:
        """Whether setup wrote it."""
        return self.mark in text

    def add(self, text: str) -> Edit:
        """Return the file. Raises Unfit where somebody else's file is."""
        if text:
            raise Unfit("there is a file of that name that memctl did not write")
        return insert(text, [(0, self.body)])

    def remove(self, text: str, made: Sequence[tuple[str, ...]] | None) -> str:
        """Return an empty text. Raises Unfit if the file was changed by hand."""
        if made is not None:
            raise Unfit("it was changed by hand; remove it yourself")
        return ""

    def agrees(self, _text: str, _other: str) -> bool:
        """No part of it is anybody else's."""
        return False

    def is_bare(self, text: str) -> bool:
        """Whether nothing is left."""
        return not text


def newline_of(text: str) -> str:
    """The line end that a text uses: CR LF or LF."""
    return "\r\n" if "\r\n" in text else "\n"
