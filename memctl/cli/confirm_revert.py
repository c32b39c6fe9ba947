"""Before changes are undone, the person is shown which ones and asked."""

from __future__ import annotations

from memctl.cli import prompts
from memctl.cli.call import Call
from memctl.cli.text.formatting import format_count
from memctl.cli.text.history import render_revert_steps
from memctl.core.errors import RefusedByPolicy
from memctl.results.history import RevertReport


def confirm_revert(call: Call, plan: RevertReport, *, yes: bool) -> bool:
    """Whether there is something to undo and it may be. Raises RefusedByPolicy, UsageError, Interrupted."""
    if plan.refused:
        raise RefusedByPolicy(plan.refused)
    if not plan.steps:
        return False
    if not yes:
        prompts.say("memctl: this is undone, newest first:", *render_revert_steps(plan))
    prompts.require_consent(f"Undo {format_count(len(plan.steps), 'change')}?", yes=yes)
    return True
