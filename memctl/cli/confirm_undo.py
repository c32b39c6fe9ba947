"""Before changes are undone, the person is shown which ones and asked."""

from __future__ import annotations

from memctl.cli import prompts
from memctl.cli.call import Call
from memctl.cli.text.history import step_lines
from memctl.cli.text.records import number
from memctl.core.errors import RefusedByPolicy
from memctl.results.history import RevertReport


def agreed_to_revert(call: Call, plan: RevertReport, *, yes: bool) -> bool:
    """Whether there is something to undo and it may be. Raises RefusedByPolicy, UsageError, Interrupted."""
    if plan.refused:
        raise RefusedByPolicy(plan.refused)
    if not plan.steps:
        return False
    if not yes:
        prompts.say("memctl: this is undone, newest first:", *step_lines(plan))
    prompts.agreed(f"Undo {number(len(plan.steps), 'change')}?", yes=yes)
    return True
