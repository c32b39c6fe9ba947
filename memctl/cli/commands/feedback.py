"""`memctl feedback`."""

from __future__ import annotations

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, command
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
    vote: Annotated[
        str,
        declarations.argument(
            parser=build_choice_parser(*_VOTES),
            metavar=join_choices(_VOTES),
            help="Whether they helped or misled.",
        ),
    ],
    ids: RecordIds,
    retrieval: Annotated[
        str | None,
        declarations.option(
            "--retrieval",
            metavar="ID",
            help="The search or context that returned them (retrieval_id in its JSON).",
        ),
    ] = None,
    reason: Reason = None,
) -> FeedbackReport:
    """Say whether records helped or misled.

    Votes change the rank of a record within bounds. The last vote of each session counts. Votes of
    agents weigh less than yours and never rank a record above a more trusted one. `memctl outcome`
    is the old name of this command.
    """
    return call.engine.records.give_feedback(vote, ids, retrieval=retrieval, reason=reason)
