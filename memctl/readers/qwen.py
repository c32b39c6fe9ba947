"""Qwen Code's sessions: an envelope like Claude Code's around messages like Gemini's.

Kept true: a record that is written again counts once; what was rewound is gone; what the program sent in the user's place (notifications,
schedules, the prompt of a sub-agent) is nobody's words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, clip, parse_json
from memctl.readers.gemini import join_parts, parse_exit_code, parse_prompt, parse_response
from memctl.readers.sniffing import has_keys, parse_head_objects
from memctl.readers.tool_summaries import describe_call
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_GLUED_AT_MOST = 16
_QUIET_SYSTEM = frozenset(
    [
        "ui_telemetry",
        "session_artifact_snapshot",
        "session_artifact_event",
        "session_sources_snapshot",
        "attribution_snapshot",
        "at_command",
        "file_history_snapshot",
        "notification",
        "background_task_completed",
        "session_source",
        "session_model",
        "session_approval_mode",
        "session_execution_engine",
        "session_notes",
        "agent_bootstrap",
        "agent_retry",
        "agent_session_ready",
        "user_text_elements",
        "branch_checkpoint",
        "goal_state",
        "goal_turn_end",
        "turn_result",
        "omni_recall",
    ]
)
# The records in the user's place that a person did type; every other kind of them is the program's.
_TYPED = frozenset(["", "mid_turn_user_message", "realtime_message"])
_IN_BETWEEN = "[User message received during tool execution]: "


class Qwen:
    """Reads Qwen Code sessions."""

    name: ClassVar[str] = "qwen"
    agent: ClassVar[str] = "qwen"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when a message of parts stands in an envelope with a session id."""
        objects = parse_head_objects(head)
        if any(
            "parts" in as_dict(entry.get("message")) and "sessionId" in entry for entry in objects
        ):
            return 0.97
        return (
            0.9
            if has_keys(head, "sessionId", "parentUuid") and has_keys(head, "systemPayload")
            else 0.0
        )

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        session = _Session(source)
        for line, raw in source.read_lines():
            for entry in _objects(source, raw):
                session.take(line, entry)
        yield session.finished()


READER = Qwen()


def _objects(source: Input, raw: bytes) -> list[dict[str, Any]]:
    """The objects of a line; a writer that was interrupted may have glued a few together."""
    if not raw.strip():
        return []
    value = parse_json(raw)
    values = [value] if value is not None else _unglued(raw.decode("utf-8", "replace").strip())
    objects = [value for value in values if isinstance(value, dict)]
    if not objects:
        source.unknown["bad line"] += 1
    return objects


def _unglued(text: str) -> list[Any]:
    decoder, start = json.JSONDecoder(), 0
    values: list[Any] = []
    while start < len(text) and len(values) < _GLUED_AT_MOST:
        try:
            value, start = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            break
        values.append(value)
    return values


