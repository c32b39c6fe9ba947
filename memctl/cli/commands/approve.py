"""`memctl approve`."""

from __future__ import annotations

from memctl.cli import review_inbox
from memctl.cli.call import Call
from memctl.cli.cli_results import ReviewReport
from memctl.cli.declarations import command
from memctl.cli.options import BelongsTo, DryRun, NewScope, Reason, RecordIds
from memctl.core.model import Filter
from memctl.results.records import ChangeReport, Page


@command(
    "memctl approve 01JV3KQX2M 01JV3KR7AA",
    "memctl approve 01JV3KQX2M --project harbor-tides",
    "memctl approve 01JV3KQX2M --reason 'locks under load' --dry-run",
    codes=(1, 20, 21),
)
def run(
    call: Call,
    ids: RecordIds,
    reason: Reason = None,
    project: BelongsTo = None,
    scope: NewScope = None,
    dry_run: DryRun = False,
) -> Page | ChangeReport | ReviewReport:
    """Make candidates active, and carry out proposals of maintenance.

    The same as `memctl inbox --approve`. `memctl undo` takes it back.
    """
    options = review_inbox.InboxOptions(
        approve=tuple(ids), reason=reason, project=project, scope=scope, dry_run=dry_run
    )
    return review_inbox.handle_inbox(call.engine, Filter(), options)
