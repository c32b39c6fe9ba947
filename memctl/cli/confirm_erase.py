"""Before anything is taken out of a store for good, the person is shown what would go and asked."""

from __future__ import annotations

from memctl.cli import prompts
from memctl.cli.call import Call
from memctl.cli.text.erasure import found_lines, plan_lines
from memctl.cli.text.records import number
from memctl.results.erasure import PurgeReport, RedactionReport


def agreed_to_purge(call: Call, plan: PurgeReport, *, yes: bool) -> bool:
    """Whether the plan may be carried out; it raises where it may not."""
    if not yes:
        prompts.say("memctl: this goes for good:", *plan_lines(plan))
    prompts.agreed(f"Erase it from {call.engine.config.db}? Nothing brings it back.", yes=yes)
    return True


def agreed_to_redact(found: RedactionReport, *, yes: bool) -> bool:
    """Whether there is something to replace and it may be."""
    if not found.items:
        return False
    if not yes:
        prompts.say("memctl: these would be replaced, in history too:", *found_lines(found))
    prompts.agreed(
        f"Replace secrets in {number(len(found.items), 'place')}? What they were is gone then.",
        yes=yes,
    )
    return True
