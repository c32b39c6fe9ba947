"""The stream that `codex exec --json` prints: what the agent did in one run; the prompt is not in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, clip
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.tool_summaries import describe_call, describe_command, describe_files
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text

_QUIET_EVENTS = frozenset({"turn.started", "turn.completed", "item.started", "item.updated"})
_QUIET_ITEMS = frozenset({"reasoning", "todo_list"})


class CodexExec:
    """Reads the event stream of `codex exec --json`."""

    name: ClassVar[str] = "codex-exec"
    agent: ClassVar[str] = "codex"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when a line starts a thread or completes an item."""
        for entry in parse_head_objects(head):
            if entry.get("type") == "thread.started" and "thread_id" in entry:
                return 0.97
            if entry.get("type") == "item.completed" and isinstance(entry.get("item"), dict):
                return 0.97
        return 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one run of the stream."""
        turns = Turns()
        session_id = source.path.stem if source.path else ""
        for line, entry in source.read_json_lines():
            kind = as_text(entry.get("type"))
            if kind == "thread.started":
                session_id = as_name(entry.get("thread_id")) or session_id
            elif kind == "item.completed":
                if not _add_item(turns, line, as_dict(entry.get("item"))):
                    source.unknown["item"] += 1
            elif kind in ("error", "turn.failed"):
                message = as_text(entry.get("message")) or as_text(
                    as_dict(entry.get("error")).get("message")
                )
                turns.add("system", "text", message, ok=False, line=line)
            elif kind not in _QUIET_EVENTS:
                source.unknown[f"type {kind[:40] or '(none)'}"] += 1
        done = turns.collect()
        yield Transcript(
            format=self.name,
            agent=self.agent,
            session_id=session_id,
            turns=done,
            unknown=dict(source.unknown),
        )


READER = CodexExec()


def _add_item(turns: Turns, line: int, item: dict[str, Any]) -> bool:
    """Add a completed item as turns; False when its kind is not known."""
    kind = item.get("type") or item.get("item_type")
    call_id = as_name(item.get("id"))
    if kind in ("agent_message", "assistant_message"):
        turns.add("assistant", "text", as_text(item.get("text")), line=line)
    elif kind == "command_execution":
        text, data = describe_command(as_text(item.get("command")))
        turns.add(
            "assistant", "tool_call", text, tool="shell", call_id=call_id, line=line, data=data
        )
        _add_result(turns, line, item, call_id, as_text(item.get("aggregated_output")))
    elif kind == "file_change":
        files = [
            path
            for change in as_list(item.get("changes"))
            if (path := as_text(as_dict(change).get("path")))
        ]
        text, data = describe_files("edit", files)
        turns.add(
            "assistant",
            "tool_call",
            text,
            tool="apply_patch",
            call_id=call_id,
            line=line,
            data=data,
        )
    elif kind in ("mcp_tool_call", "web_search"):
        tool = as_text(item.get("tool")) or "web_search"
        text, data = describe_call(tool, item.get("arguments") or item)
        turns.add("assistant", "tool_call", text, tool=tool, call_id=call_id, line=line, data=data)
    else:
        return isinstance(kind, str) and kind in _QUIET_ITEMS
    return True


def _add_result(
    turns: Turns, line: int, item: dict[str, Any], call_id: str | None, text: str
) -> None:
    code = item.get("exit_code")
    data = {"exit_code": code} if isinstance(code, int) else {}
    ok = code == 0 if isinstance(code, int) else None
    turns.add(
        "tool",
        "tool_result",
        clip(text),
        tool="shell",
        call_id=call_id,
        ok=ok,
        line=line,
        data=data,
    )
