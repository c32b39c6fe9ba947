"""`memctl explain`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import AsOf
from memctl.results.explanations import MemoryExplanation, ReplayReport, RetrievalExplanation


@command(
    "memctl explain 01JV3KQX2M",
    "memctl explain 01JV3KQX2M --history",
    "memctl explain 01JV3M0ZB7 --json",
    "memctl explain 01JV4P7W2C --replay",
    codes=(20,),
)
def run(
    call: Call,
    some_id: Annotated[
        str,
        argument(metavar="ID", help="The id of a record, or of a past search or context."),
    ],
    history: Annotated[
        bool, option("--history", help="Also the history of the records that it superseded.")
    ] = False,
    as_of: AsOf = None,
    replay: Annotated[
        bool,
        option(
            "--replay", help="Run a past search or context again: what would differ now, and why."
        ),
    ] = False,
) -> MemoryExplanation | RetrievalExplanation | ReplayReport:
    """Explain where a record comes from or how a retrieval was scored.

    The quotes of a record are checked against their sources again.
    """
    return (
        call.engine.records.replay_retrieval(some_id)
        if replay
        else call.engine.explain(some_id, whole=history, as_of=as_of)
    )
