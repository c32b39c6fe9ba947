"""Pi's sessions and those of its family (OMP, OpenClaw): a tree of entries a line each; what happened is the way to the last one.

Kept true: a branch that was left is gone; what a program put in (custom messages, wake-up prompts) is nobody's words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.readers.channel_text import strip_channel_context
from memctl.readers.messages import join_text
from memctl.readers.session_log import Log
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_QUIET = frozenset(
    [
        "model_change",
        "thinking_level_change",
        "custom",
        "custom_message",
        "label",
        "title",
        "leaf",
        "mode_change",
        "ttsr_injection",
        "context_transform",
        "ephemeral",
    ]
)
_WRAPPINGS = frozenset(["system-reminder", "skill", "relevant-memories"])


class Pi:
    """Reads the sessions of Pi and its family."""

    name: ClassVar[str] = "pi"
    agent: ClassVar[str] = "pi"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when the file opens with a session's header."""
        opening = [
            entry
            for entry in parse_head_objects(head)[:4]
            if entry.get("type") == "session" and "timestamp" in entry and "id" in entry
        ]
        return 0.97 if opening else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        log = Log(source, Pi.name, _agent(source), _WRAPPINGS)
        entries = list(source.read_json_lines())
        kept = _live(entries)
        for line, entry in entries:
            if line in kept:
                _take(log, line, entry)
        yield log.transcript()


READER = Pi()


def _agent(source: Input) -> str:
    return "openclaw" if source.path is not None and ".openclaw" in source.path.parts else Pi.agent


def _live(entries: list[tuple[int, dict[str, Any]]]) -> set[int]:
    """The lines on the way to the last entry. A parent that is no entry of the file is the one before; older files have no tree at all."""
    places = {
        entry["id"]: at for at, (_, entry) in enumerate(entries) if isinstance(entry.get("id"), str)
    }
    kept: set[int] = set()
    at = len(entries) - 1
    while at >= 0:
        line, entry = entries[at]
        kept.add(line)
        parent = places.get(as_text(entry.get("parentId")), at - 1)
        at = parent if parent < at else at - 1
    return kept


def _take(log: Log, line: int, entry: dict[str, Any]) -> None:
    kind, ts = as_text(entry.get("type")), parse_time(entry.get("timestamp"))
    if kind == "session":
        log.session_id, log.cwd, log.begun = as_name(entry.get("id")), as_name(entry.get("cwd")), ts
        origin = as_name(entry.get("branchedFrom")) or as_name(entry.get("parentSession"))
        log.parent = (
            origin.replace("\\", "/").rpartition("/")[2].removesuffix(".jsonl").rpartition("_")[2]
            if origin
            else None
        )
    elif kind == "message":
        _message(log, line, as_dict(entry.get("message")), ts)
    elif kind in ("compaction", "branch_summary"):
        log.summary(as_text(entry.get("summary")), ts=ts, line=line)
    elif kind == "session_info":
        log.title = as_name(entry.get("name")) or log.title
    elif kind not in _QUIET:
        log.source.unknown[f"type {kind[:40]}" if kind else "type (none)"] += 1


def _message(log: Log, line: int, message: dict[str, Any], ts: str | None) -> None:
    role = as_text(message.get("role"))
    content = message.get("content")
    if role == "user":
        text = strip_channel_context(join_text(content))
        if text:
            log.prompt(text, ts=ts, line=line)
    elif role == "assistant":
        for block in (
            [{"type": "text", "text": content}]
            if isinstance(content, str)
            else map(as_dict, as_list(content))
        ):
            if block.get("type") == "text":
                log.answer(as_text(block.get("text")), ts=ts, line=line)
            elif block.get("type") == "toolCall":
                log.call(
                    as_name(block.get("name")),
                    block.get("arguments"),
                    call_id=block.get("id"),
                    ts=ts,
                    line=line,
                )
    elif role == "toolResult":
        ok = False if message.get("isError") is True else None
        log.result(
            join_text(content),
            call_id=message.get("toolCallId"),
            tool=message.get("toolName"),
            ok=ok,
            ts=ts,
            line=line,
        )
    elif role == "bashExecution":
        log.turns.add(
            log.asker,
            "command",
            f"!{as_text(message.get('command'))}".removesuffix("!"),
            ts=ts,
            line=line,
        )
    elif role not in ("custom", "branchSummary", "compactionSummary"):
        log.source.unknown[f"role {role[:40]}"] += 1
