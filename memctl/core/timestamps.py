"""ISO 8601 UTC timestamps as text: formatting, parsing and arithmetic. Pure; never asks the time.

All stored times have one fixed form, so that their text order is their time order.
"""

from __future__ import annotations

from datetime import UTC, datetime

_SECONDS_PER_DAY = 86400


def format_iso(seconds: float) -> str:
    """Format Unix seconds as `2026-01-02T03:04:05.678Z`."""
    moment = datetime.fromtimestamp(seconds, UTC)
    # `%Y` does not fill the years before 1000 on every system.
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def parse_iso(text: str) -> float:
    """Return the Unix seconds of an ISO 8601 time; a date alone is allowed, no zone means UTC.

    Raises ValueError.
    """
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def add_seconds(text: str, *, seconds: float) -> str:
    """Return the timestamp `seconds` after (or, if negative, before) another."""
    return format_iso(parse_iso(text) + seconds)


def days_between(earlier: str, later: str) -> float:
    """Return the days from one timestamp to another; negative if `later` comes first."""
    return (parse_iso(later) - parse_iso(earlier)) / _SECONDS_PER_DAY


def to_local_day(text: str) -> str:
    """Return the day of an ISO timestamp where this machine stands: `2026-03-01`.

    What is no time keeps its first ten characters.
    """
    return to_local_minute(text)[:10]


def to_local_minute(text: str) -> str:
    """Return an ISO timestamp where this machine stands: `2026-03-01 09:05`.

    What is no time keeps its first characters.
    """
    try:
        return datetime.fromtimestamp(parse_iso(text)).astimezone().isoformat(" ", "minutes")[:16]
    except (ValueError, OverflowError, OSError):
        return text[:16].replace("T", " ")
