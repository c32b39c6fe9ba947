"""`memctl confirm`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.options import Reason, RecordIds
from memctl.results.records import ChangeReport


@command("memctl confirm 01JV3KQX2M", codes=(1, 20, 21))
def run(call: Call, ids: RecordIds, reason: Reason = None) -> ChangeReport:
    """Vouch for records, so that their trust and confidence rise. Only you can, at a terminal."""
    return call.engine.records.confirm(ids, reason=reason)
