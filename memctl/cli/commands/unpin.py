"""`memctl unpin`."""

from __future__ import annotations

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, command
from memctl.cli.options import Reason, RecordIds
from memctl.results.feedback import PinReport


@command("memctl unpin 01JV3KQX2M", "memctl unpin 01JV3KQX2M --auto", codes=(1, 20, 21))
def run(
    call: Call,
    ids: RecordIds,
    auto: Annotated[
        bool,
        declarations.option(
            "--auto", help="Let rules and usage decide again whether contexts begin with them."
        ),
    ] = False,
    reason: Reason = None,
) -> PinReport:
    """Unpin records: contexts no longer begin with them.

    They stay unpinned until you run `memctl unpin --auto`; a search still finds them. Only you can
    do this, at a terminal.
    """
    return call.engine.records.unpin(ids, auto=auto, reason=reason)
