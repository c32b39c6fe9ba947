"""Codex's rollouts: `{timestamp, type, payload}` a line, and the bare lines of before version 0.32.

Every prompt and every message is written twice, as an event and as a response item, and a good part of the items with the role
`user` are injected. Humans are taken from the events, the assistant from the items; the other kind serves only where the first is
missing. A fork or a sub-agent replays its parent's history first, which is the parent's to tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, clip, parse_json
from memctl.readers.sniffing import has_keys, parse_head_objects
from memctl.readers.tool_summaries import describe_call, describe_command, find_command
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, clean_text, parse_time

_TYPES = frozenset(
    {"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"}
)
_BARE_ITEMS = frozenset(
    [
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
    ]
)
_QUIET_ITEMS = frozenset(
    [
        "reasoning",
        "compaction",
        "ghost_snapshot",
        "agent_message",
        "tool_search_call",
        "tool_search_output",
        "image_generation_call",
    ]
)
_INJECTED = (
    "# AGENTS.md instructions",
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "<permissions instructions>",
    "<recommended_plugins>",
    "<skill>",
    "<turn_aborted>",
    "<user_action>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<collaboration_mode>",
    "<hook_context>",
)
_IDE_CONTEXT = "# Context from my IDE setup:"
_IDE_REQUEST = "## My request for Codex:"
_EXITED = re.compile(r"(?:Process exited with code|Exit code:) (-?\d{1,10})")
_UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


class Codex:
    """Reads Codex rollouts."""

    name: ClassVar[str] = "codex"
    agent: ClassVar[str] = "codex"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when a line has the rollout's envelope or the file begins with the bare head of old."""
        objects = parse_head_objects(head)
        if any(
            as_text(entry.get("type")) in _TYPES and isinstance(entry.get("payload"), dict)
            for entry in objects
        ):
            return 0.97
        if (
            objects
            and {"id", "timestamp", "instructions"} <= objects[0].keys()
            and "type" not in objects[0]
        ):
            return 0.96
        return 0.8 if not objects and has_keys(head, "payload", "timestamp", "cwd") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        session = _Session(source)
        for line, entry in source.read_json_lines():
            session.take(line, entry)
        yield session.finished()


READER = Codex()


