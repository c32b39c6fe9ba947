"""Droid's sessions (Factory): the session store, messages a line each, and the stream that `droid exec` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.readers.messages import join_text
from memctl.readers.session_log import Log
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

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
        objects = parse_head_objects(head)
        if any(entry.get("type") == "session_start" and "id" in entry for entry in objects[:3]):
            return 0.97
        return 0.96 if any(_is_step(entry) for entry in objects) else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        log = _Session(source, Droid.name, Droid.agent, _WRAPPINGS)
        for line, entry in source.read_json_lines():
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
    kind, ts = as_text(entry.get("type")), parse_time(entry.get("timestamp"))
    if kind == "session_start" or (kind == "system" and entry.get("subtype") == "init"):
        _begin(log, entry, ts)
    elif kind == "message":
        _message(log, line, entry, ts)
    elif kind == "tool_call":
        tool = as_name(entry.get("toolName")) or as_name(entry.get("toolId"))
        log.call(tool, entry.get("parameters"), call_id=entry.get("id"), ts=ts, line=line)
    elif kind == "tool_result":
        ok = False if entry.get("isError") is True else None
        log.result(
            join_text(entry.get("value")),
            call_id=entry.get("id"),
            tool=entry.get("toolId"),
            ok=ok,
            ts=ts,
            line=line,
        )
    elif kind == "completion":
        log.complete(as_text(entry.get("finalText")), ts=ts, line=line)
    elif kind == "compaction_state":
        log.summary(
            as_text(entry.get("summaryText")) or as_text(entry.get("summary")), ts=ts, line=line
        )
    elif kind not in _QUIET and kind != "system":
        log.source.unknown[f"type {kind[:40]}" if kind else "type (none)"] += 1


def _begin(log: Log, entry: dict[str, Any], ts: str | None) -> None:
    log.session_id = as_name(entry.get("sessionId")) or as_name(entry.get("id")) or log.session_id
    log.title = as_name(entry.get("sessionTitle")) or as_name(entry.get("title")) or log.title
    log.cwd = as_name(entry.get("cwd")) or log.cwd
    log.parent = as_name(entry.get("callingSessionId")) or as_name(entry.get("parentSessionId"))
    log.is_sub, log.begun = log.parent is not None and "callingSessionId" in entry, ts


def _message(log: Log, line: int, entry: dict[str, Any], ts: str | None) -> None:
    message = as_dict(entry.get("message")) or entry
    role, content = as_text(message.get("role")), message.get("content", message.get("text"))
    for block in (
        [{"type": "text", "text": content}]
        if isinstance(content, str)
        else map(as_dict, as_list(content))
    ):
        kind = as_text(block.get("type"))
        if kind == "text" and role == "user":
            log.prompt(as_text(block.get("text")), ts=ts, line=line)
        elif kind == "text" and role == "assistant":
            log.answer(as_text(block.get("text")), ts=ts, line=line)
        elif kind == "tool_use":
            log.call(
                as_name(block.get("name")),
                block.get("input"),
                call_id=block.get("id"),
                ts=ts,
                line=line,
            )
        elif kind == "tool_result":
            ok = False if block.get("is_error") is True else None
            log.result(
                join_text(block.get("content")),
                call_id=block.get("tool_use_id"),
                ok=ok,
                ts=ts,
                line=line,
            )
        elif kind not in _QUIET_BLOCKS:
            log.source.unknown[f"block {kind[:40]}"] += 1
