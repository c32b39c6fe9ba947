"""The reader of subtitles keeps the contract of all readers."""

import re

import pytest
from contract import ReaderContract

from memctl.readers.base import Input


def bare(text: str) -> str:
    """Words alone: what a caption shows, without times, tags, numbers of cues and ends of lines."""
    return " ".join(
        re.sub(r"<[^<>]*>|&amp;|&|\{[^{}]*\}|.*-->.*|(?m:^\d+$)|(?m:^- )", " ", text).split()
    )


class TestSubtitles(ReaderContract):
    module = "subtitles"
    counts_garbage = False

    def test_what_people_said_stands_in_the_file_word_for_word(self) -> None:
        for path in self.files():
            in_file = bare(path.read_text("utf-8"))
            for turn in self.human_turns(Input(path=path)):
                assert all(bare(word) in in_file for word in re.split(r"(?<=[.?!]) ", turn.text)), (
                    path.name
                )

    def said(self, text: str) -> list[tuple[str | None, str]]:
        return [
            (turn.speaker, turn.text)
            for t in self.read(Input(data=text.encode()))
            for turn in t.turns
        ]

    def test_a_cue_without_times_keeps_its_words_and_loses_its_number(self) -> None:
        assert self.said(
            "1\n00:00:01,000 --> 00:00:02,000\nOne.\n\n2\nTwo.\n\n3\n00:00:03,000 --> "
            "00:00:04,000\nThree.\n"
        ) == [(None, "One. Two. Three.")]

    def test_times_without_hours_are_minutes_and_seconds(self) -> None:
        (transcript,) = self.read(Input(data=b"1\n01:02,000 --> 01:03,500\nHello.\n"))
        assert transcript.turns[0].data == {"at": "00:01:02"}

    def test_a_year_in_a_caption_is_no_number_of_a_cue(self) -> None:
        assert self.said(
            "1\n00:00:01,000 --> 00:00:02,000\nIt was in\n1984\n\n2\n00:00:02,000 --> "
            "00:00:03,000\nin spring.\n"
        ) == [(None, "It was in 1984 in spring.")]

    def test_cues_that_cannot_be_read_are_counted(self) -> None:
        text = "WEBVTT\n\n00:00.000 --> 00:01.000\nOne.\n\n00:01.000 --> 00:0x.000\nTwo.\n"
        assert self.read(Input(data=text.encode()))[0].unknown == {"cue": 1}

    def test_a_word_that_is_said_twice_is_heard_twice(self) -> None:
        cues = [
            f"00:0{n}.000 --> 00:0{n}.900\n{word}\n"
            for n, word in enumerate(["No.", "No.", "Why?", "Because.", "So?", "Go."])
        ]
        assert self.said("WEBVTT\n\n" + "\n".join(cues)) == [
            (None, "No. No. Why? Because. So? Go.")
        ]

    def test_a_new_speaker_without_a_name_begins_a_turn(self) -> None:
        text = (
            "1\n00:00:01,000 --> 00:00:02,000\n>> High tide?\n\n2\n"
            "00:00:02,000 --> 00:00:03,000\nSoon?\n>> Not yet.\n"
        )
        assert self.said(text) == [(None, "High tide? Soon?"), (None, "Not yet.")]

    def test_what_no_library_can_read_is_never_written_to_the_log(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        self.said(
            "hunter2\n\n1\n00:00:01,000 --> 00:00:02,000\nOne.\n\nhunter2 --> hunter2\nhunter2\n"
        )
        self.said(
            "1\n٣٣:٣٣:٣٣,٣٣٣ --> ٣٣:٣٣:٣٣,٣٣٣\nhunter2\n\n2\n00:00:01,000 --> "
            "00:00:02,000\nhunter2\n"
        )
        assert caplog.records == []
