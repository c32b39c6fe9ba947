"""Cursor's transcripts of its agent: `{role, message: {content: [block]}}` on each line.

They have no ids, usually no results, and no times but those of the prompts. What a person typed is
in `<user_query>`; the rules, open files and notices around it are not.
A transcript in a folder `subagents` was started by
the agent of the folder above; it has no human turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Transcript, Turn
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers import cursor_times, folder_names
from memctl.readers.base import Input, Reader, make_digest_id
from memctl.readers.envelopes import extract_block, unwrap
from memctl.readers.jsonl_session import Entry, JsonlSession
from memctl.readers.messages import find_ok, join_text, list_blocks
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.values import as_dict, as_name, as_text, clean_text

QUERY_TAG = "user_query"
_TRANSCRIPTS = "agent-transcripts"
_SUMMARY = "[Previous conversation summary]"
# Cursor writes this in place of thoughts that it withholds.
_REDACTED = "[REDACTED]"
_WORKSPACE = compile_later(r"Workspace Paths?: {0,4}(/[^\n<]{1,1000}|[A-Za-z]:\\[^\n<]{1,1000})")
# Characters of a first prompt that are searched for the user's system, and for the folder.
_USER_INFO_HEAD = 4_000
_WORKSPACE_HEAD = 20_000
_BEGINNINGS = (b'{"role":"user","message":', b'{"role":"assistant","message":')
# Bytes of a head that are compared with the beginnings.
_BEGINNING_BYTES = 40
_CALL_BLOCKS = frozenset(["tool_use", "tool_call", "tool-call"])
_RESULT_BLOCKS = frozenset(["tool_result", "tool-result"])
_QUIET_BLOCKS = frozenset(
    [
        "thinking",
        "reasoning",
        "redacted-reasoning",
        "redacted_thinking",
        "image",
        "image_url",
        "file",
        "document",
    ]
)
_ROLES = ("user", "assistant", "tool", "system")


class Cursor:
    """Reads transcripts of Cursor's agent."""

    name: ClassVar[str] = "cursor"
    agent: ClassVar[str] = "cursor"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if the role stands outside of the message, with no envelope around both."""
        entries = parse_head_objects(head)
        if entries:
            return 0.97 if any(_is_message(entry) for entry in entries) else 0.0
        first = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:_BEGINNING_BYTES]
        return 0.96 if first.replace(b" ", b"").startswith(_BEGINNINGS) else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        yield from _CursorFileSession(source, self).read()


READER = Cursor()


def _is_message(entry: Entry) -> bool:
    content = as_dict(entry.get("message")).get("content")
    has_content = isinstance(content, (str, list)) and "type" not in entry
    return has_content and as_text(entry.get("role")) in ("user", "assistant")


class CursorSession(JsonlSession):
    """A session of Cursor's agent, from its transcripts or its databases."""

    wrappings = frozenset(
        [
            "user_info",
            "rules",
            "user_rules",
            "project_rules",
            "always_applied_workspace_rules",
            "always_applied_workspace_rule",
            "git_status",
            "agent_requestable_workspace_rules",
            "agent_requestable_workspace_rule",
            "required_instructions",
            "project_layout",
            "timestamp",
            "agent_transcripts",
            "agent_skills",
            "available_skills",
            "manually_attached_skills",
            "system_reminder",
            "system-reminder",
            "system_notification",
            "open_and_recently_viewed_files",
            "recently_viewed_files",
            "attached_files",
            "attached_code_selections",
            "code_selection",
            "additional_data",
            "current_file",
            "cursor_position",
            "linter_errors",
            "edit_history",
            "external_links",
            "terminal_files_information",
            "mcp_file_system",
            "mcp_instructions",
            "image_files",
            "hook_context",
            "context",
            "memories",
            "uploaded_documents",
            "cursor_commands",
            "task_notification",
            "background_task",
            "environment_details",
            "mode_notice",
        ]
    )

    # When the last prompt whose time is known was sent; answers follow it.
    asked_at: str | None = None

    def add_message(self, role: str, content: object) -> None:
        """Add what one message says and does."""
        self.ts = self.ts or self.asked_at
        texts = []
        for block in list_blocks(content):
            kind = as_text(block.get("type"))
            if kind in _CALL_BLOCKS:
                self._add_call_block(block)
            elif kind in _RESULT_BLOCKS:
                self._add_result_block(block)
            elif kind in _QUIET_BLOCKS:
                continue
            elif not isinstance(block.get("text"), str):
                self.count_unknown("block", kind)
            elif role == "assistant":
                text = block["text"]
                self.add_answer("" if clean_text(text) == _REDACTED else text)
            else:
                texts.append(block["text"])
        if role == "user":
            self.add_query(texts)
        elif role == "tool" and texts:
            self.add_result("\n".join(texts))

    def add_query(self, texts: list[str]) -> None:
        """Add what a person typed; its context may be in the same text or in others."""
        times = filter(None, map(cursor_times.find_time, texts))
        self.asked_at = next(times, self.ts) or self.asked_at
        self.ts = self.ts or self.asked_at
        queries = [extract_block(text, QUERY_TAG, self.wrappings) for text in texts]
        typed = [query for query in queries if query is not None]
        if not typed:
            typed = [words for text in texts if (words := unwrap(text, self.wrappings))]
        query = "\n\n".join(typed)
        if query.startswith(_SUMMARY):
            self.add_summary(query)
        else:
            self.add_prompt(query)

    def note_workspace(self, content: object) -> None:
        """Note the folder in the context of a first prompt."""
        for block in list_blocks(content) if self.cwd is None else []:
            text = as_text(block.get("text"))
            if "<user_info>" not in text[:_USER_INFO_HEAD]:
                continue
            workspace = _WORKSPACE.search(text[:_WORKSPACE_HEAD])
            if workspace:
                self.cwd = as_name(workspace[1].strip())
                return

    def _add_call_block(self, block: dict[str, Any]) -> None:
        tool = as_text(block.get("name")) or as_text(block.get("toolName"))
        args = _find_first(block, "input", "args", "arguments")
        self.add_call(tool, args, call_id=block.get("id") or block.get("toolCallId"))

    def _add_result_block(self, block: dict[str, Any]) -> None:
        output = _find_first(block, "content", "result", "output")
        has_failed = find_ok(block, "is_error") is False or find_ok(block, "isError") is False
        self.add_result(
            "" if output is None else join_text(output),
            tool=block.get("name") or block.get("toolName"),
            call_id=block.get("tool_use_id") or block.get("toolCallId"),
            ok=False if has_failed else None,
        )


