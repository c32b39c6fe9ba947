"""Add one file to the `read:` list of `.aider.conf.yml`, or take it out again. Pure.

aider has no hooks: the files that it always reads are the only way to tell it something. PyYAML
says where each value stands in the text, so everything else keeps its bytes; every result is read
again before it is accepted.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any
from memctl.setup.blocks import Block, newline_of
from memctl.setup.textedit import Edit, Span, Unfit, insert
from memctl.setup.yaml_settings import find_value, load_settings

# Text outside a list that leaves nothing behind: a byte order mark and white space.
_BLANK = "\ufeff \t\r\n"


@dataclass(frozen=True, slots=True)
class ReadList:
    """The editor for one file that aider always reads."""

    file: str = ""
    name: str = "read-list"

    def is_current(self, text: str) -> bool:
        """Whether the file is in the list."""
        return self.file in _list_files(load_settings(text))

    def has_ours(self, text: str) -> bool:
        """Whether the file is in the list."""
        return self.is_current(text)

    def add(self, text: str) -> Edit:
        """Return the text with the file in the list. Raises Unfit."""
        settings = load_settings(text)
        node = find_value(text, "read")
        if node is None:
            with_block = self._block().add(text)
            edit = Edit(with_block.text, with_block.spans, (("read",),))
        else:
            edit = insert(text, self._insertions(text, node))
        expected = {**settings, "read": [*_list_files(settings), self.file]}
        if load_settings(edit.text) != expected:
            raise Unfit(f"its `read` cannot be added to; add {self.file} to it yourself")
        return edit

    def remove(self, text: str, _made: Sequence[tuple[str, ...]] | None) -> str:
        """Return the text without the file. Raises Unfit."""
        without_block = self._block().remove(text, None)
        if self.agrees(without_block, text):
            return without_block
        node = find_value(text, "read")
        without_item = text if node is None else self._cut_item(text, node)
        if without_item == text or not self.agrees(without_item, text):
            raise Unfit(f"take {self.file} out of its `read` yourself")
        return without_item

    def agrees(self, text: str, other: str) -> bool:
        """Whether `text` says what `other` says without our file."""
        try:
            mine, theirs = load_settings(text), load_settings(other)
            my_files, their_files = _list_files(mine), _list_files(theirs)
        except Unfit:
            return False
        if my_files != [one for one in their_files if one != self.file]:
            return False
        return {**mine, "read": None} == {**theirs, "read": None}

    def is_bare(self, text: str) -> bool:
        """Whether nothing is left."""
        return not text.strip(_BLANK)

    @property
    def _quoted(self) -> str:
        return json.dumps(self.file, ensure_ascii=False)

    def _block(self) -> Block:
        return Block(f"read:\n  - {self._quoted}")

    def _insertions(self, text: str, node: Any) -> list[Span]:
        """The insertions that add the file to the value of `read`. Raises Unfit."""
        start, end = node.start_mark.index, node.end_mark.index
        if node.id == "sequence":
            return [self._list_insertion(text, node)]
        if start == end:
            return [self._new_line(text, end, "  ")]
        if node.id == "scalar" and node.style in (None, "'", '"'):
            return [(start, "["), (end, f", {self._quoted}]")]
        raise Unfit(f"its `read` cannot be added to; add {self.file} to it yourself")

    def _list_insertion(self, text: str, node: Any) -> Span:
        if node.flow_style:
            before = ", " if node.value else ""
            return node.end_mark.index - 1, before + self._quoted
        indent = " " * node.start_mark.column
        return self._new_line(text, node.value[-1].end_mark.index, indent)

    def _new_line(self, text: str, after: int, indent: str) -> Span:
        """A list item on a line of its own, below the line of the offset `after`."""
        newline = newline_of(text)
        line_end = text.find(newline, after)
        return line_end if line_end >= 0 else len(text), f"{newline}{indent}- {self._quoted}"

    def _cut_item(self, text: str, node: Any) -> str:
        """Cut our file out of the list, with its comma or its line."""
        items: list[Any] = node.value if node.id == "sequence" else [node]
        ours = [index for index, item in enumerate(items) if item.value == self.file]
        if not ours:
            return text
        index = ours[0]
        start, end = items[index].start_mark.index, items[index].end_mark.index
        if node.id == "sequence" and not node.flow_style:
            start = text.rindex("-", 0, start)
            start = len(text[:start].rstrip(" \t"))
            start -= len(newline_of(text)) if start else 0
        elif index:
            start = items[index - 1].end_mark.index
        elif len(items) > 1:
            end = items[1].start_mark.index
        return text[:start] + text[end:]


def _list_files(settings: dict[str, Any]) -> list[Any]:
    """The files that `read` names, as a list. Raises Unfit for any other value."""
    files = settings.get("read")
    if files is None:
        return []
    if not isinstance(files, str | list):
        raise Unfit("its `read` is no list of files")
    return files if isinstance(files, list) else [files]
