"""Codex's rollouts: `{timestamp, type, payload}` on each line, and bare lines before version 0.32.

Every prompt and every message is written twice, as an event and as a response item, and many items
of the role `user` are injected. So prompts are taken from the events and answers from the items;
the other kind is used only if the first is missing. A fork or a sub-agent first replays its
parent's history, which belongs to the parent's transcript and is skipped. What was rolled back is
gone.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Role, Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.agent_messages import take_own_words
from memctl.readers.base import Input, Reader, parse_json
from memctl.readers.jsonl_session import Entry, JsonlSession, Methods
from memctl.readers.messages import join_text
from memctl.readers.sniffing import has_keys, parse_head_objects
from memctl.readers.tool_summaries import describe_command, find_command
from memctl.readers.values import as_dict, as_dicts, as_name, as_text, clean_text, parse_time

_ENVELOPE_TYPES = frozenset(
    {"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"}
)
# Types of response items that were lines of their own before version 0.32.
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
_CALL_ITEMS = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call")
_OUTPUT_ITEMS = ("function_call_output", "custom_tool_call_output")
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
# Beginnings of texts that Codex puts in the user's place.
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
    "<hook_prompt",
)
# The marks of pasted images beside a prompt: an empty pair of tags, and a number in the text.
_IMAGE_MARK = compile_later(
    r"<image(?: [^>]{0,2000})?>\s*(?:</image>)?|</image>|\[Image #\d{1,4}\]"
)
_QUESTION_TOOL = "request_user_input"
_NOTE = "user_note:"
_IDE_CONTEXT = "# Context from my IDE setup:"
_IDE_REQUEST = "## My request for Codex:"
_EXIT_CODE = compile_later(r"(?:Process exited with code|Exit code:) (-?\d{1,10})")
# Characters at the start of an output that are searched for its exit code.
_OUTPUT_HEAD = 400
_REFUSED = "rejected by user"
# Characters at the start of an output that are searched for a refusal.
_REFUSAL_HEAD = 200
_UUID7 = compile_later(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


class Codex:
    """Reads Codex rollouts."""

    name: ClassVar[str] = "codex"
    agent: ClassVar[str] = "codex"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if a line has the rollout's envelope, or the first line is the bare head of
        old files.
        """
        entries = parse_head_objects(head)
        if any(_has_envelope(entry) for entry in entries):
            return 0.97
        first = entries[0] if entries else {}
        if {"id", "timestamp", "instructions"} <= first.keys() and "type" not in first:
            return 0.96
        return 0.8 if not entries and has_keys(head, "payload", "timestamp", "cwd") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        yield from _CodexSession(source, self).read()


READER = Codex()


def _has_envelope(entry: Entry) -> bool:
    return as_text(entry.get("type")) in _ENVELOPE_TYPES and isinstance(entry.get("payload"), dict)


