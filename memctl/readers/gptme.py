"""gptme's conversations: one message a line, in a folder that names the conversation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Reader
from memctl.readers.jsonl_session import Entry, JsonlSession
from memctl.readers.messages import add_message
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.values import as_name, as_text

_FILE_NAME = "conversation.jsonl"
_FIELDS = frozenset(
    [
        "role",
        "content",
        "timestamp",
        "pinned",
        "hide",
        "quiet",
        "metadata",
        "files",
        "file_hashes",
        "call_id",
    ]
)
_TIME_WITHOUT_ZONE = compile_later(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?")
_WORKSPACE = compile_later(r'^workspace\s*=\s*"([^"\n]{1,4096})"', re.MULTILINE)


class Gptme:
    """Reads gptme conversations."""

    name: ClassVar[str] = "gptme"
    agent: ClassVar[str] = "gptme"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if messages have only gptme's few fields and times without a zone."""
        entries = parse_head_objects(head)
        if not entries or not all(_is_message(entry) for entry in entries):
            return 0.0
        has_own_field = any("pinned" in entry or "hide" in entry for entry in entries)
        return 0.96 if has_own_field or name == _FILE_NAME else 0.75

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one conversation of the file."""
        yield from _GptmeSession(source, self).read()


READER = Gptme()


def _is_message(entry: dict[str, Any]) -> bool:
    if not _TIME_WITHOUT_ZONE.fullmatch(as_text(entry.get("timestamp"))):
        return False
    has_text = "role" in entry and isinstance(entry.get("content"), str)
    return has_text and entry.keys() <= _FIELDS


class _GptmeSession(JsonlSession):
    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        if source.path is not None and source.path.name == _FILE_NAME:
            self.session_id = source.path.parent.name
            # gptme names a helper's conversation after its kind.
            self.is_subagent = "subagent-" in self.session_id
        config = (source.read_beside("config.toml") or b"").decode("utf-8", "replace")
        workspace = _WORKSPACE.search(config)
        self.cwd = as_name(workspace[1]) if workspace else None

    def read_entry(self, entry: Entry) -> None:
        """Add a message; after the first prompt, the system's messages are tool output."""
        role = as_text(entry.get("role"))
        if role == "system" and len(self.turns):
            self.add_result(as_text(entry.get("content")))
            return
        if self.is_subagent and role == "user":
            entry = {**entry, "role": "system"}
        add_message(self.turns, self.source.unknown, entry, self.line)
