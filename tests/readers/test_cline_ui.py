"""The reader of cline_ui keeps the contract of all readers."""

import json
from pathlib import Path

from contract import ReaderContract

from memctl.readers.base import Input


class TestClineUi(ReaderContract):
    module = "cline_ui"

    def test_a_choice_of_the_options_that_were_offered_is_the_users_answer(self) -> None:
        question = json.dumps(
            {"question": "One coat or two?", "options": ["one", "two"], "selected": "two"}
        )
        source = Input(
            data=json.dumps(
                [
                    {"ts": 1, "type": "say", "say": "text", "text": "Go"},
                    make_ask("followup", question),
                ]
            ).encode()
        )
        assert [(turn.kind, turn.text) for turn in self.human_turns(source)] == [
            ("text", "Go"),
            ("answer", "two"),
        ]

    def test_the_task_of_a_task_that_serves_another_is_no_humans_word(self, tmp_path: Path) -> None:
        task = tmp_path / "rooveterinaryinc.roo-cline" / "tasks" / "t2"
        task.mkdir(parents=True)
        (task / "history_item.json").write_text(
            json.dumps({"id": "t2", "parentTaskId": "t1", "workspace": "/home/ada/kiln"})
        )
        messages = [
            {"ts": 1, "type": "say", "say": "text", "text": "Go"},
            {"ts": 2, "type": "say", "say": "user_feedback", "text": "Stop"},
        ]
        (task / "ui_messages.json").write_text(json.dumps(messages))
        (found,) = self.read(Input(path=task / "ui_messages.json"))
        assert (found.agent, found.session_id, found.parent_session_id, found.cwd) == (
            "roo",
            "t2",
            "t1",
            "/home/ada/kiln",
        )
        assert [turn.text for turn in found.turns if turn.role == "human"] == ["Stop"]


def make_ask(kind: str, text: str) -> dict[str, object]:
    return {"ts": 2, "type": "ask", "ask": kind, "text": text}
