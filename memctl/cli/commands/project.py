"""`memctl project`: which folders are one project, and which projects know each other."""

from __future__ import annotations

from typing import Annotated

import typer

from memctl.cli import review_projects
from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.options import Reason
from memctl.results.projects import ProjectReport

HELP = "Which folders are one project; which projects use each other's memories."
Name = Annotated[str, typer.Argument(metavar="NAME", help="A project, by name or id.")]
Remove = Annotated[bool, typer.Option("--remove", help="Take it away instead.")]


@command("memctl project list", "memctl project list --json")
def list_(call: Call) -> ProjectReport:
    """All projects; doubtful matches are named below."""
    return call.engine.projects.list()


@command("memctl project show harbor-tides", codes=(20,))
def show(call: Call, name: Name) -> ProjectReport:
    """One project with its aliases, links and numbers."""
    return call.engine.projects.list(name)


@command(
    "memctl project alias harbor-tides path ~/src/harbor",
    "memctl project alias harbor-tides name tides --remove",
    codes=(20,),
)
def alias(
    call: Call,
    name: Name,
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help="path, git_common_dir, remote, root_commit, marker or name."
        ),
    ],
    value: Annotated[
        str, typer.Argument(metavar="VALUE", help="What the project is also known by.")
    ],
    remove: Remove = False,
) -> ProjectReport:
    """Let a project be known by another path, remote, marker or name."""
    return call.engine.projects.alias(name, kind, value, remove=remove)


@command("memctl project link harbor-tides sea-charts --reason 'same API'", codes=(20,))
def link(
    call: Call,
    name: Name,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The other project.")],
    reason: Reason = None,
    remove: Remove = False,
) -> ProjectReport:
    """Let two projects use each other's memories."""
    return call.engine.projects.link(name, other, reason=reason, remove=remove)


@command("memctl project adopt harbor-tides-2 harbor-tides", codes=(20, 21))
def adopt(
    call: Call,
    name: Name,
    into: Annotated[
        str, typer.Argument(metavar="INTO", help="The project that it becomes a part of.")
    ],
) -> ProjectReport:
    """Make one project part of another: aliases, records and sources move."""
    return call.engine.projects.adopt(name, into)


@command("memctl project apart sea-charts sky-charts", codes=(20,))
def apart(
    call: Call,
    name: Name,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The project that it is not.")],
) -> ProjectReport:
    """Settle that two projects which look alike are two."""
    return call.engine.projects.keep_apart(name, other)


@command("memctl project settle", codes=(2, 130))
def settle(call: Call) -> ProjectReport:
    """Ask, for each two projects that may be one, whether they are."""
    return review_projects.review_doubtful_projects(call.engine)


COMMANDS = {
    "list": list_,
    "show": show,
    "alias": alias,
    "link": link,
    "adopt": adopt,
    "apart": apart,
    "settle": settle,
}
