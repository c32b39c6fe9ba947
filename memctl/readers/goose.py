"""Goose's older sessions and its exports.

An older session is a line about the session, then one message on each line; `goose session export`
writes one object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input
from memctl.readers.jsonl_session import Entry, JsonlSession
from memctl.readers.messages import join_text
from memctl.readers.sniffing import has_keys, parse_head_objects
from memctl.readers.values import as_dict, as_dicts, as_name, as_text

_OWN_BLOCKS = frozenset(["text", "toolRequest", "toolResponse"])
_QUIET_BLOCKS = frozenset(
    [
        "thinking",
        "redactedThinking",
        "image",
        "systemNotification",
        "toolConfirmationRequest",
        "frontendToolRequest",
        "actionRequired",
        "reasoning",
        "contextLengthExceeded",
        "summarizationRequested",
        "conversationCompacted",
    ]
)
# Sessions into which no person typed.
_UNTYPED_SESSIONS = ("sub_agent", "scheduled", "hidden")


class Goose:
    """Reads Goose sessions."""

    name: ClassVar[str] = "goose"
    agent: ClassVar[str] = "goose"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if there is the line about the session, or a message with Goose's kinds of
        blocks.
        """
        entries = parse_head_objects(head)
        if entries and "working_dir" in entries[0] and "role" not in entries[0]:
            return 0.97
        is_export = head.lstrip()[:1] == b"{" and has_keys(head, "working_dir", "session_type")
        return 0.96 if is_export or any(_is_message(entry) for entry in entries) else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        session = GooseSession(source, self)
        session.session_id = source.stem or None
        yield from session.read()


READER = Goose()


def _is_message(entry: Entry) -> bool:
    kinds = {as_text(block.get("type")) for block in as_dicts(entry.get("content"))}
    is_dated = isinstance(entry.get("created"), int)
    return "role" in entry and is_dated and not kinds.isdisjoint(_OWN_BLOCKS)


class GooseSession(JsonlSession):
    """A session of Goose, from its files or its database."""

    wrappings = frozenset(["info-msg", "system-reminder", "environment"])
    time_field = "created"

    def list_entries(self) -> Iterator[tuple[int, Entry]]:
        """Yield the lines; for an export its head, then its messages, numbered like lines."""
        export: Entry = {}
        if has_keys(self.source.read_head(), "working_dir", "session_type"):
            export = as_dict(self.source.read_json())
        if "working_dir" not in export or "role" in export:
            yield from super().list_entries()
            return
        yield 1, {name: value for name, value in export.items() if name != "conversation"}
        yield from enumerate(as_dicts(export.get("conversation")), 1)

    def read_entry(self, entry: Entry) -> None:
        """Read a message, or the line about the session."""
        if "role" not in entry:
            self.note_session(entry)
            return
        metadata = as_dict(entry.get("metadata"))
        self.read_message(as_text(entry["role"]), entry.get("content"), metadata)

    def note_session(self, about: Mapping[str, Any]) -> None:
        """Note what is said about the session."""
        title = as_name(about.get("name")) or as_name(about.get("description"))
        self.session_id = as_name(about.get("id")) or self.session_id
        self.cwd = as_name(about.get("working_dir")) or self.cwd
        self.title = title or self.title
        self.is_subagent = about.get("session_type") in _UNTYPED_SESSIONS
        self.parent_id = as_name(about.get("parent_session_id"))

    def read_message(self, role: str, content: object, metadata: Mapping[str, Any]) -> None:
        """Add one message; one that only the agent was shown is a summary or a program's note."""
        for block in as_dicts(content):
            kind = as_text(block.get("type"))
            if kind == "text":
                self._add_text(role, as_text(block.get("text")), metadata)
            elif kind == "toolRequest":
                call = as_dict(as_dict(block.get("toolCall")).get("value"))
                self.add_call(
                    as_name(call.get("name")), call.get("arguments"), call_id=block.get("id")
                )
            elif kind == "toolResponse":
                self._add_response(block)
            elif kind not in _QUIET_BLOCKS:
                self.count_unknown("block", kind)

    def _add_text(self, role: str, text: str, metadata: Mapping[str, Any]) -> None:
        if metadata.get("userVisible") is False:
            self.add_summary(text if metadata.get("agentVisible") is not False else "")
        elif role == "user":
            self.add_prompt(text)
        else:
            self.add_answer(text)

    def _add_response(self, block: dict[str, Any]) -> None:
        result = as_dict(block.get("toolResult"))
        value = result.get("value")
        has_failed = result.get("status") == "error" or as_dict(value).get("isError") is True
        output = as_dict(value).get("content", value)
        text = as_text(result.get("error")) if output is None else join_text(output)
        self.add_result(text, call_id=block.get("id"), ok=False if has_failed else None)
