"""`memctl context`."""

from __future__ import annotations

from typing import Annotated

import typer

from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.options import Agent, Everywhere, ProjectName, Session, Since, count
from memctl.results import ContextReport


@command(
    "memctl context",
    'memctl context --task "cache the tide data" --budget 800',
    "memctl context --level 0 --json",
)
def run(
    call: Call,
    task: Annotated[str | None, typer.Option("--task", metavar="TEXT", help="What is about to be done.")] = None,
    budget: Annotated[int | None, typer.Option("--budget", parser=count, metavar="TOKENS", help="Never more than this.")] = None,
    level: Annotated[int | None, typer.Option("--level", min=0, max=2, metavar="0|1|2", help="Titles, summaries, or full content.")] = None,
    since: Since = None,
    project: ProjectName = None,
    everywhere: Everywhere = False,
    agent: Agent = None,
    session: Session = None,
) -> ContextReport:
    """What an agent should know before it starts: your profile, the project's facts and decisions, hits for the task.

    Prints nothing when there is nothing worth saying.
    """
    call.agent = agent
    place = call.place(project, everywhere=everywhere, session=session)
    call.log_later()
    return call.engine.context_for(place=place, task=task, budget=budget, level=level, since=since)
