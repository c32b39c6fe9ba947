"""The reader of codex keeps the contract of all readers."""

import json

from contract import ReaderContract

from memctl.readers.base import Input


class TestCodex(ReaderContract):
    module = "codex"

    def test_the_repository_of_a_session_is_told(self) -> None:
        git = {"branch": "main", "repository_url": "git@forge.example:ada/harbor.git"}
        lines = [
            {
                "timestamp": "2026-03-01T09:00:00Z",
                "type": "session_meta",
                "payload": {"id": "T1", "cwd": "/gone/harbor", "git": git},
            },
            {
                "timestamp": "2026-03-01T09:00:01Z",
                "type": "event_msg",
                "payload": {"type": "user_message", "message": "Count the boats"},
            },
        ]
        (transcript,) = self.read(Input(data="\n".join(map(json.dumps, lines)).encode()))
        assert transcript.remote == "git@forge.example:ada/harbor.git"

    def test_messages_without_an_envelope_are_read_between_those_with_one(self) -> None:
        lines = [
            {"created_at": "2026-03-01T09:00:00Z", "role": "user", "message": "Count the boats"},
            {"created_at": "2026-03-01T09:00:01Z", "role": "assistant", "content": "Seven."},
            {"timestamp": "2026-03-01T09:00:02Z", "type": "world_state", "payload": {"full": True}},
        ]
        (transcript,) = self.read(Input(data="\n".join(map(json.dumps, lines)).encode()))
        assert [(turn.role, turn.text) for turn in transcript.turns] == [
            ("human", "Count the boats"),
            ("assistant", "Seven."),
        ]
