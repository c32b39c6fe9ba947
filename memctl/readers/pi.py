"""Pi's sessions and those of its family (OMP, OpenClaw): a tree of entries, one on each line.

The session is the path to the last entry; other branches were abandoned. What a program added
(custom messages, wake-up prompts) is no human turn.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import ClassVar
from memctl.readers.base import Input, Reader
from memctl.readers.channel_text import strip_channel_context
from memctl.readers.jsonl_session import Entry, JsonlSession, Methods
from memctl.readers.messages import find_ok, join_text, list_blocks
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.values import as_dict, as_name, as_text

_QUIET_ROLES = ("custom", "branchSummary", "compactionSummary")
# First lines that are searched for a session's header.
_HEADER_LINES = 4


class Pi:
    """Reads the sessions of Pi and its family."""

    name: ClassVar[str] = "pi"
    agent: ClassVar[str] = "pi"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if the file begins with a session's header."""
        opening = parse_head_objects(head)[:_HEADER_LINES]
        has_header = any(
            entry.get("type") == "session" and {"timestamp", "id"} <= entry.keys()
            for entry in opening
        )
        return 0.97 if has_header else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        yield from _PiSession(source, self).read()


READER = Pi()


def _find_live_lines(entries: list[tuple[int, Entry]]) -> set[int]:
    """Return the lines on the path to the last entry.

    An entry whose parent is not in the file follows the entry before it; older files have no tree.
    """
    indexes = {
        entry["id"]: index
        for index, (_, entry) in enumerate(entries)
        if isinstance(entry.get("id"), str)
    }
    live: set[int] = set()
    index = len(entries) - 1
    while index >= 0:
        line, entry = entries[index]
        live.add(line)
        parent = indexes.get(as_text(entry.get("parentId")), index - 1)
        index = parent if parent < index else index - 1
    return live


class _PiSession(JsonlSession):
    slugs_below = "sessions"
    wrappings = frozenset(["system-reminder", "skill", "relevant-memories"])
    quiet_types = frozenset(
        [
            "model_change",
            "thinking_level_change",
            "custom",
            "custom_message",
            "label",
            "title",
            "leaf",
            "mode_change",
            "ttsr_injection",
            "context_transform",
            "ephemeral",
        ]
    )

    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        if source.path is not None and ".openclaw" in source.path.parts:
            self.agent = "openclaw"

    def list_entries(self) -> Iterator[tuple[int, Entry]]:
        """The entries on the path to the last one."""
        entries = list(super().list_entries())
        live = _find_live_lines(entries)
        return ((line, entry) for line, entry in entries if line in live)

    def _read_header(self, entry: Entry) -> None:
        self.session_id, self.cwd = as_name(entry.get("id")), as_name(entry.get("cwd"))
        self.began_at = self.ts
        # A file named TIME_ID.jsonl.
        origin = as_name(entry.get("branchedFrom")) or as_name(entry.get("parentSession"))
        self.parent_id = None
        if origin:
            file_name = origin.replace("\\", "/").rpartition("/")[2]
            self.parent_id = file_name.removesuffix(".jsonl").rpartition("_")[2]

    def _read_message(self, entry: Entry) -> None:
        message = as_dict(entry.get("message"))
        role, content = as_text(message.get("role")), message.get("content")
        if role == "user":
            self._add_user_text(join_text(content))
        elif role == "assistant":
            self._add_assistant_blocks(content)
        elif role == "toolResult":
            self.add_result(
                join_text(content),
                call_id=message.get("toolCallId"),
                tool=message.get("toolName"),
                ok=find_ok(message, "isError"),
            )
        elif role == "bashExecution":
            command = as_text(message.get("command"))
            self.add(self.prompt_role, "command", f"!{command}" if command else "")
        elif role not in _QUIET_ROLES:
            self.count_unknown("role", role)

    def _add_user_text(self, text: str) -> None:
        text = strip_channel_context(text)
        if text:
            self.add_prompt(text)

    def _add_assistant_blocks(self, content: object) -> None:
        for block in list_blocks(content):
            if block.get("type") == "text":
                self.add_answer(as_text(block.get("text")))
            elif block.get("type") == "toolCall":
                self.add_call(
                    as_name(block.get("name")), block.get("arguments"), call_id=block.get("id")
                )

    def _read_summary(self, entry: Entry) -> None:
        self.add_summary(as_text(entry.get("summary")))

    def _read_session_info(self, entry: Entry) -> None:
        self.title = as_name(entry.get("name")) or self.title

    methods: ClassVar[Methods] = {
        "session": _read_header,
        "message": _read_message,
        "compaction": _read_summary,
        "branch_summary": _read_summary,
        "session_info": _read_session_info,
    }
