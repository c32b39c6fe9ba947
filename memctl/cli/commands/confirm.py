"""`memctl confirm`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import command
from memctl.cli.options import Reason, RecordIds
from memctl.results.records import ChangeReport


@command("memctl confirm 01JV3KQX2M", codes=(1, 20, 21))
def run(call: Call, ids: RecordIds, reason: Reason = None) -> ChangeReport:
    """Confirm that records are true: this raises their trust and confidence.

    Only you can do this, at a terminal.
    """
    return call.engine.records.confirm(ids, reason=reason)