def _find_first(fields: Mapping[str, Any], *names: str) -> object:
    """Return the value of the first of these fields that exists."""
    return next((fields[name] for name in names if name in fields), None)


class CursorTranscript(CursorSession):
    """A session from a transcript; its ids come from the file and its folders."""

    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        folders = [folder.name for folder in source.path.parents] if source.path else []
        if "subagents" in folders:
            self.parent_id = folders[folders.index("subagents") + 1] or None
        self.is_subagent = self.parent_id is not None
        self.session_id = source.stem or None
        # `SLUG/agent-transcripts/...`, where SLUG is the path of the folder with dashes.
        below = folders.index(_TRANSCRIPTS) if _TRANSCRIPTS in folders else len(folders)
        self._slug = folders[below + 1] if below + 1 < len(folders) else ""

    def to_transcript(self, **overrides: Any) -> Transcript:
        """Return the session, and the folder it ran in if only its slug is known."""
        if self.cwd is None and self._slug:
            self.cwd = folder_names.find_by_slug(self._slug, self.turns.collect())
        return super().to_transcript(**overrides)

    def _make_session_id(self, turns: tuple[Turn, ...]) -> str:
        """Make an id for piped text from its beginning."""
        return make_digest_id("cursor", turns[0].text if turns else "")


class _CursorFileSession(CursorTranscript):
    def read_entry(self, entry: Entry) -> None:
        """Read one line."""
        role = as_text(entry.get("role"))
        if role not in _ROLES:
            if as_text(entry.get("type")) != "turn_ended":
                self.count_unknown("type", entry.get("type"))
            return
        content = as_dict(entry.get("message")).get("content")
        if role == "user":
            self.note_workspace(content)
        self.add_message(role, content)
