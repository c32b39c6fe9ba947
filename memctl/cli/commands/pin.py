"""`memctl pin`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import command
from memctl.cli.options import Reason, RecordIds
from memctl.results.feedback import PinReport


@command(
    "memctl pin 01JV3KQX2M",
    "memctl pin 01JV3KQX2M --reason 'asked for every day'",
    codes=(1, 20, 21),
)
def run(call: Call, ids: RecordIds, reason: Reason = None) -> PinReport:
    """Pin records: every context of their project begins with them.

    A global record begins the contexts of all projects. Only you can do this, at a terminal.
    """
    return call.engine.records.pin(ids, reason=reason)
