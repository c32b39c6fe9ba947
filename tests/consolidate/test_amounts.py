"""One amount is one amount however it is written."""

from __future__ import annotations

import pytest

from memctl.consolidate.amounts import list_amounts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Invoices are due after 14 days.", "customers get two weeks to pay"),
        ("standup's at 9:15", "Daily stand-up: 09:15"),
        ("12k for hosting", "hosting stays under 12,000 euros"),
        ("per diem is forty euros", "40 a day on trips"),
        ("we freeze on december 3rd", "no merges from the 3rd of December"),
        ("calls take half an hour", "a call is 30 min"),
        ("logs are kept one and a half years, 1.5 that is", "1.5 is how long"),
        ("the night shift starts at 10 pm", "night shift: 22:00"),
        ("cache for 90 minutes", "a cache of 5400 seconds"),
        ("nine hundred and fifty seats", "950 seats"),
        ("a quarter is 3 months", "wait for 3 months"),
        ("twenty-five percent of the traffic", "25% of traffic"),
        ("two million rows", "2m rows"),
    ],
)
def test_one_amount_in_two_spellings_is_one(one: str, other: str) -> None:
    assert list_amounts(one) == list_amounts(other) != frozenset()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("due after 14 days", "due after 14 hours"),
        ("at 9:15", "at 9:50"),
        ("at 9 am", "at 9 pm"),
        ("12k", "12m"),
        ("version 1.10", "version 1.10.1"),
        ("three seats", "thirty seats"),
    ],
)
def test_other_amounts_are_others(one: str, other: str) -> None:
    assert list_amounts(one) != list_amounts(other)


@pytest.mark.parametrize("text", ["one of us does it", "this one", "sha1sum and utf8", "", "a day"])
def test_what_counts_nothing_has_no_amount(text: str) -> None:
    assert list_amounts(text) == frozenset()


def test_a_hostile_text_is_read_in_bounded_time() -> None:
    for piece in ("one hundred and ", "9:", "1,", "1.", "half an ", "12k "):
        assert list_amounts(piece * 5_000) is not None
