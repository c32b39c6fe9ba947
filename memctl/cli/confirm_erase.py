"""Before anything is erased for good, the person sees what, and is asked."""

from __future__ import annotations

from memctl.cli import prompts
from memctl.cli.call import Call
from memctl.cli.text.erasure import render_purge_plan, render_secret_spots
from memctl.cli.text.formatting import format_count
from memctl.results.erasure import PurgeReport, RedactionReport


def confirm_purge(call: Call, plan: PurgeReport, *, yes: bool) -> bool:
    """Show the plan and ask; returns True or raises like `prompts.require_consent`."""
    if not yes:
        prompts.say("memctl: this is erased for good:", *render_purge_plan(plan))
    question = f"Erase it from {call.engine.config.db}? This cannot be undone."
    prompts.require_consent(question, yes=yes)
    return True


def confirm_redaction(found: RedactionReport, *, yes: bool) -> bool:
    """Show the secrets' locations and ask; False if there is nothing to replace.

    Raises like `prompts.require_consent`.
    """
    if not found.items:
        return False
    if not yes:
        lines = render_secret_spots(found)
        prompts.say("memctl: these would be replaced, in history too:", *lines)
    items = format_count(len(found.items), "item")
    prompts.require_consent(f"Replace the secrets in {items}? This cannot be undone.", yes=yes)
    return True
