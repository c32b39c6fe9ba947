"""Antigravity's transcripts, `transcript.jsonl`: numbered steps with their source. Its conversations themselves are encrypted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, parse_json
from memctl.readers.envelopes import extract_block
from memctl.readers.session_log import Log
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_WRAPPINGS = frozenset(
    [
        "USER_SETTINGS_CHANGE",
        "ADDITIONAL_METADATA",
        "EPHEMERAL_MESSAGE",
        "SYSTEM_MESSAGE",
        "user_information",
    ]
)


class Antigravity:
    """Reads Antigravity transcripts."""

    name: ClassVar[str] = "antigravity"
    agent: ClassVar[str] = "antigravity"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure of a numbered step."""
        steps = [
            entry
            for entry in parse_head_objects(head)
            if "step_index" in entry and "source" in entry and "type" in entry
        ]
        return 0.97 if steps else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        log = Log(source, Antigravity.name, Antigravity.agent, _WRAPPINGS)
        parts = source.path.parts if source.path is not None else ()
        log.session_id = parts[parts.index("brain") + 1] if "brain" in parts[:-1] else None
        for line, entry in source.read_json_lines():
            _take(log, line, entry)
        yield log.transcript()


READER = Antigravity()


def _take(log: Log, line: int, entry: dict[str, Any]) -> None:
    kind, source, ts = (
        as_text(entry.get("type")),
        as_text(entry.get("source")),
        parse_time(entry.get("created_at")),
    )
    text = as_text(entry.get("content"))
    if kind == "USER_INPUT" and source not in ("MODEL", "SYSTEM"):
        request = extract_block(text, "USER_REQUEST", _WRAPPINGS)
        log.prompt(text if request is None else request, ts=ts, line=line)
    elif kind == "PLANNER_RESPONSE":
        log.answer(text, ts=ts, line=line)
        for call in map(as_dict, as_list(entry.get("tool_calls"))):
            log.call(
                as_name(call.get("name")), _arguments(as_dict(call.get("args"))), ts=ts, line=line
            )
    elif source == "MODEL" and kind:
        ok = False if as_text(entry.get("status")) == "ERROR" else None
        log.result(text, tool=kind.lower(), ok=ok, ts=ts, line=line)
    elif source != "SYSTEM":
        log.source.unknown[f"type {kind[:40]}" if kind else "type (none)"] += 1


def _arguments(args: dict[str, Any]) -> dict[str, Any]:
    """Arguments come as JSON within JSON."""
    return {
        name: plain if isinstance(plain := parse_json(as_text(value)), str) else value
        for name, value in args.items()
    }
