"""Words that need the day on which they were said are found, and their look-alikes are not."""

from __future__ import annotations

import pytest

from memctl.text.day_words import leans_on_a_day


@pytest.mark.parametrize(
    "text",
    [
        "Deploy tomorrow.",
        "We ship next week, not before",
        "The freeze ends on Friday",
        "It broke two days ago",
        "The key expires in 3 months",
        "Right now the queue is off",
        "At the moment nobody reads it",
        "So far nothing failed",
        "Done by Thursday!",
        "this Monday",
    ],
)
def test_a_time_without_its_day_leans_on_one(text: str) -> None:
    assert leans_on_a_day(text)


@pytest.mark.parametrize(
    "text",
    [
        "Daylight saving shifts the cron",
        "Deploys go out on the first of each month",
        "The past tense is used in commits",
        "Keep the yearly report",
        "Holiday mode is on",
        "The week view shows seven columns",
        "This moment of inertia is computed in float64",
    ],
)
def test_words_that_only_look_like_it_do_not(text: str) -> None:
    assert not leans_on_a_day(text)
