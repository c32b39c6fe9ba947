"""`memctl undo`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import command
from memctl.cli.options import DryRun
from memctl.results.history import RevertReport


@command("memctl undo", "memctl undo --dry-run", codes=(20, 21))
def run(call: Call, dry_run: DryRun = False) -> RevertReport:
    """Undo your last change, with everything that was built on it.

    Run it again to undo the one before. The undo is itself a change, which `memctl revert` can
    undo; `memctl log changes` shows the numbers.
    """
    return call.engine.undo(dry_run=dry_run)
