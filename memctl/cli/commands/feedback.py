"""`memctl feedback`."""

from __future__ import annotations

from typing import Annotated

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.options import Reason, RecordIds, build_choice_parser, join_choices
from memctl.results.feedback import FeedbackReport

_VOTES = ("good", "bad")


@command(
    "memctl feedback good 01JV3KQX2M",
    "memctl feedback bad 01JV3KQX2M --reason 'the port is 8080 by now'",
    codes=(20,),
)
def run(
    call: Call,
    verdict: Annotated[
        str,
        declarations.argument(
            parser=build_choice_parser(*_VOTES),
            metavar=join_choices(_VOTES),
            help="Whether it helped or misled.",
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
) -> FeedbackReport:
    """Say whether records that were given out helped or misled: it changes their rank, within bounds.

    Of each session your last word counts. What agents say weighs less than what you say, and never lifts a record over a more trusted one.
    """
    return call.engine.records.give_feedback(verdict, ids, retrieval=retrieval, reason=reason)
