"""`memctl unpin`."""

from __future__ import annotations

from typing import Annotated

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.options import Reason, RecordIds
from memctl.results.feedback import PinReport


@command("memctl unpin 01JV3KQX2M", "memctl unpin 01JV3KQX2M --auto", codes=(1, 20, 21))
def run(
    call: Call,
    ids: RecordIds,
    auto: Annotated[
        bool,
        declarations.option(
            "--auto", help="Leave it to rule and use again whether contexts begin with them."
        ),
    ] = False,
    reason: Reason = None,
) -> PinReport:
    """Take records out of what every context begins with.

    Neither rule nor use brings them back there, unless you say --auto; a search still finds them. Only you can, at a terminal.
    """
    return call.engine.records.unpin(ids, auto=auto, reason=reason)
