"""`memctl project`: which folders are one project, and which projects share records."""

from __future__ import annotations

from memctl.cli import review_projects
from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import Reason
from memctl.results.projects import ProjectReport

HELP = "Which folders belong to one project; which projects use each other's records."
Name = Annotated[str, argument(metavar="NAME", help="A project, by name or id.")]
Remove = Annotated[bool, option("--remove", help="Remove it instead.")]


@command("memctl project list", "memctl project list --json")
def list_(call: Call) -> ProjectReport:
    """List all projects, then pairs that may be the same."""
    return call.engine.projects.list()


@command("memctl project show harbor-tides", codes=(20,))
def show(call: Call, name: Name) -> ProjectReport:
    """Show one project with its aliases, links and numbers."""
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
        argument(metavar="KIND", help="path, git_common_dir, remote, root_commit, marker or name."),
    ],
    value: Annotated[
        str,
        argument(metavar="VALUE", help="Another path, remote, marker or name of the project."),
    ],
    remove: Remove = False,
) -> ProjectReport:
    """Add another path, remote, marker or name to a project."""
    return call.engine.projects.alias(name, kind, value, remove=remove)


@command("memctl project link harbor-tides sea-charts --reason 'same API'", codes=(20,))
def link(
    call: Call,
    name: Name,
    other: Annotated[str, argument(metavar="OTHER", help="The other project.")],
    reason: Reason = None,
    remove: Remove = False,
) -> ProjectReport:
    """Let two projects use each other's records."""
    return call.engine.projects.link(name, other, reason=reason, remove=remove)


@command("memctl project adopt harbor-tides-2 harbor-tides", codes=(20, 21))
def adopt(
    call: Call,
    name: Name,
    into: Annotated[str, argument(metavar="INTO", help="The project that it becomes part of.")],
) -> ProjectReport:
    """Make one project part of another: its aliases, records and sources move."""
    return call.engine.projects.adopt(name, into)


@command("memctl project apart sea-charts sky-charts", codes=(20,))
def apart(
    call: Call,
    name: Name,
    other: Annotated[str, argument(metavar="OTHER", help="The other project.")],
) -> ProjectReport:
    """Note that two projects that look alike are different."""
    return call.engine.projects.keep_apart(name, other)


@command("memctl project settle", codes=(2, 130))
def settle(call: Call) -> ProjectReport:
    """Ask about each pair of projects that may be the same."""
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
