"""Which lines of a Claude Code session hold: what was rewound does not, and what is told again is
told once.

Every line names the one before it, so a session is a tree. After a rewind the next prompt hangs
from an earlier line, and what followed that line until then is a dead branch. Other lines branch
too, all the time: tool calls at once, progress, attachments, two terminals in one session. So a
branch counts as rewound only if it begins with a prompt, ended before the prompt that took its
place, and hangs from a line that holds. A session that is resumed may begin with copies of its
lines under new ids.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from memctl.readers.messages import list_blocks
from memctl.readers.values import as_dict, as_text

_REPLAYED_TYPES = ("user", "assistant", "attachment")
# Characters of a text that tell it from others of the same moment.
_TOLD_APART = 80

ReplayKey = tuple[object, ...]


class _TreeLine(NamedTuple):
    """A line of the main thread: where it hangs, and the positions of its turns."""

    parent: str
    number: int
    is_message: bool
    is_prompt: bool
    turns: range


class LineTree:
    """The lines of a session's main thread, in the order of the file."""

    def __init__(self) -> None:
        self._lines: dict[str, _TreeLine] = {}
        # The id of the first copy of each line, and the ids of its other copies.
        self._first: dict[ReplayKey, str] = {}
        self._copies: dict[str, str] = {}

    def is_copy(self, uuid: str, entry: dict[str, Any], moment: str | None) -> bool:
        """Whether a line repeats an earlier one under a new id; from now on both are one."""
        key = _make_replay_key(entry, moment) if moment else None
        if not uuid or key is None:
            return False
        first = self._first.setdefault(key, uuid)
        if first == uuid:
            return False
        self._copies[uuid] = first
        return True

    def add(self, uuid: str, entry: dict[str, Any], turns: range, *, is_prompt: bool) -> None:
        """Add a line that made these turns; `is_prompt`: a person's words are among them."""
        if not uuid:
            return
        parent = as_text(entry.get("parentUuid")) or as_text(entry.get("logicalParentUuid"))
        is_message = entry.get("type") in ("user", "assistant")
        parent = self._copies.get(parent, parent)
        self._lines[uuid] = _TreeLine(parent, len(self._lines), is_message, is_prompt, turns)

    def list_rewound(self) -> list[int]:
        """Return the positions of the turns in rewound branches."""
        way = self._list_way()
        branches: dict[str, list[str]] = {}
        tops: dict[str, str] = {}
        for uuid in self._lines:
            top = self._find_top(uuid, way, tops)
            if top:
                branches.setdefault(top, []).append(uuid)
        return [
            position
            for top, members in branches.items()
            for uuid in self._list_dead(top, members, way)
            for position in self._lines[uuid].turns
        ]

    def _list_way(self) -> dict[str, str]:
        """The lines from the last message to the root, each with the one that follows it."""
        lines = self._lines
        at = next((uuid for uuid in reversed(lines) if lines[uuid].is_message), "")
        way: dict[str, str] = {}
        after = ""
        while at in lines and at not in way:
            way[at], after = after, at
            at = lines[at].parent
        return way

    def _find_top(self, uuid: str, way: dict[str, str], tops: dict[str, str]) -> str:
        """The first line of the branch that a line is on; empty on the way, or where no way is."""
        climbed: dict[str, None] = {}
        at, top = uuid, ""
        while at in self._lines and at not in way and at not in tops and at not in climbed:
            climbed[at] = None
            parent = self._lines[at].parent
            if parent in way:
                top = at
            at = parent
        top = top or tops.get(at, "")
        tops.update(dict.fromkeys(climbed, top))
        return top

    def _list_dead(self, top: str, members: list[str], way: dict[str, str]) -> list[str]:
        """The lines of a branch from its prompts on, if another prompt took their place."""
        lines = self._lines
        taken = way[lines[top].parent]
        while taken and not lines[taken].is_message:
            taken = way[taken]
        if not taken or not lines[taken].is_prompt:
            return []
        dead: dict[str, None] = {}
        for uuid in members:
            if lines[uuid].is_prompt or lines[uuid].parent in dead:
                dead[uuid] = None
        last = max((lines[uuid].number for uuid in dead if lines[uuid].is_message), default=-1)
        return list(dead) if last < lines[taken].number else []


def _make_replay_key(entry: dict[str, Any], moment: str) -> ReplayKey | None:
    """What a line and its copies have in common, and no other line has."""
    kind = entry.get("type")
    if kind not in _REPLAYED_TYPES:
        return None
    message = as_dict(entry.get("message"))
    content = message.get("content", as_dict(entry.get("attachment")).get("prompt"))
    blocks = tuple(
        (
            as_text(block.get("type")),
            as_text(block.get("id")) or as_text(block.get("tool_use_id")),
            len(text := as_text(block.get("text")) or as_text(block.get("thinking"))),
            text[:_TOLD_APART],
        )
        for block in list_blocks(content)
    )
    return (kind, moment, as_text(message.get("id")), blocks) if blocks else None
