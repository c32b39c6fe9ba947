"""Starting `memctl maintain` beside a hook, where no timer runs it.

As `git` does with its gc: a program of its own that nobody waits for, at low priority, for a
bounded time, and not again before a pause is over.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress

from memctl.records import upkeep
from memctl.settings.config import Config, build_child_environment
from memctl.store import stamps

# Seconds for which such a run works at most; what is left waits for the next. Chosen by hand.
_BUDGET_SECONDS = 300
# The lowest priority there is.
_NICENESS = 19


def start_maintenance(config: Config) -> bool:
    """Start maintenance and do not wait for it; False where it cannot be started.

    The stamp comes first, so that hooks that end together start one run and not many.
    """
    if not stamps.set_stamp(config, stamps.MAINTAINED):
        return False
    command = [sys.executable, "-m", "memctl", "--db", str(config.db), "maintain", "--quiet"]
    with suppress(OSError):
        subprocess.Popen(
            [*command, "--budget", f"{_BUDGET_SECONDS}s"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=config.db.parent,
            env={**build_child_environment(), upkeep.BY_HOOK: "1"},
            start_new_session=True,
            preexec_fn=_lower_priority,
        )
        return True
    return False


def _lower_priority() -> None:
    with suppress(OSError):
        os.nice(_NICENESS)