class _CodexSession(JsonlSession):
    quiet_types = frozenset({"world_state", "inter_agent_communication_metadata"})
    is_named_by_file = True

    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        self.is_replay = False
        self.thread_name = ""
        self.thread_name_line = 0
        # Positions of turns to be dropped if the other kind of line has them too.
        self.prompts_from_items: list[int] = []
        self.answers_from_events: list[int] = []
        # Positions of the prompts that have events.
        self.prompts_from_events: list[int] = []
        self.has_prompt_events = False
        self.has_answer_items = False
        self.is_headless = False
        # The agent's questions by the id of their call: their texts by their own ids.
        self.questions: dict[str, dict[str, str]] = {}

    @property
    def prompt_role(self) -> Role:
        """A prompt is the system's if another agent wrote it, or a program for a headless run."""
        return "system" if self.is_subagent or self.is_headless else "human"

    def read_entry(self, entry: Entry) -> None:
        """Read one line, with its envelope or bare."""
        kind, payload = as_text(entry.get("type")), entry.get("payload")
        if not isinstance(payload, dict):
            self._read_bare(kind, entry)
        elif not self.is_replay or kind in ("session_meta", "turn_context", "event_msg"):
            self.read_typed(kind, payload)

    def to_transcript(self, **overrides: Any) -> Transcript:
        """Return the session without its duplicate turns."""
        for position in self.prompts_from_items if self.has_prompt_events else []:
            self.turns.remove(position)
        for position in self.answers_from_events if self.has_answer_items else []:
            self.turns.remove(position)
        self.add_title(self.thread_name, line=self.thread_name_line)
        return super().to_transcript(**overrides)

    def _read_bare(self, kind: str, entry: Entry) -> None:
        """Read a line from before version 0.32, or one whose payload is broken."""
        if kind in _BARE_ITEMS:
            self._read_item(entry)
        elif not kind and "record_type" in entry:
            return
        elif not kind and as_text(entry.get("role")) in ("user", "assistant"):
            self._read_plain_message(entry)
        elif not kind and "id" in entry and "timestamp" in entry:
            self._read_head(entry)
        else:
            self.count_unknown("type", kind)

    def _read_plain_message(self, entry: Entry) -> None:
        """Read a message without an envelope, as written by tools that shorten a rollout."""
        texts = (as_text(entry.get(field)) for field in ("content", "message", "text"))
        text = next(filter(None, texts), "")
        self.ts = self.ts or parse_time(entry.get("created_at"))
        self._read_message({"role": entry["role"], "content": text})

    def _read_head(self, payload: Entry) -> None:
        """Read the session's head; a second head with another id begins the parent's history."""
        session_id = as_name(payload.get("id"))
        if self.session_id is not None and session_id != self.session_id:
            self.is_replay = True
            self.parent_id = self.parent_id or session_id
            return
        self.session_id = session_id
        source, git = as_dict(payload.get("source")), as_dict(payload.get("git"))
        self.is_headless = payload.get("source") == "exec"
        self.is_subagent = "subagent" in source or payload.get("thread_source") == "subagent"
        self.parent_id = self.parent_id or _find_parent_id(payload)
        self.cwd = as_name(payload.get("cwd")) or self.cwd
        self.git_branch = as_name(git.get("branch")) or self.git_branch
        self.remote = as_name(git.get("repository_url")) or self.remote

    def _read_turn_context(self, payload: Entry) -> None:
        self._end_replay(payload)
        self.cwd = self.cwd or as_name(payload.get("cwd"))

    def _end_replay(self, payload: Entry) -> None:
        """End the replay at the first turn that is newer than the session; ids sort by time."""
        turn_id, own_id = as_text(payload.get("turn_id")), self.session_id or ""
        is_older = _UUID7.fullmatch(turn_id) and _UUID7.fullmatch(own_id) and turn_id < own_id
        if not is_older:
            self.is_replay = False

    def _read_event(self, payload: Entry) -> None:
        kind = payload.get("type")
        if kind == "task_started":
            self._end_replay(payload)
        if self.is_replay:
            return
        if kind == "user_message":
            self.has_prompt_events = True
            position = self._add_own_prompt(as_text(payload.get("message")))
            self.prompts_from_events += [] if position is None else [position]
        elif kind == "agent_message":
            position = self.add_answer(as_text(payload.get("message")))
            self.answers_from_events += [] if position is None else [position]
        elif kind == "thread_name_updated":
            self.thread_name = as_text(payload.get("thread_name"))
            self.thread_name_line = self.line
        elif kind == "thread_rolled_back":
            self._roll_back(payload.get("num_turns"))
        elif kind == "item_completed":
            item = as_dict(payload.get("item"))
            if item.get("type") == "Plan":
                self.add("assistant", "plan", as_text(item.get("text")))

    def _roll_back(self, number: object) -> None:
        """Remove the last prompts, so many of them, and all that followed the first of them."""
        items, events = self.prompts_from_items, self.prompts_from_events
        prompts = events if self.has_prompt_events else items
        if not isinstance(number, int) or number < 1 or not prompts:
            return
        begin = prompts[-number:][0]
        # The item of a prompt may stand before its event.
        earlier = max((prompt for prompt in prompts if prompt < begin), default=-1)
        begin = min(
            (
                each
                for each in items
                if earlier < each < begin and self.turns.are_alike(each, begin)
            ),
            default=begin,
        )
        self.turns.truncate(begin)
        for positions in (items, events, self.answers_from_events):
            positions[:] = [position for position in positions if position < begin]

    def _add_own_prompt(self, text: str) -> int | None:
        """Add a prompt without what was wrapped around it, unless Codex injected it."""
        text = clean_text(text)
        if text.startswith(_INJECTED):
            return None
        if text.startswith(_IDE_CONTEXT) and _IDE_REQUEST in text:
            text = text.rpartition(_IDE_REQUEST)[2]
        own = take_own_words(_IMAGE_MARK.sub("", text).strip())
        return self.add(self.prompt_role if own else "system", "text", own or text)

    def _read_item(self, item: Entry) -> None:
        kind = as_text(item.get("type")) or ("message" if "role" in item else "")
        if kind == "message":
            self._read_message(item)
        elif kind in _CALL_ITEMS:
            self._read_call(kind, item)
        elif kind in _OUTPUT_ITEMS:
            self._read_output(item)
        elif kind not in _QUIET_ITEMS:
            self.count_unknown("item", kind)

    def _read_message(self, item: Entry) -> None:
        role, text = item.get("role"), join_text(item.get("content"))
        if role == "user":
            position = self._add_own_prompt(text)
            self.prompts_from_items += [] if position is None else [position]
        elif role == "assistant":
            self.has_answer_items |= self.add_answer(text) is not None
        elif role not in ("developer", "system"):
            self.count_unknown("role", role)

    def _read_call(self, kind: str, item: Entry) -> None:
        call_id, action = item.get("call_id"), as_dict(item.get("action"))
        if kind == "local_shell_call":
            described = describe_command(find_command(action))
            self.add_described_call("local_shell", *described, call_id=call_id)
        elif kind == "web_search_call":
            self.add_call("web_search", action, call_id=call_id)
        else:
            args = item.get("arguments" if kind == "function_call" else "input")
            if item.get("name") == _QUESTION_TOOL:
                self.questions[as_text(call_id)] = _list_questions(args)
            self.add_call(item.get("name"), args, call_id=call_id)

    def _read_output(self, item: Entry) -> None:
        call_id = as_name(item.get("call_id"))
        text, code = parse_output(item.get("output"))
        asked = self.questions.get(call_id or "")
        if asked is not None and self._add_answers(asked, text, call_id):
            return
        ok = None if code is None else code == 0
        data: dict[str, Any] = {} if code is None else {"exit_code": code}
        if _REFUSED in text[:_REFUSAL_HEAD]:
            ok, data["refused"] = False, True
        tool = self.tools.get(call_id or "")
        self.add_result(text, call_id=call_id, tool=tool, ok=ok, data=data)

    def _add_answers(self, asked: dict[str, str], text: str, call_id: str | None) -> bool:
        """Add what the user answered to the agent's questions; False if there is no answer."""
        questions = []
        for own_id, value in as_dict(as_dict(parse_json(text)).get("answers")).items():
            picked = value.get("answers") if isinstance(value, dict) else value
            given = [as_text(each) for each in picked] if isinstance(picked, list) else [picked]
            words = (as_text(each).removeprefix(_NOTE).strip() for each in given)
            answer = "\n".join(filter(None, words))
            if answer:
                questions.append({"question": asked.get(own_id, own_id), "answer": answer})
        answers = "\n".join(question["answer"] for question in questions)
        data = {"questions": questions}
        position = self.add(
            "human", "answer", answers, tool=_QUESTION_TOOL, call_id=call_id, data=data
        )
        return position is not None

    def _read_compaction(self, payload: Entry) -> None:
        self.add_summary(as_text(payload.get("message")))

    methods: ClassVar[Methods] = {
        "session_meta": _read_head,
        "turn_context": _read_turn_context,
        "event_msg": _read_event,
        "response_item": _read_item,
        "compacted": _read_compaction,
    }


