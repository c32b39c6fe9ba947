"""Tasks of Cline, Roo and Kilo as their user saw them (`ui_messages.json`): `{ts, type, say or ask, text}` in a list.

What a person typed stands under names of its own, so nothing has to be guessed; the first words are the task. A message that is still
`partial` was never finished.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Role, Transcript
from memctl.readers.base import Input, clip, parse_json
from memctl.readers.cline_task import Task, folder_in, task_beside
from memctl.readers.sniffing import has_keys
from memctl.readers.tool_summaries import describe_call, describe_command
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_text, parse_time

_EDITS = ("editedExistingFile", "appliedDiff", "insertContent", "searchAndReplace", "batchEdit")
_TOOLS = {
    **dict.fromkeys(_EDITS, "edit_file"),
    "newFileCreated": "write_file",
    "readFile": "read_file",
}
_WANTS_APPROVAL, _HAS_CHANGES = "REQ_APP", "HAS_CHANGES"


class ClineUi:
    """Reads what the user saw of tasks of Cline, Roo and Kilo."""

    name: ClassVar[str] = "cline-ui"
    agent: ClassVar[str] = "cline"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when a list of messages says or asks."""
        if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"[" or not has_keys(
            head, "ts", "type"
        ):
            return 0.0
        return 0.97 if has_keys(head, "say") or has_keys(head, "ask") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one task of the file."""
        whole = source.read_json()
        if not isinstance(whole, list):
            source.unknown["not JSON"] += 1
        task = task_beside(source)
        reading = _Reading(source, task)
        for number, message in enumerate(map(as_dict, as_list(whole)), 1):
            reading.take(number, message)
        reading.flush()
        yield task.transcript(ClineUi.name, source, reading.turns, reading.cwd)


READER = ClineUi()


class _Reading:
    """One task as far as it has been read, and the lines of output that wait to be joined."""

    def __init__(self, source: Input, task: Task) -> None:
        self.source, self.task = source, task
        self.turns = Turns()
        self.cwd: str | None = None
        self.output: list[str] = []
        self.output_at: tuple[int, str | None] = (0, None)
        self.has_begun = False

    def take(self, number: int, message: dict[str, Any]) -> None:
        """Understand one message."""
        kind = (
            as_text(message.get("say"))
            if message.get("type") == "say"
            else as_text(message.get("ask"))
        )
        if message.get("partial") is True:
            return
        ts, text = parse_time(message.get("ts")), as_text(message.get("text"))
        if kind == "command_output":
            self.output_at = self.output_at if self.output else (number, ts)
            self.output.append(text)
            return
        self.flush()
        if not self.has_begun and kind in ("text", "task"):
            self._begin(number, ts, text)
        elif kind in _HANDLERS:
            _HANDLERS[kind](self, number, ts, text)
        elif kind and kind not in _QUIET:
            self.source.unknown[f"kind {kind[:40]}"] += 1

    def flush(self) -> None:
        """Add the output that was collected."""
        if self.output:
            number, ts = self.output_at
            self.turns.add(
                "tool",
                "tool_result",
                clip("\n".join(self.output)),
                ts=ts,
                tool="execute_command",
                line=number,
            )
            self.output = []

    def _begin(self, number: int, ts: str | None, text: str) -> None:
        """The task itself; one that another task handed down is that agent's word."""
        self.has_begun = True
        role: Role = "system" if self.task.parent else "human"
        self.turns.add(role, "text", text, ts=ts, line=number)

    def _human(self, number: int, ts: str | None, text: str) -> None:
        self.turns.add("human", "text", text, ts=ts, line=number)

    def _assistant(self, number: int, ts: str | None, text: str) -> None:
        self.turns.add("assistant", "text", text.removesuffix(_HAS_CHANGES), ts=ts, line=number)

    def _question(self, number: int, ts: str | None, text: str) -> None:
        """A question or a plan, and the choice that the user made of those it offered."""
        given = parse_json(text)
        if not isinstance(given, dict):
            self._assistant(number, ts, text)
            return
        question, chosen = (
            as_text(given.get("question")) or as_text(given.get("response")),
            as_text(given.get("selected")),
        )
        self.turns.add("assistant", "text", question, ts=ts, line=number)
        asked = {"questions": [{"question": question, "answer": chosen}]}
        self.turns.add(
            "human", "answer", chosen, ts=ts, line=number, data=asked if chosen else None
        )

    def _command(self, number: int, ts: str | None, text: str) -> None:
        said, data = describe_command(text.removesuffix(_WANTS_APPROVAL))
        self.turns.add(
            "assistant", "tool_call", said, ts=ts, tool="execute_command", line=number, data=data
        )

    def _tool(self, number: int, ts: str | None, text: str) -> None:
        given = as_dict(parse_json(text))
        name = (
            as_text(given.get("tool"))
            or as_text(given.get("toolName"))
            or as_text(given.get("type"))
        )
        said, data = describe_call(_TOOLS.get(name, name), given)
        self.turns.add(
            "assistant", "tool_call", said, ts=ts, tool=name or None, line=number, data=data
        )

    def _result(self, number: int, ts: str | None, text: str) -> None:
        self.turns.add("tool", "tool_result", clip(text), ts=ts, line=number)

    def _condensed(self, number: int, ts: str | None, text: str) -> None:
        self.turns.add(
            "summary",
            "compact",
            as_text(as_dict(parse_json(text)).get("summary")) or text,
            ts=ts,
            line=number,
        )

    def _request(self, number: int, ts: str | None, text: str) -> None:
        self.cwd = self.cwd or folder_in(as_text(as_dict(parse_json(text)).get("request")))


_HANDLERS = {
    "user_feedback": _Reading._human,
    "text": _Reading._assistant,
    "completion_result": _Reading._assistant,
    "followup": _Reading._question,
    "plan_mode_respond": _Reading._question,
    "act_mode_respond": _Reading._question,
    "command": _Reading._command,
    "tool": _Reading._tool,
    "use_mcp_server": _Reading._tool,
    "mcp_server_response": _Reading._result,
    "subtask_result": _Reading._result,
    "browser_action_result": _Reading._result,
    "condense_context": _Reading._condensed,
    "condense": _Reading._condensed,
    "summarize_task": _Reading._condensed,
    "api_req_started": _Reading._request,
}
_QUIET = frozenset(
    "task reasoning api_req_finished api_req_retried api_req_failed api_req_deleted api_req_retry_delayed "
    "api_req_rate_limit_wait resume_task resume_completed_task mistake_limit_reached auto_approval_max_req_reached error "
    "error_retry checkpoint_created checkpoint_saved shell_integration_warning shell_integration_warning_with_suggestion "
    "diff_error deleted_api_reqs clineignore_error rooignore_error browser_action_launch browser_action "
    "browser_session_status mcp_server_request_started mcp_notification user_feedback_diff user_edit_todos task_progress "
    "load_mcp_documentation info new_task report_bug codebase_search_result condense_context_error image "
    "sliding_window_truncation hook_status hook_output_stream command_permission_denied generate_explanation use_skill "
    "conditional_rules_applied subagent use_subagents too_many_tools_warning interactive_app tool_preparation".split()
)
