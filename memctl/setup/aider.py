"""The `read:` list of `.aider.conf.yml`: one more file in it, as an insertion into the text. Pure, and checked with a real YAML reader.

aider has no hooks; what it always reads is the only way to tell it something.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from memctl.core.frozen import dataclass
from memctl.setup.blocks import Block
from memctl.setup.textedit import Edit, Span, Unfit, inserted

_READ = re.compile(r"^read[ \t]*:[ \t]*([^\r\n]*)", re.M)
_ITEM = re.compile(r"\r?\n([ \t]*)-[ \t]+[^\r\n]*|\r?\n[ \t]*(?:#[^\r\n]*)?(?=\r?\n)")
_REMARK = re.compile(r"[ \t]+#.*$")


@dataclass(frozen=True, slots=True)
class ReadList:
    """One file that aider is to read always."""

    file: str = ""
    name: str = "read-list"

    def is_current(self, text: str) -> bool:
        """Whether it is read already."""
        return self.file in _listed(_settings(text))

    def has_ours(self, text: str) -> bool:
        """Whether it is read already."""
        return self.is_current(text)

    def add(self, text: str) -> Edit:
        """The text with the file in the list. Raises Unfit."""
        settings = _settings(text)
        found = _READ.search(text)
        if found is None:
            edit = self._block().add(text)
            edit = Edit(edit.text, edit.spans, (("read",),))
        else:
            edit = inserted(text, self._beside(text, found))
        wanted = {**settings, "read": [*_listed(settings), self.file]}
        if _settings(edit.text) != wanted:
            raise Unfit(
                f"its `read` is written in a way that cannot be added to; add {self.file} to it yourself"
            )
        return edit

    def remove(self, text: str, _made: Sequence[tuple[str, ...]] | None) -> str:
        """The text without the file. Raises Unfit."""
        without_block = self._block().remove(text, None)
        if _listed(_settings(without_block)) == [
            one for one in _listed(_settings(text)) if one != self.file
        ]:
            return without_block
        quoted = re.escape(self._quoted)
        for pattern in (
            rf"\r?\n[ \t]*-[ \t]+{quoted}[ \t]*(?=\r?\n|$)",
            rf",[ \t]*{quoted}",
            rf"{quoted}[ \t]*,[ \t]*",
            quoted,
        ):
            fewer = re.sub(pattern, "", text, count=1)
            if fewer != text and self.agrees(fewer, text):
                return fewer
        raise Unfit(f"take {self.file} out of its `read` yourself")

    def agrees(self, text: str, other: str) -> bool:
        """Whether a text says the same as another, but for our file."""
        try:
            mine, yours = _settings(text), _settings(other)
        except Unfit:
            return False
        others = [one for one in _listed(yours) if one != self.file]
        rest = {key: value for key, value in mine.items() if key != "read"}
        return _listed(mine) == others and rest == {
            key: value for key, value in yours.items() if key != "read"
        }

    def is_bare(self, text: str) -> bool:
        """Whether nothing is left."""
        return not text.strip("\ufeff \t\r\n")

    @property
    def _quoted(self) -> str:
        return json.dumps(self.file, ensure_ascii=False)

    def _block(self) -> Block:
        return Block(f"read:\n  - {self._quoted}")

    def _beside(self, text: str, found: re.Match[str]) -> list[Span]:
        """Where one more goes: behind the last of a list, before the bracket of one on a line, or around a single one."""
        said = _REMARK.sub("", found[1]).rstrip(" \t") if not found[1].startswith("#") else ""
        end = found.start(1) + len(said)
        if not said:
            return [self._below(text, found.end())]
        if said.startswith("[") and said.endswith("]"):
            return [(end - 1, f", {self._quoted}" if said[1:-1].strip() else self._quoted)]
        return [(found.start(1), "["), (end, f", {self._quoted}]")]

    def _below(self, text: str, at: int) -> Span:
        indent, end = "  ", at
        while item := _ITEM.match(text, at):
            at = item.end()
            if item[1] is not None:
                indent, end = item[1], at
        newline = "\r\n" if "\r\n" in text else "\n"
        return end, f"{newline}{indent}- {self._quoted}"


def _settings(text: str) -> dict[str, Any]:
    import yaml

    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise Unfit("it is not YAML") from error
    if found is not None and not isinstance(found, dict):
        raise Unfit("it holds no settings")
    return found or {}


def _listed(settings: dict[str, Any]) -> list[Any]:
    found = settings.get("read")
    if not isinstance(found, str | list | None):
        raise Unfit("its `read` is no list of files")
    return found if isinstance(found, list) else [] if found is None else [found]
