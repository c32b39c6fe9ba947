"""`memctl search`."""

from __future__ import annotations

from typing import Annotated

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.declarations import command
from memctl.cli.options import (
    Agent,
    AllProjects,
    AsOf,
    Global,
    Include,
    Kinds,
    MinConfidence,
    ProjectName,
    Scopes,
    SearchLimit,
    Session,
    Since,
    Tags,
    Types,
    View,
    Way,
)
from memctl.core.errors import UsageError
from memctl.core.model import Query
from memctl.results.retrieval import SearchReport, WhyNot


@command(
    'memctl search "nightly tide cache"',
    "memctl search redis --all-projects --include superseded",
    "memctl search redis --why-not 01JV3KQX2M",
    'memctl search "how do I run the tests?" --why-not 01JV3KQX2M --as prompt',
    "memctl search --view rules tests",
    codes=(20,),
)
def run(
    call: Call,
    query: Annotated[
        list[str] | None,
        declarations.argument(metavar="QUERY", help="A question or words."),
    ] = None,
    types: Types = None,
    kinds: Kinds = None,
    scopes: Scopes = None,
    tags: Tags = None,
    project: ProjectName = None,
    everywhere: Global = False,
    all_projects: AllProjects = False,
    limit: SearchLimit = None,
    include: Include = None,
    since: Since = None,
    as_of: AsOf = None,
    min_confidence: MinConfidence = None,
    explain: Annotated[
        bool,
        declarations.option("--explain", help="Show the parts of each score, and near misses."),
    ] = False,
    why_not: Annotated[
        str | None,
        declarations.option(
            "--why-not", metavar="ID", help="Say why this record is not among the results."
        ),
    ] = None,
    way: Way = None,
    agent: Agent = None,
    session: Session = None,
    view: View = None,  # applied before the call, see saved_view_options
) -> SearchReport | WhyNot:
    """Find records by words and by meaning. Prints no results when none are relevant."""
    call.agent, call.verbose = agent, explain
    engine = call.engine
    if way and not why_not:
        raise UsageError("--as belongs to --why-not", hint="memctl search QUERY --why-not ID")
    if not query and way != "start":
        raise UsageError("Missing argument 'QUERY...'.", hint="see: memctl search --help")
    request = Query(
        " ".join(query or ()),
        place=call.place(project, everywhere=everywhere, session=session),
        types=tuple(types or ()),
        kinds=tuple(kinds or ()),
        scopes=tuple(scopes or ()),
        include=tuple(include or ()),
        since=since,
        as_of=as_of,
        min_confidence=min_confidence,
        limit=limit if limit is not None else engine.config["search.limit"],
        all_projects=all_projects,
        tags=tuple(tags or ()),
    )
    if why_not:
        return engine.records.explain_absence(request, why_not, way=way or "search")
    call.log_later()
    return engine.search(request, explain=explain)
