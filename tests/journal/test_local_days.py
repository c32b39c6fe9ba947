"""Days begin at midnight where the operator is, also where clocks are put forward at midnight."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from memctl.core.errors import UsageError
from memctl.core.frozen import replace
from memctl.journal.local_days import Calendar
from memctl.settings import config


def calendar(zone: str) -> Calendar:
    found = config.load_config(Path("/nowhere/memory.db"), env={"HOME": "/nowhere"})
    return Calendar(replace(found, values={**found.values, "journal.zone": zone}))


@pytest.mark.parametrize(
    ("zone", "day", "start", "end", "offset"),
    [
        ("UTC", "2026-03-09", "2026-03-09T00:00", "2026-03-10T00:00", "UTC+00:00"),
        ("Asia/Kolkata", "2026-03-09", "2026-03-08T18:30", "2026-03-09T18:30", "UTC+05:30"),
        ("America/New_York", "2026-03-08", "2026-03-08T05:00", "2026-03-09T04:00", "UTC-05:00"),
        ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00", "2026-10-25T23:00", "UTC+02:00"),
        # Midnight does not exist there on that day.
        ("America/Santiago", "2025-09-07", "2025-09-07T04:00", "2025-09-08T03:00", "UTC-04:00"),
    ],
)
def test_a_day_goes_from_midnight_to_midnight(
    zone: str, day: str, start: str, end: str, offset: str
) -> None:
    found = calendar(zone).find_day(day)
    assert (found.start[:16], found.end[:16], found.zone) == (start, end, offset)


def test_days_follow_each_other_without_a_gap() -> None:
    there = calendar("America/Santiago")
    days = [there.find_day(f"2025-09-{day:02d}") for day in range(1, 15)]
    assert all(one.end == other.start for one, other in pairwise(days))


def test_an_unknown_zone_is_an_error() -> None:
    for zone in ("Mars/Olympus", "../../etc/passwd", "\0"):
        with pytest.raises(UsageError):
            calendar(zone)
