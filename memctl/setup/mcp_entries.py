"""Add memctl's MCP server to a client's settings, in JSON or TOML, and take it out again. Pure.

Setup owns an entry `memctl` that starts `memctl mcp` by its whole path and names its agent. One
that does not was written by hand: it serves, and stays.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence

from memctl.core.frozen import dataclass, field
from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import Any
from memctl.setup.blocks import newline_of
from memctl.setup.hooks import (
    build_insertions,
    is_bare_object,
    is_same_object,
    merge_settings,
    parse_object,
    remove_empty,
)
from memctl.setup.jsonc import Node
from memctl.setup.textedit import Edit, Unfit, fill_empty, insert, remove_element
from memctl.setup.toml_hooks import load_toml

ENTRY = "memctl"
_AGENT = "MEMCTL_AGENT"
_TABLE = "mcp_servers"
# Our table to the end of its pairs; what follows after a blank line is somebody's.
_OWN_TABLE = compile_later(
    rf"(?:\r?\n)?^\[{_TABLE}\.{ENTRY}\][ \t]*\r?\n(?:[A-Za-z_]+ *= *.*(?:\r?\n|\Z))*", re.MULTILINE
)
# Between the keys of a path, as the manifest keeps it.
_DOT = "."


@dataclass(frozen=True, slots=True)
class McpJson:
    """The editor for an entry in JSON, with comments or without: below which keys, and what."""

    keys: tuple[str, ...]
    wanted: Mapping[str, Any] = field(default_factory=dict)
    name: str = "mcp-json"

    @property
    def about(self) -> str:
        """What has to be known to take the entry out again."""
        return _DOT.join(self.keys)

    def is_current(self, text: str) -> bool:
        """Whether a server is named there, and none of an earlier setup."""
        found = _find_entry(parse_object(text), self.keys)
        return found is not None and (not is_setups(found) or found == self.wanted)

    def has_ours(self, text: str) -> bool:
        """Whether setup wrote the entry."""
        return is_setups(_find_entry(parse_object(text), self.keys))

    def add(self, text: str) -> Edit:
        """Return the text with the entry. Raises Unfit."""
        root = parse_object(text)
        wanted: dict[str, Any] = {ENTRY: dict(self.wanted)}
        for key in reversed(self.keys):
            wanted = {key: wanted}
        if root is None:
            return insert(text, fill_empty(text, wanted), [self.keys[:1]])
        insertions, made = build_insertions(text, root, wanted)
        edit = insert(text, insertions, made)
        written = parse_object(edit.text)
        if written is None or written.value != merge_settings(root.value, wanted):
            raise Unfit("its JSON is written in a way that cannot be added to")
        return edit

    def remove(self, text: str, made: Sequence[tuple[str, ...]] | None) -> str:
        """Return the text without the entry, and without the objects that setup made for it."""
        holder = _find_holder(parse_object(text), self.keys)
        if holder is None:
            return text
        for index, element in enumerate(holder.elements):
            if element.key == ENTRY and is_setups(element.node.value):
                text = remove_element(text, holder, index)
                break
        for count in range(len(self.keys), 0, -1):
            if made is None or self.keys[:count] in made or self.keys[:1] in made:
                text = remove_empty(text, self.keys[:count])
        return text

    def agrees(self, text: str, other: str) -> bool:
        """Whether two texts say the same."""
        return is_same_object(text, other)

    def is_bare(self, text: str) -> bool:
        """Whether the file holds nothing that anybody wrote."""
        return is_bare_object(text)


@dataclass(frozen=True, slots=True)
class McpToml:
    """The editor for an entry in Codex's TOML: a table of its own at the end of the file."""

    wanted: Mapping[str, Any] = field(default_factory=dict)
    name: str = "mcp-toml"
    about: str = ""

    def is_current(self, text: str) -> bool:
        """Whether a server is named there, and none of an earlier setup."""
        found = self._find(text)
        return found is not None and (not is_setups(found) or found == self.wanted)

    def has_ours(self, text: str) -> bool:
        """Whether setup wrote the entry."""
        return is_setups(self._find(text))

    def add(self, text: str) -> Edit:
        """Return the text with the table. Raises Unfit."""
        before = load_toml(text)
        newline = newline_of(text)
        gap = newline if text.strip("\ufeff \t\r\n") else ""
        start = newline if text.strip("\ufeff") and not text.endswith("\n") else ""
        lines = [
            f"[{_TABLE}.{ENTRY}]",
            *(f"{key} = {_dump(self.wanted[key])}" for key in self.wanted),
        ]
        edit = insert(text, [(len(text), start + gap + newline.join(lines) + newline)])
        servers = before.get(_TABLE) or {}
        if not isinstance(servers, dict):
            raise Unfit(f"{_TABLE} is no table")
        expected = {**before, _TABLE: {**servers, ENTRY: dict(self.wanted)}}
        try:
            is_right = load_toml(edit.text) == expected
        except Unfit:
            is_right = False
        if not is_right:
            raise Unfit("its mcp_servers are written in a way that cannot be added to")
        return edit

    def remove(self, text: str, made: Sequence[tuple[str, ...]] | None) -> str:
        """Return the text without the table. Raises Unfit."""
        if not self.has_ours(text):
            return text
        cut = _OWN_TABLE.sub("", text, count=1)
        if self.has_ours(cut):
            raise Unfit(f"take [{_TABLE}.{ENTRY}] out of it yourself")
        return cut

    def agrees(self, text: str, other: str) -> bool:
        """Whether two texts say the same."""
        try:
            return load_toml(text) == load_toml(other)
        except Unfit:
            return False

    def is_bare(self, text: str) -> bool:
        """Whether the file holds nothing that anybody wrote."""
        return not text.strip("\ufeff \t\r\n")

    def _find(self, text: str) -> Any:
        servers = load_toml(text).get(_TABLE)
        return servers.get(ENTRY) if isinstance(servers, dict) else None


def is_setups(entry: Any) -> bool:
    """Whether setup wrote an entry: it names the agent, and the program by its whole path."""
    if not isinstance(entry, dict):
        return False
    command, args = entry.get("command"), entry.get("args")
    words = command if isinstance(command, list) else [command, *(args or ())]
    environ = entry.get("env") or entry.get("environment")
    return (
        bool(words)
        and all(isinstance(word, str) for word in words)
        and os.path.isabs(words[0])
        and words[1:] == ["mcp"]
        and isinstance(environ, dict)
        and _AGENT in environ
    )


def _find_holder(root: Node | None, keys: Sequence[str]) -> Node | None:
    for key in keys:
        element = root.element(key) if root is not None else None
        root = element.node if element is not None else None
    return root if root is not None and isinstance(root.value, dict) else None


def _find_entry(root: Node | None, keys: Sequence[str]) -> Any:
    holder = _find_holder(root, keys)
    return None if holder is None else holder.value.get(ENTRY)


def _dump(value: Any) -> str:
    """A text, a list of texts or a table of texts as TOML on one line."""
    if isinstance(value, Mapping):
        pairs = (f"{key} = {_dump(each)}" for key, each in value.items())
        return f"{{ {', '.join(pairs)} }}"
    return json.dumps(value, ensure_ascii=False)
