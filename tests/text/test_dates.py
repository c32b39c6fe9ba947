"""Moments as people give them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.core import timestamps
from memctl.text import dates

NOW = timestamps.parse_iso("2026-03-10T12:00:00Z")


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-03-05", "2026-03-05T00:00:00.000Z", "2026-03-05T23:59:59.999Z"),
        ("2026-03-10", "2026-03-10T00:00:00.000Z", "2026-03-10T12:00:00.000Z"),
        ("yesterday", "2026-03-09T00:00:00.000Z", "2026-03-09T23:59:59.999Z"),
        ("yesterday 14:30", "2026-03-09T14:30:00.000Z", "2026-03-09T14:30:00.000Z"),
        ("3 days ago", "2026-03-07T12:00:00.000Z", "2026-03-07T12:00:00.000Z"),
        ("12h", "2026-03-10T00:00:00.000Z", "2026-03-10T00:00:00.000Z"),
        ("an hour ago", "2026-03-10T11:00:00.000Z", "2026-03-10T11:00:00.000Z"),
        ("last week", "2026-03-03T12:00:00.000Z", "2026-03-03T12:00:00.000Z"),
        ("5.3.2026", "2026-03-05T00:00:00.000Z", "2026-03-05T23:59:59.999Z"),
        ("February 2026", "2026-02-01T00:00:00.000Z", "2026-02-28T23:59:59.999Z"),
        ("2026-03-05T10:00+02:00", "2026-03-05T08:00:00.000Z", "2026-03-05T08:00:00.000Z"),
        ("1000-01-01", "1000-01-01T00:00:00.000Z", "1000-01-01T23:59:59.999Z"),
        ("0001-01-01", "0001-01-01T00:00:00.000Z", "0001-01-01T23:59:59.999Z"),
        ("2200-01-01", "2200-01-01T00:00:00.000Z", "2200-01-01T23:59:59.999Z"),
        ("now", "2026-03-10T12:00:00.000Z", "2026-03-10T12:00:00.000Z"),
    ],
)
def test_a_moment_is_read_as_it_is_meant(text: str, first: str, last: str) -> None:
    assert [
        timestamps.format_iso(dates.parse_moment(text, NOW, last=each)) for each in (False, True)
    ] == [
        first,
        last,
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "7",
        "an hour",
        "last",
        "05/03/2026",
        "March 5",
        "2026-13-01",
        "yesterday 25:00",
        "3 fortnights",
    ],
)
def test_what_is_no_moment_or_may_be_two_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        dates.parse_moment(text, NOW)


@given(st.text(max_size=40))
def test_any_text_is_a_moment_or_refused(text: str) -> None:
    with suppress(ValueError, OverflowError):
        assert dates.parse_moment(text, NOW) <= dates.parse_moment(text, NOW, last=True)
