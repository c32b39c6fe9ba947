"""The reader of visualstudio_copilot keeps the contract of all readers."""

import json

from contract import OWN_CONTEXT, ReaderContract

from memctl.readers.base import Input


class TestVisualstudioCopilot(ReaderContract):
    module = "visualstudio_copilot"

    def test_context_that_was_handed_out_does_not_come_back(self) -> None:
        """The messages are JSON within JSON, so our context stands there escaped twice."""
        for path in self.files():
            before = [turn.text for turn in self.human_turns(Input(path=path))]
            escaped = json.dumps(json.dumps(OWN_CONTEXT)[1:-1])[1:-1]
            raw = (
                path.read_text("utf-8")
                .replace("Sweep", escaped + "Sweep")
                .replace("Feed", escaped + "Feed")
                .encode()
            )
            assert escaped.encode() in raw
            assert [turn.text for turn in self.human_turns(Input(data=raw))] == before
