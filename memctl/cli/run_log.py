"""What upkeep prints when a timer runs it: into a private log beside the store, not into a mail."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from memctl.core import clock
from memctl.settings.config import mark_timer_run

NAME = "maintain.log"
# At this size the log is moved to maintain.log.1: months of quiet runs. Chosen by hand.
LIMIT_BYTES = 262_144


def print_into_log(db: Path, command: str) -> None:
    """Let all that is printed from now on go to the log of a store, below a line with the time.

    Where the log cannot be written, it goes where it always does.
    """
    with suppress(OSError):
        stream = open_log(db.parent / NAME)
        stream.write(f"-- {clock.now()} memctl {command}\n")
        stream.flush()
        sys.stdout = sys.stderr = stream
    # What timers run says so, and `memctl status` tells which way upkeep runs.
    mark_timer_run()


def open_log(path: Path) -> TextIO:
    """Open the log to add to it; one that is too large makes room first. Raises OSError."""
    with suppress(FileNotFoundError):
        if path.lstat().st_size > LIMIT_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    os.fchmod(handle, 0o600)
    return os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace")
