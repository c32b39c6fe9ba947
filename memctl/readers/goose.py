"""Goose's older sessions, a line about the session and then messages a line each, and what `goose session export` writes: one object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.readers.messages import join_text
from memctl.readers.session_log import Log
from memctl.readers.sniffing import has_keys, parse_head_objects
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_QUIET = frozenset(
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
# Sessions that no person typed into.
UNTYPED = ("sub_agent", "scheduled", "hidden")
WRAPPINGS = frozenset(["info-msg", "system-reminder", "environment"])


class Goose:
    """Reads Goose sessions."""

    name: ClassVar[str] = "goose"
    agent: ClassVar[str] = "goose"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure of the line about the session, or of a message with its time and its own kinds of blocks."""
        objects = parse_head_objects(head)
        if objects and "working_dir" in objects[0] and "role" not in objects[0]:
            return 0.97
        if head.lstrip()[:1] == b"{" and has_keys(head, "working_dir", "session_type"):
            return 0.96
        return 0.96 if any(_is_message(entry) for entry in objects) else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        log = Log(source, Goose.name, Goose.agent, WRAPPINGS)
        log.session_id = source.path.stem if source.path is not None else None
        for line, entry in _entries(source):
            if "role" in entry:
                take(
                    log,
                    line,
                    as_text(entry["role"]),
                    entry.get("content"),
                    parse_time(entry.get("created")),
                    as_dict(entry.get("metadata")),
                )
            else:
                about(log, entry)
        yield log.transcript()


READER = Goose()


def _entries(source: Input) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines; of an export what it says of the session and then its messages, which are numbered for want of lines."""
    whole = (
        as_dict(source.read_json())
        if has_keys(source.read_head(), "working_dir", "session_type")
        else {}
    )
    if "working_dir" not in whole or "role" in whole:
        yield from source.read_json_lines()
        return
    yield 1, {name: value for name, value in whole.items() if name != "conversation"}
    yield from enumerate(map(as_dict, as_list(whole.get("conversation"))), 1)


def about(log: Log, session: dict[str, Any]) -> None:
    """Note what is said about a session."""
    log.session_id = as_name(session.get("id")) or log.session_id
    log.cwd = as_name(session.get("working_dir")) or log.cwd
    log.title = as_name(session.get("name")) or as_name(session.get("description")) or log.title
    log.is_sub = session.get("session_type") in UNTYPED
    log.parent = as_name(session.get("parent_session_id"))


def _is_message(entry: dict[str, Any]) -> bool:
    kinds = {as_text(as_dict(block).get("type")) for block in as_list(entry.get("content"))}
    return (
        "role" in entry
        and "created" in entry
        and isinstance(entry["created"], int)
        and bool(kinds & {"text", "toolRequest", "toolResponse"})
    )


def take(
    log: Log, line: int, role: str, content: object, ts: str | None, metadata: dict[str, Any]
) -> None:
    """Add one message; one that only the agent was shown is a summary or a note of the program."""
    for block in map(as_dict, as_list(content)):
        kind, text = as_text(block.get("type")), as_text(block.get("text"))
        if kind == "text" and metadata.get("userVisible") is False:
            log.summary(text if metadata.get("agentVisible") is not False else "", ts=ts, line=line)
        elif kind == "text" and role == "user":
            log.prompt(text, ts=ts, line=line)
        elif kind == "text":
            log.answer(text, ts=ts, line=line)
        elif kind == "toolRequest":
            call = as_dict(as_dict(block.get("toolCall")).get("value"))
            log.call(
                as_name(call.get("name")),
                call.get("arguments"),
                call_id=block.get("id"),
                ts=ts,
                line=line,
            )
        elif kind == "toolResponse":
            _result(log, line, block, ts)
        elif kind not in _QUIET:
            log.source.unknown[f"block {kind[:40]}"] += 1


def _result(log: Log, line: int, block: dict[str, Any], ts: str | None) -> None:
    result = as_dict(block.get("toolResult"))
    value = result.get("value")
    failed = result.get("status") == "error" or as_dict(value).get("isError") is True
    said = as_dict(value).get("content", value) if isinstance(value, dict) else value
    text = join_text(said) if said is not None else as_text(result.get("error"))
    log.result(text, call_id=block.get("id"), ok=False if failed else None, ts=ts, line=line)
