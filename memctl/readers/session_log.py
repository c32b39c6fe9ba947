"""What many agents' logs have in common: who speaks in a file, and the transcript that its turns make.

Kept true: what one agent asked of another (a sub-agent's prompt) is nobody's word; a session without an id of its own is known by how it
begins.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from memctl.core.model import Role, Transcript
from memctl.readers.base import Input, clip
from memctl.readers.envelopes import unwrap
from memctl.readers.messages import make_digest_id
from memctl.readers.tool_summaries import describe_call
from memctl.readers.turns import Turns
from memctl.readers.values import as_name


class Log:
    """One session as far as it has been read. `wrappings` are the blocks that the agent puts around a prompt."""

    def __init__(
        self, source: Input, name: str, agent: str, wrappings: Collection[str] = ()
    ) -> None:
        self.source, self.name, self.agent, self.wrappings = source, name, agent, wrappings
        self.turns = Turns()
        self.is_sub = False
        self.session_id: str | None = None
        self.parent: str | None = None
        self.cwd: str | None = None
        self.title: str | None = None
        self.git_branch: str | None = None
        self.remote: str | None = None
        self.begun: str | None = None

    @property
    def asker(self) -> Role:
        """Whose word a prompt is."""
        return "system" if self.is_sub else "human"

    def prompt(self, text: str, *, ts: str | None = None, line: int = 0) -> int | None:
        """Add what was asked."""
        return self.turns.add(self.asker, "text", unwrap(text, self.wrappings), ts=ts, line=line)

    def answer(self, text: str, *, ts: str | None = None, line: int = 0) -> int | None:
        """Add what the agent said."""
        return self.turns.add("assistant", "text", text, ts=ts, line=line)

    def call(
        self,
        tool: str | None,
        args: object,
        *,
        call_id: object = None,
        ts: str | None = None,
        line: int = 0,
    ) -> int | None:
        """Add a tool call; one without a tool's name is none."""
        if not tool:
            return None
        text, data = describe_call(tool, args)
        return self.turns.add(
            "assistant",
            "tool_call",
            text,
            ts=ts,
            tool=tool,
            call_id=as_name(call_id),
            line=line,
            data=data,
        )

    def result(
        self,
        text: str,
        *,
        call_id: object = None,
        tool: object = None,
        ok: bool | None = None,
        ts: str | None = None,
        line: int = 0,
    ) -> int | None:
        """Add what a tool returned."""
        return self.turns.add(
            "tool",
            "tool_result",
            clip(text),
            ts=ts,
            tool=as_name(tool),
            call_id=as_name(call_id),
            ok=ok,
            line=line,
        )

    def summary(self, text: str, *, ts: str | None = None, line: int = 0) -> int | None:
        """Add what a compaction kept."""
        return self.turns.add("summary", "compact", text, ts=ts, line=line)

    def transcript(self, **head: Any) -> Transcript:
        """The session; words of `head` go before what was found."""
        turns = self.turns.collect()
        said: dict[str, Any] = {
            "format": self.name,
            "agent": self.agent,
            "session_id": self.session_id
            or make_digest_id(self.agent, next((f"{turn.ts} {turn.text}" for turn in turns), "")),
            "parent_session_id": self.parent,
            "cwd": self.cwd,
            "title": self.title,
            "git_branch": self.git_branch,
            "remote": self.remote,
            "started_at": self.begun or self.turns.started_at,
            "ended_at": self.turns.ended_at,
            "unknown": dict(self.source.unknown),
        }
        return Transcript(turns=turns, **{**said, **head})
