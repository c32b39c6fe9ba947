"""Kimi's sessions, `wire.jsonl`: the newer log of Kimi Code and the older one of typed messages.

Invariants: a prompt is logged when it is typed and again when it enters the context, and is one
turn; what the program added (reminders, plan mode, the text of a skill) is no human turn; what was
undone is gone; a sub-agent's prompt is its parent's.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Reader
from memctl.readers.jsonl_session import Entry, JsonlSession, Methods
from memctl.readers.messages import find_ok, join_text
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.values import as_dict, as_name, as_text, clean_text, parse_time

_OWN_TYPES = ("turn.prompt", "context.append_loop_event", "context.append_message")
# Prefixes of the newer log's types; most of them are the program's own notes.
_NEW_TYPES = (
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
# Types by which the older log is recognised.
_OLD_TYPES = frozenset(
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
_QUIET_OLD_TYPES = frozenset(
    [
        *_OLD_TYPES,
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
# Older types that do not end an answer in pieces.
_WITHIN_ANSWER = frozenset(["StatusUpdate", "ContentPart"])
_REPEATED_ROLES = frozenset(["assistant", "tool", "system"])
# Kinds of prompts made by a slash command: the fields of its name and its arguments.
_SLASH_COMMANDS = {
    "skill_activation": ("skillName", "skillArgs"),
    "plugin_command": ("commandName", "commandArgs"),
}


class Kimi:
    """Reads Kimi sessions."""

    name: ClassVar[str] = "kimi"
    agent: ClassVar[str] = "kimi"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if there is a prompt, an event of the loop, or a typed message of the older
        log.
        """
        entries = parse_head_objects(head)
        if any(as_text(entry.get("type")) in _OWN_TYPES for entry in entries):
            return 0.97
        if any(_is_old_entry(entry) for entry in entries):
            return 0.97
        first = entries[0] if entries else {}
        has_header = first.get("type") == "metadata" and "protocol_version" in first
        return 0.95 if has_header else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        yield from _KimiSession(source, self).read()


READER = Kimi()


def _is_old_entry(entry: Entry) -> bool:
    message = as_dict(entry.get("message"))
    return as_text(message.get("type")) in _OLD_TYPES and "payload" in message


