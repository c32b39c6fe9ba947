"""`memctl correct`."""

from __future__ import annotations

from typing import Annotated

import typer

from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.input_files import read_argument
from memctl.cli.options import Moment, Reason, RecordId
from memctl.results.records import ChangeReport


@command(
    'memctl correct 01JV3KQX2M "The tide API is billed per day, not per request"', codes=(20, 21)
)
def run(
    call: Call,
    record: RecordId,
    content: Annotated[
        str, typer.Argument(metavar="TEXT", help="The correct statement; - for standard input.")
    ],
    reason: Reason = None,
    rationale: Annotated[
        str | None, typer.Option("--rationale", metavar="TEXT", help="The rationale of a decision.")
    ] = None,
    valid_from: Moment = None,
    valid_until: Moment = None,
) -> ChangeReport:
    """Replace a record that turned out wrong: the old one is superseded and stays linked."""
    return call.engine.records.correct(
        record,
        read_argument(content),
        reason=reason,
        rationale=rationale,
        valid_from=valid_from,
        valid_until=valid_until,
    )
