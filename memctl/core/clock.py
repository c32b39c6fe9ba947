"""Time and ids: the only module that asks what time it is or draws randomness for ids."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def now() -> str:
    """The current time in UTC as ISO 8601 with milliseconds: `2026-01-02T03:04:05.678Z`."""
    return iso(time.time())


def iso(seconds: float) -> str:
    """Unix seconds as ISO 8601 UTC with milliseconds; text order is time order."""
    moment = datetime.fromtimestamp(seconds, UTC)
    # `%Y` does not fill the years before 1000 on every system.
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def seconds() -> float:
    """Seconds that only ever go forward, to measure how long something takes."""
    return time.monotonic()


def rest(seconds: float) -> None:
    """Let others go first for a moment."""
    time.sleep(seconds)


def parse(text: str) -> float:
    """Unix seconds of an ISO 8601 time (date alone allowed; no zone means UTC). Raises ValueError."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def later(text: str, *, seconds: float) -> str:
    """The ISO time `seconds` after (or, negative, before) another."""
    return iso(parse(text) + seconds)


def days_between(earlier: str, later_: str) -> float:
    """Days from one ISO time to another; negative when they are the other way round."""
    return (parse(later_) - parse(earlier)) / 86400


def new_id() -> str:
    """A fresh ULID: 48 bits of milliseconds, 80 bits of randomness, 26 Crockford characters, sortable by time.

    Ids of one millisecond are random among themselves, not counted up: a short prefix then tells them apart.
    """
    value = int(time.time() * 1000) << 80 | int.from_bytes(os.urandom(10), "big")
    return "".join(_CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))
