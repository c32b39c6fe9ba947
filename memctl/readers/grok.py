"""Grok Build's sessions: `chat_history.jsonl` in its two formats, with `summary.json` beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Reader
from memctl.readers.jsonl_session import Entry, JsonlSession, Methods
from memctl.readers.messages import join_text, strip_prompt_tags
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.values import as_dict, as_dicts, as_list, as_name, as_text, parse_time

_FILE_NAME = "chat_history.jsonl"
# The reason of an entry with what a person typed while the agent worked.
_INTERJECTED = "interject"
_QUERY = compile_later(r"<user_(?:query|message)>\s*(.*?)\s*</user_(?:query|message)>", re.DOTALL)


class Grok:
    """Reads Grok Build sessions."""

    name: ClassVar[str] = "grok"
    agent: ClassVar[str] = "grok"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if an entry is one that only Grok writes; older ones need their file's name."""
        entries = parse_head_objects(head)
        if any(_is_grok_entry(entry) for entry in entries):
            return 0.96
        has_messages = any("role" in entry and "content" in entry for entry in entries)
        return 0.8 if name == _FILE_NAME and has_messages else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        yield from _GrokSession(source, self).read()


READER = Grok()


def _is_grok_entry(entry: Entry) -> bool:
    kind = entry.get("type", entry.get("role"))
    if "content" not in entry:
        return False
    if kind == "user":
        return "prompt_index" in entry or "synthetic_reason" in entry
    model = as_text(entry.get("model_id"))
    return kind == "assistant" and model != "" and ("type" in entry or model.startswith("grok"))


class _GrokSession(JsonlSession):
    wrappings = frozenset(
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
    quiet_types = frozenset(["system", "reasoning", "backend_tool_call", "developer"])
    time_field = ""

    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        self._note_summary(source.read_json_beside("summary.json"))
        path = source.path
        if self.session_id is None and path is not None and path.name == _FILE_NAME:
            self.session_id = path.parent.name

    def _note_summary(self, summary: dict[str, Any]) -> None:
        info = as_dict(summary.get("info"))
        self.session_id, self.cwd = as_name(info.get("id")), as_name(info.get("cwd"))
        self.title = as_name(summary.get("generated_title"))
        self.title = self.title or as_name(summary.get("session_summary"))
        self.git_branch = as_name(summary.get("head_branch"))
        remotes = map(as_name, as_list(summary.get("git_remotes")))
        self.remote = next(filter(None, remotes), None)
        self.parent_id = as_name(summary.get("parent_session_id"))
        self.is_subagent = summary.get("session_kind") == "subagent"
        self.began_at = parse_time(summary.get("created_at"))

    def read_entry(self, entry: Entry) -> None:
        """Read one entry; older ones have a role in place of a type."""
        self.read_typed(as_text(entry.get("type")) or as_text(entry.get("role")), entry)

    def _read_user(self, entry: Entry) -> None:
        reason = as_text(entry.get("synthetic_reason"))
        text = join_text(entry.get("content"))
        if _INTERJECTED in reason:
            # The harness says before such words that they came while the agent worked.
            typed = _QUERY.search(text)
            text = typed[1] if typed else text
        if not reason or _INTERJECTED in reason:
            self.add_prompt(strip_prompt_tags(text, "human"))

    def _read_assistant(self, entry: Entry) -> None:
        self.add_answer(join_text(entry.get("content")))
        for call in as_dicts(entry.get("tool_calls")):
            function = as_dict(call.get("function")) or call
            self.add_call(function.get("name"), function.get("arguments"), call_id=call.get("id"))

    def _read_result(self, entry: Entry) -> None:
        self.add_result(join_text(entry.get("content")), call_id=entry.get("tool_call_id"))

    methods: ClassVar[Methods] = {
        "user": _read_user,
        "assistant": _read_assistant,
        "tool_result": _read_result,
        "tool": _read_result,
    }
