"""Amp's threads: one JSON object with its messages.

A local file may be only a stub of a thread that is stored elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.readers.jsonl_session import Entry, JsonlSession
from memctl.readers.messages import join_text, list_blocks
from memctl.readers.sidecars import parse_file_uri
from memctl.readers.sniffing import has_keys
from memctl.readers.values import as_dict, as_dicts, as_name, as_text, parse_time

_CALL_BLOCKS = ("tool_use", "server_tool_use")
_RESULT_BLOCKS = ("tool_result", "server_tool_result")
_QUIET_BLOCKS = frozenset(["thinking", "redacted_thinking", "image", "document"])
_OK_BY_STATUS = {"done": True, "error": False, "cancelled": False, "rejected-by-user": False}
# Bytes at the start of a thread that contain its id.
_ID_BYTES = 4096


class Amp:
    """Reads Amp threads."""

    name: ClassVar[str] = "amp"
    agent: ClassVar[str] = "amp"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if a thread's id stands beside its messages."""
        if head.lstrip()[:1] != b"{" or not has_keys(head, "id", "messages"):
            return 0.0
        is_named = name.startswith("T-") and has_keys(head, "created", "env")
        return 0.96 if is_named or b'"T-' in head[:_ID_BYTES] else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one thread of the file."""
        yield from _AmpSession(source, self).read()


READER = Amp()


class _AmpSession(JsonlSession):
    wrappings = frozenset(["attachedFiles", "user-state", "system-reminder", "environment"])

    def list_entries(self) -> Iterator[tuple[int, Entry]]:
        """Note the head of the thread, then yield its messages, numbered."""
        thread = self.source.read_json_object()
        self._note_thread(thread)
        return enumerate(as_dicts(thread.get("messages")), 1)

    def _note_thread(self, thread: dict[str, Any]) -> None:
        environment = as_dict(as_dict(thread.get("env")).get("initial"))
        trees = as_dicts(environment.get("trees"))
        self.session_id, self.title = as_name(thread.get("id")), as_name(thread.get("title"))
        self.cwd = parse_file_uri(trees[0].get("uri")) if trees else None
        self.began_at = parse_time(thread.get("created"))
        self.parent_id = as_name(thread.get("mainThreadID"))
        self.is_subagent = self.parent_id is not None

    def read_entry(self, entry: Entry) -> None:
        """Add one message."""
        role = as_text(entry.get("role"))
        self.ts = parse_time(as_dict(entry.get("meta")).get("sentAt"))
        for block in list_blocks(entry.get("content")):
            kind = as_text(block.get("type"))
            if kind == "text" and role == "user":
                self.add_prompt(as_text(block.get("text")))
            elif kind == "text" and role == "assistant":
                self.add_answer(as_text(block.get("text")))
            elif kind in _CALL_BLOCKS:
                self.add_call(
                    as_name(block.get("name")), block.get("input"), call_id=block.get("id")
                )
            elif kind in _RESULT_BLOCKS:
                self._read_result(block)
            elif kind not in _QUIET_BLOCKS:
                self.count_unknown("block", kind)

    def _read_result(self, block: dict[str, Any]) -> None:
        run = as_dict(block.get("run"))
        result = run.get("result", block.get("content"))
        self.add_result(
            join_text(as_dict(result).get("output", result)),
            call_id=block.get("toolUseID") or block.get("tool_use_id"),
            ok=_OK_BY_STATUS.get(as_text(run.get("status"))),
        )
