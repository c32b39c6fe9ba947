"""`memctl revert`."""

from __future__ import annotations

from typing import Annotated

from memctl.cli import declare
from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.options import RecordId, count
from memctl.results import ChangeReport


@command("memctl revert 01JV3KQX2M", "memctl revert 01JV3KQX2M --seq 41", codes=(20, 21))
def run(
    call: Call,
    record: RecordId,
    seq: Annotated[
        int | None,
        declare.option("--seq", parser=count, metavar="N", help="The change to undo (see `memctl log changes`); else the last."),
    ] = None,
) -> ChangeReport:
    """Undo a change to a record, by a new change."""
    return call.engine.revert(record, seq=seq)
