"""The stream that `codex exec --json` prints: what the agent did in one run, but not the prompt."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input
from memctl.readers.jsonl_session import Entry, JsonlSession, Methods
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.tool_summaries import describe_call, describe_command, describe_files
from memctl.readers.values import as_dict, as_dicts, as_name, as_text

_QUIET_ITEMS = frozenset({"reasoning", "todo_list"})


class CodexExec:
    """Reads the event stream of `codex exec --json`."""

    name: ClassVar[str] = "codex-exec"
    agent: ClassVar[str] = "codex"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if a line starts a thread or completes an item."""
        for entry in parse_head_objects(head):
            if entry.get("type") == "thread.started" and "thread_id" in entry:
                return 0.97
            if entry.get("type") == "item.completed" and isinstance(entry.get("item"), dict):
                return 0.97
        return 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one run of the stream."""
        yield from _CodexExecSession(source, self).read()


READER = CodexExec()


class _CodexExecSession(JsonlSession):
    quiet_types = frozenset({"turn.started", "turn.completed", "item.started", "item.updated"})
    is_named_by_file = True
    time_field = ""

    def _read_thread(self, entry: Entry) -> None:
        self.session_id = as_name(entry.get("thread_id")) or self.session_id

    def _read_failure(self, entry: Entry) -> None:
        message = as_text(entry.get("message"))
        cause = as_text(as_dict(entry.get("error")).get("message"))
        self.add("system", "text", message or cause, ok=False)

    def _read_item(self, entry: Entry) -> None:
        item = as_dict(entry.get("item"))
        kind = as_text(item.get("type") or item.get("item_type"))
        if kind in ("agent_message", "assistant_message"):
            self.add_answer(as_text(item.get("text")))
        elif kind == "command_execution":
            self._add_command(item)
        elif kind == "file_change":
            paths = (as_text(change.get("path")) for change in as_dicts(item.get("changes")))
            described = describe_files("edit", [path for path in paths if path])
            self.add_described_call("apply_patch", *described, call_id=item.get("id"))
        elif kind in ("mcp_tool_call", "web_search"):
            tool = as_text(item.get("tool")) or "web_search"
            described = describe_call(tool, item.get("arguments") or item)
            self.add_described_call(tool, *described, call_id=item.get("id"))
        elif kind not in _QUIET_ITEMS:
            self.source.unknown["item"] += 1

    def _add_command(self, item: dict[str, Any]) -> None:
        call_id, code = item.get("id"), item.get("exit_code")
        described = describe_command(as_text(item.get("command")))
        self.add_described_call("shell", *described, call_id=call_id)
        output = as_text(item.get("aggregated_output"))
        if not isinstance(code, int):
            self.add_result(output, tool="shell", call_id=call_id)
            return
        data = {"exit_code": code}
        self.add_result(output, tool="shell", call_id=call_id, ok=code == 0, data=data)

    methods: ClassVar[Methods] = {
        "thread.started": _read_thread,
        "item.completed": _read_item,
        "error": _read_failure,
        "turn.failed": _read_failure,
    }
