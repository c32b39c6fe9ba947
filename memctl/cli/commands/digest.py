"""`memctl digest`."""

from __future__ import annotations

from typing import Annotated

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.options import ProjectName, Since, build_choice_parser, parse_count
from memctl.results.history import DigestReport


@command(
    "memctl digest",
    "memctl digest --since 7d --format markdown",
    "memctl digest --peek --json",
    codes=(20,),
)
def run(
    call: Call,
    since: Since = None,
    project: ProjectName = None,
    format: Annotated[
        str,
        declarations.option(
            "--format",
            parser=build_choice_parser("text", "markdown"),
            metavar="text|markdown",
            help="How it is written.",
        ),
    ] = "text",
    limit: Annotated[
        int,
        declarations.option(
            "--limit", parser=parse_count, metavar="N", help="Entries of each section at most."
        ),
    ] = 50,
    peek: Annotated[
        bool,
        declarations.option(
            "--peek", help="Do not take it as read: the next digest begins where this one did."
        ),
    ] = False,
) -> DigestReport:
    """What changed since you last looked: by whom, why, and the number that undoes it.

    What agents changed of what is shared comes first. Read at a terminal without --since or --peek, it is taken as read; from a script
    or an agent it never is.
    """
    mark = call.engine.actor.is_operator and not (peek or since or project)
    return call.engine.history.digest(
        since=since, project=project, limit=limit, mark=mark, format=format
    )
