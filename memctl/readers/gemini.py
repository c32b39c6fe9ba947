"""Gemini CLI's sessions: one JSON object, or (newer) a log of events that rewrites itself.

In a log, a message with the id of an earlier one replaces it; `$set` may replace all messages;
`$rewindTo` removes a message and all after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers import folder_names
from memctl.readers.base import Input, Reader, parse_json
from memctl.readers.jsonl_session import Entry, JsonlSession
from memctl.readers.sniffing import has_keys
from memctl.readers.tool_summaries import describe_call
from memctl.readers.values import (
    as_dict,
    as_dicts,
    as_list,
    as_name,
    as_text,
    clean_text,
    parse_time,
)

# Beginnings of parts that hooks and file references added to a prompt.
_INJECTED = (
    "<session_context>",
    "<hook_context>",
    "<qwen:",
    "--- Content from referenced files ---",
)
_HOOK_OPENING = "<hook_context>"
_HOOK_CLOSING = "</hook_context>"
_COMMAND = compile_later(r"/[a-z][\w:-]*(?:\s|$)")
_EXIT_CODE = compile_later(r"^Exit Code: (-?\d{1,10})", re.MULTILINE | re.IGNORECASE)
_ANSWER_TYPES = ("gemini", "model")
_QUIET_TYPES = ("info", "error", "warning")
_HEAD_FIELDS = (
    "sessionId",
    "projectHash",
    "startTime",
    "lastUpdated",
    "summary",
    "directories",
    "kind",
)
# Beside the folder of a project's chats: the path of the project.
_ROOT_NOTE = "../.project_root"
# Which folder has which name below `tmp`: `{"projects": {path: name}}`.
_NAMES_NOTE = "../../../projects.json"
_ENDED = ("success", "error", "cancelled")


class Gemini:
    """Reads Gemini CLI sessions."""

    name: ClassVar[str] = "gemini-cli"
    agent: ClassVar[str] = "gemini-cli"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if the session's own two ids are there; less so for its dates with messages."""
        if has_keys(head, "sessionId", "projectHash") and not has_keys(head, "parentUuid"):
            return 0.97
        if has_keys(head, "messages", "startTime", "lastUpdated"):
            return 0.8
        return 0.6 if has_keys(head, "history", "role", "parts") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        yield from _GeminiSession(source, self).read()


READER = Gemini()


def _is_log(source: Input) -> bool:
    first = parse_json(source.read_head().lstrip().partition(b"\n")[0])
    return isinstance(first, dict) and first.keys().isdisjoint({"messages", "history"})


