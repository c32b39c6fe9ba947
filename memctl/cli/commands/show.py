"""`memctl show`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import command
from memctl.cli.options import AsOf, RecordId
from memctl.results.records import RecordView


@command(
    "memctl show 01JV3KQX2M",
    "memctl show 01JV3KQX2M --as-of '3 days ago'",
    "memctl show 01JV3KQX2M --json",
    codes=(20,),
)
def run(call: Call, record: RecordId, as_of: AsOf = None) -> RecordView:
    """Show one record with its evidence, links and entities."""
    return call.engine.records.show(record, as_of=as_of)
