"""Kimi's sessions, `wire.jsonl`: the newer log of Kimi Code and the older one of typed messages.

Kept true: a prompt is told twice, when it was typed and when it entered the context, and is one turn; what was put in (reminders, plan
mode, the text of a skill) is nobody's words; what was undone is gone; a sub-agent's prompt is its parent's.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, parse_json
from memctl.readers.messages import join_text
from memctl.readers.session_log import Log
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.values import as_dict, as_name, as_text, clean_text, parse_time

_WRAPPINGS = frozenset(["git-context", "system", "system-reminder", "current_focus"])
_NEW = (
    "turn.",
    "context.",
    "config.",
    "llm.",
    "tools.",
    "usage.",
    "permission.",
    "plan_mode.",
    "full_compaction.",
    "profile.",
    "plugin.",
    "runtime.",
    "token_counting.",
    "metadata",
    "goal.",
    "todo",
    "micro_compaction",
    "background",
    "swarm",
    "mcp",
    "skill",
    "forked",
)
_OLD = frozenset(
    [
        "TurnBegin",
        "ContentPart",
        "ToolCall",
        "ToolResult",
        "TurnEnd",
        "StatusUpdate",
        "StepBegin",
        "SteerInput",
    ]
)
_QUIET_OLD = frozenset(
    [
        "StepInterrupted",
        "CompactionBegin",
        "CompactionEnd",
        "ApprovalRequest",
        "SubagentEvent",
        "ToolCallPart",
        "MCPLoadingBegin",
        "MCPLoadingEnd",
        "QuestionRequest",
        "ToolCallRequest",
        "Notification",
        "HookTriggered",
        "HookResolved",
        "PlanDisplay",
    ]
)
_REPEATED = frozenset(["assistant", "tool", "system"])


class Kimi:
    """Reads Kimi sessions."""

    name: ClassVar[str] = "kimi"
    agent: ClassVar[str] = "kimi"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure of a prompt, an event of its loop, or a typed message of the older log."""
        objects = parse_head_objects(head)
        if any(
            as_text(entry.get("type"))
            in ("turn.prompt", "context.append_loop_event", "context.append_message")
            for entry in objects
        ):
            return 0.97
        if any(
            as_text(as_dict(entry.get("message")).get("type")) in _OLD
            and "payload" in as_dict(entry.get("message"))
            for entry in objects
        ):
            return 0.97
        return (
            0.95
            if objects and objects[0].get("type") == "metadata" and "protocol_version" in objects[0]
            else 0.0
        )

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        session = _Session(source)
        for line, entry in source.read_json_lines():
            session.take(line, entry)
        yield session.finished()


READER = Kimi()


