"""The reader of instagram keeps the contract of all readers."""

import json

from contract import ReaderContract

from memctl.readers.base import Input


class TestInstagram(ReaderContract):
    module = "instagram"

    def test_letters_that_were_written_as_latin_1_are_read_as_they_were_typed(self) -> None:
        typed = "Spät, 8 €, 🌊".encode().decode("latin-1")
        whole = {
            "messages": [{"sender_name": "JosÃ©", "timestamp_ms": 1772618400000, "content": typed}],
            "thread_path": "inbox/a",
        }
        (transcript,) = self.read(Input(data=json.dumps(whole).encode()))
        assert [(turn.speaker, turn.text) for turn in transcript.turns] == [
            ("José", "Spät, 8 €, 🌊")
        ]
