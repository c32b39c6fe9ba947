"""Before changes are undone, the person sees which, and is asked."""

from __future__ import annotations

from memctl.cli import prompts
from memctl.cli.text.formatting import format_count
from memctl.cli.text.history import render_revert_steps
from memctl.core.errors import RefusedByPolicy
from memctl.results.history import RevertReport


def confirm_revert(plan: RevertReport, *, yes: bool) -> bool:
    """Show the plan and ask; False if there is nothing to undo.

    Raises RefusedByPolicy, UsageError, Interrupted.
    """
    if plan.refused:
        raise RefusedByPolicy(plan.refused)
    if not plan.steps:
        return False
    if not yes:
        prompts.say("memctl: this is undone, newest first:", *render_revert_steps(plan))
    prompts.require_consent(f"Undo {format_count(len(plan.steps), 'change')}?", yes=yes)
    return True
