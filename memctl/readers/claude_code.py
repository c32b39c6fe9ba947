"""Claude Code's session files: JSONL, and the one-object export of web sessions.

iFlow writes the same format. Most `user` lines are not the user's: tool results, echoes, notices
and injected context travel in them too. Human turns hold only what a person typed, once each,
however often the file repeats it, and not what was rewound.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Role, Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers import claude_text
from memctl.readers.agent_messages import take_own_words
from memctl.readers.base import Input, Reader
from memctl.readers.claude_chain import LineTree
from memctl.readers.jsonl_session import Entry, JsonlSession, Methods
from memctl.readers.messages import find_ok, join_text, list_blocks
from memctl.readers.sniffing import has_keys, parse_head_objects
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_dicts, as_list, as_name, as_text

_OWN_TYPES = frozenset(
    [
        "user",
        "assistant",
        "system",
        "attachment",
        "queue-operation",
        "summary",
        "progress",
        "file-history-snapshot",
        "pr-link",
    ]
)
_QUIET_SYSTEM = frozenset(
    [
        "compact_boundary",
        "microcompact_boundary",
        "turn_duration",
        "stop_hook_summary",
        "api_error",
        "bridge_status",
        "informational",
        "session_start",
        "init",
    ]
)
# Types of lines with which newer sessions begin.
_STATE_TYPES = frozenset({"mode", "permission-mode", "last-prompt", "bridge-session"})
# Types of lines with a title, the best first, and the field that holds it.
_TITLE_FIELDS = {
    "custom-title": "customTitle",
    "ai-title": "aiTitle",
    "agent-name": "agentName",
}
_ENVELOPE = frozenset({"sessionId", "session_id", "timestamp"})
# Sources of prompts that a person typed.
_TYPED_SOURCES = frozenset({"typed", "queued", "sdk", "user"})
# How programs start an agent: scripts by the first two; by any other kit also editors and desktop
# programs in which a person types.
_SCRIPT_ENTRIES = frozenset({"sdk-cli", "sdk-py"})
_KIT_ENTRY = "sdk-"
# How a program's first prompt begins, which no person's does: it makes the agent somebody.
_CASTS = compile_later(
    r"\s*(?:<\w+>\s*)?(?:you are (?:a|an|the|now|acting)\b|act as (?:a|an|the)\b"
    r"|your (?:task|job|role|goal) is\b"
    r"|(?:return|respond|reply|output|answer) (?:only|with only)\b)",
    re.IGNORECASE,
)
# A part of the folders in which memory tools let agents watch.
_WATCHERS_FOLDER = "observer-sessions"
_QUIET_USER_BLOCKS = ("image", "document", "tool_reference")
_QUESTION_TOOL = "AskUserQuestion"


class ClaudeCode:
    """Reads Claude Code sessions."""

    name: ClassVar[str] = "claude-code"
    agent: ClassVar[str] = "claude-code"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if a line has Claude Code's envelope; likely if a cut-off line has its keys."""
        entries = parse_head_objects(head)
        if any(_is_qwen_entry(entry) for entry in entries):
            return 0.0
        if any(_is_own_entry(entry) for entry in entries):
            return 0.97
        if has_keys(head, "loglines", "message", "type"):
            return 0.96
        is_cut_off = not entries and has_keys(head, "sessionId", "type", "message")
        return 0.8 if is_cut_off and not has_keys(head, "parts") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        yield from _ClaudeCodeSession(source, self).read()


READER = ClaudeCode()


def _is_by_human(entry: Entry) -> bool:
    return as_dict(entry.get("origin")).get("kind") == "human"


def _read_words(entry: Entry) -> str:
    """The plain words of a line, those of its text blocks joined."""
    blocks = list_blocks(as_dict(entry.get("message")).get("content"))
    return "\n".join(as_text(block.get("text")) for block in blocks)


def _is_qwen_entry(entry: Entry) -> bool:
    """Return whether Qwen Code wrote a line, whose envelope is much like Claude Code's."""
    return "systemPayload" in entry or "parts" in as_dict(entry.get("message"))


def _is_own_entry(entry: Entry) -> bool:
    kind, message = as_text(entry.get("type")), entry.get("message")
    if isinstance(message, dict):
        has_content = kind in ("user", "assistant") and "content" in message
        return has_content and not _ENVELOPE.isdisjoint(entry)
    if "leafUuid" in entry or "snapshot" in entry:
        return kind in _OWN_TYPES
    needs_uuid = kind in ("system", "attachment", "progress")
    if "sessionId" not in entry or (needs_uuid and "uuid" not in entry):
        return False
    return kind in _OWN_TYPES or kind in _TITLE_FIELDS or kind in _STATE_TYPES


