"""One deadline for a whole process: an alarm that raises wherever the work stands.

It ends a read that nobody answers, a wait for a lock and a loop alike, because all of them return
to Python when the alarm rings. Work in a C library is cut off when it returns. What catches the
deadline calls `acknowledge` first, and then has `GRACE_SECONDS` to save what must not be lost,
before the process ends with exit code 0.
"""

from __future__ import annotations

import os

from memctl.core import clock

try:
    # `signal` itself would be one more module for a hook to load.
    import _signal as alarms  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    import signal as alarms

# Seconds between the deadline and the end of the process; writing a file takes a hundredth of it.
GRACE_SECONDS = 1.0
# Seconds until the alarm rings again, should some callback have swallowed it.
_AGAIN_SECONDS = 0.1
# Seconds. An alarm that is set to 0 would never ring.
_SHORTEST_SECONDS = 0.001


class DeadlinePassed(BaseException):
    """The time that the caller gave is over. It is no Exception, so that nothing ignores it."""


class _State:
    """The one alarm of the process."""

    is_begun = False
    began = 0.0
    seconds = 0.0
    is_acknowledged = False


def begin(seconds: float) -> None:
    """Let the process run for `seconds` from now. Only an entry point calls this, and `end`.

    A system without alarms has no deadline.
    """
    if not hasattr(alarms, "setitimer"):
        return
    _State.began, _State.is_acknowledged = clock.read_monotonic(), False
    _State.is_begun = True
    alarms.signal(alarms.SIGALRM, _ring)
    move(seconds)


def move(seconds: float) -> None:
    """Move the deadline, if there is one, to `seconds` after its beginning."""
    if not _State.is_begun:
        return
    _State.seconds = seconds
    left = _State.began + seconds - clock.read_monotonic()
    alarms.setitimer(alarms.ITIMER_REAL, max(left, _SHORTEST_SECONDS), _AGAIN_SECONDS)


def acknowledge() -> None:
    """Say that the deadline was noticed: it raises no more."""
    _State.is_acknowledged = True


def end() -> None:
    """Take the alarm away."""
    if _State.is_begun:
        _State.is_begun = False
        alarms.setitimer(alarms.ITIMER_REAL, 0)
        alarms.signal(alarms.SIGALRM, alarms.SIG_DFL)


def _ring(_number: int, _frame: object) -> None:
    if clock.read_monotonic() >= _State.began + _State.seconds + GRACE_SECONDS:
        os._exit(0)
    if not _State.is_acknowledged:
        raise DeadlinePassed(f"gave up after {_State.seconds:g} s")
