"""Time and ids: the only module that asks what time it is or draws randomness for ids."""

from __future__ import annotations

import os
import time

from memctl.core import timestamps
from memctl.core.errors import MemctlError

# Unix seconds of the year 9900. A time has four digits for its year, and a span may be added.
_LATEST_SECONDS = 250_246_627_200
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def now() -> str:
    """Return the current time as an ISO 8601 UTC timestamp: `2026-01-02T03:04:05.678Z`."""
    return timestamps.format_iso(_read_seconds())


def _read_seconds() -> float:
    """Return the Unix seconds of now. Raises MemctlError for a clock that cannot be right."""
    seconds = time.time()
    if not 0 <= seconds < _LATEST_SECONDS:
        raise MemctlError(
            f"the clock of this machine cannot be right: {seconds:.0f} s after 1970",
            hint="set it, then try again",
        )
    return seconds


def read_monotonic() -> float:
    """Return seconds that only go forward, to measure how long something takes."""
    return time.monotonic()


def sleep(seconds: float) -> None:
    """Let other processes go first for a moment."""
    time.sleep(seconds)


def new_id() -> str:
    """Return a new ULID: 48 bits of milliseconds, 80 random bits, 26 Crockford characters.

    Ids sort by time. Those of one millisecond are random among themselves, so that a short prefix
    tells them apart.
    """
    value = int(_read_seconds() * 1000) << 80 | int.from_bytes(os.urandom(10), "big")
    return "".join(_CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))
