"""GitHub Copilot CLI's sessions: `{type, data, id, timestamp, parentId}` a line, and the one object a session of older versions.

Kept true: what a skill, a command or a schedule wrote in the user's place is nobody's words; what was rewound is gone; a sub-agent's
events, which stand in its parent's file, are a session of their own, in which no human speaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Role, Transcript
from memctl.readers.base import Input, clip
from memctl.readers.copilot_old import is_old, old_session
from memctl.readers.envelopes import unwrap
from memctl.readers.sidecars import parse_simple_yaml
from memctl.readers.sniffing import has_keys, parse_head_objects
from memctl.readers.tool_summaries import describe_call, find_command
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_KINDS = (
    "session.",
    "user.",
    "assistant.",
    "tool.",
    "system.",
    "hook.",
    "subagent.",
    "permission.",
)
# Of these kinds of events only the few below say something; the others are the machine's talk with itself.
_QUIET = (
    *_KINDS,
    "abort",
    "skill.",
    "command",
    "pending_messages.",
    "external_tool.",
    "elicitation.",
    "user_input.",
    "mcp",
    "sampling.",
    "capabilities.",
    "model.",
    "auto_mode",
    "background",
    "exit_plan_mode.",
    "factory.",
    "extensions.",
    "todo",
)
_TYPED = frozenset(["", "user", "human", "cli", "immediate-prompt"])
_WRAPPINGS = frozenset(
    "current_datetime reminder system_reminder system-reminder system_notification skill-context hook_context userRequest "
    "todo_status tagged_files pasted_content plan_mode agent_instructions custom_instruction".split()
)
_EXITED = re.compile(r"<exited with exit code (-?\d{1,10})>")
_ON_GITHUB = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}")
_ANSWERED = ("User selected: ", "User responded: ")


class CopilotCli:
    """Reads Copilot CLI sessions."""

    name: ClassVar[str] = "copilot-cli"
    agent: ClassVar[str] = "copilot-cli"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when a line is an event with data."""
        if any(_is_event(entry) for entry in parse_head_objects(head)) or is_old(head):
            return 0.97
        return (
            0.8
            if has_keys(head, "type", "data", "parentId") and has_keys(head, "toolRequests")
            else 0.0
        )

    def read(self, source: Input) -> Iterator[Transcript]:
        """The session of the file, and one more for each of its sub-agents."""
        if is_old(source.read_head()):
            yield old_session(source, CopilotCli.name, CopilotCli.agent)
            return
        session = _Session(source)
        for line, entry in source.read_json_lines():
            session.take(line, entry)
        yield from session.finished()


READER = CopilotCli()


def _is_event(entry: dict[str, Any]) -> bool:
    return (
        isinstance(entry.get("data"), dict)
        and as_text(entry.get("type")).startswith(_KINDS)
        and "id" in entry
    )


def _exit_code(data: dict[str, Any], text: str) -> int | None:
    """What a shell ended with, which newer versions say beside the output and older ones at its end."""
    code = as_dict(data.get("shellExecution")).get("exitCode")
    if isinstance(code, int) and not isinstance(code, bool):
        return code
    exited = _EXITED.search(text[-200:])
    return int(exited[1]) if exited else None


class _Thread:
    """What one agent said and did."""

    def __init__(self) -> None:
        self.turns = Turns()
        self.tools: dict[str, str] = {}
        self.places: dict[str, tuple[int, int]] = {}
        self.plan: int | None = None


