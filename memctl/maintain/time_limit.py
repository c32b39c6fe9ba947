"""A limit to what one piece of work may take, where the system can interrupt a process from within.

It can on every Unix, in the main thread, even inside a regular expression. Elsewhere there is no limit, and long work is waited for.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from memctl.core.errors import MemctlError


class TooLong(MemctlError):
    """A piece of work took longer than it may."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Work that is interrupted after so many seconds (0 or fewer: at once). Raises TooLong. Never put a write into it."""
    if not _can_interrupt():
        yield
        return

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TooLong(f"it took longer than {seconds:.3g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _can_interrupt() -> bool:
    """Whether this is the main thread of a Unix process in which nobody else has set the alarm."""
    if not hasattr(signal, "setitimer") or signal.getitimer(signal.ITIMER_REAL)[0]:
        return False
    try:
        signal.signal(signal.SIGALRM, signal.getsignal(signal.SIGALRM))
    except (ValueError, TypeError):
        return False
    return True
