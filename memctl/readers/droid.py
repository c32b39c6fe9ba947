"""Droid's sessions (Factory): the session store, messages a line each, and the stream that `droid exec` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.readers.messages import flat
from memctl.readers.session_log import Log
from memctl.readers.sniffing import head_objects
from memctl.readers.turns import dict_of, list_of, name_of, text_of, when

_QUIET = frozenset(["todo_state", "session_end", "error", "reasoning", "settings"])
_QUIET_BLOCKS = frozenset(["thinking", "redacted_thinking", "image", "document"])
_WRAPPINGS = frozenset(["system-reminder", "system-notification", "user-attachments"])


class Droid:
    """Reads Droid sessions."""

    name: ClassVar[str] = "droid"
    agent: ClassVar[str] = "droid"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when the file opens with the start of a session, or holds steps of the stream."""
        objects = head_objects(head)
        if any(entry.get("type") == "session_start" and "id" in entry for entry in objects[:3]):
            return 0.97
        return 0.96 if any(_is_step(entry) for entry in objects) else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        log = _Session(source, Droid.name, Droid.agent, _WRAPPINGS)
        for line, entry in source.json_lines():
            _take(log, line, entry)
        yield log.transcript()


READER = Droid()


class _Session(Log):
    """A session, and what the agent said last."""

    said = ""

    def answer(self, text: str, *, ts: str | None = None, line: int = 0) -> int | None:
        """Add what the agent said."""
        self.said = text.strip() or self.said
        return super().answer(text, ts=ts, line=line)

    def complete(self, text: str, *, ts: str | None, line: int) -> None:
        """Add the last answer, unless the stream told it as a message before."""
        if text.strip() != self.said:
            self.answer(text, ts=ts, line=line)


def _is_step(entry: dict[str, Any]) -> bool:
    kind = entry.get("type")
    is_said = kind == "message" and isinstance(entry.get("text"), str) and "role" in entry
    return "sessionId" in entry and (
        is_said
        or (kind == "tool_call" and "toolName" in entry)
        or (kind == "completion" and "finalText" in entry)
    )


def _take(log: _Session, line: int, entry: dict[str, Any]) -> None:
    kind, ts = text_of(entry.get("type")), when(entry.get("timestamp"))
    if kind == "session_start" or (kind == "system" and entry.get("subtype") == "init"):
        _begin(log, entry, ts)
    elif kind == "message":
        _message(log, line, entry, ts)
    elif kind == "tool_call":
        tool = name_of(entry.get("toolName")) or name_of(entry.get("toolId"))
        log.call(tool, entry.get("parameters"), call_id=entry.get("id"), ts=ts, line=line)
    elif kind == "tool_result":
        ok = False if entry.get("isError") is True else None
        log.result(
            flat(entry.get("value")),
            call_id=entry.get("id"),
            tool=entry.get("toolId"),
            ok=ok,
            ts=ts,
            line=line,
        )
    elif kind == "completion":
        log.complete(text_of(entry.get("finalText")), ts=ts, line=line)
    elif kind == "compaction_state":
        log.summary(
            text_of(entry.get("summaryText")) or text_of(entry.get("summary")), ts=ts, line=line
        )
    elif kind not in _QUIET and kind != "system":
        log.source.unknown[f"type {kind[:40]}" if kind else "type (none)"] += 1


def _begin(log: Log, entry: dict[str, Any], ts: str | None) -> None:
    log.session_id = name_of(entry.get("sessionId")) or name_of(entry.get("id")) or log.session_id
    log.title = name_of(entry.get("sessionTitle")) or name_of(entry.get("title")) or log.title
    log.cwd = name_of(entry.get("cwd")) or log.cwd
    log.parent = name_of(entry.get("callingSessionId")) or name_of(entry.get("parentSessionId"))
    log.is_sub, log.begun = log.parent is not None and "callingSessionId" in entry, ts


def _message(log: Log, line: int, entry: dict[str, Any], ts: str | None) -> None:
    message = dict_of(entry.get("message")) or entry
    role, content = text_of(message.get("role")), message.get("content", message.get("text"))
    for block in (
        [{"type": "text", "text": content}]
        if isinstance(content, str)
        else map(dict_of, list_of(content))
    ):
        kind = text_of(block.get("type"))
        if kind == "text" and role == "user":
            log.prompt(text_of(block.get("text")), ts=ts, line=line)
        elif kind == "text" and role == "assistant":
            log.answer(text_of(block.get("text")), ts=ts, line=line)
        elif kind == "tool_use":
            log.call(
                name_of(block.get("name")),
                block.get("input"),
                call_id=block.get("id"),
                ts=ts,
                line=line,
            )
        elif kind == "tool_result":
            ok = False if block.get("is_error") is True else None
            log.result(
                flat(block.get("content")),
                call_id=block.get("tool_use_id"),
                ok=ok,
                ts=ts,
                line=line,
            )
        elif kind not in _QUIET_BLOCKS:
            log.source.unknown[f"block {kind[:40]}"] += 1
