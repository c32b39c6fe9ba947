"""Conversations as lists of messages: OpenAI (chat and responses), Anthropic, ShareGPT, Open WebUI, and JSONL logs of any of them.

One file holds one conversation (a list of messages, or a message a line) or many (an object or a list each).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, parse_json
from memctl.readers.messages import (
    content_of,
    path_to,
    role_of,
    stable_id,
    take_block,
    take_message,
    time_of,
)
from memctl.readers.sniffing import has_keys, head_objects
from memctl.readers.turns import Turns, dict_of, list_of, name_of, text_of, when

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
        objects = head_objects(head)
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
    first = parse_json(source.head().removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0])
    if isinstance(first, dict):
        yield from source.json_lines()
        return
    whole = source.json()
    if not isinstance(whole, (list, dict)):
        source.unknown["not JSON"] += 1
        return
    yield from ((1, item) for item in (whole if isinstance(whole, list) else [whole]))


def _shown(item: object) -> object:
    """The version of a message that is shown, where all of its versions are kept."""
    versions = list_of(dict_of(item).get("versions"))
    at = dict_of(item).get("currentlySelected", 0)
    if not versions or not isinstance(at, int) or not 0 <= at < len(versions):
        return item
    shown = dict_of(versions[at])
    steps = [
        block
        for step in list_of(shown.get("steps"))
        for block in list_of(dict_of(step).get("content"))
    ]
    return shown | ({"content": steps} if steps else {})


def _is_message(item: object) -> bool:
    return (
        isinstance(item, dict)
        and role_of(item) is not None
        and (bool(content_of(item)) or "tool_calls" in item)
    )


def _list_in(item: object) -> list[Any]:
    """The messages that a conversation's object holds, of which one at least must look like one."""
    given = dict_of(item)
    found = (
        [list_of(given.get(key)) for key in _LISTS]
        if role_of(given) is None or "messages" in given
        else []
    )
    joined = [_shown(entry) for part in found for entry in part]
    if any(_is_message(entry) or dict_of(entry).get("type") == "function_call" for entry in joined):
        return joined
    held = dict_of(given.get("chat", given))
    history = dict_of(held.get("history"))
    return (
        _branch(history)
        if dict_of(history.get("messages"))
        else [entry for entry in list_of(held.get("messages")) if _is_message(entry)]
    )


def _branch(history: dict[str, Any]) -> list[Any]:
    """Open WebUI keeps a tree; what is shown is the path to its current message."""
    nodes = dict_of(history.get("messages"))
    leaf = text_of(history.get("currentId"))
    return [
        nodes[key]
        for key in path_to(leaf, lambda key: name_of(dict_of(nodes.get(key)).get("parentId")))
        if key in nodes
    ]


def _whole(source: Input, line: int, item: object) -> Iterator[Transcript]:
    entry = dict_of(item)
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
        message = dict_of(item)
        kind = text_of(message.get("type"))
        if role_of(message) is not None and kind != "function_call":
            take_message(self.turns, self.source.unknown, message, line)
        elif kind == "function_call":
            take_block(
                self.turns,
                self.source.unknown,
                "assistant",
                message | {"type": "tool_use"},
                ts=time_of(message),
                line=line,
            )
        elif kind in ("reasoning", "function_call_output"):
            take_block(
                self.turns,
                self.source.unknown,
                "assistant",
                message,
                ts=time_of(message),
                line=line,
            )
        elif text_of(message.get("role")) == "session_meta":
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
            session_id=stable_id("chat", self.entry, self.turns),
            turns=self.turns.finished(),
            cwd=name_of(self.entry.get("cwd")),
            title=name_of(self.entry.get("title")),
            started_at=when(self.entry.get("created_at")) or self.turns.started_at,
            ended_at=self.turns.ended_at,
            unknown=dict(self.source.unknown),
        )
