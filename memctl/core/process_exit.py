"""Ending a process the moment its answer is out.

A command that only read has nothing to tidy up. Closing its store would fold the write-ahead log in, which waits for the disk longer
than the command took, and the interpreter would take itself apart piece by piece. The next command that writes folds the log in;
a process that ends so is no different from one that was killed, which a store survives at any moment.
"""

from __future__ import annotations

import os
import sys

from memctl.core.typing_lite import NoReturn, Protocol


class Closable(Protocol):
    """Something that is open."""

    def close(self) -> None:
        """Close it."""


_may_leave = False
_left_open: list[Closable] = []


def stand_in_for_closed_streams() -> None:
    """Give every standard stream that the caller closed somewhere to go, so that printing is no failure and no file takes its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "w" if number else "r"))


def allow_fast_exit() -> None:
    """Say, as an entry point, that `leave` will end this process: stores that were only read may stay open until then."""
    global _may_leave
    _may_leave = True


def close_later(store: Closable) -> None:
    """Be done with a store that was only read (but for its log lines)."""
    if _may_leave:
        _left_open.append(store)
    else:
        store.close()


def exit_process(code: int) -> NoReturn:
    """End the process with this exit code: at once where a store was left open, in the ordinary way otherwise."""
    if not _left_open:
        sys.exit(code)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            # Whoever read us has gone, or there never was a stream: nobody is left to tell.
            continue
    os._exit(code)
