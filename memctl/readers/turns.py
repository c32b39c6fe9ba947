"""The growing list of turns that every reader fills, and the cleaning that every text passes on its way in.

It keeps true: no text that memctl itself handed out comes back, neither marked nor as the result of a tool call that asked memctl; no turn
is empty, turns are numbered without gaps.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memctl.core import timestamps
from memctl.core.frozen import replace
from memctl.core.model import CONTEXT_NOTICE, SENTINEL_CLOSE, SENTINEL_OPEN, Role, Turn
from memctl.readers.memctl_calls import is_memctl_call

_ISO_MS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
# The fence in any case, also as a web page escapes it.
_FENCE = re.compile(
    rf"(?:<|&lt;)(?:(/){SENTINEL_CLOSE[2:-1]}(?:>|&gt;)|{SENTINEL_OPEN[1:]})", re.IGNORECASE
)
# What is left of a context whose fence was lost, in any of its formats: its notice, and lines under a short id with what is indented below.
_SHORT = r"0[0-9A-HJKMNP-TV-Z]{9,25}"
_LINES = re.compile(
    rf"^[ \t>*]{{0,8}}(?:(?:(?:- )?\[{_SHORT}\] |(?:<|&lt;)memory id=(?:\"|&quot;){_SHORT}(?:\"|&quot;)(?:>|&gt;)).*"
    rf"(?:\n[ \t>]{{0,8}}\| .*|\n(?:> ?)?    \S.*)*"
    rf"|(?:(?:<|&lt;)notice(?:>|&gt;))?{re.escape(CONTEXT_NOTICE)}.*)",
    re.MULTILINE | re.IGNORECASE,
)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# Above this a number cannot be seconds (the year 5138), so it is milliseconds.
_MOST_SECONDS = 1e11


class Turns:
    """Turns in the order of the file; a turn can be changed or taken back while the file is read."""

    def __init__(self) -> None:
        self._turns: list[Turn | None] = []
        # The calls that asked memctl; a result without an id belongs to the call before it.
        self._ours: set[str | None] = set()
        self.started_at: str | None = None
        self.ended_at: str | None = None

    def __len__(self) -> int:
        return len(self._turns)

    def add(
        self,
        role: Role,
        kind: str,
        text: str,
        *,
        ts: str | None = None,
        speaker: str | None = None,
        tool: str | None = None,
        call_id: str | None = None,
        ok: bool | None = None,
        line: int = 0,
        data: Mapping[str, Any] | None = None,
    ) -> int | None:
        """Append a turn and return its place; None when nothing is left of its text (a tool's result may be empty)."""
        text = clean_text(text)
        if kind == "tool_call":
            self._note_call(tool or "", text, call_id, data)
        elif kind == "tool_result" and call_id in self._ours:
            text, data = "", None
        if not text and kind != "tool_result":
            return None
        place = len(self._turns)
        self._turns.append(
            Turn(
                place,
                role,
                kind,
                text,
                ts,
                speaker,
                tool,
                call_id,
                ok,
                line,
                _clean_values(data) if data else {},
            )
        )
        self._extend_period(ts)
        return place

    def _note_call(
        self, tool: str, text: str, call_id: str | None, data: Mapping[str, Any] | None
    ) -> None:
        command = (data or {}).get("command")
        is_ours = is_memctl_call(tool, command if isinstance(command, str) else None, text)
        self._ours.discard(None)
        if is_ours:
            self._ours.add(call_id)

    def set_outcome(self, place: int, *, ok: bool | None) -> None:
        """Say what became of a turn."""
        turn = self._turns[place]
        if turn is not None:
            self._turns[place] = replace(turn, ok=ok)

    def remove(self, place: int) -> None:
        """Remove a turn that turned out to be said again later."""
        self._turns[place] = None

    def truncate(self, place: int) -> None:
        """Remove this turn and all after it."""
        del self._turns[place:]

    def collect(self) -> tuple[Turn, ...]:
        """All turns, numbered from 0 without gaps."""
        turns = [turn for turn in self._turns if turn is not None]
        if len(turns) == len(self._turns):
            return tuple(turns)
        return tuple(replace(turn, seq=seq) for seq, turn in enumerate(turns))

    def _extend_period(self, ts: str | None) -> None:
        if ts is None:
            return
        if self.started_at is None or ts < self.started_at:
            self.started_at = ts
        if self.ended_at is None or ts > self.ended_at:
            self.ended_at = ts


def clean_text(text: str) -> str:
    """The text without what memctl handed out before, without lone surrogates, without blank ends."""
    if "[0" in text or "memory id=" in (low := text.lower()) or "memctl" in low:
        text = _LINES.sub("", _remove_contexts(text))
    if not text.isascii():
        text = _LONE_SURROGATE.sub("\ufffd", text)
    return text.strip()


def _remove_contexts(text: str) -> str:
    """Cut out every marked context; one that is never closed was cut off, so it reaches to the end."""
    kept, start, inside = [], 0, False
    for mark in _FENCE.finditer(text):
        if not inside:
            kept.append(text[start : mark.start()])
        inside, start = not mark[1], mark.end()
    return "".join([*kept, "" if inside else text[start:]])


def _clean_values(value: Any) -> Any:
    """The same cleaning for what stands beside a text: our own small mappings of strings and lists."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_clean_values(child) for child in value]
    if isinstance(value, Mapping):
        return {key: _clean_values(child) for key, child in value.items()}
    return value


def as_text(value: object) -> str:
    """The value if it is text, else nothing: foreign files hold every type in every place."""
    return value if isinstance(value, str) else ""


def as_dict(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_name(value: object) -> str | None:
    """An id, path or title: clean text, or None."""
    return clean_text(as_text(value)) or None


def parse_time(value: object) -> str | None:
    """A foreign time (ISO text, Unix seconds or milliseconds) as ISO 8601 UTC with milliseconds, or None."""
    try:
        if isinstance(value, str):
            return _parse_time_text(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return timestamps.format_iso(value / 1000 if value > _MOST_SECONDS else value)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def _parse_time_text(text: str) -> str:
    if _ISO_MS.fullmatch(text):
        datetime.fromisoformat(text)
        return text
    return timestamps.format_iso(timestamps.parse_iso(text.strip()))
