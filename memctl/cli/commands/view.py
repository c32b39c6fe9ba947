"""`memctl view`: searches and contexts under a name."""

from __future__ import annotations

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, command
from memctl.cli.options import (
    AllProjects,
    AsOfAsWritten,
    Budget,
    Format,
    Global,
    Include,
    Kinds,
    Level,
    MinConfidence,
    Phase,
    ProjectName,
    Scopes,
    SearchLimit,
    SinceAsWritten,
    Tags,
    Task,
    Types,
)
from memctl.results.saved_views import ViewReport

HELP = "Saved options for `search --view NAME` and `context --view NAME`."
Name = Annotated[
    str, declarations.argument(metavar="NAME", help="The view's name: letters, digits, - _ .")
]


@command(
    "memctl view save rules --kind constraint --kind convention",
    'memctl view save "tide-api" tide API --since 30d --replace',
    "memctl view save planning --context --phase plan --budget 1200",
)
def save(
    call: Call,
    name: Name,
    query: Annotated[
        list[str] | None,
        declarations.argument(
            metavar="QUERY", help="Words to search for; more may be added later."
        ),
    ] = None,
    context: Annotated[
        bool,
        declarations.option(
            "--context", help="Save a view for `memctl context` instead of `memctl search`."
        ),
    ] = False,
    types: Types = None,
    kinds: Kinds = None,
    scopes: Scopes = None,
    tags: Tags = None,
    project: ProjectName = None,
    everywhere: Global = False,
    all_projects: AllProjects = False,
    limit: SearchLimit = None,
    include: Include = None,
    since: SinceAsWritten = None,
    as_of: AsOfAsWritten = None,
    min_confidence: MinConfidence = None,
    task: Task = None,
    phase: Phase = None,
    budget: Budget = None,
    level: Level = None,
    format: Format = None,
    replace: Annotated[
        bool, declarations.option("--replace", help="Replace a view of that name.")
    ] = False,
) -> ViewReport:
    """Save the options of a search, or with --context of a context, under a name.

    Options are saved as they are given: 7d means the last seven days at each use.
    """
    options = {
        "query": " ".join(query or ()),
        "types": types,
        "kinds": kinds,
        "scopes": scopes,
        "tags": tags,
        "project": project,
        "everywhere": everywhere,
        "all_projects": all_projects,
        "limit": limit,
        "include": include,
        "since": since,
        "as_of": as_of,
        "min_confidence": min_confidence,
        "task": task,
        "phase": phase,
        "budget": budget,
        "level": level,
        "format": format,
    }
    return call.engine.views.save(
        name, "context" if context else "search", options, replace=replace
    )


@command("memctl view list", "memctl view list --json")
def list_(call: Call) -> ViewReport:
    """List all saved views, by name."""
    return call.engine.views.list()


@command("memctl view show rules", codes=(20,))
def show(call: Call, name: Name) -> ViewReport:
    """Show one saved view, and options that only a newer memctl knows."""
    return call.engine.views.show(name)


@command("memctl view delete rules", codes=(20,))
def delete(call: Call, name: Name) -> ViewReport:
    """Delete a saved view; no record changes."""
    return call.engine.views.delete(name)


COMMANDS = {"save": save, "list": list_, "show": show, "delete": delete}
