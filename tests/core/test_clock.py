"""Times sort as text, ids sort as time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.core import clock, timestamps
from memctl.core.errors import MemctlError

SECONDS = st.floats(0, 32503680000 - 1)


@given(SECONDS, SECONDS)
def test_text_order_is_time_order(a: float, b: float) -> None:
    if int(a * 1000) != int(b * 1000) and abs(a - b) > 0.002:
        assert (timestamps.format_iso(a) < timestamps.format_iso(b)) == (a < b)


@given(SECONDS)
def test_a_time_comes_back_to_the_millisecond(seconds: float) -> None:
    assert abs(timestamps.parse_iso(timestamps.format_iso(seconds)) - seconds) <= 0.0011


def test_a_time_has_one_form() -> None:
    assert timestamps.format_iso(0) == "1970-01-01T00:00:00.000Z"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", clock.now())


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01T10:00:00Z",
        "2026-03-01T11:00:00+01:00",
        "2026-03-01T10:00:00",
        "2026-03-01 10:00",
    ],
)
def test_zones_are_understood_and_none_means_utc(text: str) -> None:
    assert timestamps.format_iso(timestamps.parse_iso(text)) == "2026-03-01T10:00:00.000Z"


def test_a_date_alone_is_its_midnight() -> None:
    assert timestamps.format_iso(timestamps.parse_iso("2026-03-01")) == "2026-03-01T00:00:00.000Z"


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", "12:00"])
def test_what_is_no_time_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        timestamps.parse_iso(text)


def test_later_and_days_between_undo_each_other() -> None:
    start = "2026-02-28T23:00:00.000Z"
    assert timestamps.add_seconds(start, seconds=7200) == "2026-03-01T01:00:00.000Z"
    assert timestamps.add_seconds(timestamps.add_seconds(start, seconds=5.5), seconds=-5.5) == start
    assert timestamps.days_between(start, timestamps.add_seconds(start, seconds=86400 * 1.5)) == 1.5
    assert timestamps.days_between(timestamps.add_seconds(start, seconds=86400), start) == -1


def test_ids_are_ulids_sorted_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = []
    for moment in (1_000_000_000, 1_700_000_000, 1_700_000_000.002, 4_000_000_000):
        monkeypatch.setattr(clock.time, "time", lambda moment=moment: moment)
        ids.append(clock.new_id())
    assert ids == sorted(ids)
    assert all(re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{26}", each) for each in ids)


def test_ids_of_one_moment_differ_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock.time, "time", lambda: 1_700_000_000.0)
    ids = [clock.new_id() for _ in range(500)]
    assert len({each[:10] for each in ids}) == 1 and len({each[:18] for each in ids}) == 500


def test_years_of_long_ago_are_written_so_that_they_are_read_again() -> None:
    assert timestamps.format_iso(timestamps.parse_iso("0001-01-02")) == "0001-01-02T00:00:00.000Z"


@pytest.mark.parametrize("seconds", [-1.0, -1_900_000_000.0, 260_000_000_000.0, float("inf")])
def test_a_clock_that_cannot_be_right_is_an_error_that_says_so(
    monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr("time.time", lambda: seconds)
    for ask in (clock.now, clock.new_id):
        with pytest.raises(MemctlError, match="clock of this machine"):
            ask()


@pytest.mark.parametrize("seconds", [0.0, 1.0, 222_547_906_024.0, 250_000_000_000.0])
def test_any_other_clock_gives_times_that_can_be_counted_with(
    monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr("time.time", lambda: seconds)
    for days in (-36_500, 36_500):
        timestamps.add_seconds(clock.now(), seconds=days * 86_400)
    assert len(clock.new_id()) == 26
