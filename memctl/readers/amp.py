"""Amp's threads: one JSON object with its messages. Local files may be stubs of threads that are kept elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.readers.messages import join_text
from memctl.readers.session_log import Log
from memctl.readers.sidecars import parse_file_uri
from memctl.readers.sniffing import has_keys
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_QUIET = frozenset(["thinking", "redacted_thinking", "image", "document"])
_WRAPPINGS = frozenset(["attachedFiles", "user-state", "system-reminder", "environment"])


class Amp:
    """Reads Amp threads."""

    name: ClassVar[str] = "amp"
    agent: ClassVar[str] = "amp"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure of a thread's id beside its messages."""
        is_thread = has_keys(head, "id", "messages") and (
            b'"T-' in head[:4096] or (has_keys(head, "created", "env") and name.startswith("T-"))
        )
        return 0.96 if is_thread and head.lstrip()[:1] == b"{" else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one thread of the file."""
        thread = source.read_json()
        if not isinstance(thread, dict):
            source.unknown["not JSON"] += 1
            thread = {}
        log = Log(source, Amp.name, Amp.agent, _WRAPPINGS)
        tree = as_dict(
            next(
                iter(as_list(as_dict(as_dict(thread.get("env")).get("initial")).get("trees"))), None
            )
        )
        log.session_id, log.title = as_name(thread.get("id")), as_name(thread.get("title"))
        log.cwd, log.begun = parse_file_uri(tree.get("uri")), parse_time(thread.get("created"))
        log.parent = as_name(thread.get("mainThreadID"))
        log.is_sub = log.parent is not None
        for number, message in enumerate(map(as_dict, as_list(thread.get("messages"))), 1):
            _take(log, number, message)
        yield log.transcript()


READER = Amp()


def _take(log: Log, line: int, message: dict[str, Any]) -> None:
    role, content = as_text(message.get("role")), message.get("content")
    ts = parse_time(as_dict(message.get("meta")).get("sentAt"))
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
        elif kind in ("tool_use", "server_tool_use"):
            log.call(
                as_name(block.get("name")),
                block.get("input"),
                call_id=block.get("id"),
                ts=ts,
                line=line,
            )
        elif kind in ("tool_result", "server_tool_result"):
            _result(log, line, block, ts)
        elif kind not in _QUIET:
            log.source.unknown[f"block {kind[:40]}"] += 1


def _result(log: Log, line: int, block: dict[str, Any], ts: str | None) -> None:
    run = as_dict(block.get("run"))
    result = run.get("result", block.get("content"))
    output = as_dict(result).get("output", result)
    ok = {"done": True, "error": False, "cancelled": False, "rejected-by-user": False}.get(
        as_text(run.get("status"))
    )
    log.result(
        join_text(output),
        call_id=block.get("toolUseID") or block.get("tool_use_id"),
        ok=ok,
        ts=ts,
        line=line,
    )
