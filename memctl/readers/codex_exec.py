"""The stream that `codex exec --json` prints: what the agent did in one run; the prompt is not in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, clip
from memctl.readers.sniffing import head_objects
from memctl.readers.tool_summaries import describe_call, describe_command, describe_files
from memctl.readers.turns import Turns, dict_of, list_of, name_of, text_of

_QUIET_EVENTS = frozenset({"turn.started", "turn.completed", "item.started", "item.updated"})
_QUIET_ITEMS = frozenset({"reasoning", "todo_list"})


class CodexExec:
    """Reads the event stream of `codex exec --json`."""

    name: ClassVar[str] = "codex-exec"
    agent: ClassVar[str] = "codex"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when a line starts a thread or completes an item."""
        for entry in head_objects(head):
            if entry.get("type") == "thread.started" and "thread_id" in entry:
                return 0.97
            if entry.get("type") == "item.completed" and isinstance(entry.get("item"), dict):
                return 0.97
        return 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one run of the stream."""
        turns = Turns()
        session_id = source.path.stem if source.path else ""
        for line, entry in source.json_lines():
            kind = text_of(entry.get("type"))
            if kind == "thread.started":
                session_id = name_of(entry.get("thread_id")) or session_id
            elif kind == "item.completed":
                if not _add_item(turns, line, dict_of(entry.get("item"))):
                    source.unknown["item"] += 1
            elif kind in ("error", "turn.failed"):
                message = text_of(entry.get("message")) or text_of(
                    dict_of(entry.get("error")).get("message")
                )
                turns.add("system", "text", message, ok=False, line=line)
            elif kind not in _QUIET_EVENTS:
                source.unknown[f"type {kind[:40] or '(none)'}"] += 1
        done = turns.finished()
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
    call_id = name_of(item.get("id"))
    if kind in ("agent_message", "assistant_message"):
        turns.add("assistant", "text", text_of(item.get("text")), line=line)
    elif kind == "command_execution":
        text, data = describe_command(text_of(item.get("command")))
        turns.add(
            "assistant", "tool_call", text, tool="shell", call_id=call_id, line=line, data=data
        )
        _add_result(turns, line, item, call_id, text_of(item.get("aggregated_output")))
    elif kind == "file_change":
        files = [
            path
            for change in list_of(item.get("changes"))
            if (path := text_of(dict_of(change).get("path")))
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
        tool = text_of(item.get("tool")) or "web_search"
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
