"""Mistral Vibe's sessions: `messages.jsonl` in OpenAI's manner, with the `meta.json` beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, parse_json
from memctl.readers.messages import take_message
from memctl.readers.session_log import Log
from memctl.readers.sniffing import head_objects
from memctl.readers.turns import dict_of, name_of, text_of, when


class Vibe:
    """Reads Vibe sessions."""

    name: ClassVar[str] = "vibe"
    agent: ClassVar[str] = "vibe"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure of messages that carry a message's id of their own."""
        said = [
            entry
            for entry in head_objects(head)
            if "message_id" in entry and "role" in entry and "type" not in entry
        ]
        return 0.96 if said else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        log = Log(source, Vibe.name, Vibe.agent)
        _about(log, dict_of(parse_json(source.beside("meta.json") or b"")))
        for line, entry in source.json_lines():
            if entry.get("injected") is not True:
                take_message(log.turns, source.unknown, _shared(entry, log.is_sub), line)
        yield log.transcript()


READER = Vibe()


def _shared(entry: dict[str, Any], is_sub: bool) -> dict[str, Any]:
    return {**entry, "role": "system"} if is_sub and text_of(entry.get("role")) == "user" else entry


def _about(log: Log, meta: dict[str, Any]) -> None:
    log.session_id, log.parent = (
        name_of(meta.get("session_id")),
        name_of(meta.get("parent_session_id")),
    )
    log.cwd = name_of(dict_of(meta.get("environment")).get("working_directory"))
    log.title, log.git_branch = name_of(meta.get("title")), name_of(meta.get("git_branch"))
    log.begun = when(meta.get("start_time"))
    log.is_sub = log.parent is not None and text_of(meta.get("kind")) == "subagent"