def _list_questions(args: object) -> dict[str, str]:
    """The texts of the agent's questions by their ids, in the arguments of its call."""
    fields = as_dict(parse_json(args) if isinstance(args, str) else args)
    return {
        as_text(each.get("id")): as_text(each.get("question"))
        for each in as_dicts(fields.get("questions"))
    }


def _find_parent_id(payload: Entry) -> str | None:
    subagent = as_dict(as_dict(payload.get("source")).get("subagent"))
    candidates = (
        as_dict(subagent.get("thread_spawn")).get("parent_thread_id"),
        payload.get("parent_thread_id"),
        payload.get("forked_from_id"),
    )
    return next(filter(None, map(as_name, candidates)), None)


def parse_output(output: object) -> tuple[str, int | None]:
    """Return the text and the exit code of a tool's output.

    The output may be text with a head of its own, JSON text, or content blocks.
    """
    text = as_text(output.get("content")) if isinstance(output, dict) else join_text(output)
    if text.startswith("{"):
        old = as_dict(parse_json(text))
        code = as_dict(old.get("metadata")).get("exit_code")
        if isinstance(old.get("output"), str):
            return old["output"], code if isinstance(code, int) else None
    head, separator, body = text.partition("\nOutput:\n")
    exit_code = _EXIT_CODE.search(head[:_OUTPUT_HEAD]) if separator else None
    return (body, int(exit_code[1])) if exit_code else (text, None)
