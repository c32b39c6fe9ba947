"""Hermes' sessions: one JSON object, or messages a line each after a line that tells about the session.

Kept true: a summary that was written into a person's message is told apart from that message; what Hermes asks itself is nobody's words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.readers.messages import add_message, find_content, find_time, join_text
from memctl.readers.session_log import Log
from memctl.readers.sniffing import has_keys, parse_head_objects
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

# What Hermes puts in the user's place when it shortens a conversation. A summary may share a message with what a person wrote before or
# after it.
_COMPACTED = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]", "[Context compaction")
_SUMMARY_ENDS = "--- END OF CONTEXT SUMMARY"
_PRIOR, _PRIOR_ENDS = "[PRIOR CONTEXT", "[END OF PRIOR CONTEXT"
# What it writes there to wake itself up or to look back at its own work.
_INJECTED = (
    "[SYSTEM:",
    "[System note:",
    "[IMPORTANT:",
    "Continue from the compressed conversation context above.",
    "Review the conversation above and update the skill library",
    "Review the conversation above and consider saving to memory",
)


class Hermes:
    """Reads Hermes sessions."""

    name: ClassVar[str] = "hermes"
    agent: ClassVar[str] = "hermes"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when it says about itself what only Hermes says."""
        if any(entry.get("role") == "session_meta" for entry in parse_head_objects(head)[:3]):
            return 0.97
        return 0.97 if has_keys(head, "session_id", "session_start", "messages") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        log = Log(source, Hermes.name, Hermes.agent)
        for line, entry in _entries(source):
            if as_text(entry.get("role")) == "session_meta" or "messages" in entry:
                about(log, entry)
                for message in map(as_dict, as_list(entry.get("messages"))):
                    take(log, line, message)
            else:
                take(log, line, entry)
        if log.session_id is None and source.path is not None:
            log.session_id = source.path.stem
        yield log.transcript()


READER = Hermes()


def _entries(source: Input) -> Iterator[tuple[int, dict[str, Any]]]:
    whole = source.read_json() if has_keys(source.read_head(), "messages") else None
    if isinstance(whole, dict):
        yield 1, whole
    else:
        yield from source.read_json_lines()


def about(log: Log, entry: Mapping[str, Any]) -> None:
    """Note what is said about a session; the last word counts."""
    log.session_id = as_name(entry.get("session_id")) or log.session_id
    log.cwd = as_name(entry.get("cwd")) or log.cwd
    log.title = as_name(entry.get("title")) or log.title
    log.parent = as_name(entry.get("parent_session_id")) or log.parent
    log.begun = (
        parse_time(entry.get("session_start")) or parse_time(entry.get("started_at")) or log.begun
    )


def take(log: Log, line: int, message: Mapping[str, Any]) -> None:
    """Add one message."""
    role, ts = as_text(message.get("role")), find_time(message)
    if role == "session_meta":
        about(log, message)
        return
    text = join_text(find_content(message)).strip()
    summary, said = _parted(text) if role in ("user", "assistant") else ("", text)
    log.summary(summary, ts=ts, line=line)
    if role == "user" and (summary or log.is_sub or said.startswith(_INJECTED)):
        if not said.startswith(_INJECTED):
            log.prompt(said, ts=ts, line=line)
    elif said or not summary:
        content = {"content": said} if summary else {}
        add_message(
            log.turns,
            log.source.unknown,
            {**message, "name": message.get("name") or message.get("tool_name"), **content},
            line,
        )


def _parted(text: str) -> tuple[str, str]:
    """What a compaction wrote of a message, and what was said."""
    if text.startswith(_PRIOR):
        said, found, summary = text.partition(_PRIOR_ENDS)
        return (
            (summary.partition("\n")[2], said.partition("\n")[2].strip()) if found else ("", text)
        )
    if text.startswith(_COMPACTED):
        summary, _, rest = text.partition(_SUMMARY_ENDS)
        return summary, rest.partition("\n")[2].strip()
    return "", text
