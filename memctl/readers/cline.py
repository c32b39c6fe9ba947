"""Cline's tasks as the model saw them (`api_conversation_history.json`), and those of its relatives Roo and Kilo.

A user message carries results of tools, the state of the editor and what a person typed, all as text: a person's words are those in
`<task>`, `<feedback>`, `<user_message>`, `<answer>` or `<user_input>`. Tools may be called as XML within the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, ClassVar

from memctl.core.model import Role, Transcript
from memctl.readers.base import Input, clip
from memctl.readers.cline_task import Task, folder_in, task_beside
from memctl.readers.envelopes import unwrap
from memctl.readers.messages import join_text
from memctl.readers.sniffing import has_keys
from memctl.readers.tool_summaries import describe_call
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, clean_text, parse_time

_NAME = "api_conversation_history.json"
_MARKS = (
    b"<task>",
    b"<environment_details>",
    b"<user_input",
    b"<feedback>\\n",
    b"<user_message>\\n",
)
_SPOKEN = re.compile(
    r"<(task|feedback|user_message|answer|user_input)(?: mode=\\?\"\w{1,20}\\?\")?>"
)
_WRAPPINGS = frozenset(
    "environment_details file_content folder_content url_content workspace_diagnostics terminal_output git_working_state "
    "git_commit mode_notice file_list explicit_instructions slash_command files hook_context system-reminder image "
    "system_reminder reminder final_file_content focus_chain todo_list command task_progress additional_context".split()
)
_RESULT = "] Result:"
_NOTICES = ("[ERROR]", "[TASK RESUMPTION]", "[NOTE]", "[CONTEXT")
_XML = (
    "execute_command read_file write_to_file replace_in_file apply_diff insert_content search_and_replace search_files list_files edit_file"
    " list_code_definition_names browser_action use_mcp_tool access_mcp_resource ask_followup_question attempt_completion plan_mode_respond"
    " plan_mode_response new_task switch_mode update_todo_list fetch_instructions load_mcp_documentation condense new_rule web_fetch"
    " codebase_search report_bug summarize_task focus_chain use_skill generate_explanation"
)
_TOOL = re.compile(rf"<({'|'.join(_XML.split())}|thinking)>")
_PARAMETER = re.compile(r"<([a-z_]{1,40})>")
_MOST_PARAMETERS = 100
_SAYS = {
    "attempt_completion": "result",
    "ask_followup_question": "question",
    "plan_mode_respond": "response",
    "plan_mode_response": "response",
}
_QUIET = frozenset(
    ["image", "thinking", "redacted_thinking", "reasoning", "document", "server_tool_use"]
)


class Cline:
    """Reads what the model saw of tasks of Cline, Roo and Kilo."""

    name: ClassVar[str] = "cline"
    agent: ClassVar[str] = "cline"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when the messages of a list hold the marks in which these agents wrap what a person said."""
        begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        is_list = begins == b"[" or (begins == b"{" and has_keys(head, "messages"))
        if not is_list or not has_keys(head, "role", "content"):
            return 0.0
        if any(
            b'"' + mark in head or b"\\n" + mark in head or b'": "' + mark in head
            for mark in _MARKS
        ):
            return 0.96
        return 0.75 if name == _NAME else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one task of the file."""
        whole = source.read_json()
        messages = whole if isinstance(whole, list) else as_list(as_dict(whole).get("messages"))
        if not isinstance(whole, (list, dict)):
            source.unknown["not JSON"] += 1
        task = task_beside(source)
        reading = _Reading(source, task)
        for number, message in enumerate(map(as_dict, messages), 1):
            reading.take(number, message)
        yield task.transcript(Cline.name, source, reading.turns, reading.cwd)


READER = Cline()


class _Reading:
    """One task as far as it has been read."""

    def __init__(self, source: Input, task: Task) -> None:
        self.source, self.task = source, task
        self.turns = Turns()
        self.cwd: str | None = None
        self.tools: dict[str, str] = {}
        self.tool: str | None = None
        self.is_marked = any(mark in source.read_head() for mark in _MARKS)

    def take(self, number: int, message: dict[str, Any]) -> None:
        """Understand one message."""
        role, ts, content = (
            as_text(message.get("role")),
            parse_time(message.get("ts")),
            message.get("content"),
        )
        blocks = (
            [{"type": "text", "text": content}] if isinstance(content, str) else as_list(content)
        )
        if role not in ("user", "assistant"):
            self.source.unknown["message"] += 1
        elif message.get("isSummary") is True:
            self.turns.add("summary", "compact", join_text(content), ts=ts, line=number)
        else:
            for block in map(as_dict, blocks):
                self._block(number, ts, role, block)

    def _block(self, number: int, ts: str | None, role: str, block: dict[str, Any]) -> None:
        kind = as_text(block.get("type"))
        if kind == "text" and role == "assistant":
            self._answer(number, ts, as_text(block.get("text")))
        elif kind == "text":
            self._message(number, ts, as_text(block.get("text")), None)
        elif kind == "tool_use":
            self._call(
                number, ts, as_text(block.get("name")), block.get("input"), as_name(block.get("id"))
            )
        elif kind == "tool_result":
            for text in _texts(block.get("content")):
                self._message(number, ts, text, block)
        elif kind not in _QUIET:
            self.source.unknown[f"block {kind[:40]}" if kind else "block"] += 1

    def _message(
        self, number: int, ts: str | None, text: str, result: dict[str, Any] | None
    ) -> None:
        """A text of a user message: a person's words in their mark, else what a tool returned or the editor said."""
        self.cwd = self.cwd or folder_in(text)
        text = clean_text(text)
        spoken = _spoken(text)
        human: Role = "system" if self.task.parent and not len(self.turns) else "human"
        for mark, said in spoken:
            kind = "answer" if mark == "answer" else "text"
            self.turns.add(human, kind, unwrap(said, _WRAPPINGS), ts=ts, line=number)
        rest = "" if spoken else unwrap(text, _WRAPPINGS)
        if result is not None:
            call_id = as_name(result.get("tool_use_id"))
            ok = False if result.get("is_error") is True else None
            told = rest or ("" if not spoken else text[: text.find("<")])
            tool = self.tools.get(call_id or "")
            self.turns.add(
                "tool",
                "tool_result",
                clip(told),
                ts=ts,
                tool=tool,
                call_id=call_id,
                ok=ok,
                line=number,
            )
        elif rest and (self.is_marked or _RESULT in rest[:400]):
            self._untold(number, ts, rest)
        else:
            self.turns.add(human, "text", rest, ts=ts, line=number)

    def _untold(self, number: int, ts: str | None, text: str) -> None:
        """A text without a mark, in a task that has marks: what a tool returned, whose name may stand in the text before, or a notice."""
        head, found, body = text.partition(_RESULT)
        if found and head.startswith("["):
            self.tool, text = head[1:].partition(" ")[0], body.strip()
        if text and self.tool and not text.startswith(_NOTICES):
            self.turns.add("tool", "tool_result", clip(text), ts=ts, tool=self.tool, line=number)
            self.tool = None

    def _answer(self, number: int, ts: str | None, text: str) -> None:
        """The agent's words and the tools that it calls within them."""
        start = 0
        while found := _TOOL.search(text, start):
            close = text.find(f"</{found[1]}>", found.end())
            self.turns.add("assistant", "text", text[start : found.start()], ts=ts, line=number)
            end = close if close >= 0 else len(text)
            if found[1] != "thinking":
                self._call(number, ts, found[1], _parameters(text[found.end() : end]), None)
            start = end + len(found[1]) + 3
        self.turns.add("assistant", "text", text[start:], ts=ts, line=number)

    def _call(
        self, number: int, ts: str | None, tool: str, given: object, call_id: str | None
    ) -> None:
        self.tools[call_id or ""] = tool
        if tool in _SAYS:
            self.turns.add(
                "assistant", "text", as_text(as_dict(given).get(_SAYS[tool])), ts=ts, line=number
            )
            return
        text, data = describe_call(tool, given)
        self.turns.add(
            "assistant",
            "tool_call",
            text,
            ts=ts,
            tool=tool or None,
            call_id=call_id,
            line=number,
            data=data,
        )