class _GeminiSession(JsonlSession):
    """Keeps the messages until the end of the log, when it is certain which ones remain."""

    is_named_by_file = True

    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        self.head: dict[str, Any] = {}
        # By their ids, in order: line, whether a sub-agent was asked, and the message.
        self.messages: dict[str, tuple[int, bool, Entry]] = {}

    def read(self) -> Iterator[Transcript]:
        """Read the log, or the whole session in one object."""
        if _is_log(self.source):
            yield from super().read()
            return
        whole = self.source.read_json()
        if isinstance(whole, dict):
            self.line = 1
            self._note_head(whole)
            self._replace_messages(whole.get("messages") or whole.get("history"))
        else:
            self.source.unknown["not a session"] += 1
        yield self.to_transcript()

    def read_entry(self, entry: Entry) -> None:
        """Read one line of a log."""
        if "$set" in entry:
            changes = as_dict(entry["$set"])
            self._note_head(changes)
            if "messages" in changes:
                self._replace_messages(changes["messages"])
        elif "$rewindTo" in entry:
            self._rewind(as_text(entry["$rewindTo"]))
        elif "type" in entry:
            self._keep_message(entry)
        elif "sessionId" in entry:
            self._note_head(entry)
        else:
            self.source.unknown["line"] += 1

    def to_transcript(self, **overrides: Any) -> Transcript:
        """Return the session with the messages that remain."""
        for line, is_subagent, message in self.messages.values():
            self.line, self.is_subagent = line, is_subagent
            self.ts = parse_time(message.get("timestamp") or message.get("ts"))
            self._add_message(message)
        path = self.source.path
        if self.head.get("kind") == "subagent" and path:
            self.parent_id = path.parent.name
        self.add_title(as_text(self.head.get("summary")))
        self.session_id = as_name(self.head.get("sessionId"))
        directories = map(as_name, as_list(self.head.get("directories")))
        self.cwd = next(filter(None, directories), None) or self._find_folder()
        self.began_at = parse_time(self.head.get("startTime"))
        self.ended_at = parse_time(self.head.get("lastUpdated"))
        digest = as_name(self.head.get("projectHash"))
        return super().to_transcript(folder_hash=digest, **overrides)

    def _find_folder(self) -> str | None:
        """The folder of a session that names it by a hash: from beside it, or from its tools."""
        noted = self.source.read_beside(_ROOT_NOTE)
        if noted is not None:
            return as_name(noted.decode("utf-8", "replace").strip())
        named = self._find_named_folder()
        if named is not None:
            return named
        digest = as_text(self.head.get("projectHash"))
        return folder_names.find_by_hash(digest, self.turns.collect()) if digest else None

    def _find_named_folder(self) -> str | None:
        """The folder to which Gemini CLI gave the name of the folder that the chats are in."""
        path = self.source.path
        if path is None:
            return None
        name = path.absolute().parent.parent.name
        projects = as_dict(self.source.read_json_beside(_NAMES_NOTE).get("projects"))
        return next((as_name(folder) for folder, given in projects.items() if given == name), None)

    def _note_head(self, fields: Entry) -> None:
        self.head.update({field: fields[field] for field in _HEAD_FIELDS if field in fields})

    def _replace_messages(self, messages: object) -> None:
        self.messages.clear()
        for message in as_dicts(messages):
            self._keep_message(message)

    def _rewind(self, target: str) -> None:
        """Remove this message and all after it; all messages if it is not found."""
        while self.messages and self.messages.popitem()[0] != target:
            pass

    def _keep_message(self, message: Entry) -> None:
        message_id = as_text(message.get("id")) or f"#{self.line}.{len(self.messages)}"
        kind = _find_type(message)
        if kind != "user" and kind not in _ANSWER_TYPES and kind not in _QUIET_TYPES:
            self.count_unknown("type", kind)
        is_subagent = self.head.get("kind") == "subagent"
        self.messages[message_id] = self.line, is_subagent, message

    def _add_message(self, message: Entry) -> None:
        kind = _find_type(message)
        if kind == "user":
            shown = join_parts(message.get("displayContent"))
            prompt_kind, text = parse_prompt(shown or join_parts(_find_content(message)))
            self.add(self.prompt_role, prompt_kind, text)
        elif kind in _ANSWER_TYPES:
            self.add_answer(join_parts(_find_content(message)))
            for call in as_dicts(message.get("toolCalls")):
                self._add_tool_call(call)

    def _add_tool_call(self, call: Entry) -> None:
        """Add a tool call and, if it has ended, its result."""
        tool, call_id, status = as_text(call.get("name")), call.get("id"), call.get("status")
        text, call_data = describe_call(tool, call.get("args"))
        if tool:
            self.add_described_call(tool, text, call_data, call_id=call_id)
        results = [parse_response(part) for part in _as_parts(call.get("result"))]
        output = "\n".join(text for text, _ in results if text)
        output = output or as_text(call.get("resultDisplay"))
        if not output and status not in _ENDED:
            return
        is_error = status in ("error", "cancelled") or any(failed for _, failed in results)
        data: dict[str, Any] = {"refused": True} if status == "cancelled" else {}
        code = parse_exit_code(output) if "command" in call_data else None
        if code is not None:
            data["exit_code"] = code
        ok = not is_error and code in (None, 0)
        self.add_result(output, tool=tool, call_id=call_id, ok=ok, data=data)


def _find_type(message: Entry) -> str:
    return as_text(message.get("type") or message.get("role"))


def _find_content(message: Entry) -> object:
    return message["content"] if "content" in message else message.get("parts")


def parse_prompt(text: str) -> tuple[str, str]:
    """Return the kind (`text` or `command`) and the words of what a person typed.

    What hooks added is cut off; a lone `?`, which opens the help, is dropped.
    """
    text = clean_text(text)
    if text.endswith(_HOOK_CLOSING):
        text = text.partition(_HOOK_OPENING)[0].rstrip()
    if text == "?":
        return "text", ""
    return ("command" if _COMMAND.match(text) else "text"), text


def join_parts(content: object) -> str:
    """Return the text of a content: text, a part, or a list of parts.

    Injected parts and thoughts are left out.
    """
    if isinstance(content, str):
        return "" if _is_injected(content) else content
    texts = []
    for part in _as_parts(content):
        fields = {"text": part} if isinstance(part, str) else as_dict(part)
        text = as_text(fields.get("text"))
        if text and fields.get("thought") is not True and not _is_injected(text):
            texts.append(text)
    return "\n".join(texts)


def _is_injected(text: str) -> bool:
    return text.lstrip().startswith(_INJECTED)


def parse_response(part: object) -> tuple[str, bool]:
    """Return the text of a function's response, and whether it is an error."""
    response = as_dict(as_dict(as_dict(part).get("functionResponse")).get("response"))
    error = as_text(response.get("error"))
    return error or as_text(response.get("output")), bool(error)


def _as_parts(content: object) -> list[Any]:
    return content if isinstance(content, list) else [content]


def parse_exit_code(text: str) -> int | None:
    """Return the exit code that the shell tool reports in its output."""
    found = _EXIT_CODE.search(text)
    return int(found[1]) if found else None
