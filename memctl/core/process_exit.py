"""Ending a process the moment its answer is out, without closing what was only read.

Closing a store folds the write-ahead log in, which waits for the disk longer than a reading command
took, and the interpreter takes itself apart piece by piece. The next command that writes folds the
log in. A process that ends like this is no different from one that was killed, which a store
survives at any moment.

The gain, measured with benchmarks/cold.py on a 2-core x86-64 machine: 0.6 to 1.0 CPU times of a
bare interpreter start.
"""

from __future__ import annotations

import os
import sys

from memctl.core.typing_lite import NoReturn, Protocol


class Closable(Protocol):
    """Something that can be closed."""

    def close(self) -> None:
        """Close it."""


_is_fast_exit_allowed = False
_left_open: list[Closable] = []


def stand_in_for_closed_streams() -> None:
    """Open /dev/null for each standard stream that the caller closed.

    Printing then does not fail, and no other file gets its number.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "w" if number else "r"))


def allow_fast_exit() -> None:
    """Promise, as an entry point, to end this process by `exit_process`.

    Stores that were only read may then stay open until the end.
    """
    global _is_fast_exit_allowed
    _is_fast_exit_allowed = True


def close_later(store: Closable) -> None:
    """Close a store that was only read (but for its log lines), or leave it open to the end."""
    if _is_fast_exit_allowed:
        _left_open.append(store)
    else:
        store.close()


def exit_process(code: int) -> NoReturn:
    """End the process: at once if a store was left open, else in the ordinary way."""
    if not _left_open:
        sys.exit(code)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            # Whoever read the output is gone, or there never was a stream.
            continue
    os._exit(code)
