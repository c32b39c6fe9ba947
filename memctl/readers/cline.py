"""Cline's tasks as the model saw them (`api_conversation_history.json`), also Roo's and Kilo's.

A user message carries results of tools, the state of the editor and what a person typed, all as
text. A person's words stand in `<task>`, `<feedback>`, `<user_message>`, `<answer>` or
`<user_input>`. Tools may be called as XML within the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Reader
from memctl.readers.cline_task import ClineSession
from memctl.readers.envelopes import unwrap
from memctl.readers.jsonl_session import Entry
from memctl.readers.messages import find_ok, join_text, list_blocks
from memctl.readers.sniffing import has_keys
from memctl.readers.values import (
    as_dict,
    as_dicts,
    as_list,
    as_name,
    as_text,
    clean_text,
)

_FILE_NAME = "api_conversation_history.json"
# The marks around a person's words, as bytes of a file.
_MARK_BYTES = (
    b"<task>",
    b"<environment_details>",
    b"<user_input",
    b"<feedback>\\n",
    b"<user_message>\\n",
)
_MARK = compile_later(
    r"<(task|feedback|user_message|answer|user_input)(?: mode=\\?\"\w{1,20}\\?\")?>"
)
# Characters before a mark that show whether it is part of a line of prose.
_MARK_CONTEXT = 80
_RESULT = "] Result:"
# Characters at the start of a text that are searched for the head of a result.
_RESULT_HEAD = 400
_NOTICES = ("[ERROR]", "[TASK RESUMPTION]", "[NOTE]", "[CONTEXT")
_XML_TOOLS = (
    "execute_command",
    "read_file",
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "insert_content",
    "search_and_replace",
    "search_files",
    "list_files",
    "edit_file",
    "list_code_definition_names",
    "browser_action",
    "use_mcp_tool",
    "access_mcp_resource",
    "ask_followup_question",
    "attempt_completion",
    "plan_mode_respond",
    "plan_mode_response",
    "new_task",
    "switch_mode",
    "update_todo_list",
    "fetch_instructions",
    "load_mcp_documentation",
    "condense",
    "new_rule",
    "web_fetch",
    "codebase_search",
    "report_bug",
    "summarize_task",
    "focus_chain",
    "use_skill",
    "generate_explanation",
)
_XML_CALL = compile_later(rf"<({'|'.join(_XML_TOOLS)}|thinking)>")
_PARAMETER = compile_later(r"<([a-z_]{1,40})>")
_MAX_PARAMETERS = 100
# Tools that speak, and the argument that holds the words.
_SPOKEN_ARGUMENTS = {
    "attempt_completion": "result",
    "ask_followup_question": "question",
    "plan_mode_respond": "response",
    "plan_mode_response": "response",
}
_QUIET_BLOCKS = frozenset(
    ["image", "thinking", "redacted_thinking", "reasoning", "document", "server_tool_use"]
)


class Cline:
    """Reads what the model saw of tasks of Cline, Roo and Kilo."""

    name: ClassVar[str] = "cline"
    agent: ClassVar[str] = "cline"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if messages have the marks that these agents put around a person's words."""
        first = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        is_list = first == b"[" or (first == b"{" and has_keys(head, "messages"))
        if not is_list or not has_keys(head, "role", "content"):
            return 0.0
        if any(_has_mark(head, mark) for mark in _MARK_BYTES):
            return 0.96
        return 0.75 if name == _FILE_NAME else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one task of the file."""
        yield from _ClineApiSession(source, self).read()


READER = Cline()


def _has_mark(head: bytes, mark: bytes) -> bool:
    """Return whether a mark stands at the start of a JSON text or of a line in one."""
    return b'"' + mark in head or b"\\n" + mark in head or b'": "' + mark in head


class _ClineApiSession(ClineSession):
    wrappings = frozenset(
        [
            "environment_details",
            "file_content",
            "folder_content",
            "url_content",
            "workspace_diagnostics",
            "terminal_output",
            "git_working_state",
            "git_commit",
            "mode_notice",
            "file_list",
            "explicit_instructions",
            "slash_command",
            "files",
            "hook_context",
            "system-reminder",
            "image",
            "system_reminder",
            "reminder",
            "final_file_content",
            "focus_chain",
            "todo_list",
            "command",
            "task_progress",
            "additional_context",
        ]
    )
    time_field = "ts"

    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        # The tool whose result is expected in a text without a mark.
        self.awaited_tool: str | None = None
        self.has_marks = any(mark in source.read_head() for mark in _MARK_BYTES)

    def list_entries(self) -> Iterator[tuple[int, Entry]]:
        """The messages, numbered."""
        whole = self.source.read_json()
        if not isinstance(whole, (list, dict)):
            self.source.unknown["not JSON"] += 1
        messages = whole if isinstance(whole, list) else as_dict(whole).get("messages")
        return enumerate(as_dicts(messages), 1)

    def read_entry(self, entry: Entry) -> None:
        """Understand one message."""
        role, content = as_text(entry.get("role")), entry.get("content")
        if role not in ("user", "assistant"):
            self.source.unknown["message"] += 1
        elif entry.get("isSummary") is True:
            self.add_summary(join_text(content))
        else:
            for block in list_blocks(content):
                self._read_block(role, block)

    def _read_block(self, role: str, block: Entry) -> None:
        kind = as_text(block.get("type"))
        if kind == "text" and role == "assistant":
            self._read_answer(as_text(block.get("text")))
        elif kind == "text":
            self._read_user_text(as_text(block.get("text")))
        elif kind == "tool_use":
            self._read_call(as_text(block.get("name")), block.get("input"), block.get("id"))
        elif kind == "tool_result":
            for text in _list_texts(block.get("content")):
                self._read_result_text(block, text)
        elif kind not in _QUIET_BLOCKS:
            self.count_unknown("block", kind)

    def _read_user_text(self, text: str) -> None:
        """Read a text of a user message: a person's words, a tool's result, or the editor's
        state.
        """
        text, is_spoken = self._add_spoken(text)
        remainder = "" if is_spoken else unwrap(text, self.wrappings)
        if remainder and (self.has_marks or _RESULT in remainder[:_RESULT_HEAD]):
            self._read_unmarked(remainder)
        elif not is_spoken:
            self._add_human("text", remainder)

    def _read_result_text(self, block: Entry, text: str) -> None:
        """Read a text of a tool's result, which may contain a person's words in their marks."""
        text, is_spoken = self._add_spoken(text)
        output = text[: text.find("<")] if is_spoken else unwrap(text, self.wrappings)
        call_id = as_name(block.get("tool_use_id"))
        tool = self.tools.get(call_id or "")
        self.add_result(output, call_id=call_id, tool=tool, ok=find_ok(block, "is_error"))

    def _add_spoken(self, text: str) -> tuple[str, bool]:
        """Add the marked words; return the cleaned text, and whether it had any marks."""
        self.note_workspace(text)
        text = clean_text(text)
        # If another task started this one, the first words are that agent's.
        self.is_subagent = self.parent_id is not None and not len(self.turns)
        spoken = _list_spoken(text)
        for mark, words in spoken:
            kind = "answer" if mark == "answer" else "text"
            self._add_human(kind, unwrap(words, self.wrappings))
        return text, bool(spoken)

    def _add_human(self, kind: str, text: str) -> None:
        self.add(self.prompt_role, kind, text)

    def _read_unmarked(self, text: str) -> None:
        """Read a text without marks in a task that has marks: a tool's result, or a notice.

        The tool's name may stand in the text before.
        """
        head, separator, body = text.partition(_RESULT)
        if separator and head.startswith("["):
            self.awaited_tool, text = head[1:].partition(" ")[0], body.strip()
        if text and self.awaited_tool and not text.startswith(_NOTICES):
            self.add_result(text, tool=self.awaited_tool)
            self.awaited_tool = None

    def _read_answer(self, text: str) -> None:
        """Add the agent's words and the tool calls within them."""
        start = 0
        while opening := _XML_CALL.search(text, start):
            tool = opening[1]
            close = text.find(f"</{tool}>", opening.end())
            end = close if close >= 0 else len(text)
            self.add_answer(text[start : opening.start()])
            if tool != "thinking":
                self._read_call(tool, _parse_parameters(text[opening.end() : end]), None)
            start = end + len(f"</{tool}>")
        self.add_answer(text[start:])

    def _read_call(self, tool: str, args: object, call_id: object) -> None:
        # A result without an id belongs to the last call without one.
        self.tools[as_name(call_id) or ""] = tool
        if tool in _SPOKEN_ARGUMENTS:
            self.add_answer(as_text(as_dict(args).get(_SPOKEN_ARGUMENTS[tool])))
        else:
            self.add_call(tool, args, call_id=call_id)


