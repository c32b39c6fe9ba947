"""`memctl undo`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import command
from memctl.cli.options import DryRun
from memctl.results.history import RevertReport


@command("memctl undo", "memctl undo --dry-run", codes=(20, 21))
def run(call: Call, dry_run: DryRun = False) -> RevertReport:
    """Take your last change back, with all that was built on it.

    Called again it takes back the one before. What it did is a change of its own, which
    `memctl revert` undoes; `memctl log changes` shows the numbers.
    """
    return call.engine.undo(dry_run=dry_run)
