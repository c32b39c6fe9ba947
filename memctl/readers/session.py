"""One session while it is being read: its head, its turns and the position of the reader.

Invariants: what one agent asks another (the prompt of a sub-agent) is never a human turn; a session
without an id gets one that stays the same as the session grows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from memctl.core.model import Role, Transcript, Turn
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Reader, clip, make_digest_id
from memctl.readers.envelopes import unwrap
from memctl.readers.messages import find_ok, join_text, list_blocks
from memctl.readers.tool_summaries import describe_call
from memctl.readers.turns import Turns
from memctl.readers.values import as_name, as_text

_MAX_LABEL = 40
_CALL_BLOCKS = ("tool_use", "server_tool_use")
_RESULT_BLOCKS = ("tool_result", "server_tool_result")


class Session:
    """Collects the turns and the head of one session.

    A subclass sets `line` and `ts`, the position and the time of the entry being read, before it
    adds turns; every added turn gets them. It also fills what the format knows: `session_id`,
    `parent_id`, `cwd`, `title`, `git_branch`, `remote`, `began_at`, and `ended_at` for sessions
    whose turns have no times.
    """

    # Names of the blocks in angle brackets that the agent puts around a prompt.
    wrappings: ClassVar[Collection[str]] = frozenset()
    # Types of content blocks to ignore.
    quiet_blocks: ClassVar[Collection[str]] = frozenset()
    # Whether a session without an id is named by its file; else its id is made from its beginning.
    is_named_by_file: ClassVar[bool] = False
    # The folder in which the agent gives each project a folder, named by a slug of its path.
    slugs_below: ClassVar[str] = ""

    def __init__(self, source: Input, reader: Reader) -> None:
        self.source = source
        self.format = reader.name
        self.agent = reader.agent
        self.turns = Turns()
        self.line = 0
        self.ts: str | None = None
        self.tools: dict[str, str] = {}
        self.is_subagent = False
        self.session_id: str | None = None
        self.parent_id: str | None = None
        self.cwd: str | None = None
        self.title: str | None = None
        self.git_branch: str | None = None
        self.remote: str | None = None
        self.began_at: str | None = None
        self.ended_at: str | None = None

    @property
    def prompt_role(self) -> Role:
        """The role of a prompt: `human`, or `system` if another agent wrote it."""
        return "system" if self.is_subagent else "human"

    def add(
        self,
        role: Role,
        kind: str,
        text: str,
        *,
        tool: str | None = None,
        call_id: str | None = None,
        ok: bool | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> int | None:
        """Add a turn and return its position; None if its text is empty."""
        return self.turns.add(
            role,
            kind,
            text,
            ts=self.ts,
            tool=tool,
            call_id=call_id,
            ok=ok,
            line=self.line,
            data=data,
        )

    def add_prompt(self, text: str) -> int | None:
        """Add what was asked, without the blocks that the agent puts around it."""
        return self.add(self.prompt_role, "text", unwrap(text, self.wrappings))

    def add_answer(self, text: str) -> int | None:
        """Add what the agent said."""
        return self.add("assistant", "text", text)

    def add_summary(self, text: str) -> int | None:
        """Add what a compaction kept."""
        return self.add("summary", "compact", text)

    def add_call(self, tool: object, args: object, *, call_id: object = None) -> int | None:
        """Add a tool call and remember its tool by its id; a call without a tool is ignored."""
        name = as_text(tool)
        if not name:
            return None
        text, data = describe_call(name, args)
        return self.add_described_call(name, text, data, call_id=call_id)

    def add_described_call(
        self, tool: str, text: str, data: Mapping[str, Any], *, call_id: object = None
    ) -> int | None:
        """Add a tool call whose short text and data are already known."""
        own_id = as_name(call_id)
        if own_id:
            self.tools[own_id] = tool
        return self.add("assistant", "tool_call", text, tool=tool, call_id=own_id, data=data)

    def add_result(
        self,
        text: str,
        *,
        call_id: object = None,
        tool: object = None,
        ok: bool | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> int | None:
        """Add what a tool returned, cut to its head and tail."""
        return self.add(
            "tool",
            "tool_result",
            clip(text),
            tool=as_name(tool),
            call_id=as_name(call_id),
            ok=ok,
            data=data,
        )

    def add_blocks(self, role: str, content: object) -> None:
        """Add a message of the roles `user` and `assistant` in Anthropic's content blocks."""
        for block in list_blocks(content):
            kind = as_text(block.get("type"))
            if kind == "text" and role == "user":
                self.add_prompt(as_text(block.get("text")))
            elif kind == "text" and role == "assistant":
                self.add_answer(as_text(block.get("text")))
            elif kind in _CALL_BLOCKS:
                tool, call_id = as_name(block.get("name")), block.get("id")
                self.add_call(tool, block.get("input"), call_id=call_id)
            elif kind in _RESULT_BLOCKS:
                self.add_result_block(block)
            elif kind not in self.quiet_blocks:
                self.count_unknown("block", kind)

    def add_result_block(self, block: dict[str, Any]) -> None:
        """Add the content block of a tool's result."""
        text, call_id = join_text(block.get("content")), block.get("tool_use_id")
        self.add_result(text, call_id=call_id, ok=find_ok(block, "is_error"))

    def add_title(self, title: str, *, line: int = 0) -> None:
        """Set the title and add it as a turn; `line` is where the file has it."""
        self.title = as_name(title)
        self.turns.add("system", "title", title, line=line)

    def count_unknown(self, what: str, kind: object) -> None:
        """Count an entry, block or role of a kind that the reader does not know."""
        self.source.unknown[f"{what} {as_text(kind)[:_MAX_LABEL] or '(none)'}"] += 1

    def to_transcript(self, **overrides: Any) -> Transcript:
        """Return the session as a transcript; `overrides` replace its fields."""
        turns = self.turns.collect()
        if self.cwd is None and self.slugs_below:
            self.cwd = self._find_folder_by_slug(turns)
        fields: dict[str, Any] = {
            "format": self.format,
            "agent": self.agent,
            "session_id": self.session_id or self._make_session_id(turns),
            "parent_session_id": self.parent_id,
            "cwd": self.cwd,
            "title": self.title,
            "git_branch": self.git_branch,
            "remote": self.remote,
            "started_at": self.began_at or self.turns.started_at,
            "ended_at": self.turns.ended_at or self.ended_at,
            "unknown": dict(self.source.unknown),
        }
        return Transcript(turns=turns, **{**fields, **overrides})

    def _find_folder_by_slug(self, turns: tuple[Turn, ...]) -> str | None:
        """The folder of a session that does not name it, from the file's place and its tools."""
        parts = self.source.path.parts[:-1] if self.source.path else ()
        if self.slugs_below not in parts[:-1]:
            return None
        # Imported here: nearly every session names its folder.
        from memctl.readers import folder_names

        last = len(parts) - 1 - parts[::-1].index(self.slugs_below)
        return folder_names.find_by_slug(parts[last + 1], turns) if last + 1 < len(parts) else None

    def _make_session_id(self, turns: tuple[Turn, ...]) -> str:
        if self.is_named_by_file:
            return self.source.stem
        return make_digest_id(self.agent, f"{turns[0].ts} {turns[0].text}" if turns else "")
