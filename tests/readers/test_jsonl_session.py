"""What readers inherit from the common state machine."""

from __future__ import annotations

import json
from typing import ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input
from memctl.readers.grok import READER
from memctl.readers.jsonl_session import Entry, JsonlSession, Methods
from memctl.readers.values import as_text


class HarborSession(JsonlSession):
    wrappings = frozenset(["tide"])
    quiet_types = frozenset(["wind"])
    quiet_prefixes = ("gull.",)

    def _read_ask(self, entry: Entry) -> None:
        self.is_subagent = entry.get("helper") is True
        self.add_prompt(as_text(entry.get("text")))

    def _read_call(self, entry: Entry) -> None:
        self.add_call(entry.get("tool"), {"command": "ls"}, call_id="c1")

    methods: ClassVar[Methods] = {"ask": _read_ask, "call": _read_call}


class NamedSession(HarborSession):
    is_named_by_file = True


def read(*entries: Entry, session: type[HarborSession] = HarborSession) -> Transcript:
    source = Input(data="\n".join(map(json.dumps, entries)).encode())
    (transcript,) = session(source, READER).read()
    return transcript


def test_a_turn_has_the_line_and_the_time_of_its_entry() -> None:
    asked = {"type": "ask", "text": "Row", "timestamp": "2026-03-01T09:00:00Z"}
    (turn,) = read({"type": "wind"}, asked).turns
    assert (turn.line, turn.ts) == (2, "2026-03-01T09:00:00.000Z")


def test_types_in_no_table_are_counted_and_quiet_ones_are_not() -> None:
    transcript = read({"type": "wind"}, {"type": "gull.cry"}, {"type": "whale"}, {})
    assert transcript.unknown == {"type whale": 1, "type (none)": 1}


def test_a_prompt_loses_its_wrappings_and_a_helpers_is_nobodys() -> None:
    own = {"type": "ask", "text": "<tide>high</tide> Row"}
    turns = read(own, {"type": "ask", "text": "Bail", "helper": True}).turns
    assert [(turn.role, turn.text) for turn in turns] == [("human", "Row"), ("system", "Bail")]


def test_a_call_without_a_tool_is_no_turn() -> None:
    (turn,) = read({"type": "call"}, {"type": "call", "tool": "bash"}).turns
    assert (turn.tool, turn.text, turn.call_id) == ("bash", "ls", "c1")


def test_a_session_without_an_id_keeps_the_one_made_of_its_beginning() -> None:
    first = {"type": "ask", "text": "Row"}
    short, grown = read(first), read(first, {"type": "ask", "text": "Bail"})
    assert short.session_id == grown.session_id
    assert short.session_id.startswith("grok-")
    assert read(first, session=NamedSession).session_id == "", "piped text has no file"
