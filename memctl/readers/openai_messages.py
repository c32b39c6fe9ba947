"""Conversations as lists of messages: OpenAI (chat and responses), Anthropic, ShareGPT, Open WebUI, and JSONL logs of any of them.

One file holds one conversation (a list of messages, or a message a line) or many (an object or a list each).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, parse_json
from memctl.readers.messages import (
    add_block,
    add_message,
    choose_id,
    find_content,
    find_role,
    find_time,
    trace_path,
)
from memctl.readers.sniffing import has_keys, parse_head_objects
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_LISTS = ("messages", "conversations", "conversation", "history", "input", "output", "items")


class OpenAIMessages:
    """Reads lists of messages."""

    name: ClassVar[str] = "openai-messages"
    agent: ClassVar[str] = "chat"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Never sure: many formats hold messages, and their own readers know better."""
        if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
            return 0.0
        objects = parse_head_objects(head)
        known = sum(1 for entry in objects if _is_message(entry) or _list_in(entry))
        # A log in which messages are rare has a meaning of its own, and half of it would be lost here.
        if objects and known:
            return 0.7 if known * 5 >= len(objects) else 0.0
        trees = (
            ("conversations", "from", "value"),
            ("history", "currentId", "role"),
            ("messages", "sender", "isCreatedByUser"),
        )
        if any(has_keys(head, *keys) for keys in trees):
            return 0.6
        return (
            0.5
            if has_keys(head, "role")
            and (has_keys(head, "content") or has_keys(head, "tool_calls"))
            else 0.0
        )

    def read(self, source: Input) -> Iterator[Transcript]:
        """The conversations of the file; messages that stand alone are one."""
        loose = _Conversation(source, {})
        for line, item in _items(source):
            if isinstance(item, list) or _list_in(item):
                yield from loose.finished()
                loose = _Conversation(source, {})
                yield from _whole(source, line, item)
            else:
                loose.take(line, item)
        yield from loose.finished(even_empty=True)


READER = OpenAIMessages()


def _items(source: Input) -> Iterator[tuple[int, Any]]:
    """Messages and conversations with their lines, from JSON lines or from one JSON value."""
    first = parse_json(
        source.read_head().removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    )
    if isinstance(first, dict):
        yield from source.read_json_lines()
        return
    whole = source.read_json()
    if not isinstance(whole, (list, dict)):
        source.unknown["not JSON"] += 1
        return
    yield from ((1, item) for item in (whole if isinstance(whole, list) else [whole]))


def _shown(item: object) -> object:
    """The version of a message that is shown, where all of its versions are kept."""
    versions = as_list(as_dict(item).get("versions"))
    at = as_dict(item).get("currentlySelected", 0)
    if not versions or not isinstance(at, int) or not 0 <= at < len(versions):
        return item
    shown = as_dict(versions[at])
    steps = [
        block
        for step in as_list(shown.get("steps"))
        for block in as_list(as_dict(step).get("content"))
    ]
    return shown | ({"content": steps} if steps else {})


def _is_message(item: object) -> bool:
    return (
        isinstance(item, dict)
        and find_role(item) is not None
        and (bool(find_content(item)) or "tool_calls" in item)
    )


def _list_in(item: object) -> list[Any]:
    """The messages that a conversation's object holds, of which one at least must look like one."""
    given = as_dict(item)
    found = (
        [as_list(given.get(key)) for key in _LISTS]
        if find_role(given) is None or "messages" in given
        else []
    )
    joined = [_shown(entry) for part in found for entry in part]
    if any(_is_message(entry) or as_dict(entry).get("type") == "function_call" for entry in joined):
        return joined
    held = as_dict(given.get("chat", given))
    history = as_dict(held.get("history"))
    return (
        _branch(history)
        if as_dict(history.get("messages"))
        else [entry for entry in as_list(held.get("messages")) if _is_message(entry)]
    )


def _branch(history: dict[str, Any]) -> list[Any]:
    """Open WebUI keeps a tree; what is shown is the path to its current message."""
    nodes = as_dict(history.get("messages"))
    leaf = as_text(history.get("currentId"))
    return [
        nodes[key]
        for key in trace_path(leaf, lambda key: as_name(as_dict(nodes.get(key)).get("parentId")))
        if key in nodes
    ]


def _whole(source: Input, line: int, item: object) -> Iterator[Transcript]:
    entry = as_dict(item)
    conversation = _Conversation(source, entry)
    for key in ("system", "instructions"):
        if entry.get(key):
            conversation.take(line, {"role": "system", "content": entry[key]})
    for key in ("input", "output"):
        if isinstance(entry.get(key), str):
            conversation.take(
                line, {"role": "human" if key == "input" else "assistant", "content": entry[key]}
            )
    for message in item if isinstance(item, list) else _list_in(item):
        conversation.take(line, message)
    yield from conversation.finished()


class _Conversation:
    """One conversation as far as it has been read."""

    def __init__(self, source: Input, entry: dict[str, Any]) -> None:
        self.source, self.entry = source, entry
        self.turns = Turns()

    def take(self, line: int, item: object) -> None:
        """Add a message, or a step that stands where a message could."""
        message = as_dict(item)
        kind = as_text(message.get("type"))
        if find_role(message) is not None and kind != "function_call":
            add_message(self.turns, self.source.unknown, message, line)
        elif kind == "function_call":
            add_block(
                self.turns,
                self.source.unknown,
                "assistant",
                message | {"type": "tool_use"},
                ts=find_time(message),
                line=line,
            )
        elif kind in ("reasoning", "function_call_output"):
            add_block(
                self.turns,
                self.source.unknown,
                "assistant",
                message,
                ts=find_time(message),
                line=line,
            )
        elif as_text(message.get("role")) == "session_meta":
            self.entry = message | self.entry
        else:
            self.source.unknown["message"] += 1

    def finished(self, *, even_empty: bool = False) -> Iterator[Transcript]:
        """The conversation; one without turns only if it must say what was not understood."""
        if not len(self.turns) and not (even_empty and self.source.unknown):
            return
        yield Transcript(
            format=OpenAIMessages.name,
            agent=OpenAIMessages.agent,
            session_id=choose_id("chat", self.entry, self.turns),
            turns=self.turns.collect(),
            cwd=as_name(self.entry.get("cwd")),
            title=as_name(self.entry.get("title")),
            started_at=parse_time(self.entry.get("created_at")) or self.turns.started_at,
            ended_at=self.turns.ended_at,
            unknown=dict(self.source.unknown),
        )
