"""Before changes are undone, the person is shown which ones and asked."""

from __future__ import annotations

from memctl.cli import asking
from memctl.cli.call import Call
from memctl.cli.text import number
from memctl.cli.text_history import step_lines
from memctl.errors import RefusedByPolicy
from memctl.reports import RevertReport


def agreed_to_revert(call: Call, plan: RevertReport, *, yes: bool) -> bool:
    """Whether there is something to undo and it may be. Raises RefusedByPolicy, UsageError, Interrupted."""
    if plan.refused:
        raise RefusedByPolicy(plan.refused)
    if not plan.steps:
        return False
    if not yes:
        asking.say("memctl: this is undone, newest first:", *step_lines(plan))
    asking.agreed(f"Undo {number(len(plan.steps), 'change')}?", yes=yes)
    return True
