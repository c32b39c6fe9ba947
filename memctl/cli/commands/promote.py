"""`memctl promote`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import command
from memctl.cli.options import BelongsTo, DryRun, NewScope, Reason, RecordIds
from memctl.results.records import ChangeReport


@command(
    "memctl promote 01JV3KQX2M", "memctl promote 01JV3KQX2M 01JV3KR7AA --dry-run", codes=(1, 20, 21)
)
def run(
    call: Call,
    ids: RecordIds,
    reason: Reason = None,
    project: BelongsTo = None,
    scope: NewScope = None,
    dry_run: DryRun = False,
) -> ChangeReport:
    """Make candidates or archived records active. What policy forbids is refused one by one."""
    return call.engine.promote(ids, reason=reason, project=project, scope=scope, dry_run=dry_run)
