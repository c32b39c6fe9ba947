"""Gemini CLI's sessions: one JSON object, or (newer) an event log of JSON lines that rewrites and rewinds itself.

A message that comes again under its id replaces the earlier one; `$set` may replace all of them; `$rewindTo` takes back the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

from memctl.core.model import Role, Transcript
from memctl.readers.base import Input, clip, parse_json
from memctl.readers.sniffing import has_keys
from memctl.readers.tool_summaries import describe_call
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, clean_text, parse_time

_INJECTED = (
    "<session_context>",
    "<hook_context>",
    "<qwen:",
    "--- Content from referenced files ---",
)
_HOOK_OPEN, _HOOK_CLOSE = "<hook_context>", "</hook_context>"
_COMMAND = re.compile(r"/[a-z][\w:-]*(?:\s|$)")
_EXIT = re.compile(r"^Exit Code: (-?\d{1,10})", re.MULTILINE | re.IGNORECASE)
_QUIET = frozenset({"info", "error", "warning"})


class Step(NamedTuple):
    """A turn in the making; a message is a few of these until it is certain that it stays."""

    role: Role
    kind: str
    text: str
    line: int
    ts: str | None
    tool: str | None = None
    call_id: str | None = None
    ok: bool | None = None
    data: dict[str, Any] = {}  # noqa: RUF012 - a NamedTuple's default is never shared for writing here


class Gemini:
    """Reads Gemini CLI sessions."""

    name: ClassVar[str] = "gemini-cli"
    agent: ClassVar[str] = "gemini-cli"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when the session's own two ids are there; less so when only its dates and messages are."""
        if has_keys(head, "sessionId", "projectHash") and not has_keys(head, "parentUuid"):
            return 0.97
        if has_keys(head, "messages", "startTime", "lastUpdated"):
            return 0.8
        return 0.6 if has_keys(head, "history", "role", "parts") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        session = _Session(source)
        if _is_log(source):
            for line, entry in source.read_json_lines():
                session.take(line, entry)
        else:
            session.take_whole(source.read_json())
        yield session.finished()


READER = Gemini()


def _is_log(source: Input) -> bool:
    first = parse_json(source.read_head().lstrip().partition(b"\n")[0])
    return isinstance(first, dict) and not {"messages", "history"} & first.keys()


class _Session:
    """One session as far as it has been read: its messages by id, in order."""

    def __init__(self, source: Input) -> None:
        self.source = source
        self.head: dict[str, Any] = {}
        self.messages: dict[str, list[Step]] = {}

    def take_whole(self, whole: object) -> None:
        """The whole session in one object."""
        if not isinstance(whole, dict):
            self.source.unknown["not a session"] += 1
            return
        self._take_head(whole)
        self._replace_all(1, whole.get("messages") or whole.get("history"))

    def take(self, line: int, entry: dict[str, Any]) -> None:
        """One line of an event log."""
        if "$set" in entry:
            changes = as_dict(entry["$set"])
            self._take_head(changes)
            if "messages" in changes:
                self._replace_all(line, changes["messages"])
        elif "$rewindTo" in entry:
            self._rewind(as_text(entry["$rewindTo"]))
        elif "type" in entry:
            self._message(line, entry)
        elif "sessionId" in entry:
            self._take_head(entry)
        else:
            self.source.unknown["line"] += 1

    def finished(self) -> Transcript:
        """The session as a transcript."""
        turns = Turns()
        for step in (step for steps in self.messages.values() for step in steps):
            turns.add(
                step.role,
                step.kind,
                step.text,
                ts=step.ts,
                tool=step.tool,
                call_id=step.call_id,
                ok=step.ok,
                line=step.line,
                data=step.data,
            )
        path, is_sub = self.source.path, self._is_sub()
        title = as_text(self.head.get("summary"))
        turns.add("system", "title", title)
        return Transcript(
            format=Gemini.name,
            agent=Gemini.agent,
            session_id=as_name(self.head.get("sessionId")) or (path.stem if path else ""),
            turns=turns.collect(),
            parent_session_id=path.parent.name if is_sub and path else None,
            cwd=next(filter(None, map(as_name, as_list(self.head.get("directories")))), None),
            title=as_name(title),
            started_at=parse_time(self.head.get("startTime")) or turns.started_at,
            ended_at=turns.ended_at or parse_time(self.head.get("lastUpdated")),
            unknown=dict(self.source.unknown),
        )

    def _take_head(self, entry: dict[str, Any]) -> None:
        keys = ("sessionId", "startTime", "lastUpdated", "summary", "directories", "kind")
        self.head.update({key: entry[key] for key in keys if key in entry})

    def _is_sub(self) -> bool:
        return self.head.get("kind") == "subagent"

    def _replace_all(self, line: int, messages: object) -> None:
        self.messages.clear()
        for message in as_list(messages):
            self._message(line, as_dict(message))

    def _rewind(self, target: str) -> None:
        """Take back this message and all after it; all of them when it is not known."""
        while self.messages and self.messages.popitem()[0] != target:
            pass

    def _message(self, line: int, message: dict[str, Any]) -> None:
        message_id = as_text(message.get("id")) or f"#{line}.{len(self.messages)}"
        kind = message.get("type") or message.get("role")
        ts = parse_time(message.get("timestamp") or message.get("ts"))
        if kind == "user":
            steps = [_prompt(line, ts, message, self._is_sub())]
        elif kind in ("gemini", "model"):
            steps = [Step("assistant", "text", join_parts(_content(message)), line, ts)]
            for call in as_list(message.get("toolCalls")):
                steps += _tool_steps(line, ts, as_dict(call))
        else:
            steps = []
            if not (isinstance(kind, str) and kind in _QUIET):
                self.source.unknown[f"type {as_text(kind)[:40] or '(none)'}"] += 1
        self.messages[message_id] = steps


