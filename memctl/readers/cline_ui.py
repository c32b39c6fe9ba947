"""Tasks of Cline, Roo and Kilo as their user saw them (`ui_messages.json`).

The file is a list of `{ts, type, say or ask, text}`. What a person typed has kinds of its own, so
nothing has to be guessed; the first text is the task. A message that is still `partial` was never
finished.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Role, Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Reader, clip, parse_json
from memctl.readers.cline_task import ClineSession
from memctl.readers.jsonl_session import Entry, Methods
from memctl.readers.sniffing import has_keys
from memctl.readers.tool_summaries import describe_call, describe_command
from memctl.readers.values import as_dict, as_dicts, as_text

_EDITS = ("editedExistingFile", "appliedDiff", "insertContent", "searchAndReplace", "batchEdit")
# The tools' names elsewhere, by which their calls are described.
_TOOL_NAMES = {
    **dict.fromkeys(_EDITS, "edit_file"),
    "newFileCreated": "write_file",
    "readFile": "read_file",
}
_SHELL_TOOL = "execute_command"
# What Cline appends to a command that needs approval, and to an answer with changes.
_NEEDS_APPROVAL = "REQ_APP"
_HAS_CHANGES = "HAS_CHANGES"


class ClineUi:
    """Reads what the user saw of tasks of Cline, Roo and Kilo."""

    name: ClassVar[str] = "cline-ui"
    agent: ClassVar[str] = "cline"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if it is a list of messages with `say` or `ask`."""
        is_list = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
        if not is_list or not has_keys(head, "ts", "type"):
            return 0.0
        return 0.97 if has_keys(head, "say") or has_keys(head, "ask") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one task of the file."""
        yield from _ClineUiSession(source, self).read()


READER = ClineUi()


class _ClineUiSession(ClineSession):
    """The task, and the lines of output that are still to be joined."""

    time_field = "ts"
    quiet_types = frozenset(
        [
            "",
            "task",
            "reasoning",
            "api_req_finished",
            "api_req_retried",
            "api_req_failed",
            "api_req_deleted",
            "api_req_retry_delayed",
            "api_req_rate_limit_wait",
            "resume_task",
            "resume_completed_task",
            "mistake_limit_reached",
            "auto_approval_max_req_reached",
            "error",
            "error_retry",
            "checkpoint_created",
            "checkpoint_saved",
            "shell_integration_warning",
            "shell_integration_warning_with_suggestion",
            "diff_error",
            "deleted_api_reqs",
            "clineignore_error",
            "rooignore_error",
            "browser_action_launch",
            "browser_action",
            "browser_session_status",
            "mcp_server_request_started",
            "mcp_notification",
            "user_feedback_diff",
            "user_edit_todos",
            "task_progress",
            "load_mcp_documentation",
            "info",
            "new_task",
            "report_bug",
            "codebase_search_result",
            "condense_context_error",
            "image",
            "sliding_window_truncation",
            "hook_status",
            "hook_output_stream",
            "command_permission_denied",
            "generate_explanation",
            "use_skill",
            "conditional_rules_applied",
            "subagent",
            "use_subagents",
            "too_many_tools_warning",
            "interactive_app",
            "tool_preparation",
        ]
    )

    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        self.output: list[str] = []
        # Where and when the first line of the output came.
        self.output_start: tuple[int, str | None] = (0, None)
        self.has_begun = False

    def list_entries(self) -> Iterator[tuple[int, Entry]]:
        """The messages, numbered."""
        whole = self.source.read_json()
        if not isinstance(whole, list):
            self.source.unknown["not JSON"] += 1
        return enumerate(as_dicts(whole), 1)

    def read_entry(self, entry: Entry) -> None:
        """Understand one message."""
        if entry.get("partial") is True:
            return
        kind = as_text(entry.get("say" if entry.get("type") == "say" else "ask"))
        text = as_text(entry.get("text"))
        if kind == "command_output":
            self._keep_output(text)
            return
        self._add_output()
        if not self.has_begun and kind in ("text", "task"):
            self._add_task(text)
        elif kind in self.methods or kind in self.quiet_types:
            self.read_typed(kind, entry)
        else:
            self.count_unknown("kind", kind)

    def to_transcript(self, **overrides: Any) -> Transcript:
        """Return the finished task with its last output."""
        self._add_output()
        return super().to_transcript(**overrides)

    def _keep_output(self, text: str) -> None:
        if not self.output:
            self.output_start = (self.line, self.ts)
        self.output.append(text)

    def _add_output(self) -> None:
        """Add the output that was collected."""
        if self.output:
            line, ts = self.output_start
            text = clip("\n".join(self.output))
            self.turns.add("tool", "tool_result", text, ts=ts, tool=_SHELL_TOOL, line=line)
            self.output = []

    def _add_task(self, text: str) -> None:
        """Add the task itself; if another task started it, it is that agent's text."""
        self.has_begun = True
        role: Role = "system" if self.parent_id else "human"
        self.add(role, "text", text)

    def _read_feedback(self, entry: Entry) -> None:
        self.add("human", "text", as_text(entry.get("text")))

    def _read_answer(self, entry: Entry) -> None:
        self.add_answer(as_text(entry.get("text")).removesuffix(_HAS_CHANGES))

    def _read_question(self, entry: Entry) -> None:
        """Add a question or a plan, and what the user chose of its options."""
        fields = parse_json(as_text(entry.get("text")))
        if not isinstance(fields, dict):
            self._read_answer(entry)
            return
        question = as_text(fields.get("question")) or as_text(fields.get("response"))
        answer = as_text(fields.get("selected"))
        self.add_answer(question)
        data = {"questions": [{"question": question, "answer": answer}]}
        self.add("human", "answer", answer, data=data)

    def _read_command(self, entry: Entry) -> None:
        command = as_text(entry.get("text")).removesuffix(_NEEDS_APPROVAL)
        self.add_described_call(_SHELL_TOOL, *describe_command(command))

    def _read_tool(self, entry: Entry) -> None:
        args = _parse_fields(entry)
        names = map(as_text, map(args.get, ("tool", "toolName", "type")))
        name = next(filter(None, names), "")
        text, data = describe_call(_TOOL_NAMES.get(name, name), args)
        self.add("assistant", "tool_call", text, tool=name or None, data=data)

    def _read_result(self, entry: Entry) -> None:
        self.add_result(as_text(entry.get("text")))

    def _read_compaction(self, entry: Entry) -> None:
        summary = as_text(_parse_fields(entry).get("summary"))
        self.add_summary(summary or as_text(entry.get("text")))

    def _read_request(self, entry: Entry) -> None:
        self.note_workspace(as_text(_parse_fields(entry).get("request")))

    methods: ClassVar[Methods] = {
        "user_feedback": _read_feedback,
        "text": _read_answer,
        "completion_result": _read_answer,
        "followup": _read_question,
        "plan_mode_respond": _read_question,
        "act_mode_respond": _read_question,
        "command": _read_command,
        "tool": _read_tool,
        "use_mcp_server": _read_tool,
        "mcp_server_response": _read_result,
        "subtask_result": _read_result,
        "browser_action_result": _read_result,
        "condense_context": _read_compaction,
        "condense": _read_compaction,
        "summarize_task": _read_compaction,
        "api_req_started": _read_request,
    }


def _parse_fields(entry: Entry) -> dict[str, Any]:
    """The JSON object in a message's text."""
    return as_dict(parse_json(as_text(entry.get("text"))))
