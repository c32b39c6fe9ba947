"""Qwen Code's sessions: an envelope like Claude Code's around messages like Gemini's.

Invariants: a repeated record counts once; what was rewound is gone; what the program sent in the
user's place (notifications, schedules, the prompt of a sub-agent) is no human turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Reader, parse_json
from memctl.readers.gemini import join_parts, parse_exit_code, parse_prompt, parse_response
from memctl.readers.jsonl_session import Entry, JsonlSession, Methods
from memctl.readers.sniffing import has_keys, parse_head_objects
from memctl.readers.values import as_dict, as_dicts, as_name, as_text

# An interrupted writer may have put several objects on one line.
_MAX_OBJECTS_PER_LINE = 16
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
# Subtypes of user records that a person typed; all others are the program's.
_TYPED_SUBTYPES = frozenset(["", "mid_turn_user_message", "realtime_message"])
_DURING_TOOL = "[User message received during tool execution]: "
_SHELL_TOOL = "run_shell_command"


class Qwen:
    """Reads Qwen Code sessions."""

    name: ClassVar[str] = "qwen"
    agent: ClassVar[str] = "qwen"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if a message of parts is in an envelope with a session id."""
        for entry in parse_head_objects(head):
            if "parts" in as_dict(entry.get("message")) and "sessionId" in entry:
                return 0.97
        return 0.9 if has_keys(head, "sessionId", "parentUuid", "systemPayload") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        yield from _QwenSession(source, self).read()


READER = Qwen()


def _parse_objects(line: bytes) -> list[Entry]:
    value = parse_json(line)
    values = [value] if value is not None else _split_values(line.decode("utf-8", "replace"))
    return [value for value in values if isinstance(value, dict)]


def _split_values(line: str) -> list[Any]:
    """Return the JSON values that follow each other on a line, up to the first broken one."""
    decoder, text, start = json.JSONDecoder(), line.strip(), 0
    values: list[Any] = []
    while start < len(text) and len(values) < _MAX_OBJECTS_PER_LINE:
        try:
            value, start = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            break
        values.append(value)
    return values


class _QwenSession(JsonlSession):
    slugs_below = "projects"
    is_named_by_file = True

    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        # Where the turns of each record begin and end, by its id.
        self.starts: dict[str, int] = {}
        self.ends: dict[str, int] = {}
        # Id and content hash of every record so far.
        self.records: set[tuple[str, int]] = set()
        self.latest_title = ""

    def list_entries(self) -> Iterator[tuple[int, Entry]]:
        """Yield the objects of all lines."""
        for number, line in self.source.read_raw_json_lines():
            if not line.strip():
                continue
            entries = _parse_objects(line)
            if not entries:
                self.source.unknown["bad line"] += 1
            for entry in entries:
                yield number, entry

    def read_entry(self, entry: Entry) -> None:
        """Read one record, unless the file repeats it."""
        uuid = as_text(entry.get("uuid"))
        if uuid and self._is_repeated(uuid, entry):
            return
        self.starts.setdefault(uuid, len(self.turns))
        origin = as_dict(entry.get("forkedFrom"))
        self.session_id = as_name(entry.get("sessionId")) or self.session_id
        self.parent_id = self.parent_id or as_name(origin.get("sessionId"))
        self.cwd = self.cwd or as_name(entry.get("cwd"))
        self.git_branch = as_name(entry.get("gitBranch")) or self.git_branch
        super().read_entry(entry)
        self.ends[uuid] = len(self.turns)

    def _is_repeated(self, uuid: str, entry: Entry) -> bool:
        """Return whether this very record came before; parts of one message may share its id."""
        content = [entry.get(field) for field in ("type", "subtype", "message", "systemPayload")]
        record = (uuid, hash(json.dumps(content)))
        is_repeated = record in self.records
        self.records.add(record)
        return is_repeated

    def to_transcript(self, **overrides: Any) -> Transcript:
        """Return the session with its latest title."""
        self.add_title(self.latest_title)
        return super().to_transcript(**overrides)

    def _read_user(self, entry: Entry) -> None:
        subtype = as_text(entry.get("subtype"))
        is_sub = entry.get("isSidechain") is True or subtype == "agent_launch_prompt"
        is_typed = subtype in _TYPED_SUBTYPES and entry.get("provenance") in (None, "real_user")
        if not is_sub and not is_typed:
            return
        text = as_text(as_dict(entry.get("systemPayload")).get("displayText"))
        if not text:
            parts = as_dict(entry.get("message")).get("parts")
            text = join_parts(parts).strip().removeprefix(_DURING_TOOL)
        kind, text = parse_prompt(text)
        if is_sub:
            self.add("system", "text", text)
        else:
            self.add("human", kind, text)

    def _read_parts(self, entry: Entry) -> None:
        for part in as_dicts(as_dict(entry.get("message")).get("parts")):
            if "functionCall" in part:
                call = as_dict(part["functionCall"])
                self.add_call(call.get("name"), call.get("args"), call_id=call.get("id"))
            elif "functionResponse" in part:
                self._read_response(part, as_dict(entry.get("toolCallResult")).get("status"))
            elif entry.get("type") == "assistant":
                self.add_answer(join_parts([part]))

    def _read_response(self, part: dict[str, Any], status: object) -> None:
        response = as_dict(part["functionResponse"])
        text, is_error = parse_response(part)
        tool = as_name(response.get("name"))
        code = parse_exit_code(text) if tool == _SHELL_TOOL else None
        ok = not is_error and status not in ("error", "cancelled") and code in (None, 0)
        data = {} if code is None else {"exit_code": code}
        self.add_result(text, tool=tool, call_id=response.get("id"), ok=ok, data=data)

    def _read_system(self, entry: Entry) -> None:
        subtype, payload = as_text(entry.get("subtype")), as_dict(entry.get("systemPayload"))
        if subtype == "custom_title":
            title = as_text(payload.get("customTitle")) or as_text(payload.get("title"))
            self.latest_title = title or self.latest_title
        elif subtype == "slash_command":
            self._add_slash_command(payload)
        elif subtype == "rewind":
            self._rewind(payload, entry.get("parentUuid"))
        elif subtype == "chat_compression":
            self._add_compression(payload)
        elif subtype == "parent_session":
            self.parent_id = as_name(payload.get("parentSessionId")) or self.parent_id
        elif subtype not in _QUIET_SYSTEM:
            self.count_unknown("system", subtype)

    def _add_slash_command(self, payload: dict[str, Any]) -> None:
        is_result = payload.get("phase") == "result" or "outputHistoryItems" in payload
        if not is_result and payload.get("hiddenInvocation") is not True:
            self.add("human", "command", as_text(payload.get("rawCommand")))

    def _add_compression(self, payload: dict[str, Any]) -> None:
        history = as_dicts(payload.get("compressedHistory"))
        first = join_parts(history[0].get("parts")) if history else ""
        self.add_summary(as_text(payload.get("summary")) or first)

    def _rewind(self, payload: dict[str, Any], parent: object) -> None:
        """Remove the turns from the named record on, or else those after this record's parent."""
        target = as_text(payload.get("targetUuid"))
        if target in self.starts:
            self.turns.truncate(self.starts[target])
        elif "truncatedCount" in payload and parent is None:
            self.turns.truncate(0)
        elif isinstance(parent, str) and parent in self.ends:
            self.turns.truncate(self.ends[parent])

    methods: ClassVar[Methods] = {
        "user": _read_user,
        "assistant": _read_parts,
        "tool_result": _read_parts,
        "system": _read_system,
    }
