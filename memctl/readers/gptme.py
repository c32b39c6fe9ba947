"""gptme's conversations: messages a line each, in a folder that names the conversation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.readers.messages import add_message
from memctl.readers.session_log import Log
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.values import as_name, as_text, parse_time

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
_NAIVE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?")
_WORKSPACE = re.compile(r'^workspace\s*=\s*"([^"\n]{1,4096})"', re.MULTILINE)


class Gptme:
    """Reads gptme conversations."""

    name: ClassVar[str] = "gptme"
    agent: ClassVar[str] = "gptme"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Likely where nothing but its few fields stands in each message, and times have no zone."""
        objects = parse_head_objects(head)
        if not objects or not all(_is_message(entry) for entry in objects):
            return 0.0
        return (
            0.96
            if name == "conversation.jsonl"
            or any("pinned" in entry or "hide" in entry for entry in objects)
            else 0.75
        )

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one conversation of the file."""
        log = Log(source, Gptme.name, Gptme.agent)
        if source.path is not None and source.path.name == "conversation.jsonl":
            log.session_id = source.path.parent.name
            # gptme names a helper's conversation after its kind.
            log.is_sub = "subagent-" in log.session_id
        found = _WORKSPACE.search(
            (source.read_beside("config.toml") or b"").decode("utf-8", "replace")
        )
        log.cwd = as_name(found[1]) if found else None
        for line, entry in source.read_json_lines():
            if as_text(entry.get("role")) == "system" and len(log.turns):
                # What a tool printed is told as the system's word; only what comes before the first prompt is the system's own.
                log.result(
                    as_text(entry.get("content")), ts=parse_time(entry.get("timestamp")), line=line
                )
            else:
                is_asked = log.is_sub and as_text(entry.get("role")) == "user"
                add_message(
                    log.turns,
                    source.unknown,
                    {**entry, "role": "system"} if is_asked else entry,
                    line,
                )
        yield log.transcript()


READER = Gptme()


def _is_message(entry: dict[str, Any]) -> bool:
    stamped = (
        isinstance(entry.get("timestamp"), str) and _NAIVE.fullmatch(entry["timestamp"]) is not None
    )
    return (
        stamped
        and "role" in entry
        and isinstance(entry.get("content"), str)
        and entry.keys() <= _FIELDS
    )
