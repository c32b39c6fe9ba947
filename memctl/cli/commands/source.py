"""`memctl source`: captured conversations, turn by turn."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import (
    AllProjects,
    Limit,
    Offset,
    ProjectName,
    Session,
    SessionsOf,
    Since,
    parse_count,
)
from memctl.results.conversations import ConversationList, ConversationView

HELP = "Read captured conversations."


@command(
    "memctl source list",
    "memctl source list --all-projects --from codex --since 7d",
    "memctl source list --json",
    codes=(20,),
)
def list_(
    call: Call,
    project: ProjectName = None,
    all_projects: AllProjects = False,
    sessions_of: SessionsOf = None,
    since: Since = None,
    session: Session = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> ConversationList:
    """List captured conversations, the newest first: those of the project, unless said otherwise.

    Outside of a project the operator sees all.
    """
    return call.engine.conversations.list(
        place=call.place(project, session=session),
        all_projects=all_projects,
        agent=sessions_of,
        since=since,
        limit=limit,
        offset=offset,
    )


@command(
    "memctl source show 01JV3KQX2M",
    "memctl source show 01JV3KQX2M --turn 12 --around 3",
    "memctl source show 01JV3KQX2M --offset 100 --json",
    codes=(20, 21),
)
def show(
    call: Call,
    source: Annotated[
        str,
        argument(
            metavar="ID", help="The id of the conversation or its capture, a prefix, or a session."
        ),
    ],
    turn: Annotated[
        int | None,
        option(
            "--turn", parser=parse_count, metavar="N", help="Only this turn and those around it."
        ),
    ] = None,
    around: Annotated[
        int,
        option(
            "--around", parser=parse_count, metavar="K", help="How many turns before and after."
        ),
    ] = 2,
    offset: Offset = 0,
    limit: Limit = 100,
    full: Annotated[
        bool, option("--full", help="The whole text of what tools were given and printed.")
    ] = False,
    session: Session = None,
) -> ConversationView:
    """Show the turns of a captured conversation: who said what and when, and what quotes it.

    They are shown as they are stored: without secrets and private blocks. What a tool printed was
    cut to its head and tail when it was captured.
    """
    return call.engine.conversations.show(
        source,
        place=call.place(session=session),
        turn=turn,
        around=around,
        offset=offset,
        limit=limit,
        is_whole=full,
    )


COMMANDS = {"list": list_, "show": show}
