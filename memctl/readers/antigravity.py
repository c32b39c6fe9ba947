"""Antigravity's transcripts, `transcript.jsonl`: numbered steps with their source.

Antigravity's own conversation files are encrypted and cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Reader, parse_json
from memctl.readers.envelopes import extract_block
from memctl.readers.jsonl_session import Entry, JsonlSession
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.values import as_dict, as_dicts, as_name, as_text


class Antigravity:
    """Reads Antigravity transcripts."""

    name: ClassVar[str] = "antigravity"
    agent: ClassVar[str] = "antigravity"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if there is a numbered step."""
        step = {"step_index", "source", "type"}
        return 0.97 if any(step <= entry.keys() for entry in parse_head_objects(head)) else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        yield from _AntigravitySession(source, self).read()


READER = Antigravity()


class _AntigravitySession(JsonlSession):
    wrappings = frozenset(
        [
            "USER_SETTINGS_CHANGE",
            "ADDITIONAL_METADATA",
            "EPHEMERAL_MESSAGE",
            "SYSTEM_MESSAGE",
            "user_information",
        ]
    )
    time_field = "created_at"

    def __init__(self, source: Input, reader: Reader) -> None:
        super().__init__(source, reader)
        parts = source.path.parts if source.path is not None else ()
        if "brain" in parts[:-1]:
            self.session_id = parts[parts.index("brain") + 1]

    def read_entry(self, entry: Entry) -> None:
        """Read one step; the type of a step that runs a tool is the tool's name."""
        kind, source = as_text(entry.get("type")), as_text(entry.get("source"))
        text = as_text(entry.get("content"))
        if kind == "USER_INPUT" and source not in ("MODEL", "SYSTEM"):
            request = extract_block(text, "USER_REQUEST", self.wrappings)
            self.add_prompt(text if request is None else request)
        elif kind == "PLANNER_RESPONSE":
            self._read_response(entry)
        elif source == "MODEL" and kind:
            has_failed = as_text(entry.get("status")) == "ERROR"
            self.add_result(text, tool=kind.lower(), ok=False if has_failed else None)
        elif source != "SYSTEM":
            self.count_unknown("type", kind)

    def _read_response(self, entry: Entry) -> None:
        self.add_answer(as_text(entry.get("content")))
        for call in as_dicts(entry.get("tool_calls")):
            self.add_call(as_name(call.get("name")), _decode_arguments(as_dict(call.get("args"))))


def _decode_arguments(args: dict[str, Any]) -> dict[str, Any]:
    """Decode arguments that are JSON text within JSON."""
    decoded = dict(args)
    for name, value in args.items():
        plain = parse_json(as_text(value))
        if isinstance(plain, str):
            decoded[name] = plain
    return decoded
