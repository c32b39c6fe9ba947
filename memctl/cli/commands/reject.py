"""`memctl reject`."""

from __future__ import annotations

from memctl.cli import review_inbox
from memctl.cli.call import Call
from memctl.cli.cli_results import ReviewReport
from memctl.cli.declarations import command
from memctl.cli.options import DryRun, Reason, RecordIds
from memctl.core.model import Filter
from memctl.results.records import ChangeReport, Page


@command(
    "memctl reject 01JV3KS90C",
    "memctl reject 01JV3KS90C --reason 'was a joke'",
    codes=(1, 20, 21),
)
def run(
    call: Call, ids: RecordIds, reason: Reason = None, dry_run: DryRun = False
) -> Page | ChangeReport | ReviewReport:
    """Turn candidates and proposals of maintenance down for good: they are not proposed again.

    The same as `memctl inbox --reject`. `memctl undo` takes it back.
    """
    options = review_inbox.InboxOptions(reject=tuple(ids), reason=reason, dry_run=dry_run)
    return review_inbox.handle_inbox(call.engine, Filter(), options)
