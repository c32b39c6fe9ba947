"""`memctl backup`."""

from __future__ import annotations

from pathlib import Path

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command
from memctl.results.store import TransferReport


@command("memctl backup", "memctl backup /media/stick/memory.db")
def run(
    call: Call,
    file: Annotated[
        Path | None,
        argument(metavar="FILE", help="The new file (default: beside the store)."),
    ] = None,
) -> TransferReport:
    """Make a complete, verified, private copy of the store. Other commands can run meanwhile."""
    with call.show_progress("copying", "the whole store"):
        return call.engine.upkeep.backup(file)