def _list_spoken(text: str) -> list[tuple[str, str]]:
    """Return the marks around a person's words in a text, each with its content."""
    spoken: list[tuple[str, str]] = []
    start = 0
    while mark := _MARK.search(text, start):
        close = text.find(f"</{mark[1]}>", mark.end())
        end = close if close >= 0 else len(text)
        # Inside a line it is prose about the mark.
        before = text[max(0, mark.start() - _MARK_CONTEXT) : mark.start()]
        if not before or before.endswith("\n") or before.rstrip().endswith((":", ">")):
            spoken.append((mark[1], text[mark.end() : end]))
        start = end
    return spoken


def _list_texts(content: object) -> list[str]:
    """Return the texts of a tool's result, or one text made from its other parts."""
    parts = [as_dict(part) for part in as_list(content)]
    texts = [as_text(part.get("text")) for part in parts if as_text(part.get("type")) == "text"]
    if texts:
        return texts
    results = filter(None, (as_text(part.get("result")) for part in parts))
    return ["\n".join(results) or join_text(content)]


def _parse_parameters(body: str) -> dict[str, Any]:
    """Return the parameters of a tool call in XML; the newest form nests them in `<args>`."""
    parameters: dict[str, Any] = {}
    start = 0
    for opening in islice(_PARAMETER.finditer(body), _MAX_PARAMETERS):
        name = opening[1]
        close = body.find(f"</{name}>", opening.end()) if opening.start() >= start else -1
        if name in ("args", "file") or close < 0:
            continue
        parameters.setdefault(name, body[opening.end() : close].strip())
        start = close + len(f"</{name}>")
    return parameters
