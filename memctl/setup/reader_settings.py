"""Name the agent that reads for `maintain` in the operator's config.yaml, or take it out. Pure.

PyYAML says where the block `maintain` stands in the text, so everything else keeps its bytes; every
result is read again before it is accepted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import Any
from memctl.setup.blocks import newline_of
from memctl.setup.textedit import Edit, Span, Unfit, insert
from memctl.setup.yaml_settings import find_value, load_settings

_BLOCK = "maintain"
_MODEL = "model"
_COMMENT = "# An agent reads conversations for `memctl maintain`; see docs/models.md."
# Values that mean the same to YAML without quotation marks.
_PLAIN = compile_later(r"[\w./-]+(?::[\w./-]+)*")
_BLANK = "\ufeff \t\r\n"


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """The editor for the agent that reads: its model, and what else is set where nothing is.

    `others` are pairs of a setting of the block and its value.
    """

    model: str = ""
    others: tuple[tuple[str, Any], ...] = ()
    name: str = "reader"

    def is_current(self, text: str) -> bool:
        """Whether this agent reads, and everything else that it needs is set."""
        block = _read_block(load_settings(text))
        return block.get(_MODEL) == self.model and not self._list_missing(block)

    def has_ours(self, text: str) -> bool:
        """Whether this agent reads."""
        return bool(self.model) and _read_block(load_settings(text)).get(_MODEL) == self.model

    def add(self, text: str) -> Edit:
        """Return the text with the agent. Raises Unfit where another model is named."""
        settings = load_settings(text)
        block = _read_block(settings)
        named = block.get(_MODEL)
        if named not in (None, "", self.model):
            raise Unfit(f"its maintain.model is {named!r} already; change it yourself")
        new = {**({} if named else {_MODEL: self.model}), **self._list_missing(block)}
        added = {key: value for key, value in new.items() if key not in block}
        spans = [span for key in new if key in block for span in _fill_value(text, key, new[key])]
        expected = {**settings, _BLOCK: {**block, **new}}
        edit = insert(
            text, [*spans, *self._insertions(text, added)], [(_BLOCK, key) for key in added]
        )
        if load_settings(edit.text) != expected:
            raise Unfit("its `maintain` cannot be added to; set maintain.model yourself")
        return edit

    def remove(self, text: str, made: Sequence[tuple[str, ...]] | None) -> str:
        """Return the text without the settings that were added. Raises Unfit."""
        keys = [path[-1] for path in made or ()]
        for key in keys:
            text = _cut_line(text, key)
        if _COMMENT in text and not _read_block(load_settings(text)):
            start = text.index(_COMMENT)
            head = re.compile(rf"{re.escape(_COMMENT)}\r?\nmaintain:[ \t]*(?:\r?\n|$)")
            text = text[:start] + head.sub("", text[start:], count=1)
        if any(key in _read_block(load_settings(text)) for key in keys):
            raise Unfit("take maintain.model out of it yourself")
        return text

    def agrees(self, text: str, other: str) -> bool:
        """Whether two texts say the same."""
        try:
            return load_settings(text) == load_settings(other)
        except Unfit:
            return False

    def is_bare(self, text: str) -> bool:
        """Whether nothing is left."""
        return not text.strip(_BLANK)

    def _list_missing(self, block: Mapping[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in self.others if block.get(key) in (None, "")}

    def _insertions(self, text: str, new: Mapping[str, Any]) -> list[Span]:
        newline, pairs = (
            newline_of(text),
            [f"{key}: {_format(value)}" for key, value in new.items()],
        )
        node = find_value(text, _BLOCK)
        if node is None:
            before = newline if text.strip(_BLANK) and not text.endswith("\n") else ""
            lines = [_COMMENT, f"{_BLOCK}:", *(f"  {pair}" for pair in pairs)]
            return [(len(text), before + newline.join(lines) + newline)]
        spans: list[Span] = []
        start = node.start_mark.index
        if node.id == "mapping" and node.flow_style:
            spans.append((start + 1, ", ".join(pairs) + (", " if node.value and pairs else "")))
        elif node.id == "mapping":
            indent = newline + " " * node.start_mark.column
            spans.append((start, "".join(pair + indent for pair in pairs)))
        else:
            line_end = text.find(newline, start)
            at = line_end if line_end >= 0 else len(text)
            spans.append((at, "".join(f"{newline}  {pair}" for pair in pairs)))
        return [span for span in spans if span[1]]


def _fill_value(text: str, key: str, value: Any) -> list[Span]:
    """The insertion that gives an empty setting of the block its value."""
    node = find_value(text, _BLOCK, key)
    if node.start_mark.index == node.end_mark.index:
        return [(node.start_mark.index, f" {_format(value)}")]
    is_quoted = node.style in ("'", '"') and _PLAIN.fullmatch(str(value))
    return [(node.start_mark.index + 1, str(value))] if is_quoted else []


def _read_block(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The block `maintain`. Raises Unfit if it is something else."""
    block = settings.get(_BLOCK)
    if block is not None and not isinstance(block, dict):
        raise Unfit("its `maintain` is no block of settings")
    return block or {}


def _cut_line(text: str, key: str) -> str:
    """The text without the line of a setting, or without the setting in a block on one line."""
    node = find_value(text, _BLOCK, key)
    if node is None:
        return text
    end = node.end_mark.index
    start = text.rindex(key, 0, node.start_mark.index + 1)
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    if not text[line_start:start].strip():
        return text[:line_start] + (text[line_end + 1 :] if line_end >= 0 else "")
    behind = re.match(r"[ \t]*,[ \t]*", text[end:])
    return text[:start] + text[end + (behind.end() if behind else 0) :]


def _format(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)
