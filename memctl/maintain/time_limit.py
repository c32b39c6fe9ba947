"""Interrupt reading or computing that takes too long, even inside one regular expression.

Only where the system allows it: on every Unix, in the main thread. Elsewhere there is no limit.

For pure work only. The interrupt can come between any two instructions, so nothing that writes to
the store may run under it; steps that write ask `must_stop()` between their transactions instead.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from memctl.core.errors import MemctlError

# The shortest limit in seconds: an interval of 0 would turn the timer off.
_SHORTEST_SECONDS = 0.001


class TookTooLong(MemctlError):
    """A piece of work took longer than it may."""


@contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """Interrupt the body after so many seconds (0 or fewer: at once). Raises TookTooLong.

    Do not write to the store inside: an interrupt between two instructions could leave a
    transaction open.
    """
    if not _can_interrupt():
        yield
        return

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise TookTooLong(f"it took longer than {seconds:.3g} s")

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, _SHORTEST_SECONDS))
        yield
    finally:
        # The alarm may ring right here: the handler is put back even then.
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        finally:
            signal.signal(signal.SIGALRM, before)


def _can_interrupt() -> bool:
    """Whether this is the main thread of a Unix process in which nobody else set the alarm."""
    if not hasattr(signal, "setitimer") or signal.getitimer(signal.ITIMER_REAL)[0]:
        return False
    try:
        signal.signal(signal.SIGALRM, signal.getsignal(signal.SIGALRM))
    except (ValueError, TypeError):
        return False
    return True
