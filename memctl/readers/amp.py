"""Amp's threads: one JSON object with its messages.

A local file may be only a stub of a thread that is stored elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input
from memctl.readers.jsonl_session import Entry, JsonlSession
from memctl.readers.messages import join_text
from memctl.readers.sidecars import parse_file_uri
from memctl.readers.sniffing import has_keys
from memctl.readers.values import as_dict, as_dicts, as_name, as_text, parse_time

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
    quiet_blocks = frozenset(["thinking", "redacted_thinking", "image", "document"])
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
        self.ts = parse_time(as_dict(entry.get("meta")).get("sentAt"))
        self.add_blocks(as_text(entry.get("role")), entry.get("content"))

    def add_result_block(self, block: dict[str, Any]) -> None:
        """Add a tool's result, which Amp keeps in the run of the tool."""
        run = as_dict(block.get("run"))
        result = run.get("result", block.get("content"))
        self.add_result(
            join_text(as_dict(result).get("output", result)),
            call_id=block.get("toolUseID") or block.get("tool_use_id"),
            ok=_OK_BY_STATUS.get(as_text(run.get("status"))),
        )
