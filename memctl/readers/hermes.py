"""Hermes' sessions: one JSON object, or a line about the session and then one message on each line.

Invariants: a summary inside a person's message is separated from it; what Hermes asks itself is no
human turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input
from memctl.readers.jsonl_session import Entry, JsonlSession
from memctl.readers.messages import add_message, find_content, find_time, join_text
from memctl.readers.sniffing import has_keys, parse_head_objects
from memctl.readers.values import as_dicts, as_name, as_text, parse_time

# What Hermes puts in the user's place when it shortens a conversation. A summary may share a
# message with what a person wrote before or after it.
_COMPACTED = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]", "[Context compaction")
_SUMMARY_END = "--- END OF CONTEXT SUMMARY"
_PRIOR = "[PRIOR CONTEXT"
_PRIOR_END = "[END OF PRIOR CONTEXT"
# What it writes there to wake itself up or to review its own work.
_INJECTED = (
    "[SYSTEM:",
    "[System note:",
    "[IMPORTANT:",
    "Continue from the compressed conversation context above.",
    "Review the conversation above and update the skill library",
    "Review the conversation above and consider saving to memory",
)
# First lines that are searched for the line about the session.
_HEADER_LINES = 3


class Hermes:
    """Reads Hermes sessions."""

    name: ClassVar[str] = "hermes"
    agent: ClassVar[str] = "hermes"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if the session describes itself in Hermes' fields."""
        opening = parse_head_objects(head)[:_HEADER_LINES]
        if any(entry.get("role") == "session_meta" for entry in opening):
            return 0.97
        return 0.97 if has_keys(head, "session_id", "session_start", "messages") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        yield from HermesSession(source, self).read()


READER = Hermes()


class HermesSession(JsonlSession):
    """A session of Hermes, from its files or its database."""

    def list_entries(self) -> Iterator[tuple[int, Entry]]:
        """Yield the whole session as one object, or its lines."""
        whole = self.source.read_json() if has_keys(self.source.read_head(), "messages") else None
        if isinstance(whole, dict):
            yield 1, whole
        else:
            yield from super().list_entries()

    def read_entry(self, entry: Entry) -> None:
        """Read a message, or what the file says about the session."""
        if "messages" in entry:
            self.note_session(entry)
            for message in as_dicts(entry.get("messages")):
                self.read_message(message)
        else:
            self.read_message(entry)

    def to_transcript(self, **overrides: Any) -> Transcript:
        """Return the session, named by its file if it has no id."""
        self.session_id = self.session_id or self.source.stem or None
        return super().to_transcript(**overrides)

    def note_session(self, about: Mapping[str, Any]) -> None:
        """Note what the file says about the session; later values win."""
        began_at = parse_time(about.get("session_start")) or parse_time(about.get("started_at"))
        self.session_id = as_name(about.get("session_id")) or self.session_id
        self.cwd = as_name(about.get("cwd")) or self.cwd
        self.title = as_name(about.get("title")) or self.title
        self.parent_id = as_name(about.get("parent_session_id")) or self.parent_id
        self.began_at = began_at or self.began_at

    def read_message(self, message: Mapping[str, Any]) -> None:
        """Add one message, which may be about the session."""
        role = as_text(message.get("role"))
        if role == "session_meta":
            self.note_session(message)
            return
        self.ts = find_time(message)
        text = join_text(find_content(message)).strip()
        summary, words = _split_summary(text) if role in ("user", "assistant") else ("", text)
        self.add_summary(summary)
        is_injected = words.startswith(_INJECTED)
        if role == "user" and (summary or self.is_subagent or is_injected):
            if not is_injected:
                self.add_prompt(words)
        elif words or not summary:
            self._add_whole(message, words if summary else None)

    def _add_whole(self, message: Mapping[str, Any], words: str | None) -> None:
        """Add a message with its tool calls; `words` replace its content unless None."""
        changed = dict(message)
        changed["name"] = message.get("name") or message.get("tool_name")
        if words is not None:
            changed["content"] = words
        add_message(self.turns, self.source.unknown, changed, self.line)


def _split_summary(text: str) -> tuple[str, str]:
    """Return the summary that a compaction put into a message, and the message's own words."""
    if text.startswith(_PRIOR):
        words, end, summary = text.partition(_PRIOR_END)
        if not end:
            return "", text
        return summary.partition("\n")[2], words.partition("\n")[2].strip()
    if text.startswith(_COMPACTED):
        summary, _, after = text.partition(_SUMMARY_END)
        return summary, after.partition("\n")[2].strip()
    return "", text
