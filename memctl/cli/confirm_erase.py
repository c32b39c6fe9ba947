"""Before anything is taken out of a store for good, the person is shown what would go and asked."""

from __future__ import annotations

from memctl.cli import prompts
from memctl.cli.call import Call
from memctl.cli.text.erasure import render_purge_plan, render_secret_spots
from memctl.cli.text.formatting import format_count
from memctl.results.erasure import PurgeReport, RedactionReport


def confirm_purge(call: Call, plan: PurgeReport, *, yes: bool) -> bool:
    """Whether the plan may be carried out; it raises where it may not."""
    if not yes:
        prompts.say("memctl: this goes for good:", *render_purge_plan(plan))
    prompts.require_consent(
        f"Erase it from {call.engine.config.db}? Nothing brings it back.", yes=yes
    )
    return True


def confirm_redaction(found: RedactionReport, *, yes: bool) -> bool:
    """Whether there is something to replace and it may be."""
    if not found.items:
        return False
    if not yes:
        prompts.say("memctl: these would be replaced, in history too:", *render_secret_spots(found))
    prompts.require_consent(
        f"Replace secrets in {format_count(len(found.items), 'place')}? What they were is gone then.",
        yes=yes,
    )
    return True
