"""`memctl outcome`."""

from __future__ import annotations

from typing import Annotated

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.options import Reason, RecordIds, bar, one_of
from memctl.results.feedback import OutcomeReport

_VERDICTS = ("good", "bad")


@command(
    "memctl outcome good 01JV3KQX2M",
    "memctl outcome bad 01JV3KQX2M --reason 'the port is 8080 by now'",
    codes=(20,),
)
def run(
    call: Call,
    verdict: Annotated[
        str,
        declarations.argument(
            parser=one_of(*_VERDICTS), metavar=bar(_VERDICTS), help="Whether it helped or misled."
        ),
    ],
    ids: RecordIds,
    retrieval: Annotated[
        str | None,
        declarations.option(
            "--retrieval",
            metavar="ID",
            help="The search or context that gave it out (retrieval_id in its JSON).",
        ),
    ] = None,
    reason: Reason = None,
) -> OutcomeReport:
    """Say whether records that were given out helped or misled: it changes their rank, within bounds.

    Of each session your last word counts. What agents say weighs less than what you say, and never lifts a record over a more trusted one.
    """
    return call.engine.records.give_feedback(verdict, ids, retrieval=retrieval, reason=reason)