class _KimiSession(JsonlSession):
    wrappings = frozenset(["git-context", "system", "system-reminder", "current_focus"])
    quiet_prefixes = _NEW_TYPES
    time_field = "time"

    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        # How often each prompt was typed and has not entered the context yet.
        self.typed: Counter[str] = Counter()
        # Positions of the prompts since the last compaction; an undo never goes further back.
        self.prompts: list[int] = []
        # The pieces of an answer of the older log, and where and when the last of them came.
        self.pieces: list[str] = []
        self.last_piece: tuple[int, str | None] = (0, None)
        if source.path is not None:
            self._note_location(source, source.path)

    def _note_location(self, source: Input, path: Path) -> None:
        """Note what the folders and the state file near the log say of the session."""
        folder = path.parent
        is_code = folder.parent.name == "agents"
        state = source.read_json_beside("../../state.json" if is_code else "state.json")
        self.cwd = as_name(state.get("workDir")) or as_name(state.get("work_dir"))
        self.title = clean_text(as_text(state.get("title"))) or None
        if path.name == "wire.jsonl":
            session_folder = folder.parent.parent if is_code else folder
            self.session_id = session_folder.name.removeprefix("session_")
        agent = as_dict(as_dict(state.get("agents")).get(folder.name))
        if is_code and folder.name != "main" and agent.get("type") != "main":
            self.parent_id = self.session_id
            self.session_id = f"{self.session_id}/{folder.name}"
            self.is_subagent = True

    def read_entry(self, entry: Entry) -> None:
        """Read one line of the newer log or the older one."""
        kind, message = as_text(entry.get("type")), as_dict(entry.get("message"))
        if kind or "payload" not in message:
            self.read_typed(kind, entry)
            return
        self.ts = parse_time(entry.get("timestamp"))
        self._read_old(as_text(message.get("type")), as_dict(message.get("payload")))

    def to_transcript(self, **overrides: Any) -> Transcript:
        """Return the session; the end of the log also ends an answer in pieces."""
        self._join_pieces()
        return super().to_transcript(**overrides)

    def _read_prompt(self, entry: Entry) -> None:
        self._add_from_origin(join_text(entry.get("input")), as_dict(entry.get("origin")))

    def _add_from_origin(self, text: str, origin: dict[str, Any]) -> None:
        """Add a prompt or a command, according to its origin."""
        kind = as_text(origin.get("kind")) or "user"
        command = _find_command(origin, text)
        is_trigger = kind == "system_trigger"
        if is_trigger and origin.get("name") == "subagent":
            self.is_subagent = True
        if kind == "user" or (is_trigger and self.is_subagent):
            position = self.add_prompt(text)
        elif command:
            position = self.add(self.prompt_role, "command", command)
        else:
            return
        self.typed[_find_key(origin, text)] += 1
        if position is not None and kind != "shell_command":
            self.prompts.append(position)

    def _read_appended(self, entry: Entry) -> None:
        """Read a message that entered the context; a typed prompt is known by then."""
        message = as_dict(entry.get("message"))
        text, role = join_text(message.get("content")), as_text(message.get("role"))
        origin = as_dict(message.get("origin"))
        key = _find_key(origin, text)
        if self.typed[key]:
            self.typed[key] -= 1
        elif role == "user":
            self._add_from_origin(text, origin)
            self.typed[key] = 0
        elif role not in _REPEATED_ROLES:
            self.count_unknown("role", role)

    def _read_compaction(self, entry: Entry) -> None:
        self.add_summary(as_text(entry.get("summary")))
        self.prompts.clear()

    def _read_undo(self, entry: Entry) -> None:
        """Remove the last prompts and all that came of them."""
        count = entry.get("count")
        undone = self.prompts[-count:] if isinstance(count, int) and count > 0 else []
        if undone:
            self.turns.truncate(undone[0])
            del self.prompts[-len(undone) :]

    def _read_config(self, entry: Entry) -> None:
        self.cwd = self.cwd or as_name(entry.get("cwd"))

    def _read_event(self, entry: Entry) -> None:
        event = as_dict(entry.get("event"))
        kind = as_text(event.get("type"))
        if kind == "content.part":
            part = as_dict(event.get("part"))
            if part.get("type") == "text":
                self.add_answer(as_text(part.get("text")))
        elif kind == "tool.call":
            self.add_call(
                as_name(event.get("name")), event.get("args"), call_id=event.get("toolCallId")
            )
        elif kind == "tool.result":
            result = as_dict(event.get("result"))
            self.add_result(
                join_text(result.get("output")),
                call_id=event.get("toolCallId"),
                ok=find_ok(result, "isError"),
            )
        elif not kind.startswith("step."):
            self.count_unknown("event", kind)

    methods: ClassVar[Methods] = {
        "turn.prompt": _read_prompt,
        "turn.steer": _read_prompt,
        "context.append_message": _read_appended,
        "context.append_loop_event": _read_event,
        "context.apply_compaction": _read_compaction,
        "context.undo": _read_undo,
        "config.update": _read_config,
    }

    def _read_old(self, kind: str, payload: dict[str, Any]) -> None:
        """Read a line of the older log, in which an answer comes in pieces."""
        if kind == "ContentPart" and payload.get("type") == "text":
            self.pieces.append(as_text(payload.get("text")))
            self.last_piece = (self.line, self.ts)
            return
        if kind not in _WITHIN_ANSWER:
            self._join_pieces()
        if kind in ("TurnBegin", "SteerInput"):
            self.add_prompt(join_text(payload.get("user_input")))
        elif kind == "ToolCall":
            function = as_dict(payload.get("function"))
            self.add_call(
                as_name(function.get("name")),
                function.get("arguments"),
                call_id=payload.get("id"),
            )
        elif kind == "ToolResult":
            value = as_dict(payload.get("return_value")) or as_dict(payload.get("result"))
            self.add_result(
                join_text(value.get("output")),
                call_id=payload.get("tool_call_id"),
                ok=find_ok(value, "is_error"),
            )
        elif kind == "ApprovalResponse":
            if payload.get("response") == "reject":
                self.add("human", "rejection", as_text(payload.get("feedback")))
        elif kind not in _QUIET_OLD_TYPES:
            self.count_unknown("type", kind)

    def _join_pieces(self) -> None:
        """Add the answer that has come in pieces."""
        if self.pieces:
            line, ts = self.last_piece
            self.turns.add("assistant", "text", "".join(self.pieces), ts=ts, line=line)
            self.pieces.clear()


def _find_key(origin: dict[str, Any], text: str) -> str:
    """Return what identifies a prompt when it comes again; a skill's text may be reworded."""
    return as_text(origin.get("activationId")) or text


def _find_command(origin: dict[str, Any], text: str) -> str:
    """Return the command that a person gave, if the prompt's text is only its result; else
    empty.
    """
    kind = as_text(origin.get("kind"))
    if kind == "shell_command" and origin.get("phase") == "input":
        bare = text.strip().removeprefix("<bash-input>").removesuffix("</bash-input>")
        return f"!{html.unescape(bare.strip())}"
    if kind in _SLASH_COMMANDS and origin.get("trigger") == "user-slash":
        name_field, arguments_field = _SLASH_COMMANDS[kind]
        name = as_text(origin.get(name_field)).removeprefix("/")
        return f"/{name} {as_text(origin.get(arguments_field))}".strip()
    return ""
