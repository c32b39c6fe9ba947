"""`memctl context`."""

from __future__ import annotations

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, command
from memctl.cli.options import (
    Agent,
    AsOf,
    Budget,
    Format,
    Global,
    Level,
    Phase,
    ProjectName,
    Session,
    Since,
    Task,
    View,
)
from memctl.results.retrieval import ContextReport


@command(
    "memctl context",
    'memctl context --task "cache the tide data" --budget 800',
    "memctl context --phase review --format xml",
    "memctl context --level 0 --json",
    "memctl context --session 5f1d2c3b --explain",
    'memctl context --task "cache the tide data" --as-of "2 weeks ago"',
    "memctl context --view planning --task 'a second harbour'",
    codes=(20, 21),
)
def run(
    call: Call,
    task: Task = None,
    phase: Phase = None,
    budget: Budget = None,
    level: Level = None,
    format: Format = None,
    view: View = None,  # applied before the call, see saved_view_options
    since: Since = None,
    as_of: AsOf = None,
    project: ProjectName = None,
    everywhere: Global = False,
    agent: Agent = None,
    session: Session = None,
    fresh: Annotated[
        bool,
        declarations.option(
            "--fresh",
            help="Leave out what this --session was served before and has not changed since.",
        ),
    ] = False,
    repeat: Annotated[
        bool,
        declarations.option("--repeat", help="Print again what this --session was served before."),
    ] = False,
    explain: Annotated[
        bool,
        declarations.option("--explain", help="Also list what was left out, and why."),
    ] = False,
) -> ContextReport:
    """Print what an agent should know before it starts.

    That is your profile, the project's facts and decisions, and records that match the task. Prints
    nothing when nothing is relevant.
    """
    call.agent = agent
    place = call.place(project, everywhere=everywhere, session=session)
    call.log_later()
    return call.engine.context_for(
        place=place,
        task=task,
        budget=budget,
        level=level,
        since=since,
        phase=phase,
        format=format or "markdown",
        fresh=fresh,
        repeat=repeat,
        explain=explain,
        as_of=as_of,
    )