class _Session:
    """One session as far as it has been read."""

    def __init__(self, source: Input) -> None:
        self.source = source
        self.turns = Turns()
        # Where the turns of each record begin and end, by its id, and what was told already.
        self.uuids: dict[str, int] = {}
        self.ends: dict[str, int] = {}
        self.told: set[tuple[str, int]] = set()
        self.parent: str | None = None
        self.session_id = source.path.stem if source.path else ""
        self.cwd: str | None = None
        self.git_branch: str | None = None
        self.title = ""

    def take(self, line: int, entry: dict[str, Any]) -> None:
        """Understand one line."""
        uuid = as_text(entry.get("uuid"))
        if uuid and self._was_told(uuid, entry):
            return
        self.uuids.setdefault(uuid, len(self.turns))
        self.session_id = as_name(entry.get("sessionId")) or self.session_id
        self.parent = self.parent or as_name(as_dict(entry.get("forkedFrom")).get("sessionId"))
        self.cwd = self.cwd or as_name(entry.get("cwd"))
        self.git_branch = as_name(entry.get("gitBranch")) or self.git_branch
        kind, ts = as_text(entry.get("type")), parse_time(entry.get("timestamp"))
        if kind == "user":
            self._user(line, ts, entry)
        elif kind in ("assistant", "tool_result"):
            self._parts(line, ts, entry)
        elif kind == "system":
            self._system(line, ts, entry)
        else:
            self.source.unknown[f"type {kind[:40] or '(none)'}"] += 1
        self.ends[uuid] = len(self.turns)

    def _was_told(self, uuid: str, entry: dict[str, Any]) -> bool:
        """Whether this very record came before; parts of one message may share its id."""
        told = (
            uuid,
            hash(
                json.dumps(
                    [entry.get(key) for key in ("type", "subtype", "message", "systemPayload")]
                )
            ),
        )
        is_new = told not in self.told
        self.told.add(told)
        return not is_new

    def finished(self) -> Transcript:
        """The session as a transcript."""
        self.turns.add("system", "title", self.title)
        return Transcript(
            format=Qwen.name,
            agent=Qwen.agent,
            session_id=self.session_id,
            turns=self.turns.collect(),
            parent_session_id=self.parent,
            cwd=self.cwd,
            git_branch=self.git_branch,
            title=as_name(self.title),
            started_at=self.turns.started_at,
            ended_at=self.turns.ended_at,
            unknown=dict(self.source.unknown),
        )

    def _user(self, line: int, ts: str | None, entry: dict[str, Any]) -> None:
        subtype = as_text(entry.get("subtype"))
        is_sub = entry.get("isSidechain") is True or subtype == "agent_launch_prompt"
        if not is_sub and (
            subtype not in _TYPED or entry.get("provenance") not in (None, "real_user")
        ):
            return
        shown = as_text(as_dict(entry.get("systemPayload")).get("displayText"))
        kind, text = parse_prompt(
            shown
            or join_parts(as_dict(entry.get("message")).get("parts"))
            .strip()
            .removeprefix(_IN_BETWEEN)
        )
        self.turns.add(
            "system" if is_sub else "human", "text" if is_sub else kind, text, ts=ts, line=line
        )

    def _parts(self, line: int, ts: str | None, entry: dict[str, Any]) -> None:
        for part in as_list(as_dict(entry.get("message")).get("parts")):
            if "functionCall" in as_dict(part):
                self._call(line, ts, as_dict(part["functionCall"]))
            elif "functionResponse" in as_dict(part):
                self._result(line, ts, part, as_dict(entry.get("toolCallResult")).get("status"))
            elif entry.get("type") == "assistant":
                self.turns.add("assistant", "text", join_parts([part]), ts=ts, line=line)

    def _call(self, line: int, ts: str | None, call: dict[str, Any]) -> None:
        tool, call_id = as_text(call.get("name")), as_name(call.get("id"))
        text, data = describe_call(tool, call.get("args"))
        self.turns.add(
            "assistant",
            "tool_call",
            text or tool,
            ts=ts,
            tool=tool or None,
            call_id=call_id,
            line=line,
            data=data,
        )

    def _result(self, line: int, ts: str | None, part: dict[str, Any], status: object) -> None:
        response = as_dict(part["functionResponse"])
        text, is_error = parse_response(part)
        tool, call_id = as_name(response.get("name")), as_name(response.get("id"))
        code = parse_exit_code(text) if tool == "run_shell_command" else None
        ok = not is_error and status not in ("error", "cancelled") and code in (None, 0)
        data: dict[str, Any] = {} if code is None else {"exit_code": code}
        self.turns.add(
            "tool",
            "tool_result",
            clip(text),
            ts=ts,
            tool=tool,
            call_id=call_id,
            ok=ok,
            line=line,
            data=data,
        )

    def _system(self, line: int, ts: str | None, entry: dict[str, Any]) -> None:
        subtype, payload = as_text(entry.get("subtype")), as_dict(entry.get("systemPayload"))
        if subtype == "custom_title":
            self.title = (
                as_text(payload.get("customTitle")) or as_text(payload.get("title")) or self.title
            )
        elif subtype == "slash_command":
            if (
                payload.get("phase") != "result"
                and payload.get("hiddenInvocation") is not True
                and "outputHistoryItems" not in payload
            ):
                self.turns.add(
                    "human", "command", as_text(payload.get("rawCommand")), ts=ts, line=line
                )
        elif subtype == "rewind":
            self._rewind(as_text(payload.get("targetUuid")), entry)
        elif subtype == "chat_compression":
            kept = as_dict(next(iter(as_list(payload.get("compressedHistory"))), None))
            self.turns.add(
                "summary",
                "compact",
                as_text(payload.get("summary")) or join_parts(kept.get("parts")),
                ts=ts,
                line=line,
            )
        elif subtype == "parent_session":
            self.parent = as_name(payload.get("parentSessionId")) or self.parent
        elif subtype not in _QUIET_SYSTEM:
            self.source.unknown[f"system {subtype[:40] or '(none)'}"] += 1

    def _rewind(self, target: str, entry: dict[str, Any]) -> None:
        """Go back before the record that is named, or else to the one that this continues: the beginning if it continues none."""
        parent = entry.get("parentUuid")
        if target in self.uuids:
            self.turns.truncate(self.uuids[target])
        elif "truncatedCount" in as_dict(entry.get("systemPayload")) and parent is None:
            self.turns.truncate(0)
        elif isinstance(parent, str) and parent in self.ends:
            self.turns.truncate(self.ends[parent])
