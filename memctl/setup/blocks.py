"""Files that are not JSON: a marked block at the end of somebody's file, and whole files of setup's own. Pure."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any

from memctl.core.frozen import dataclass
from memctl.setup.textedit import Edit, Unfit, inserted

BEGIN, END = "memctl setup: begin", "memctl setup: end"
WHOLE = "Written by memctl setup"


@dataclass(frozen=True, slots=True)
class Block:
    """A block between two marks in comments. A file of the kind `toml` is checked to stay readable; `limit` is in characters."""

    body: str = ""
    opening: str = "# "
    closing: str = ""
    kind: str = ""
    limit: int | None = None
    name: str = "block"

    def is_current(self, text: str) -> bool:
        """Whether the block stands there as it would be written now."""
        return self._block(_newline(text)) in text

    def has_ours(self, text: str) -> bool:
        """Whether a block stands there, or a part of one."""
        return BEGIN in text

    def add(self, text: str) -> Edit:
        """The text with the block at its end. Raises Unfit."""
        newline = _newline(text)
        before = newline if text.strip("\ufeff") and not text.endswith("\n") else ""
        edit = inserted(text, [(len(text), before + self._block(newline))])
        if self.limit and len(edit.text) > self.limit:
            raise Unfit(
                f"with what is to be added it would exceed the {self.limit:,} characters that are read of it"
            )
        if self.kind == "toml" and _toml(text) is not None and _toml(edit.text) is None:
            raise Unfit("its hooks are written in a way that cannot be added to")
        return edit

    def remove(self, text: str, _made: Sequence[tuple[str, ...]] | None) -> str:
        """The text without any block, marks included. Raises Unfit for a mark without its other half."""
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
    """A file that is setup's own from the first byte to the last; `mark` is what every version of it holds."""

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
        """The file. Raises Unfit where somebody else's is."""
        if text:
            raise Unfit("there is a file of that name that memctl did not write")
        return inserted(text, [(0, self.body)])

    def remove(self, text: str, made: Sequence[tuple[str, ...]] | None) -> str:
        """Nothing. Raises Unfit where it was changed by hand, as far as is known."""
        if made is not None:
            raise Unfit("it was changed by hand; remove it yourself")
        return ""

    def agrees(self, _text: str, _other: str) -> bool:
        """No part of it is anybody else's."""
        return False

    def is_bare(self, text: str) -> bool:
        """Whether nothing is left."""
        return not text


def toml_table(events: Sequence[tuple[str, str, int]]) -> str:
    """Hooks as tables of TOML: event, command and seconds."""
    table = '[[hooks.{0}]]\n[[hooks.{0}.hooks]]\ntype = "command"\ncommand = {1}\ntimeout = {2}'
    return "\n\n".join(
        table.format(event, json.dumps(line, ensure_ascii=False), seconds)
        for event, line, seconds in events
    )


def toml(text: str) -> dict[str, Any]:
    """The settings of a TOML file. Raises Unfit."""
    found = _toml(text)
    if found is None:
        raise Unfit("it is not TOML")
    return found


def _toml(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(re.sub(r"\r\n", "\n", text.lstrip("\ufeff")))
    except (ValueError, RecursionError):
        return None


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
