"""What a correction quotes as wrong is not what it says."""

from __future__ import annotations

import pytest

from memctl.text.corrections import drop_corrected_words

SAID = "The gauge is read at six."


@pytest.mark.parametrize(
    "quoted", [" (Corrects: “It is read at nine (local).”)", " (Corrects: “x”) "]
)
def test_the_quoted_words_are_dropped(quoted: str) -> None:
    assert drop_corrected_words(SAID + quoted) == SAID


@pytest.mark.parametrize("text", [SAID, "(Corrects: “x”) is what it prints", "It (corrects) it."])
def test_other_words_stay(text: str) -> None:
    assert drop_corrected_words(text) == text
