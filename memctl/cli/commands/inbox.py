"""`memctl inbox`."""

from __future__ import annotations

from memctl.cli import review_inbox
from memctl.cli.call import Call
from memctl.cli.cli_results import ReviewReport
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import (
    DryRun,
    Kinds,
    Limit,
    MaxConfidence,
    MinConfidence,
    Offset,
    Types,
    build_choice_parser,
    join_choices,
    parse_tag,
)
from memctl.cli.record_filter import build_filter
from memctl.core import model
from memctl.results.records import ChangeReport, Page


@command(
    "memctl inbox",
    "memctl inbox --all --json",
    "memctl inbox --approve 01JV3KQX2M 01JV3KR7AA",
    "memctl inbox --approve 01JV3KQX2M --project harbor-tides",
    "memctl inbox --reject 01JV3KS90C --reason 'was a joke'",
    "memctl inbox --reject-all --source 01JV3KT2P7 --reason 'not about us'",
    "memctl inbox --approve-all --type decision --min-confidence 0.8 --dry-run",
    "memctl inbox --edit 01JV3KQX2M",
    "memctl inbox --review",
    codes=(1, 20, 21),
)
def run(
    call: Call,
    ids: Annotated[
        list[str] | None,
        argument(
            metavar="ID",
            help="More ids for --approve or --reject, or the only ones to --edit or --review.",
        ),
    ] = None,
    everything: Annotated[bool, option("--all", help="List them all.")] = False,
    limit: Limit = 20,
    offset: Offset = 0,
    types: Types = None,
    kinds: Kinds = None,
    project: Annotated[
        str | None,
        option(
            "--project",
            metavar="NAME",
            help="Only this project, by name or id; with --approve: where they belong.",
        ),
    ] = None,
    scope: Annotated[
        str | None,
        option(
            "--scope",
            parser=build_choice_parser(*model.SCOPES),
            metavar=join_choices(model.SCOPES),
            help="With --approve: the scope that they apply in.",
        ),
    ] = None,
    tags: Annotated[
        list[str] | None,
        option(
            "--tag",
            parser=parse_tag,
            metavar="TAG",
            help="Only what has this tag; with --approve: a tag to file them under (repeatable).",
        ),
    ] = None,
    source: Annotated[
        str | None,
        option(
            "--source",
            metavar="ID|KIND",
            help="Only from this source, or from this kind of source.",
        ),
    ] = None,
    min_confidence: MinConfidence = None,
    max_confidence: MaxConfidence = None,
    approve: Annotated[
        list[str] | None,
        option("--approve", metavar="ID", help="Make this candidate active (repeatable)."),
    ] = None,
    approve_all: Annotated[
        bool, option("--approve-all", help="Make all that pass the filters active.")
    ] = False,
    reject_all: Annotated[
        bool, option("--reject-all", help="Archive all that pass the filters for good.")
    ] = False,
    reject: Annotated[
        list[str] | None,
        option("--reject", metavar="ID", help="Archive this candidate for good (repeatable)."),
    ] = None,
    reason: Annotated[
        str | None,
        option(
            "--reason",
            metavar="TEXT",
            help="The reason; it becomes the rationale of a decision that has none.",
        ),
    ] = None,
    edit: Annotated[
        bool,
        option("--edit", help="Open them as YAML in $VISUAL or $EDITOR; what you save is applied."),
    ] = False,
    review: Annotated[
        bool, option("--review", help="Review them one by one at the terminal.")
    ] = False,
    dry_run: DryRun = False,
) -> Page | ChangeReport | ReviewReport:
    """List the candidates that are waiting for you; approve, reject or edit them.

    Nothing in the inbox is served to agents; what you reject is not proposed again. A candidate of
    unknown project is approved with --project or --scope, which settles its whole session.
    """
    record_filter = build_filter(
        call,
        project=None if approve else project,
        statuses=["inbox"],
        types=types,
        kinds=kinds,
        min_confidence=min_confidence,
        max_confidence=max_confidence,
        source=source,
        tags=None if approve else tags,
    )
    options = review_inbox.InboxOptions(
        tuple(approve or ()),
        tuple(reject or ()),
        tuple(ids or ()),
        approve_all,
        reject_all,
        edit,
        review,
        reason,
        project,
        scope,
        dry_run,
        tuple(tags or ()),
    )
    limit = -1 if everything else limit
    return review_inbox.handle_inbox(call.engine, record_filter, options, limit, offset, call.place)