class _ClaudeCodeSession(JsonlSession):
    """The main thread, and what sub-agents wrote into the same file.

    `turns` belong to the thread of the line being read.
    """

    slugs_below = "projects"
    quiet_types = frozenset(
        [
            "summary",
            "progress",
            "file-history-snapshot",
            "file-history-delta",
            "last-prompt",
            "mode",
            "permission-mode",
            "bridge-session",
            "worktree-state",
            "started",
            "result",
            "relocated",
            "frame-link",
        ]
    )
    is_named_by_file = True

    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        self.main_turns = self.turns
        self.side_turns = Turns()
        self.uuids: set[str] = set()
        self.tree = LineTree()
        # Positions of proposed plans by the id of their call, and of queued prompts by their text.
        self.plans: dict[str, int] = {}
        self.queued: defaultdict[str, list[int]] = defaultdict(list)
        self.link_urls: set[str] = set()
        # Line and text of the last title of each type.
        self.titles: dict[str, tuple[int, str]] = {}
        # All session ids, in the order of the file; a dict as an ordered set.
        self.session_ids: dict[str, None] = {}
        self.agent_id: str | None = None
        self.is_program = False

    @property
    def prompt_role(self) -> Role:
        """A prompt is the system's if another agent or a program wrote it."""
        return "system" if self.is_subagent or self.is_program else "human"

    def list_entries(self) -> Iterator[tuple[int, Entry]]:
        """Yield the lines, or the log lines of an export."""
        log_lines: list[Any] = []
        if has_keys(self.source.read_head(), "loglines"):
            log_lines = as_list(as_dict(self.source.read_json()).get("loglines"))
        if not log_lines:
            yield from super().list_entries()
        for number, entry in enumerate(log_lines, 1):
            if isinstance(entry, dict):
                yield number, entry
            else:
                self.source.unknown["bad line"] += 1

    def read_entry(self, entry: Entry) -> None:
        """Read one line, unless the file repeats it."""
        uuid = as_text(entry.get("uuid"))
        if uuid and uuid in self.uuids:
            return
        if isinstance(entry.get("message", {}), dict):
            self.uuids.add(uuid)
        self._note_envelope(entry)
        self.is_subagent = entry.get("isSidechain") is True
        self.turns = self.side_turns if self.is_subagent else self.main_turns
        if self.tree.is_copy(uuid, entry, self.ts):
            return
        begin = len(self.turns)
        super().read_entry(entry)
        if not self.is_subagent:
            added = range(begin, len(self.main_turns))
            is_prompt = any(self.main_turns.is_prompt(position) for position in added)
            self.tree.add(uuid, entry, added, is_prompt=is_prompt)

    def _note_envelope(self, entry: Entry) -> None:
        session_id = as_name(entry.get("sessionId")) or as_name(entry.get("session_id"))
        if session_id:
            self.session_ids[session_id] = None
        self.cwd = self.cwd or as_name(entry.get("cwd"))
        self.git_branch = as_name(entry.get("gitBranch")) or self.git_branch
        self.agent_id = self.agent_id or as_name(entry.get("agentId"))
        self._note_program(entry)

    def _note_program(self, entry: Entry) -> None:
        """Note whether a program wrote the prompts: the line's own word for it comes first."""
        entrypoint = as_text(entry.get("entrypoint"))
        if as_text(entry.get("promptSource")) in ("typed", "queued") or _is_by_human(entry):
            self.is_program = False
        elif not entrypoint.startswith(_KIT_ENTRY) or entrypoint in _SCRIPT_ENTRIES:
            self.is_program = entrypoint in _SCRIPT_ENTRIES or (not entrypoint and self.is_program)
        elif not len(self.main_turns):
            self.is_program = _CASTS.match(_read_words(entry)) is not None
        if _WATCHERS_FOLDER in (self.cwd or ""):
            self.is_program = True

    def to_transcript(self, **overrides: Any) -> Transcript:
        """Return the session; if a file has only a sub-agent's lines, it is that sub-agent's."""
        is_side = not len(self.main_turns) and len(self.side_turns) > 0
        for position in self.tree.list_rewound():
            self.main_turns.remove(position)
        self.turns = self.side_turns if is_side else self.main_turns
        titles = (self.titles[kind] for kind in _TITLE_FIELDS if kind in self.titles)
        line, title = next(titles, (0, ""))
        self.add_title(title, line=line)
        if is_side:
            self._note_side_ids()
        else:
            self._note_main_id()
        if self._is_iflow():
            self.agent = "iflow"
        return super().to_transcript(**overrides)

    def _note_main_id(self) -> None:
        """Choose among several ids: the file's name if it is one of them, else the last one."""
        stem, ids = self.source.stem, list(self.session_ids)
        self.session_id = stem if stem in self.session_ids or not ids else ids[-1]

    def _note_side_ids(self) -> None:
        """Set the sub-agent's id, and the last other id in the file as its parent's."""
        self.session_id = f"agent-{self.agent_id}" if self.agent_id else self.source.stem
        parents = [session_id for session_id in self.session_ids if session_id != self.session_id]
        self.parent_id = parents[-1] if parents else self._find_parent_folder()

    def _find_parent_folder(self) -> str | None:
        """The name of the folder above `subagents`."""
        folders = [folder.name for folder in self.source.path.parents] if self.source.path else []
        return folders[folders.index("subagents") + 1] if "subagents" in folders else None

    def _is_iflow(self) -> bool:
        path = self.source.path
        is_in_folder = path is not None and ".iflow" in path.parts
        return is_in_folder or (self.session_id or "").startswith("session-")

    def _read_title(self, entry: Entry) -> None:
        kind = entry["type"]
        self.titles[kind] = self.line, as_text(entry.get(_TITLE_FIELDS[kind]))

    def _read_user(self, entry: Entry) -> None:
        content = as_dict(entry.get("message")).get("content")
        if not isinstance(content, (str, list)):
            self.source.unknown["user content"] += 1
        texts = []
        for block in list_blocks(content):
            kind = block.get("type")
            if kind == "tool_result":
                self._read_result(entry, block)
            elif kind == "text":
                texts.append(as_text(block.get("text")))
            elif kind not in _QUIET_USER_BLOCKS:
                self.source.unknown[f"user block {str(kind)[:40]}"] += 1
        if texts:
            self._read_user_texts(entry, texts)

    def _read_user_texts(self, entry: Entry, texts: list[str]) -> None:
        is_shown_only = entry.get("isVisibleInTranscriptOnly") is True
        if entry.get("isCompactSummary") is True:
            self.add_summary("\n\n".join(texts))
        elif as_text(entry.get("planContent")):
            self._add_approved_plan(entry["planContent"])
        elif entry.get("isMeta") is not True and not is_shown_only and self._is_typed(entry):
            self._add_typed_texts(texts)

    def _is_typed(self, entry: Entry) -> bool:
        """Return whether a person wrote the line; older lines without an `origin` count as
        typed.
        """
        origin = as_dict(entry.get("origin")).get("kind")
        prompt_source = as_text(entry.get("promptSource"))
        if origin is None:
            return prompt_source != "system"
        if origin in ("human", "task-notification"):
            return bool(origin == "human")
        self.source.unknown[f"origin {str(origin)[:40]}"] += 1
        return prompt_source in _TYPED_SOURCES

    def _add_typed_texts(self, texts: list[str]) -> None:
        """Add the commands and plans among some texts, then all plain text as one turn."""
        parsed = [user_text for user_text in map(claude_text.parse_user_text, texts) if user_text]
        for user_text in parsed:
            if user_text.kind == "plan":
                self._add_approved_plan(user_text.text)
            elif user_text.kind == "compact":
                self.add_summary(user_text.text)
            elif user_text.kind == "command":
                self._add_human("command", user_text.text, user_text.data)
        words = "\n\n".join(user_text.text for user_text in parsed if user_text.kind == "text")
        own = take_own_words(words)
        if own != words:
            self.add("system", "text", words)
        if own:
            self._add_human("text", own, {})

    def _add_human(self, kind: str, text: str, data: dict[str, Any]) -> None:
        """Add a person's words in place of the queued prompt with the same text."""
        for position in self.queued.pop(text, [])[:1]:
            self.main_turns.remove(position)
        self.add(self.prompt_role, kind, text, data=data)

    def _add_approved_plan(self, text: str) -> None:
        self.add("assistant", "plan", text, ok=True)

    def _read_assistant(self, entry: Entry) -> None:
        message = as_dict(entry.get("message"))
        if entry.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
            return
        for block in list_blocks(message.get("content")):
            kind = as_text(block.get("type"))
            if kind == "text":
                self.add_answer(as_text(block.get("text")))
            elif kind in ("tool_use", "server_tool_use"):
                self._read_call(block)
            elif kind.endswith("_tool_result"):
                self._read_result(entry, block)
            elif kind not in ("thinking", "redacted_thinking"):
                self.source.unknown[f"assistant block {kind[:40]}"] += 1

    def _read_call(self, block: Entry) -> None:
        tool, call_id = as_text(block.get("name")), as_name(block.get("id"))
        args = as_dict(block.get("input"))
        if tool != "ExitPlanMode" or not as_text(args.get("plan")):
            self.add_call(tool, args, call_id=call_id)
            return
        if call_id:
            self.tools[call_id] = tool
        position = self.add("assistant", "plan", args["plan"], tool=tool, call_id=call_id)
        if call_id and position is not None and self.turns is self.main_turns:
            self.plans[call_id] = position

    def _read_result(self, entry: Entry, block: Entry) -> None:
        call_id = as_name(block.get("tool_use_id"))
        tool = self.tools.get(call_id or "")
        text = join_text(block.get("content"))
        structured = as_dict(entry.get("toolUseResult"))
        ok = find_ok(block, "is_error") is None and find_ok(structured, "interrupted") is None
        if tool == _QUESTION_TOOL and ok and self._add_answers(structured, call_id, text):
            return
        if call_id in self.plans:
            self.main_turns.set_outcome(self.plans[call_id], ok=ok)
        reason = None if ok else claude_text.find_refusal(text)
        if reason:
            self.add("human", "rejection", reason, tool=tool, call_id=call_id, ok=False)
            return
        code = None if ok else claude_text.parse_exit_code(text)
        data: dict[str, Any] = {} if code is None else {"exit_code": code}
        if reason == "":
            data["refused"] = True
        shown = claude_text.strip_envelopes(text)
        self.add_result(shown, call_id=call_id, tool=tool, ok=ok, data=data)

    def _add_answers(self, structured: Entry, call_id: str | None, text: str) -> bool:
        """Add what the user answered to the agent's questions; False if there is no answer."""
        questions = claude_text.list_answers(structured) or claude_text.parse_answers(text)
        answers = "\n".join(question["answer"] for question in questions)
        data = {"questions": questions}
        position = self.add(
            "human", "answer", answers, tool=_QUESTION_TOOL, call_id=call_id, data=data
        )
        return position is not None

    def _read_system(self, entry: Entry) -> None:
        subtype, text = as_text(entry.get("subtype")), as_text(entry.get("content"))
        if subtype == "away_summary":
            self.add("summary", "text", text)
        elif subtype == "local_command":
            user_text = claude_text.parse_user_text(text)
            if user_text is not None and user_text.kind == "command":
                self._add_human("command", user_text.text, user_text.data)
        elif subtype not in _QUIET_SYSTEM:
            self.count_unknown("system", subtype)

    def _read_attachment(self, entry: Entry) -> None:
        """Read a prompt that was typed while a tool ran; no other attachment is a person's."""
        attachment = as_dict(entry.get("attachment"))
        if attachment.get("type") != "queued_command" or attachment.get("isMeta") is True:
            return
        prompt = attachment.get("prompt")
        if isinstance(prompt, str):
            texts = [prompt]
        else:
            texts = [as_text(block.get("text")) for block in as_dicts(prompt)]
        if self._is_typed(attachment):
            self._add_typed_texts(texts)

    def _read_queue_operation(self, entry: Entry) -> None:
        """Add a queued prompt, which usually comes again when it is sent.

        Older versions inserted it between two tool calls instead and did not repeat it.
        """
        operation = entry.get("operation")
        if operation == "popAll":
            for positions in self.queued.values():
                for position in positions:
                    self.main_turns.remove(position)
            self.queued.clear()
        if operation != "enqueue":
            return
        user_text = claude_text.parse_user_text(as_text(entry.get("content")))
        if user_text is None or user_text.kind != "text":
            return
        words, role = take_own_words(user_text.text), self.prompt_role
        queued_at = self.main_turns.add(role, "text", words, ts=self.ts, line=self.line)
        if queued_at is not None:
            self.queued[words].append(queued_at)

    def _read_pr_link(self, entry: Entry) -> None:
        url, number = as_text(entry.get("prUrl")).strip(), entry.get("prNumber")
        if not url or url in self.link_urls:
            return
        self.link_urls.add(url)
        data = {
            "url": url,
            "number": number if isinstance(number, int) else None,
            "repository": as_text(entry.get("prRepository")),
        }
        self.main_turns.add("system", "link", url, ts=self.ts, line=self.line, data=data)

    methods: ClassVar[Methods] = {
        "user": _read_user,
        "assistant": _read_assistant,
        "system": _read_system,
        "attachment": _read_attachment,
        "queue-operation": _read_queue_operation,
        "pr-link": _read_pr_link,
        **dict.fromkeys(_TITLE_FIELDS, _read_title),
    }
