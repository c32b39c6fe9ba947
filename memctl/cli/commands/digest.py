"""`memctl digest`."""

from __future__ import annotations

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, command
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
            help="The format of the text.",
        ),
    ] = "text",
    limit: Annotated[
        int,
        declarations.option(
            "--limit",
            parser=parse_count,
            metavar="N",
            help="The maximum number of entries per section.",
        ),
    ] = 50,
    peek: Annotated[
        bool,
        declarations.option(
            "--peek", help="Do not mark it as read: the next digest starts where this one did."
        ),
    ] = False,
) -> DigestReport:
    """Show what changed since you last looked: by whom, why, and the number that undoes it.

    Changes by agents to shared records come first. At a terminal and without --since or --peek, the
    digest is marked as read; from a script or an agent it never is.
    """
    mark = call.engine.actor.is_operator and not (peek or since or project)
    return call.engine.history.digest(
        since=since, project=project, limit=limit, mark=mark, format=format
    )