def _content(message: dict[str, Any]) -> object:
    return message.get("content") if "content" in message else message.get("parts")


def _prompt(line: int, ts: str | None, message: dict[str, Any], is_sub: bool) -> Step:
    shown = join_parts(message.get("displayContent"))
    kind, text = parse_prompt(shown or join_parts(_content(message)))
    return Step("system" if is_sub else "human", kind, text, line, ts)


def parse_prompt(text: str) -> tuple[str, str]:
    """The kind and the words of what a person typed, without what hooks and file references added."""
    text = clean_text(text)
    if text.endswith(_HOOK_CLOSE):
        text = text.partition(_HOOK_OPEN)[0].rstrip()
    if text == "?":
        return "text", ""
    return ("command" if _COMMAND.match(text) else "text"), text


def join_parts(content: object) -> str:
    """The text of content that is text, a part, or a list of parts; injected parts and thoughts are left out."""
    if isinstance(content, str):
        return "" if content.lstrip().startswith(_INJECTED) else content
    parts = [
        as_dict(part) if not isinstance(part, str) else {"text": part} for part in _as_list(content)
    ]
    texts = [as_text(part.get("text")) for part in parts if part.get("thought") is not True]
    return "\n".join(text for text in texts if text and not text.lstrip().startswith(_INJECTED))


def parse_response(value: object) -> tuple[str, bool]:
    """The text of a function's response and whether it is an error."""
    response = as_dict(as_dict(as_dict(value).get("functionResponse")).get("response"))
    error = as_text(response.get("error"))
    return error or as_text(response.get("output")), bool(error)


def _as_list(content: object) -> list[Any]:
    return content if isinstance(content, list) else [content]


def _tool_steps(line: int, ts: str | None, call: dict[str, Any]) -> list[Step]:
    """A tool call and, when there is one, its result."""
    tool, call_id = as_text(call.get("name")), as_name(call.get("id"))
    text, data = describe_call(tool, call.get("args"))
    steps = [
        Step("assistant", "tool_call", text or tool, line, ts, tool or None, call_id, None, data)
    ]
    answers = [parse_response(part) for part in _as_list(call.get("result"))]
    said = "\n".join(text for text, _ in answers if text) or as_text(call.get("resultDisplay"))
    status = call.get("status")
    if not said and status not in ("success", "error", "cancelled"):
        return steps
    is_error = status in ("error", "cancelled") or any(error for _, error in answers)
    outcome: dict[str, Any] = {"refused": True} if status == "cancelled" else {}
    code = parse_exit_code(said) if "command" in data else None
    if code is not None:
        outcome["exit_code"] = code
    steps.append(
        Step(
            "tool",
            "tool_result",
            clip(said),
            line,
            ts,
            tool or None,
            call_id,
            not is_error and code in (None, 0),
            outcome,
        )
    )
    return steps


def parse_exit_code(text: str) -> int | None:
    """The exit code that the shell tool reports in its output."""
    found = _EXIT.search(text)
    return int(found[1]) if found else None
