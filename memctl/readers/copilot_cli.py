"""GitHub Copilot CLI's sessions: `{type, data, id, timestamp, parentId}` on each line.

Older versions wrote one object for a session; `copilot_old` reads it.

Invariants: what a skill, a command or a schedule wrote in the user's place is no human turn; what
was rewound is gone; a sub-agent's events, which are in its parent's file, form a session of their
own without human turns.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Reader
from memctl.readers.copilot_old import is_old_session, read_old_session
from memctl.readers.jsonl_session import Entry, JsonlSession, Methods
from memctl.readers.sidecars import parse_simple_yaml
from memctl.readers.sniffing import has_keys, parse_head_objects
from memctl.readers.tool_summaries import find_command
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_dicts, as_list, as_name, as_text

_FILE_NAME = "events.jsonl"
_EVENT_FAMILIES = (
    "session.",
    "user.",
    "assistant.",
    "tool.",
    "system.",
    "hook.",
    "subagent.",
    "permission.",
)
# Sources of messages that a person typed.
_TYPED_SOURCES = frozenset(["", "user", "human", "cli", "immediate-prompt"])
_EXIT_CODE = compile_later(r"<exited with exit code (-?\d{1,10})>")
# Characters at the end of an output that are searched for its exit code.
_OUTPUT_TAIL = 200
_GITHUB_REPOSITORY = compile_later(r"[\w.-]{1,100}/[\w.-]{1,100}")
_ANSWERED = ("User selected: ", "User responded: ")
_DENIED_BY_USER = "denied-interactively"


class CopilotCli:
    """Reads Copilot CLI sessions."""

    name: ClassVar[str] = "copilot-cli"
    agent: ClassVar[str] = "copilot-cli"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if a line is an event with data."""
        if is_old_session(head) or any(_is_event(entry) for entry in parse_head_objects(head)):
            return 0.97
        return 0.8 if has_keys(head, "type", "data", "parentId", "toolRequests") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the session of the file, then one session for each of its sub-agents."""
        if is_old_session(source.read_head()):
            yield read_old_session(source, self)
        else:
            yield from _CopilotSession(source, self).read()


READER = CopilotCli()


def _is_event(entry: Entry) -> bool:
    is_known = as_text(entry.get("type")).startswith(_EVENT_FAMILIES)
    return is_known and isinstance(entry.get("data"), dict) and "id" in entry


class _Thread:
    """What one agent, the main one or a sub-agent, said and did."""

    def __init__(self) -> None:
        self.turns = Turns()
        self.tools: dict[str, str] = {}
        # First position, and position after the last, of the turns of each event.
        self.positions: dict[str, tuple[int, int]] = {}
        self.plan: int | None = None


class _CopilotSession(JsonlSession):
    """The main thread and those of sub-agents; `turns` and `tools` belong to `thread`."""

    wrappings = frozenset(
        [
            "current_datetime",
            "reminder",
            "system_reminder",
            "system-reminder",
            "system_notification",
            "skill-context",
            "hook_context",
            "userRequest",
            "todo_status",
            "tagged_files",
            "pasted_content",
            "plan_mode",
            "agent_instructions",
            "custom_instruction",
        ]
    )
    is_named_by_file = True
    # Families of events; only those in `methods` are read.
    quiet_prefixes = (
        *_EVENT_FAMILIES,
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

    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        self.main = self.thread = _Thread()
        self.sub_threads: dict[str, _Thread] = {}
        # Some events name the sub-agent, some only the call that started it.
        self.agent_by_call: dict[str, str] = {}
        self.event_ids: set[str] = set()
        self.repository: str | None = None
        self.changed_title = ""

    def read(self) -> Iterator[Transcript]:
        """Yield the session, then its sub-agents' sessions."""
        yield from super().read()
        main_id = self.session_id or ""
        self.title, self.parent_id = None, main_id or None
        for name, thread in self.sub_threads.items():
            if len(thread.turns):
                self.turns, self.session_id = thread.turns, f"{main_id}/{name}"
                yield super().to_transcript()

    def read_entry(self, entry: Entry) -> None:
        """Read one event, unless the file repeats it."""
        event_id, kind = as_text(entry.get("id")), as_text(entry.get("type"))
        if event_id and event_id in self.event_ids:
            return
        self.event_ids.add(event_id)
        data = as_dict(entry.get("data"))
        self.thread = self._find_thread(kind, entry, data)
        self.turns, self.tools = self.thread.turns, self.thread.tools
        self.is_subagent = self.thread is not self.main
        start = len(self.turns)
        self.read_typed(kind, data)
        if event_id and len(self.turns) > start:
            self.thread.positions[event_id] = start, len(self.turns)

    def to_transcript(self, **overrides: Any) -> Transcript:
        """Return the main thread, with what the file beside the events says."""
        notes = self._read_notes()
        self.turns = self.main.turns
        self.session_id = self.session_id or notes.get("id") or self._find_file_id()
        self.add_title(notes.get("name") or self.changed_title or notes.get("summary") or "")
        self.cwd = self.cwd or as_name(notes.get("cwd"))
        self.git_branch = self.git_branch or as_name(notes.get("branch"))
        repository = self.repository or as_name(notes.get("repository"))
        if repository and _GITHUB_REPOSITORY.fullmatch(repository):
            self.remote = f"https://github.com/{repository}"
        return super().to_transcript(**overrides)

    def _read_notes(self) -> dict[str, str]:
        """Return the notes beside the events of a session that has its own folder."""
        if self.source.path is None or self.source.path.name != _FILE_NAME:
            return {}
        return parse_simple_yaml(self.source.read_beside("workspace.yaml") or b"")

    def _find_file_id(self) -> str:
        path = self.source.path
        return (
            path.parent.name if path is not None and path.name == _FILE_NAME else self.source.stem
        )

    def _find_thread(self, kind: str, entry: Entry, data: Entry) -> _Thread:
        agent = as_name(entry.get("agentId")) or as_name(data.get("agentId"))
        call_field = "toolCallId" if kind == "subagent.started" else "parentToolCallId"
        call_id = as_name(data.get(call_field))
        if agent and call_id:
            self.agent_by_call.setdefault(call_id, agent)
        name = agent or self.agent_by_call.get(call_id or "", call_id)
        if name is None or kind.startswith(("session.", "subagent.")):
            return self.main
        return self.sub_threads.setdefault(name, _Thread())

    def _read_start(self, data: Entry) -> None:
        parent_id = as_name(data.get("parentSessionId"))
        spawner_id = as_name(data.get("detachedFromSpawningParentSessionId"))
        self.session_id = self.session_id or as_name(data.get("sessionId"))
        self.parent_id = self.parent_id or parent_id or spawner_id
        self._read_resume(data)

    def _read_resume(self, data: Entry) -> None:
        self._read_context(as_dict(data.get("context")))

    def _read_context(self, context: Entry) -> None:
        self.cwd = self.cwd or as_name(context.get("cwd"))
        self.git_branch = as_name(context.get("branch")) or self.git_branch
        self.repository = self.repository or as_name(context.get("repository"))

    def _read_title(self, data: Entry) -> None:
        self.changed_title = as_text(data.get("title")) or self.changed_title

    def _read_compaction(self, data: Entry) -> None:
        self.add_summary(as_text(data.get("summaryContent")))

    def _read_handoff(self, data: Entry) -> None:
        self.add_summary(as_text(data.get("summary")))

    def _read_task_complete(self, data: Entry) -> None:
        self.add_answer(as_text(data.get("summary")))

    def _read_rewind(self, data: Entry) -> None:
        """Remove the named events, or the event that was gone back to and all after it."""
        positions = self.thread.positions
        for event_id in as_list(data.get("eventIds")):
            start, end = positions.pop(as_text(event_id), (0, 0))
            for position in range(start, min(end, len(self.turns))):
                self.turns.remove(position)
        target = positions.get(as_text(data.get("upToEventId")))
        if target is not None:
            self.turns.truncate(target[0])
            while positions and next(reversed(positions.values()))[0] >= target[0]:
                positions.popitem()

    def _read_user_message(self, data: Entry) -> None:
        origin = as_text(data.get("source")).lower()
        if origin in _TYPED_SOURCES and data.get("isAutopilotContinuation") is not True:
            self.add_prompt(as_text(data.get("content")))

    def _read_user_command(self, data: Entry) -> None:
        """Add a shell command that the user typed."""
        self.tools[as_text(data.get("toolCallId"))] = as_text(data.get("toolName"))
        command = find_command(as_dict(data.get("arguments")))
        self.add("human", "command", command, data={"shell": True})

    def _read_assistant_message(self, data: Entry) -> None:
        self.add_answer(as_text(data.get("content")))
        for request in as_dicts(data.get("toolRequests")):
            self._add_call_once(request.get("name"), request)

    def _read_tool_start(self, data: Entry) -> None:
        self._add_call_once(data.get("toolName"), data)

    def _add_call_once(self, tool: object, call: Entry) -> None:
        """Add a tool call, which is written twice, in either order."""
        name, call_id = as_text(tool), as_text(call.get("toolCallId"))
        if name and (not call_id or call_id not in self.tools):
            self.add_call(name, call.get("arguments"), call_id=call_id)
            # A result without an id belongs to the last call without one.
            self.tools[call_id] = name

    def _read_tool_end(self, data: Entry) -> None:
        call_id = as_text(data.get("toolCallId"))
        tool = self.tools.get(call_id) or as_name(data.get("toolName"))
        text, succeeded = _find_output(data), data.get("success")
        is_answer = tool == "ask_user" and succeeded is True and text.startswith(_ANSWERED)
        if is_answer and not self.is_subagent:
            answer = text.partition(": ")[2]
            self.add("human", "answer", answer, tool=tool, call_id=call_id or None)
            return
        code = _find_exit_code(data, text)
        ok = succeeded is not False and code in (None, 0)
        exit_data = {} if code is None else {"exit_code": code}
        self.add_result(text, tool=tool, call_id=call_id, ok=ok, data=exit_data)

    def _read_permission(self, data: Entry) -> None:
        """Add a refusal with the reason that the user gave."""
        result = as_dict(data.get("result"))
        if as_text(result.get("kind")).startswith(_DENIED_BY_USER):
            self.add("human", "rejection", as_text(result.get("feedback")))

    def _read_plan(self, data: Entry) -> None:
        plan = as_text(data.get("planContent")) or as_text(data.get("summary"))
        self.thread.plan = self.add("assistant", "plan", plan)

    def _read_plan_outcome(self, data: Entry) -> None:
        plan, is_approved = self.thread.plan, data.get("approved")
        if plan is not None and plan < len(self.turns) and isinstance(is_approved, bool):
            self.turns.set_outcome(plan, ok=is_approved)
        if is_approved is False:
            self.add("human", "rejection", as_text(data.get("feedback")))

    methods: ClassVar[Methods] = {
        "session.start": _read_start,
        "session.resume": _read_resume,
        "session.context_changed": _read_context,
        "session.title_changed": _read_title,
        "session.compaction_complete": _read_compaction,
        "session.handoff": _read_handoff,
        "session.task_complete": _read_task_complete,
        "session.snapshot_rewind": _read_rewind,
        "user.message": _read_user_message,
        "tool.user_requested": _read_user_command,
        "assistant.message": _read_assistant_message,
        "tool.execution_start": _read_tool_start,
        "tool.execution_complete": _read_tool_end,
        "permission.completed": _read_permission,
        "exit_plan_mode.requested": _read_plan,
        "exit_plan_mode.completed": _read_plan_outcome,
    }


def _find_output(data: Entry) -> str:
    """Return the output of a tool, or the message of its error."""
    result, error = data.get("result"), data.get("error")
    texts = (
        result,
        as_dict(result).get("content"),
        as_dict(result).get("detailedContent"),
        as_dict(error).get("message"),
        error,
    )
    return next(filter(None, map(as_text, texts)), "")


def _find_exit_code(data: Entry, text: str) -> int | None:
    """Return a shell's exit code, which older versions wrote at the end of the output."""
    code = as_dict(data.get("shellExecution")).get("exitCode")
    if isinstance(code, int) and not isinstance(code, bool):
        return code
    exited = _EXIT_CODE.search(text[-_OUTPUT_TAIL:])
    return int(exited[1]) if exited else None
