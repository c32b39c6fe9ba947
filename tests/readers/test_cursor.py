"""The reader of cursor keeps the contract of all readers."""

import json
from pathlib import Path

import pytest
from contract import SAMPLES, ReaderContract

from memctl.readers.base import Input


class TestCursor(ReaderContract):
    module = "cursor"

    def test_a_sub_agent_is_told_by_its_parent_and_no_human_speaks_in_it(
        self, tmp_path: Path
    ) -> None:
        child = tmp_path / "agent-transcripts" / "p1" / "subagents" / "c1.jsonl"
        child.parent.mkdir(parents=True)
        child.write_bytes((SAMPLES / "cursor" / "flat.jsonl").read_bytes())
        (found,) = self.read(Input(path=child))
        assert (found.session_id, found.parent_session_id) == ("c1", "p1")
        assert [turn.role for turn in found.turns] == ["system", "assistant", "assistant"]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("<user_query>a</user_query>", "a"),
            (
                "<user_info>x</user_info><user_query>\na\n</user_query>\n<system_reminder>x</system_reminder>",
                "a",
            ),
            ("<rules>x</rules>", None),
            ("Why is <rules> in here?", "Why is <rules> in here?"),
            ("<div>mine</div>", "<div>mine</div>"),
            ("<user_query>cut off", "cut off"),
            ("<user_query></user_query>", None),
        ],
    )
    def test_only_the_query_is_the_humans(self, text: str, said: str | None) -> None:
        line = json.dumps(
            {"role": "user", "message": {"content": [{"type": "text", "text": text}]}}
        ).encode()
        assert [turn.text for turn in self.human_turns(Input(data=line))] == (
            [said] if said else []
        )

    def test_a_line_that_tells_its_time_is_dated(self) -> None:
        line = {
            "role": "user",
            "message": {"content": "Sand it"},
            "timestamp": "2026-04-02T10:00:00.000Z",
        }
        assert [turn.ts for turn in self.human_turns(Input(data=json.dumps(line).encode()))] == [
            line["timestamp"]
        ]
