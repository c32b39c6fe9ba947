"""The time that a question speaks of, by the words that people say it in."""

from __future__ import annotations

import pytest

from memctl.text.time_words import find_period

# A Sunday.
NOW = "2026-11-29T13:00:00.000Z"


def read(question: str) -> tuple[str | None, str | None] | None:
    period = find_period(question, NOW)
    if period is None:
        return None
    return period.since and period.since[:10], period.until and period.until[:10]


@pytest.mark.parametrize(
    ("question", "bounds"),
    [
        ("what did we discuss last week", ("2026-11-16", "2026-11-23")),
        ("cache decisions this week", ("2026-11-23", "2026-11-30")),
        ("redis yesterday", ("2026-11-28", "2026-11-29")),
        ("what happened 3 days ago?", ("2026-11-26", "2026-11-27")),
        ("deploys in the last two weeks", ("2026-11-15", None)),
        ("over the past 10 days", ("2026-11-19", None)),
        ("since March", ("2026-03-01", None)),
        ("what broke in December", ("2025-12-01", "2026-01-01")),
        ("before 2026-03-05", (None, "2026-03-05")),
        ("the meeting on 5th of March 2026", ("2026-03-05", "2026-03-06")),
        ("on Tuesday", ("2026-11-24", "2026-11-25")),
        ("last Sunday", ("2026-11-22", "2026-11-23")),
        ("last year's plan", ("2025-01-01", "2026-01-01")),
        ("last month", ("2026-10-01", "2026-11-01")),
        ("May I use redis?", None),
        ("the march of progress", None),
        ("weekly backup", None),
        ("last weekend", None),
        ("the last build", None),
        ("one day we will", None),
        ("last week and yesterday", None),
        ("port 2025", None),
    ],
)
def test_a_time_is_read_as_people_mean_it(
    question: str, bounds: tuple[str | None, str | None] | None
) -> None:
    assert read(question) == bounds


def test_what_is_left_says_what_was_asked_for() -> None:
    asked = find_period("What did we decide about the cache last week?", NOW)
    assert asked is not None
    assert (asked.rest, asked.is_frame) == ("What did we decide about the cache ?", False)
    only = find_period("what did we talk about yesterday?", NOW)
    assert only is not None and only.is_frame
