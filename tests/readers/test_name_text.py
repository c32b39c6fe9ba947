"""The reader of name_text keeps the contract of all readers."""

import pytest
from contract import ReaderContract

from memctl.core.errors import UnknownFormat
from memctl.readers.base import Input
from memctl.readers.detect import detect_reader


class TestNameText(ReaderContract):
    module = "name_text"
    counts_garbage = False

    @pytest.mark.parametrize(
        "text",
        [
            "host: db.example\nport: 5432\nuser: app\n",
            "Just a thought: we should talk.\nNote: bring rope.\n",
            "ERROR: no lamp\nERROR: no buoy\n",
            "See https://x.example and http://y.example\nhttps://z.example\n",
            "Plain prose without any structure at all.\n",
        ],
    )
    def test_what_only_looks_like_talk_is_not_recognised(self, text: str) -> None:
        with pytest.raises(UnknownFormat):
            detect_reader(Input(data=text.encode()))

    def test_whoever_speaks_once_in_a_talk_keeps_their_words(self) -> None:
        text = "Ines: Is it high tide?\nOto: Not yet.\nBottom line: we wait.\nInes: Then we wait.\n"
        (transcript,) = self.read(Input(data=text.encode()))
        assert [(turn.speaker, turn.text) for turn in transcript.turns] == [
            ("Ines", "Is it high tide?"),
            ("Oto", "Not yet.\nBottom line: we wait."),
            ("Ines", "Then we wait."),
        ]

    def test_in_a_pause_nobody_speaks(self) -> None:
        pause = "**Break**: \\[23:37\\]\n\n"
        text = (
            f"**Ines:** Is it high tide?\n\n{pause}**Oto:** Not yet.\n\n"
            f"**Ines:** Then we wait.\n\n{pause}"
        )
        (transcript,) = self.read(Input(data=text.encode()))
        assert [(turn.role, turn.speaker) for turn in transcript.turns] == [
            ("human", "Ines"),
            ("system", None),
            ("human", "Oto"),
            ("human", "Ines"),
            ("system", None),
        ]

    def test_a_time_in_brackets_is_no_persons_initials(self) -> None:
        text = (
            "Ines Falk (00:01):\nIs it high tide?\n\nOto Brandt (00:01):\nNot yet.\n\n"
            "Ines Falk (00:15):\nThen we wait.\n"
        )
        (transcript,) = self.read(Input(data=text.encode()))
        assert [(turn.speaker, turn.data["at"]) for turn in transcript.turns] == [
            ("Ines Falk", "00:01"),
            ("Oto Brandt", "00:01"),
            ("Ines Falk", "00:15"),
        ]

    def test_an_assistant_in_a_talk_is_no_person(self) -> None:
        text = "Ines: Which rope?\nChatGPT: Dyneema.\nInes: Good.\nChatGPT: Shall I order it?\n"
        (transcript,) = self.read(Input(data=text.encode()))
        assert [turn.role for turn in transcript.turns] == [
            "human",
            "assistant",
            "human",
            "assistant",
        ]

    def test_a_person_who_shares_a_models_name_is_a_person(self) -> None:
        text = "Claude Monet: I paint.\nClaude Sonnet: Noted.\nClaude Monet: Daily.\n"
        (transcript,) = self.read(Input(data=text.encode()))
        assert [turn.role for turn in transcript.turns] == ["human", "assistant", "human"]
