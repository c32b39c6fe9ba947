"""When something was last done: the time of an empty file beside the store.

A hook and every command can look at such a file without a question to the store.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from memctl.core import clock, timestamps
from memctl.settings.config import Config

# When maintenance was last begun, by whomever.
MAINTAINED = "maintained"
# When the person was last told what waits.
NOTICED = "noticed"
NAMES = (MAINTAINED, NOTICED)


def locate_stamp(config: Config, name: str) -> Path:
    """Return where the file of a stamp is."""
    return config.db.with_name(f"{config.db.name}.{name}")


def is_older_than(config: Config, name: str, seconds: float) -> bool:
    """Whether something was done longer ago than that, or never, or at a time still to come."""
    try:
        done = locate_stamp(config, name).stat().st_mtime
    except OSError:
        return True
    age = timestamps.parse_iso(clock.now()) - done
    return not 0 <= age <= seconds


def set_stamp(config: Config, name: str) -> bool:
    """Note that something is done now; False where nothing can be written there."""
    path = locate_stamp(config, name)
    now = timestamps.parse_iso(clock.now())
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        os.utime(path, (now, now))
        return True
    return False
