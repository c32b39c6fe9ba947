"""`memctl context`."""

from __future__ import annotations

from typing import Annotated

from memctl.cli import declare
from memctl.cli.call import Call
from memctl.cli.declare import command
from memctl.cli.options import Agent, Everywhere, Format, Phase, ProjectName, Session, Since, count
from memctl.results import ContextReport


@command(
    "memctl context",
    'memctl context --task "cache the tide data" --budget 800',
    "memctl context --phase review --format xml",
    "memctl context --level 0 --json",
    "memctl context --session 5f1d2c3b --fresh",
)
def run(
    call: Call,
    task: Annotated[str | None, declare.option("--task", metavar="TEXT", help="What is about to be done.")] = None,
    phase: Phase = None,
    budget: Annotated[int | None, declare.option("--budget", parser=count, metavar="TOKENS", help="Never more than this.")] = None,
    level: Annotated[
        int | None, declare.option("--level", min=0, max=2, metavar="0|1|2", help="Titles, summaries, or full content.")
    ] = None,
    format: Format = None,
    since: Since = None,
    project: ProjectName = None,
    everywhere: Everywhere = False,
    agent: Agent = None,
    session: Session = None,
    fresh: Annotated[
        bool, declare.option("--fresh", help="Leave out what this --session was given before and what has not changed since.")
    ] = False,
) -> ContextReport:
    """What an agent should know before it starts: your profile, the project's facts and decisions, hits for the task.

    Prints nothing when there is nothing worth saying.
    """
    call.agent = agent
    place = call.place(project, everywhere=everywhere, session=session)
    call.log_later()
    return call.engine.context_for(
        place=place, task=task, budget=budget, level=level, since=since, phase=phase, format=format or "markdown", fresh=fresh
    )
