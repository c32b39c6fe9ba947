"""`memctl search`."""

from __future__ import annotations

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, command
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
from memctl.core.frozen import replace
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
    codes=(20, 21),
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
            "--why-not", metavar="ID", help="Show why this record is not among the results."
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
        declarations.option("--any-time", help="Treat `last week` in a question as plain words."),
    ] = False,
    hub: Annotated[
        bool,
        declarations.option(
            "--hub", help="Also search the hubs, for what this store does not hold."
        ),
    ] = False,
) -> SearchReport | WhyNot | TurnSearchReport:
    """Find records by words and by meaning. Prints no results when none are relevant.

    A time in the question (`last week`, `since March`) becomes a filter; the answer says so. With
    --turns the words of past conversations are searched ("words in quotation marks" as they stand).
    An agent is told none of them unless it asks.
    """
    call.agent, call.verbose = agent, explain
    engine = call.engine
    _check_options(query, why_not, way, turns, since or until, roles or sessions_of)
    if hub and (why_not or turns or as_of or repo):
        raise UsageError("--hub goes with none of --why-not, --turns, --as-of and --repo")
    words = " ".join(query or ())
    limit = limit if limit is not None else engine.config["search.limit"]
    place = call.place(project, everywhere=everywhere, session=session)
    asked = Query(words, place, since=since, until=until, limit=limit, all_projects=all_projects)
    if turns:
        return _search_turns(call, asked, sessions_of, roles, any_time)
    if repo:
        place = engine.projects.find_repo(repo, place)
        asked = replace(asked, place=place, repo_id=place.repo_id)
    asked = replace(asked, types=tuple(types or ()), kinds=tuple(kinds or ()), as_of=as_of)
    asked = replace(asked, scopes=tuple(scopes or ()), include=tuple(include or ()))
    asked = replace(asked, min_confidence=min_confidence, tags=tuple(tags or ()))
    if why_not:
        return engine.records.explain_absence(asked, why_not, way=way or "search")
    call.log_later()
    return engine.search(asked, explain=explain, reads_times=not any_time, asks_hubs=hub)


def _search_turns(
    call: Call, asked: Query, agent: str | None, roles: list[str] | None, any_time: bool
) -> TurnSearchReport:
    return call.engine.conversations.search_turns(
        asked.text,
        place=asked.place,
        all_projects=asked.all_projects,
        agent=agent,
        since=asked.since,
        until=asked.until,
        roles=tuple(roles or ()),
        limit=asked.limit,
        reads_times=not any_time,
    )


def _check_options(
    query: list[str] | None,
    why_not: str | None,
    way: str | None,
    turns: bool,
    bound: str | None,
    only_of_turns: object,
) -> None:
    """Raise UsageError for options that do not go together, and for a search for nothing."""
    if way and not why_not:
        raise UsageError("--as belongs to --why-not", hint="memctl search QUERY --why-not ID")
    if not query and way != "start" and not (turns and bound):
        raise UsageError("Missing argument 'QUERY...'.", hint="see: memctl search --help")
    if only_of_turns and not turns:
        raise UsageError("--role and --from belong to --turns")
