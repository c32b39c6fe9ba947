"""The reader of chatgpt keeps the contract of all readers."""

import json

import pytest
from contract import ReaderContract

from memctl.readers.base import Input


class TestChatgpt(ReaderContract):
    module = "chatgpt"

    def one(self, role: str, text: str) -> dict[str, object]:
        message = {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}}
        return {
            "title": "t",
            "current_node": "a",
            "mapping": {"a": {"id": "a", "parent": None, "children": [], "message": message}},
        }

    @pytest.mark.parametrize(
        ("role", "read_as"), [("AI", "assistant"), ("Human", "human"), ("USER", "human")]
    )
    def test_roles_are_known_in_any_case(self, role: str, read_as: str) -> None:
        (transcript,) = self.read(Input(data=json.dumps([self.one(role, "hi")]).encode()))
        assert [turn.role for turn in transcript.turns] == [read_as]

    def test_a_backslash_that_escapes_nothing_spoils_no_export(self) -> None:
        raw = json.dumps([self.one("user", "C:\\new HERE")]).replace("HERE", "\\dev@x \\\\")
        (transcript,) = self.read(Input(data=raw.encode()))
        assert [turn.text for turn in transcript.turns] == ["C:\\new \\dev@x \\"]
        assert transcript.unknown == {"bad escape": 1}
