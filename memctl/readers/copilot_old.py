"""The sessions of early versions of Copilot CLI: one object with what the model saw and a timeline of what the user saw.

The timeline is read, because its prompts are as they were typed; what the model saw serves where there is none.
"""

from __future__ import annotations

from typing import Any

from memctl.core.model import Transcript
from memctl.readers.base import Input, clip
from memctl.readers.messages import add_message, join_text
from memctl.readers.sniffing import has_keys
from memctl.readers.tool_summaries import describe_call
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_QUIET = frozenset(["info", "error", "warning", "intention", "reasoning"])


def is_old(head: bytes) -> bool:
    """Whether a file is such a session."""
    return (
        head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"
        and has_keys(head, "sessionId")
        and (has_keys(head, "chatMessages") or has_keys(head, "timeline", "startTime"))
    )


def old_session(source: Input, format_name: str, agent: str) -> Transcript:
    """The one session of the file."""
    whole = source.read_json()
    if not isinstance(whole, dict):
        source.unknown["not JSON"] += 1
    entry, turns = as_dict(whole), Turns()
    timeline = [as_dict(item) for item in as_list(entry.get("timeline"))]
    if any(as_text(item.get("type")) in ("user", "copilot") for item in timeline):
        _timeline(source, turns, timeline)
    else:
        for message in as_list(entry.get("chatMessages")):
            add_message(turns, source.unknown, as_dict(message), 1)
    stem = source.path.stem if source.path else ""
    return Transcript(
        format=format_name,
        agent=agent,
        session_id=as_name(entry.get("sessionId")) or stem,
        turns=turns.collect(),
        started_at=parse_time(entry.get("startTime")) or turns.started_at,
        ended_at=turns.ended_at,
        unknown=dict(source.unknown),
    )


def _timeline(source: Input, turns: Turns, timeline: list[dict[str, Any]]) -> None:
    called: set[str] = set()
    for item in timeline:
        kind, ts = as_text(item.get("type")), parse_time(item.get("timestamp"))
        if kind in ("user", "copilot"):
            turns.add(
                "human" if kind == "user" else "assistant",
                "text",
                as_text(item.get("text")),
                ts=ts,
                line=1,
            )
        elif kind.startswith("tool_call"):
            _tool(turns, item, ts, called)
        elif kind not in _QUIET:
            source.unknown[f"type {kind[:40] or '(none)'}"] += 1


def _tool(turns: Turns, item: dict[str, Any], ts: str | None, called: set[str]) -> None:
    """A tool call as it was asked for, as it ended, or both in one."""
    tool, call_id = as_text(item.get("name")), as_text(item.get("callId"))
    if tool and (not call_id or call_id not in called):
        called.add(call_id)
        text, data = describe_call(tool, item.get("arguments"))
        turns.add(
            "assistant",
            "tool_call",
            text,
            ts=ts,
            tool=tool,
            call_id=call_id or None,
            line=1,
            data=data,
        )
    if "result" in item:
        result = as_dict(item["result"])
        said = join_text(
            result.get("log")
            or result.get("content")
            or result.get("textResultForLlm")
            or item["result"]
        )
        ok = as_text(result.get("type") or result.get("resultType")) not in (
            "failure",
            "error",
            "rejected",
            "denied",
        )
        turns.add(
            "tool",
            "tool_result",
            clip(said),
            ts=ts,
            tool=tool or None,
            call_id=call_id or None,
            ok=ok,
            line=1,
        )