class _Session:
    """One rollout as far as it has been read."""

    def __init__(self, source: Input) -> None:
        self.source = source
        self.turns = Turns()
        self.session_id: str | None = None
        self.parent: str | None = None
        self.is_sub = False
        self.is_replay = False
        self.cwd: str | None = None
        self.git_branch: str | None = None
        self.remote: str | None = None
        self.title: tuple[int, str] = (0, "")
        self.tools: dict[str, str] = {}
        self.from_items: list[int] = []
        self.from_events: list[int] = []
        self.human_events = 0
        self.assistant_items = 0

    def take(self, line: int, entry: dict[str, Any]) -> None:
        """Understand one line."""
        kind, payload, ts = (
            as_text(entry.get("type")),
            entry.get("payload"),
            parse_time(entry.get("timestamp")),
        )
        if not isinstance(payload, dict):
            self._take_bare(line, entry, kind)
        elif kind == "session_meta":
            self._meta(payload)
        elif kind == "turn_context":
            self._note_turn(payload)
            self.cwd = self.cwd or as_name(payload.get("cwd"))
        elif kind == "event_msg":
            self._event(line, ts, payload)
        elif self.is_replay:
            return
        elif kind == "response_item":
            self._item(line, ts, payload)
        elif kind == "compacted":
            self.turns.add("summary", "compact", as_text(payload.get("message")), ts=ts, line=line)
        elif kind not in ("world_state", "inter_agent_communication_metadata"):
            self._unknown("type", kind)

    def finished(self) -> Transcript:
        """The session, with each thing said once."""
        for place in self.from_items if self.human_events else []:
            self.turns.remove(place)
        for place in self.from_events if self.assistant_items else []:
            self.turns.remove(place)
        line, title = self.title
        self.turns.add("system", "title", title, line=line)
        stem = self.source.path.stem if self.source.path else ""
        return Transcript(
            format=Codex.name,
            agent=Codex.agent,
            session_id=self.session_id or stem,
            turns=self.turns.collect(),
            parent_session_id=self.parent,
            cwd=self.cwd,
            git_branch=self.git_branch,
            remote=self.remote,
            title=as_name(title),
            started_at=self.turns.started_at,
            ended_at=self.turns.ended_at,
            unknown=dict(self.source.unknown),
        )

    def _unknown(self, what: str, kind: object) -> None:
        self.source.unknown[f"{what} {as_text(kind)[:40] or '(none)'}"] += 1

    def _take_bare(self, line: int, entry: dict[str, Any], kind: str) -> None:
        """A line of before 0.32, or one whose payload is broken."""
        if kind in _BARE_ITEMS:
            self._item(line, parse_time(entry.get("timestamp")), entry)
        elif not kind and "record_type" in entry:
            return
        elif not kind and as_text(entry.get("role")) in ("user", "assistant"):
            self._plain(line, entry)
        elif not kind and "id" in entry and "timestamp" in entry:
            self._meta(entry)
        else:
            self._unknown("type", kind)

    def _plain(self, line: int, entry: dict[str, Any]) -> None:
        """A message without any envelope, as tools write that shorten a rollout."""
        text = (
            as_text(entry.get("content"))
            or as_text(entry.get("message"))
            or as_text(entry.get("text"))
        )
        ts = parse_time(entry.get("timestamp")) or parse_time(entry.get("created_at"))
        self._item(
            line,
            ts,
            {
                "type": "message",
                "role": entry["role"],
                "content": [{"type": "input_text", "text": text}],
            },
        )

    def _meta(self, payload: dict[str, Any]) -> None:
        """The session's head; a second head with another id is the parent's, and its history follows."""
        session_id = as_name(payload.get("id"))
        if self.session_id is not None and session_id != self.session_id:
            self.is_replay = True
            self.parent = self.parent or session_id
            return
        self.session_id = session_id
        source = as_dict(payload.get("source"))
        spawned = as_dict(as_dict(source.get("subagent")).get("thread_spawn"))
        self.is_sub = "subagent" in source or payload.get("thread_source") == "subagent"
        named = (
            spawned.get("parent_thread_id"),
            payload.get("parent_thread_id"),
            payload.get("forked_from_id"),
        )
        self.parent = self.parent or next(filter(None, map(as_name, named)), None)
        self.cwd = as_name(payload.get("cwd")) or self.cwd
        git = as_dict(payload.get("git"))
        self.git_branch = as_name(git.get("branch")) or self.git_branch
        self.remote = as_name(git.get("repository_url")) or self.remote

    def _note_turn(self, payload: dict[str, Any]) -> None:
        """A replay ends with the first turn that began after this session did; the ids tell, being sorted by time."""
        turn_id, own = as_text(payload.get("turn_id")), self.session_id or ""
        if not (_UUID7.fullmatch(turn_id) and _UUID7.fullmatch(own) and turn_id < own):
            self.is_replay = False

    def _event(self, line: int, ts: str | None, payload: dict[str, Any]) -> None:
        kind = payload.get("type")
        if kind == "task_started":
            self._note_turn(payload)
        if self.is_replay:
            return
        if kind == "user_message":
            self.human_events += 1
            self._human(line, ts, as_text(payload.get("message")))
        elif kind == "agent_message":
            place = self.turns.add(
                "assistant", "text", as_text(payload.get("message")), ts=ts, line=line
            )
            self.from_events += [] if place is None else [place]
        elif kind == "thread_name_updated":
            self.title = line, as_text(payload.get("thread_name"))
        elif kind == "item_completed" and as_dict(payload.get("item")).get("type") == "Plan":
            self.turns.add(
                "assistant", "plan", as_text(payload["item"].get("text")), ts=ts, line=line
            )

    def _human(self, line: int, ts: str | None, text: str) -> int | None:
        """A prompt without what was wrapped around it; in a sub-agent's session it is the parent agent's."""
        text = clean_text(text)
        if text.startswith(_INJECTED):
            return None
        if text.startswith(_IDE_CONTEXT) and _IDE_REQUEST in text:
            text = text.rpartition(_IDE_REQUEST)[2]
        return self.turns.add("system" if self.is_sub else "human", "text", text, ts=ts, line=line)

    def _item(self, line: int, ts: str | None, item: dict[str, Any]) -> None:
        kind = as_text(item.get("type")) or ("message" if "role" in item else "")
        if kind == "message":
            self._message(line, ts, item)
        elif kind in ("function_call", "custom_tool_call", "local_shell_call", "web_search_call"):
            self._call(line, ts, item, kind)
        elif kind in ("function_call_output", "custom_tool_call_output"):
            self._output(line, ts, item)
        elif kind not in _QUIET_ITEMS:
            self._unknown("item", kind)

    def _message(self, line: int, ts: str | None, item: dict[str, Any]) -> None:
        role, text = item.get("role"), _joined(item.get("content"))
        if role == "user":
            place = self._human(line, ts, text)
            self.from_items += [] if place is None else [place]
        elif role == "assistant":
            self.assistant_items += (
                self.turns.add("assistant", "text", text, ts=ts, line=line) is not None
            )
        elif role not in ("developer", "system"):
            self._unknown("role", role)

    def _call(self, line: int, ts: str | None, item: dict[str, Any], kind: str) -> None:
        call_id, action = as_name(item.get("call_id")), as_dict(item.get("action"))
        if kind == "local_shell_call":
            tool, (text, data) = "local_shell", describe_command(find_command(action))
        elif kind == "web_search_call":
            tool, (text, data) = "web_search", describe_call("web_search", action)
        else:
            tool = as_text(item.get("name"))
            text, data = describe_call(
                tool, item.get("arguments") if kind == "function_call" else item.get("input")
            )
        if call_id:
            self.tools[call_id] = tool
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

    def _output(self, line: int, ts: str | None, item: dict[str, Any]) -> None:
        call_id = as_name(item.get("call_id"))
        text, code = parse_output(item.get("output"))
        data: dict[str, Any] = {} if code is None else {"exit_code": code}
        ok = None if code is None else code == 0
        if "rejected by user" in text[:200]:
            ok, data["refused"] = False, True
        tool = self.tools.get(call_id or "") or None
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


def parse_output(output: object) -> tuple[str, int | None]:
    """The text and the exit code of a tool's output: text with a head of its own, JSON text, or content blocks."""
    text = _joined(output) or as_text(as_dict(output).get("content"))
    if text.startswith("{"):
        old = as_dict(parse_json(text))
        code = as_dict(old.get("metadata")).get("exit_code")
        if isinstance(old.get("output"), str):
            return old["output"], code if isinstance(code, int) else None
    head, marked, body = text.partition("\nOutput:\n")
    found = _EXITED.search(head[:400]) if marked else None
    return (body, int(found[1])) if found else (text, None)


def _joined(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(
        text for block in as_list(content) if (text := as_text(as_dict(block).get("text")))
    )
