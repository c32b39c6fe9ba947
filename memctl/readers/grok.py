"""Grok Build's sessions, `chat_history.jsonl`, of both its formats, with the `summary.json` beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, parse_json
from memctl.readers.messages import join_text, strip_prompt_tags
from memctl.readers.session_log import Log
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_QUIET = frozenset(["system", "reasoning", "backend_tool_call", "developer"])
_WRAPPINGS = frozenset(
    [
        "user_info",
        "system-reminder",
        "git_status",
        "project_layout",
        "environment_context",
        "rules",
        "attached_files",
    ]
)


class Grok:
    """Reads Grok Build sessions."""

    name: ClassVar[str] = "grok"
    agent: ClassVar[str] = "grok"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure of an entry of either format that only Grok writes; older ones without such are told apart by the file's name."""
        objects = parse_head_objects(head)
        if any(_is_entry(entry) for entry in objects):
            return 0.96
        return (
            0.8
            if name == "chat_history.jsonl"
            and any("role" in entry and "content" in entry for entry in objects)
            else 0.0
        )

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        log = Log(source, Grok.name, Grok.agent, _WRAPPINGS)
        _about(log, as_dict(parse_json(source.read_beside("summary.json") or b"")))
        if (
            log.session_id is None
            and source.path is not None
            and source.path.name == "chat_history.jsonl"
        ):
            log.session_id = source.path.parent.name
        for line, entry in source.read_json_lines():
            _take(log, line, entry)
        yield log.transcript()


READER = Grok()


def _is_entry(entry: dict[str, Any]) -> bool:
    kind, model = entry.get("type", entry.get("role")), as_text(entry.get("model_id"))
    is_prompt = kind == "user" and ("prompt_index" in entry or "synthetic_reason" in entry)
    is_answer = (
        kind == "assistant" and ("type" in entry or model.startswith("grok")) and model != ""
    )
    return "content" in entry and (is_prompt or is_answer)


def _about(log: Log, summary: dict[str, Any]) -> None:
    info = as_dict(summary.get("info"))
    log.session_id, log.cwd = as_name(info.get("id")), as_name(info.get("cwd"))
    log.title = as_name(summary.get("generated_title")) or as_name(summary.get("session_summary"))
    log.git_branch = as_name(summary.get("head_branch"))
    log.remote = next(
        (text for text in map(as_name, as_list(summary.get("git_remotes"))) if text), None
    )
    log.parent = as_name(summary.get("parent_session_id"))
    log.is_sub = summary.get("session_kind") == "subagent"
    log.begun = parse_time(summary.get("created_at"))


def _take(log: Log, line: int, entry: dict[str, Any]) -> None:
    kind = as_text(entry.get("type")) or as_text(entry.get("role"))
    if kind == "user":
        if not entry.get("synthetic_reason"):
            log.prompt(strip_prompt_tags(join_text(entry.get("content")), "human"), line=line)
    elif kind == "assistant":
        log.answer(join_text(entry.get("content")), line=line)
        for call in map(as_dict, as_list(entry.get("tool_calls"))):
            function = as_dict(call.get("function")) or call
            log.call(
                as_name(function.get("name")),
                function.get("arguments"),
                call_id=call.get("id"),
                line=line,
            )
    elif kind in ("tool_result", "tool"):
        log.result(join_text(entry.get("content")), call_id=entry.get("tool_call_id"), line=line)
    elif kind not in _QUIET:
        log.source.unknown[f"type {kind[:40]}" if kind else "type (none)"] += 1
