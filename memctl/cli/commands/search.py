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
    Repo,
    Roles,
    Scopes,
    SearchLimit,
    Session,
    SessionsOf,
    Since,
    Tags,
    Types,
    Until,
    View,
    Way,
)
from memctl.core.errors import UsageError
from memctl.core.model import Query
from memctl.results.conversations import TurnSearchReport
from memctl.results.retrieval import SearchReport, WhyNot


@command(
    'memctl search "nightly tide cache"',
    "memctl search redis --all-projects --include superseded",
    "memctl search redis --why-not 01JV3KQX2M",
    'memctl search "how do I run the tests?" --why-not 01JV3KQX2M --as prompt',
    "memctl search --view rules tests",
    "memctl search --turns marlinspike --role human --since 30d",
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
    until: Until = None,
    repo: Repo = None,
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
    turns: Annotated[
        bool,
        declarations.option("--turns", help="Search what was said in captured conversations."),
    ] = False,
    roles: Roles = None,
    sessions_of: SessionsOf = None,
    any_time: Annotated[
        bool,
        declarations.option("--any-time", help="Take `last week` in a question as mere words."),
    ] = False,
) -> SearchReport | WhyNot | TurnSearchReport:
    """Find records by words and by meaning. Prints no results when none are relevant.

    A time that a question names (`last week`, `since March`) is a filter, which the answer says.
    With --turns the words of past conversations are searched; "words in quotation marks" must stand
    there as they are. An agent is told none of them unless it asks.
    """
    call.agent, call.verbose = agent, explain
    engine = call.engine
    if way and not why_not:
        raise UsageError("--as belongs to --why-not", hint="memctl search QUERY --why-not ID")
    has_bounds = turns and bool(since or until)
    if not query and way != "start" and not has_bounds:
        raise UsageError("Missing argument 'QUERY...'.", hint="see: memctl search --help")
    if (roles or sessions_of) and not turns:
        raise UsageError("--role and --from belong to --turns")
    place = call.place(project, everywhere=everywhere, session=session)
    if turns:
        return engine.conversations.search_turns(
            " ".join(query or ()),
            place=place,
            all_projects=all_projects,
            agent=sessions_of,
            since=since,
            until=until,
            roles=tuple(roles or ()),
            limit=limit if limit is not None else engine.config["search.limit"],
            reads_times=not any_time,
        )
    place = engine.projects.find_repo(repo, place) if repo else place
    request = Query(
        " ".join(query or ()),
        place=place,
        types=tuple(types or ()),
        kinds=tuple(kinds or ()),
        scopes=tuple(scopes or ()),
        include=tuple(include or ()),
        since=since,
        until=until,
        repo_id=place.repo_id if repo else None,
        as_of=as_of,
        min_confidence=min_confidence,
        limit=limit if limit is not None else engine.config["search.limit"],
        all_projects=all_projects,
        tags=tuple(tags or ()),
    )
    if why_not:
        return engine.records.explain_absence(request, why_not, way=way or "search")
    call.log_later()
    return engine.search(request, explain=explain, reads_times=not any_time)
