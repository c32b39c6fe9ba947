"""`memctl list`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, command, option
from memctl.cli.options import (
    AsOf,
    Kinds,
    Limit,
    Offset,
    OnlyProject,
    Scopes,
    Since,
    Tags,
    Types,
    build_choice_parser,
    join_choices,
)
from memctl.cli.record_filter import build_filter
from memctl.core import model
from memctl.results.records import Page, TagList

Statuses = Annotated[
    list[str] | None,
    option(
        "--status",
        parser=build_choice_parser(*model.STATUSES),
        metavar=join_choices(model.STATUSES),
        help="Only this status (repeatable; default: active and contradicted).",
    ),
]


@command(
    "memctl list",
    "memctl list --type decision --project harbor-tides",
    "memctl list --status archived --since 30d --json",
    "memctl list --as-of yesterday",
    "memctl list --tag tides",
    "memctl list --tags",
)
def run(
    call: Call,
    types: Types = None,
    kinds: Kinds = None,
    statuses: Statuses = None,
    scopes: Scopes = None,
    project: OnlyProject = None,
    agent: Annotated[
        str | None,
        option("--agent", metavar="NAME", help="Only records private to this agent."),
    ] = None,
    since: Since = None,
    limit: Limit = 50,
    offset: Offset = 0,
    everything: Annotated[bool, option("--all", help="No limit.")] = False,
    as_of: AsOf = None,
    tags: Tags = None,
    count_tags: Annotated[
        bool, option("--tags", help="List the tags in use instead, each with its records.")
    ] = False,
) -> Page | TagList:
    """List records that pass the filters, last changed first."""
    record_filter = build_filter(
        call,
        types=types,
        kinds=kinds,
        statuses=statuses or ["active", "contradicted"],
        scopes=scopes,
        project=project,
        agent_id=agent,
        since=since,
        tags=tags,
    )
    if count_tags:
        return call.engine.records.list_tags(record_filter)
    return call.engine.records.list(
        record_filter, limit=-1 if everything else limit, offset=offset, as_of=as_of
    )
