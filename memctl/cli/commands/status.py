"""`memctl status`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import command
from memctl.cli.options import AsOf
from memctl.results.store import StatusReport


@command("memctl status", "memctl status --as-of 2026-01-31", "memctl status --json")
def run(call: Call, as_of: AsOf = None) -> StatusReport:
    """Show the store at a glance: records, inbox, queue, size."""
    return call.engine.upkeep.status(as_of=as_of)
