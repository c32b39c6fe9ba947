"""Conversations as lists of messages: OpenAI (chat and responses), Anthropic, ShareGPT, Open WebUI.

JSONL logs of these are read too. One file holds one conversation (a list of messages, or one
message on each line) or several (each an object or a list).
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Reader, parse_json
from memctl.readers.messages import (
    add_block,
    add_message,
    choose_id,
    find_content,
    find_role,
    find_time,
    trace_path,
)
from memctl.readers.session import Session
from memctl.readers.sniffing import has_keys, parse_head_objects
from memctl.readers.values import as_dict, as_dicts, as_list, as_name, as_text, parse_time

# Fields of a conversation that may hold its messages; if there are several, they are joined.
_LIST_FIELDS = (
    "messages",
    "conversations",
    "conversation",
    "history",
    "input",
    "output",
    "items",
)
# Fields that identify conversations whose first line is too long to be parsed.
_TELLING_FIELDS = (
    ("conversations", "from", "value"),
    ("history", "currentId", "role"),
    ("messages", "sender", "isCreatedByUser"),
)
# A log with fewer than one message in this many lines is something else, and half of it would be
# lost here.
_MAX_LINES_PER_MESSAGE = 5


class OpenAIMessages:
    """Reads lists of messages."""

    name: ClassVar[str] = "openai-messages"
    agent: ClassVar[str] = "chat"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Never certain: many formats hold messages, and their own readers know better."""
        if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
            return 0.0
        objects = parse_head_objects(head)
        known = sum(1 for entry in objects if _is_message(entry) or _list_messages(entry))
        if known:
            return 0.7 if known * _MAX_LINES_PER_MESSAGE >= len(objects) else 0.0
        if any(has_keys(head, *fields) for fields in _TELLING_FIELDS):
            return 0.6
        has_content = has_keys(head, "content") or has_keys(head, "tool_calls")
        return 0.5 if has_content and has_keys(head, "role") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the conversations of the file; messages that stand alone form one."""
        loose = _MessageConversation(source, self, {})
        for line, item in _list_items(source):
            if isinstance(item, list) or _list_messages(item):
                yield from loose.finish()
                loose = _MessageConversation(source, self, {})
                whole = _MessageConversation(source, self, as_dict(item))
                whole.line = line
                whole.read_whole(item)
                yield from whole.finish()
            else:
                loose.line = line
                loose.read_item(item)
        yield from loose.finish(may_be_empty=True)


READER = OpenAIMessages()


def _list_items(source: Input) -> Iterator[tuple[int, Any]]:
    """Yield messages and conversations with their lines, from JSON lines or one JSON value."""
    head = source.read_head().removeprefix(b"\xef\xbb\xbf").lstrip()
    if isinstance(parse_json(head.partition(b"\n")[0]), dict):
        yield from source.read_json_lines()
        return
    whole = source.read_json()
    if not isinstance(whole, (list, dict)):
        source.unknown["not JSON"] += 1
        return
    for item in whole if isinstance(whole, list) else [whole]:
        yield 1, item


def _select_version(item: object) -> object:
    """Return the version of a message that is shown, if several versions are kept."""
    message = as_dict(item)
    versions, index = as_dicts(message.get("versions")), message.get("currentlySelected", 0)
    if not isinstance(index, int) or not 0 <= index < len(versions):
        return item
    shown = versions[index]
    steps = as_dicts(shown.get("steps"))
    blocks = [block for step in steps for block in as_list(step.get("content"))]
    return shown | ({"content": blocks} if blocks else {})


def _is_message(item: object) -> bool:
    message = as_dict(item)
    if find_role(message) is None:
        return False
    return bool(find_content(message)) or "tool_calls" in message


def _list_messages(item: object) -> list[Any]:
    """Return the messages in a conversation's object; empty if none looks like a message."""
    conversation = as_dict(item)
    joined: list[Any] = []
    if find_role(conversation) is None or "messages" in conversation:
        for field in _LIST_FIELDS:
            joined += map(_select_version, as_list(conversation.get(field)))
    if any(_is_message(entry) or _is_function_call(entry) for entry in joined):
        return joined
    chat = as_dict(conversation.get("chat", conversation))
    history = as_dict(chat.get("history"))
    if as_dict(history.get("messages")):
        return _list_branch(history)
    return [entry for entry in as_list(chat.get("messages")) if _is_message(entry)]


def _is_function_call(entry: object) -> bool:
    return as_dict(entry).get("type") == "function_call"


def _list_branch(history: dict[str, Any]) -> list[Any]:
    """Return the path to the current message in Open WebUI's tree."""
    nodes = as_dict(history.get("messages"))

    def find_parent(key: str) -> str | None:
        return as_name(as_dict(nodes.get(key)).get("parentId"))

    path = trace_path(as_text(history.get("currentId")), find_parent)
    return [nodes[key] for key in path if key in nodes]


class _MessageConversation(Session):
    """One conversation; `about` is the object that holds it."""

    def __init__(self, source: Input, reader: Reader, about: dict[str, Any]) -> None:
        super().__init__(source, reader)
        self.about = about

    def read_whole(self, item: object) -> None:
        """Add all messages of a conversation."""
        for field in ("system", "instructions"):
            if self.about.get(field):
                self.read_item({"role": "system", "content": self.about[field]})
        for field, role in (("input", "human"), ("output", "assistant")):
            if isinstance(self.about.get(field), str):
                self.read_item({"role": role, "content": self.about[field]})
        for message in item if isinstance(item, list) else _list_messages(item):
            self.read_item(message)

    def read_item(self, item: object) -> None:
        """Add a message, or a step that stands in place of a message."""
        message = as_dict(item)
        kind = as_text(message.get("type"))
        if find_role(message) is not None and kind != "function_call":
            add_message(self.turns, self.source.unknown, message, self.line)
        elif kind == "function_call":
            self._add_step(message | {"type": "tool_use"})
        elif kind in ("reasoning", "function_call_output"):
            self._add_step(message)
        elif as_text(message.get("role")) == "session_meta":
            self.about = message | self.about
        else:
            self.source.unknown["message"] += 1

    def _add_step(self, block: dict[str, Any]) -> None:
        unknown, ts = self.source.unknown, find_time(block)
        add_block(self.turns, unknown, "assistant", block, ts=ts, line=self.line)

    def finish(self, *, may_be_empty: bool = False) -> Iterator[Transcript]:
        """Yield the conversation; an empty one only to report what was not understood."""
        if not len(self.turns) and not (may_be_empty and self.source.unknown):
            return
        self.session_id = choose_id("chat", self.about, self.turns)
        self.cwd, self.title = as_name(self.about.get("cwd")), as_name(self.about.get("title"))
        self.began_at = parse_time(self.about.get("created_at"))
        yield self.to_transcript()
