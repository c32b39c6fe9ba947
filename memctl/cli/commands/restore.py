"""`memctl restore`."""

from __future__ import annotations

from pathlib import Path

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import Yes
from memctl.cli.prompts import require_consent
from memctl.results.store import TransferReport


@command(
    "memctl restore memory-2026-03-09.db", "memctl restore memory-2026-03-09.db --yes", codes=(21,)
)
def run(
    call: Call,
    file: Annotated[Path, argument(metavar="FILE", help="A backup.")],
    with_purged: Annotated[
        bool,
        option("--with-purged", help="Bring back what was purged since; else it is purged again."),
    ] = False,
    yes: Yes = False,
) -> TransferReport:
    """Replace the store with a verified backup. The present store is kept beside it."""
    require_consent(
        f"Replace {call.engine.config.db} with {file}? The present store is kept beside it.",
        yes=yes,
    )
    with call.show_progress("restoring", "checking the backup"):
        return call.engine.upkeep.restore(file, with_purged=with_purged)
