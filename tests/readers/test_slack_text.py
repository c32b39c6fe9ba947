"""The reader of slack_text keeps the contract of all readers."""

from contract import ReaderContract

from memctl.readers.base import Input
from memctl.readers.detect import detect_reader


class TestSlackText(ReaderContract):
    module = "slack_text"
    counts_garbage = False

    def test_names_with_clocks_of_24_hours_are_left_to_the_reader_of_talk(self) -> None:
        text = (
            b"Ines Falk  10:32\nIs it high tide?\nOto Brandt  10:33\nNot yet.\n"
            b"Ines Falk  10:34\nThen we wait.\n"
        )
        assert detect_reader(Input(data=text)).name == "name-text"
