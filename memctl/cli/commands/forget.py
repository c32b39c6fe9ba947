"""`memctl forget`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import command
from memctl.cli.options import DryRun, Reason, RecordIds
from memctl.results.records import ChangeReport


@command(
    "memctl forget 01JV3KQX2M --reason 'no longer so'",
    "memctl forget 01JV3KQX2M 01JV3KR7AA --dry-run",
    codes=(1, 20, 21),
)
def run(call: Call, ids: RecordIds, reason: Reason = None, dry_run: DryRun = False) -> ChangeReport:
    """Archive records; they are not served, proposed or imported again.

    `memctl revert` restores them.
    """
    return call.engine.forget(ids, reason=reason, dry_run=dry_run)