class _Session:
    """A session as far as it has been read."""

    def __init__(self, source: Input) -> None:
        self.log = Log(source, Kimi.name, Kimi.agent, _WRAPPINGS)
        # Prompts that were typed and have not entered the context yet.
        self.typed: Counter[str] = Counter()
        # The places of what a person asked since the last compaction, which no undo goes back beyond.
        self.asked: list[int] = []
        # An answer of the older log comes in pieces: its words so far, and where and when the last of them came.
        self.pieces: list[str] = []
        self.last_piece: tuple[int, str | None] = (0, None)
        _place(self.log, source)

    def take(self, line: int, entry: dict[str, Any]) -> None:
        """Add what one line tells."""
        inner, kind = as_dict(entry.get("message")), as_text(entry.get("type"))
        if not kind and "payload" in inner:
            self._old(
                line,
                as_text(inner.get("type")),
                as_dict(inner.get("payload")),
                parse_time(entry.get("timestamp")),
            )
            return
        ts = parse_time(entry.get("time"))
        if kind in ("turn.prompt", "turn.steer"):
            self._prompt(line, join_text(entry.get("input")), as_dict(entry.get("origin")), ts)
        elif kind == "context.append_message":
            self._appended(line, inner, ts)
        elif kind == "context.append_loop_event":
            self._event(line, as_dict(entry.get("event")), ts)
        elif kind == "context.apply_compaction":
            self.log.summary(as_text(entry.get("summary")), ts=ts, line=line)
            self.asked.clear()
        elif kind == "context.undo":
            self._undo(entry.get("count"))
        elif kind == "config.update":
            self.log.cwd = self.log.cwd or as_name(entry.get("cwd"))
        elif not kind.startswith(_NEW):
            self.log.source.unknown[f"type {kind[:40]}" if kind else "type (none)"] += 1

    def finished(self) -> Transcript:
        """The session as a transcript."""
        self._join()
        return self.log.transcript()

    def _prompt(self, line: int, text: str, origin: dict[str, Any], ts: str | None) -> None:
        kind, command = as_text(origin.get("kind")) or "user", _command(origin, text)
        if kind == "system_trigger" and origin.get("name") == "subagent":
            self.log.is_sub = True
        if kind == "user" or (kind == "system_trigger" and self.log.is_sub):
            place = self.log.prompt(text, ts=ts, line=line)
        elif command:
            place = self.log.turns.add(self.log.asker, "command", command, ts=ts, line=line)
        else:
            return
        self.typed[_key(origin, text)] += 1
        if place is not None and kind != "shell_command":
            self.asked.append(place)

    def _appended(self, line: int, message: dict[str, Any], ts: str | None) -> None:
        text, role, origin = (
            join_text(message.get("content")),
            as_text(message.get("role")),
            as_dict(message.get("origin")),
        )
        key = _key(origin, text)
        if self.typed[key]:
            self.typed[key] -= 1
        elif role == "user":
            self._prompt(line, text, origin, ts)
            self.typed[key] = 0
        elif role not in _REPEATED:
            self.log.source.unknown[f"role {role[:40]}"] += 1

    def _undo(self, count: object) -> None:
        """Take back the last prompts and all that came of them."""
        undone = self.asked[-count:] if isinstance(count, int) and count > 0 else []
        if undone:
            self.log.turns.truncate(undone[0])
            del self.asked[-len(undone) :]

    def _event(self, line: int, event: dict[str, Any], ts: str | None) -> None:
        kind = as_text(event.get("type"))
        if kind == "content.part":
            part = as_dict(event.get("part"))
            if part.get("type") == "text":
                self.log.answer(as_text(part.get("text")), ts=ts, line=line)
        elif kind == "tool.call":
            self.log.call(
                as_name(event.get("name")),
                event.get("args"),
                call_id=event.get("toolCallId"),
                ts=ts,
                line=line,
            )
        elif kind == "tool.result":
            result = as_dict(event.get("result"))
            ok = False if result.get("isError") is True else None
            self.log.result(
                join_text(result.get("output")),
                call_id=event.get("toolCallId"),
                ok=ok,
                ts=ts,
                line=line,
            )
        elif not kind.startswith("step."):
            self.log.source.unknown[f"event {kind[:40]}"] += 1

    def _old(self, line: int, kind: str, payload: dict[str, Any], ts: str | None) -> None:
        if kind == "ContentPart" and payload.get("type") == "text":
            self.pieces.append(as_text(payload.get("text")))
            self.last_piece = (line, ts)
            return
        if kind not in ("StatusUpdate", "ContentPart"):
            self._join()
        if kind in ("TurnBegin", "SteerInput"):
            self.log.prompt(join_text(payload.get("user_input")), ts=ts, line=line)
        elif kind == "ToolCall":
            function = as_dict(payload.get("function"))
            self.log.call(
                as_name(function.get("name")),
                function.get("arguments"),
                call_id=payload.get("id"),
                ts=ts,
                line=line,
            )
        elif kind == "ToolResult":
            value = as_dict(payload.get("return_value")) or as_dict(payload.get("result"))
            ok = False if value.get("is_error") is True else None
            self.log.result(
                join_text(value.get("output")),
                call_id=payload.get("tool_call_id"),
                ok=ok,
                ts=ts,
                line=line,
            )
        elif kind == "ApprovalResponse":
            if payload.get("response") == "reject":
                self.log.turns.add(
                    "human", "rejection", as_text(payload.get("feedback")), ts=ts, line=line
                )
        elif kind not in _OLD and kind not in _QUIET_OLD:
            self.log.source.unknown[f"type {kind[:40]}"] += 1

    def _join(self) -> None:
        """Add the answer that has come in pieces."""
        if self.pieces:
            line, ts = self.last_piece
            self.log.answer("".join(self.pieces), ts=ts, line=line)
            self.pieces.clear()


def _key(origin: dict[str, Any], text: str) -> str:
    """What a prompt is known by when it is told again; a skill's text may not be told in the same words."""
    return as_text(origin.get("activationId")) or text


def _command(origin: dict[str, Any], text: str) -> str:
    """The command that a person gave, of which the text is only what it brought; nothing where it was not a person who gave one."""
    kind, by_hand = as_text(origin.get("kind")), origin.get("trigger") == "user-slash"
    if kind == "shell_command" and origin.get("phase") == "input":
        return f"!{html.unescape(text.strip().removeprefix('<bash-input>').removesuffix('</bash-input>').strip())}"
    for of_kind, name, arguments in (
        ("skill_activation", "skillName", "skillArgs"),
        ("plugin_command", "commandName", "commandArgs"),
    ):
        if kind == of_kind and by_hand:
            return f"/{as_text(origin.get(name)).removeprefix('/')} {as_text(origin.get(arguments))}".strip()
    return ""


def _place(log: Log, source: Input) -> None:
    """What the folders and the state beside the log tell of the session."""
    if source.path is None:
        return
    folder = source.path.parent
    is_code = folder.parent.name == "agents"
    state = as_dict(
        parse_json(source.read_beside("../../state.json" if is_code else "state.json") or b"")
    )
    log.cwd = as_name(state.get("workDir")) or as_name(state.get("work_dir"))
    log.title = clean_text(as_text(state.get("title"))) or None
    session = folder.parent.parent.name if is_code else folder.name
    if source.path.name == "wire.jsonl":
        log.session_id = session.removeprefix("session_")
    agents = as_dict(state.get("agents"))
    if (
        is_code
        and folder.name != "main"
        and (as_dict(agents.get(folder.name)).get("type") != "main")
    ):
        log.parent, log.session_id, log.is_sub = (
            log.session_id,
            f"{log.session_id}/{folder.name}",
            True,
        )