def _spoken(text: str) -> list[tuple[str, str]]:
    """What stands in the marks of a text that an agent wrote around a person's words."""
    found: list[tuple[str, str]] = []
    start = 0
    while mark := _SPOKEN.search(text, start):
        close = text.find(f"</{mark[1]}>", mark.end())
        end = close if close >= 0 else len(text)
        # Within a line it is somebody's prose about the mark.
        before = text[max(0, mark.start() - 80) : mark.start()]
        if not before or before.endswith("\n") or before.rstrip().endswith((":", ">")):
            found.append((mark[1], text[mark.end() : end]))
        start = end
    return found


def _texts(content: object) -> list[str]:
    if isinstance(content, list) and any(
        as_text(as_dict(part).get("type")) == "text" for part in content
    ):
        return [
            as_text(as_dict(part).get("text"))
            for part in content
            if as_text(as_dict(part).get("type")) == "text"
        ]
    parts = [as_text(as_dict(part).get("result")) for part in as_list(content)]
    return ["\n".join(filter(None, parts)) or join_text(content)]


def _parameters(body: str) -> dict[str, str]:
    """The parameters of a tool that is called as XML; in the newest form they stand one deeper, in `<args>`."""
    found: dict[str, str] = {}
    start = 0
    for opened in islice(_PARAMETER.finditer(body), _MOST_PARAMETERS):
        close = body.find(f"</{opened[1]}>", opened.end()) if opened.start() >= start else -1
        if opened[1] in ("args", "file") or close < 0:
            continue
        found.setdefault(opened[1], body[opened.end() : close].strip())
        start = close + len(opened[1]) + 3
    return found
