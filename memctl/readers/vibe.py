"""Mistral Vibe's sessions: `messages.jsonl` in OpenAI's manner, with the `meta.json` beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, parse_json
from memctl.readers.messages import add_message
from memctl.readers.session_log import Log
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.values import as_dict, as_name, as_text, parse_time


class Vibe:
    """Reads Vibe sessions."""

    name: ClassVar[str] = "vibe"
    agent: ClassVar[str] = "vibe"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure of messages that carry a message's id of their own."""
        said = [
            entry
            for entry in parse_head_objects(head)
            if "message_id" in entry and "role" in entry and "type" not in entry
        ]
        return 0.96 if said else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        log = Log(source, Vibe.name, Vibe.agent)
        _about(log, as_dict(parse_json(source.read_beside("meta.json") or b"")))
        for line, entry in source.read_json_lines():
            if entry.get("injected") is not True:
                add_message(log.turns, source.unknown, _shared(entry, log.is_sub), line)
        yield log.transcript()


READER = Vibe()


def _shared(entry: dict[str, Any], is_sub: bool) -> dict[str, Any]:
    return {**entry, "role": "system"} if is_sub and as_text(entry.get("role")) == "user" else entry


def _about(log: Log, meta: dict[str, Any]) -> None:
    log.session_id, log.parent = (
        as_name(meta.get("session_id")),
        as_name(meta.get("parent_session_id")),
    )
    log.cwd = as_name(as_dict(meta.get("environment")).get("working_directory"))
    log.title, log.git_branch = as_name(meta.get("title")), as_name(meta.get("git_branch"))
    log.begun = parse_time(meta.get("start_time"))
    log.is_sub = log.parent is not None and as_text(meta.get("kind")) == "subagent"
