"""`memctl status`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.results import StatusReport


@command("memctl status", "memctl status --json")
def run(call: Call) -> StatusReport:
    """The store at a glance: records, inbox, queue, size."""
    return call.engine.status()
