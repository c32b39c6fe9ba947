"""`memctl correct`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.input_files import read_argument
from memctl.cli.options import Moment, Reason, RecordId
from memctl.core.errors import UsageError
from memctl.results.records import ChangeReport


@command(
    'memctl correct 01JV3KQX2M "The tide API is billed per day, not per request"', codes=(20, 21)
)
def run(
    call: Call,
    record: RecordId,
    content: Annotated[
        str, argument(metavar="TEXT", help="The correct statement; - for standard input.")
    ],
    reason: Reason = None,
    rationale: Annotated[
        str | None, option("--rationale", metavar="TEXT", help="The rationale of a decision.")
    ] = None,
    keep_rationale: Annotated[
        bool, option("--keep-rationale", help="The old rationale still applies.")
    ] = False,
    valid_from: Moment = None,
    valid_until: Moment = None,
) -> ChangeReport:
    """Replace a record that turned out wrong: the old one is superseded and stays linked.

    The old rationale is not carried over: give a new one with --rationale (or --reason), or keep it
    with --keep-rationale.
    """
    if rationale and keep_rationale:
        raise UsageError("--rationale and --keep-rationale exclude each other")
    return call.engine.records.correct(
        record,
        read_argument(content),
        reason=reason,
        rationale=rationale,
        valid_from=valid_from,
        valid_until=valid_until,
        keeps_rationale=keep_rationale,
    )