class _Session:
    """One file as far as it has been read: the main thread and those of sub-agents."""

    def __init__(self, source: Input) -> None:
        self.source = source
        self.main = _Thread()
        self.subs: dict[str, _Thread] = {}
        # Some events name the sub-agent, some only the call that it answers.
        self.callers: dict[str, str] = {}
        self.seen: set[str] = set()
        self.session_id: str | None = None
        self.parent: str | None = None
        self.cwd: str | None = None
        self.git_branch: str | None = None
        self.repository: str | None = None
        self.title = ""

    def take(self, line: int, entry: dict[str, Any]) -> None:
        """Understand one line."""
        event, kind, data = (
            as_text(entry.get("id")),
            as_text(entry.get("type")),
            as_dict(entry.get("data")),
        )
        if event and event in self.seen:
            return
        self.seen.add(event)
        thread = self._thread(entry, data)
        before = len(thread.turns)
        handler = (
            getattr(self, f"_take_{kind.replace('.', '_')}", None) if kind in _HANDLED else None
        )
        if handler is not None:
            handler(thread, line, parse_time(entry.get("timestamp")), data)
        elif not kind.startswith(_QUIET):
            self.source.unknown[f"type {kind[:40] or '(none)'}"] += 1
        if event and len(thread.turns) > before:
            thread.places[event] = (before, len(thread.turns))

    def finished(self) -> Iterator[Transcript]:
        """The session, then its sub-agents' sessions."""
        notes = self._notes()
        own = self.session_id or notes.get("id") or self._named_by_file()
        title = notes.get("name") or self.title or notes.get("summary") or ""
        self.main.turns.add("system", "title", title)
        yield self._transcript(self.main, own, self.parent, notes, as_name(title))
        for name, thread in self.subs.items():
            if len(thread.turns):
                yield self._transcript(thread, f"{own}/{name}", own or None, notes, None)

    def _transcript(
        self,
        thread: _Thread,
        own: str,
        parent: str | None,
        notes: dict[str, str],
        title: str | None,
    ) -> Transcript:
        repository = self.repository or as_name(notes.get("repository"))
        return Transcript(
            format=CopilotCli.name,
            agent=CopilotCli.agent,
            session_id=own,
            turns=thread.turns.collect(),
            parent_session_id=parent,
            cwd=self.cwd or as_name(notes.get("cwd")),
            git_branch=self.git_branch or as_name(notes.get("branch")),
            title=title,
            started_at=thread.turns.started_at,
            ended_at=thread.turns.ended_at,
            unknown=dict(self.source.unknown),
            remote=f"https://github.com/{repository}"
            if repository and _ON_GITHUB.fullmatch(repository)
            else None,
        )

    def _notes(self) -> dict[str, str]:
        """What stands beside the events of a session that has a folder of its own."""
        if self.source.path is None or self.source.path.name != "events.jsonl":
            return {}
        return parse_simple_yaml(self.source.read_beside("workspace.yaml") or b"")

    def _named_by_file(self) -> str:
        path = self.source.path
        return (
            "" if path is None else path.parent.name if path.name == "events.jsonl" else path.stem
        )

    def _thread(self, entry: dict[str, Any], data: dict[str, Any]) -> _Thread:
        agent, kind = (
            as_name(entry.get("agentId")) or as_name(data.get("agentId")),
            as_text(entry.get("type")),
        )
        call_id = as_name(
            data.get("toolCallId" if kind == "subagent.started" else "parentToolCallId")
        )
        if agent and call_id:
            self.callers.setdefault(call_id, agent)
        name = agent or self.callers.get(call_id or "", call_id)
        if name is None or kind.startswith(("session.", "subagent.")):
            return self.main
        return self.subs.setdefault(name, _Thread())

    def _take_session_start(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        self.session_id = self.session_id or as_name(data.get("sessionId"))
        self.parent = (
            self.parent
            or as_name(data.get("parentSessionId"))
            or as_name(data.get("detachedFromSpawningParentSessionId"))
        )
        self._note_where(as_dict(data.get("context")))

    def _take_session_resume(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        self._note_where(as_dict(data.get("context")))

    def _take_session_context_changed(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        self._note_where(data)

    def _note_where(self, context: dict[str, Any]) -> None:
        self.cwd = self.cwd or as_name(context.get("cwd"))
        self.git_branch = as_name(context.get("branch")) or self.git_branch
        self.repository = self.repository or as_name(context.get("repository"))

    def _take_session_title_changed(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        self.title = as_text(data.get("title")) or self.title

    def _take_session_compaction_complete(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        thread.turns.add(
            "summary", "compact", as_text(data.get("summaryContent")), ts=ts, line=line
        )

    def _take_session_handoff(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        thread.turns.add("summary", "compact", as_text(data.get("summary")), ts=ts, line=line)

    def _take_session_task_complete(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        thread.turns.add("assistant", "text", as_text(data.get("summary")), ts=ts, line=line)

    def _take_session_snapshot_rewind(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        """Take back the events that are named, or the one that was gone back to and all after it."""
        for event in as_list(data.get("eventIds")):
            start, end = thread.places.pop(as_text(event), (0, 0))
            for place in range(start, min(end, len(thread.turns))):
                thread.turns.remove(place)
        back_to = thread.places.get(as_text(data.get("upToEventId")))
        if back_to is not None:
            thread.turns.truncate(back_to[0])
            while thread.places and next(reversed(thread.places.values()))[0] >= back_to[0]:
                thread.places.popitem()

    def _take_user_message(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        origin = as_text(data.get("source")).lower()
        if origin not in _TYPED or data.get("isAutopilotContinuation") is True:
            return
        role: Role = "human" if thread is self.main else "system"
        thread.turns.add(
            role, "text", unwrap(as_text(data.get("content")), _WRAPPINGS), ts=ts, line=line
        )

    def _take_tool_user_requested(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        """A shell command that the user typed."""
        thread.tools[as_text(data.get("toolCallId"))] = as_text(data.get("toolName"))
        command = find_command(as_dict(data.get("arguments")))
        thread.turns.add("human", "command", command, ts=ts, line=line, data={"shell": True})

    def _take_assistant_message(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        thread.turns.add("assistant", "text", as_text(data.get("content")), ts=ts, line=line)
        for request in as_list(data.get("toolRequests")):
            self._call(thread, line, ts, as_dict(request), as_text(as_dict(request).get("name")))

    def _take_tool_execution_start(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        self._call(thread, line, ts, data, as_text(data.get("toolName")))

    def _call(
        self, thread: _Thread, line: int, ts: str | None, call: dict[str, Any], tool: str
    ) -> None:
        """A tool call, which is told twice, in either order."""
        call_id = as_text(call.get("toolCallId"))
        if not tool or (call_id and call_id in thread.tools):
            return
        thread.tools[call_id] = tool
        text, data = describe_call(tool, call.get("arguments"))
        thread.turns.add(
            "assistant",
            "tool_call",
            text,
            ts=ts,
            tool=tool,
            call_id=call_id or None,
            line=line,
            data=data,
        )

    def _take_tool_execution_complete(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        call_id = as_text(data.get("toolCallId"))
        tool = thread.tools.get(call_id) or as_name(data.get("toolName"))
        result = data.get("result")
        text = (
            as_text(result)
            or as_text(as_dict(result).get("content"))
            or as_text(as_dict(result).get("detailedContent"))
        )
        text = (
            text or as_text(as_dict(data.get("error")).get("message")) or as_text(data.get("error"))
        )
        if (
            tool == "ask_user"
            and data.get("success") is True
            and text.startswith(_ANSWERED)
            and thread is self.main
        ):
            thread.turns.add(
                "human",
                "answer",
                text.partition(": ")[2],
                ts=ts,
                tool=tool,
                call_id=call_id or None,
                line=line,
            )
            return
        code = _exit_code(data, text)
        ok = data.get("success") is not False and code in (None, 0)
        told: dict[str, Any] = {} if code is None else {"exit_code": code}
        thread.turns.add(
            "tool",
            "tool_result",
            clip(text),
            ts=ts,
            tool=tool,
            call_id=call_id or None,
            ok=ok,
            line=line,
            data=told,
        )

    def _take_permission_completed(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        """A refusal, with the reason that the user gave."""
        result = as_dict(data.get("result"))
        if as_text(result.get("kind")).startswith("denied-interactively"):
            thread.turns.add(
                "human", "rejection", as_text(result.get("feedback")), ts=ts, line=line
            )

    def _take_exit_plan_mode_requested(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        plan = as_text(data.get("planContent")) or as_text(data.get("summary"))
        thread.plan = thread.turns.add("assistant", "plan", plan, ts=ts, line=line)

    def _take_exit_plan_mode_completed(
        self, thread: _Thread, line: int, ts: str | None, data: dict[str, Any]
    ) -> None:
        if (
            thread.plan is not None
            and thread.plan < len(thread.turns)
            and isinstance(data.get("approved"), bool)
        ):
            thread.turns.set_outcome(thread.plan, ok=data["approved"])
        if data.get("approved") is False:
            thread.turns.add("human", "rejection", as_text(data.get("feedback")), ts=ts, line=line)


_HANDLED = frozenset(
    "session.start session.resume session.context_changed session.title_changed session.compaction_complete session.handoff "
    "session.task_complete session.snapshot_rewind user.message tool.user_requested assistant.message tool.execution_start "
    "tool.execution_complete permission.completed exit_plan_mode.requested exit_plan_mode.completed".split()
)
