"""The reader of claude_code keeps the contract of all readers."""

import json

import pytest
from contract import ReaderContract

from memctl.readers import load_reader
from memctl.readers.base import HEAD_BYTES, Input
from memctl.readers.detect import detect_reader


class TestClaudeCode(ReaderContract):
    module = "claude_code"


@pytest.mark.parametrize("state", ["mode", "permission-mode", "last-prompt", "bridge-session"])
def test_a_session_is_known_by_the_state_it_begins_with(state: str) -> None:
    opening = json.dumps({"type": state, "sessionId": "s"}).encode() + b"\n"
    prompt = {
        "type": "user",
        "uuid": "u",
        "sessionId": "s",
        "message": {"role": "user", "content": "word " * HEAD_BYTES},
    }
    for data in (opening, opening + json.dumps(prompt).encode()):
        assert detect_reader(Input(data=data)) is load_reader("claude_code")
