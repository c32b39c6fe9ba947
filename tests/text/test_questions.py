"""What a text asks about: the present, or what was done."""

from __future__ import annotations

import pytest

from memctl.text import questions


@pytest.mark.parametrize(
    "text",
    [
        "Where did we leave the sluice?",
        "go on with what we left off",
        "summarise last week",
        "what have we done so far on the weir",
        "Was haben wir gestern an der Mühle gemacht?",
        "¿Qué hicimos la última vez?",
        "reprends le travail d'hier",
    ],
)
def test_a_text_about_past_work_is_known_by_its_tense_or_its_day(text: str) -> None:
    assert questions.asks_of_past_work(text)


@pytest.mark.parametrize(
    "text",
    [
        "repair the session cache",
        "return the last element",
        "How big can the log get?",
        "run the tests before the release",
        "Wie groß darf das Protokoll werden?",
        "use UTC everywhere",
    ],
)
def test_other_texts_ask_of_no_past_work(text: str) -> None:
    assert not questions.asks_of_past_work(text)
