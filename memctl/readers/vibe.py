"""Mistral Vibe's sessions: `messages.jsonl` in OpenAI's format, with `meta.json` beside it."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Reader
from memctl.readers.jsonl_session import Entry, JsonlSession
from memctl.readers.messages import add_message
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.values import as_dict, as_name, as_text, parse_time


class Vibe:
    """Reads Vibe sessions."""

    name: ClassVar[str] = "vibe"
    agent: ClassVar[str] = "vibe"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if messages have Vibe's own field for their id."""
        for entry in parse_head_objects(head):
            if {"message_id", "role"} <= entry.keys() and "type" not in entry:
                return 0.96
        return 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        yield from _VibeSession(source, self).read()


READER = Vibe()


class _VibeSession(JsonlSession):
    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        self._note_meta(source.read_json_beside("meta.json"))

    def _note_meta(self, meta: dict[str, Any]) -> None:
        self.session_id = as_name(meta.get("session_id"))
        self.parent_id = as_name(meta.get("parent_session_id"))
        self.cwd = as_name(as_dict(meta.get("environment")).get("working_directory"))
        self.title = as_name(meta.get("title"))
        self.git_branch = as_name(meta.get("git_branch"))
        self.began_at = parse_time(meta.get("start_time"))
        is_helper = as_text(meta.get("kind")) == "subagent"
        self.is_subagent = is_helper and self.parent_id is not None

    def read_entry(self, entry: Entry) -> None:
        """Add a message, unless Vibe injected it; a sub-agent's prompt is no human turn."""
        if entry.get("injected") is True:
            return
        if self.is_subagent and as_text(entry.get("role")) == "user":
            entry = {**entry, "role": "system"}
        add_message(self.turns, self.source.unknown, entry, self.line)
