"""Statements in no known order: their one typed answer, and what else they speak of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.consolidate.answer_spans import read_unordered
from memctl.consolidate.compare import relation_of
from memctl.consolidate.words import split_words
from memctl.records.statement import Statement

EARLY, LATE = "2026-03-01T10:00:00.000Z", "2026-04-01T10:00:00.000Z"


def _relation(newer: str, older: str) -> str | None:
    made = (
        Statement(name, text, trust=5, observed_at=at)
        for name, text, at in (("2", newer, LATE), ("1", older, EARLY))
    )
    return relation_of(*made)


def test_the_answer_and_its_question_are_told_apart() -> None:
    assert read_unordered(split_words("everybody knows the kiln fires at 1240 degrees")) == (
        ("1240",),
        (),
        ["the", "kiln", "fires", "degrees"],
    )
    assert read_unordered(split_words("forget 20 days, glaze dries 30 days"))[:2] == (
        ("30", "days"),
        ("20", "days"),
    )  # type: ignore[index]


@pytest.mark.parametrize(
    "words",
    [
        "the kiln is hot",
        "two potters share a wheel",
        "the wheel supports 3.10",
        "no pot takes 300 minutes",
        "between 300 and 500 pots",
    ],
)
def test_what_is_not_plain_is_not_read(words: str) -> None:
    assert read_unordered(split_words(words)) is None


def test_another_answer_to_one_question_in_odd_words_excludes_the_first() -> None:
    assert (
        _relation(
            "finally everybody at the kiln dries glaze 30 days",
            "glaze dries 20 days at the kiln, you know",
        )
        is not None
    )


def test_one_answer_to_two_questions_excludes_nothing() -> None:
    assert (
        _relation(
            "glaze at the kiln dries for ages: 30 days", "clay in the shed rests for ages: 20 days"
        )
        is None
    )


@given(
    st.lists(
        st.sampled_from(
            ["kiln", "not", "300", "30", "days", "from", "/x/y", "support", "may", "3.10", "the"]
        ),
        max_size=12,
    )
)
def test_answers_never_overlap_and_nothing_is_made_up(tokens: list[str]) -> None:
    found = read_unordered(tokens)
    if found:
        value, rejects, topic = found
        assert value
        assert {*value, *rejects, *topic} <= set(tokens)
        assert len(value) + len(rejects) + len(topic) <= len(tokens)
