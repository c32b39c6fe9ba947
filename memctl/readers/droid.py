"""Droid's sessions (Factory): its session store, and the stream that `droid exec` prints."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import ClassVar
from memctl.readers.base import Input, Reader
from memctl.readers.jsonl_session import Entry, JsonlSession, Methods
from memctl.readers.messages import find_ok, join_text
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.values import as_dict, as_name, as_text

# What the stream calls the session, in its versions.
_SESSION_IDS = frozenset({"sessionId", "session_id"})
# First lines that are searched for the start of a session.
_START_LINES = 3


class Droid:
    """Reads Droid sessions."""

    name: ClassVar[str] = "droid"
    agent: ClassVar[str] = "droid"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if the file begins with the start of a session, or holds steps of the stream."""
        entries = parse_head_objects(head)
        for entry in entries[:_START_LINES]:
            if entry.get("type") == "session_start" and "id" in entry:
                return 0.97
        return 0.96 if any(_is_step(entry) for entry in entries) else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        yield from _DroidSession(source, self).read()


READER = Droid()


def _is_step(entry: Entry) -> bool:
    """Return whether an entry is a step of the stream that `droid exec` prints."""
    if _SESSION_IDS.isdisjoint(entry):
        return False
    kind = entry.get("type")
    if kind == "message":
        return isinstance(entry.get("text"), str) and "role" in entry
    return (kind == "tool_call" and "toolName" in entry) or (
        kind == "completion" and "finalText" in entry
    )


class _DroidSession(JsonlSession):
    slugs_below = "sessions"
    wrappings = frozenset(["system-reminder", "system-notification", "user-attachments"])
    quiet_blocks = frozenset(["thinking", "redacted_thinking", "image", "document"])
    quiet_types = frozenset(["todo_state", "session_end", "error", "reasoning", "settings"])

    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        self.last_answer = ""

    def add_answer(self, text: str) -> int | None:
        """Add what the agent said, and remember it."""
        self.last_answer = text.strip() or self.last_answer
        return super().add_answer(text)

    def _read_start(self, entry: Entry) -> None:
        named = next(filter(None, (as_name(entry.get(key)) for key in sorted(_SESSION_IDS))), None)
        own_id = named or as_name(entry.get("id"))
        title = as_name(entry.get("sessionTitle")) or as_name(entry.get("title"))
        caller_id = as_name(entry.get("callingSessionId"))
        self.session_id = own_id or self.session_id
        self.title = title or self.title
        self.cwd = as_name(entry.get("cwd")) or self.cwd
        self.parent_id = caller_id or as_name(entry.get("parentSessionId"))
        self.is_subagent = self.parent_id is not None and "callingSessionId" in entry
        self.began_at = self.ts

    def read_entry(self, entry: Entry) -> None:
        """Read one line; every step of the stream names its session."""
        if self.session_id is None and _is_step(entry):
            named = (as_name(entry.get(key)) for key in sorted(_SESSION_IDS))
            self.session_id = next(filter(None, named), None)
        super().read_entry(entry)

    def _read_system(self, entry: Entry) -> None:
        if entry.get("subtype") == "init":
            self._read_start(entry)

    def _read_message(self, entry: Entry) -> None:
        message = as_dict(entry.get("message")) or entry
        content = message.get("content", message.get("text"))
        self.add_blocks(as_text(message.get("role")), content)

    def _read_call(self, entry: Entry) -> None:
        tool = as_name(entry.get("toolName")) or as_name(entry.get("toolId"))
        self.add_call(tool, entry.get("parameters"), call_id=entry.get("id"))

    def _read_result(self, entry: Entry) -> None:
        self.add_result(
            join_text(entry.get("value")),
            call_id=entry.get("id"),
            tool=entry.get("toolId"),
            ok=find_ok(entry, "isError"),
        )

    def _read_completion(self, entry: Entry) -> None:
        """Add the last answer, unless the stream already gave it as a message."""
        text = as_text(entry.get("finalText"))
        if text.strip() != self.last_answer:
            self.add_answer(text)

    def _read_compaction(self, entry: Entry) -> None:
        self.add_summary(as_text(entry.get("summaryText")) or as_text(entry.get("summary")))

    methods: ClassVar[Methods] = {
        "session_start": _read_start,
        "system": _read_system,
        "message": _read_message,
        "tool_call": _read_call,
        "tool_result": _read_result,
        "completion": _read_completion,
        "compaction_state": _read_compaction,
    }
