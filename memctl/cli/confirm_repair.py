"""Before `doctor --repair` mends anything, the person is shown what it would mend."""

from __future__ import annotations

from memctl.cli import prompts
from memctl.cli.call import Call
from memctl.results.store import DoctorReport


def confirm_repair(call: Call, found: DoctorReport, *, yes: bool) -> bool:
    """Whether there is something to mend and it may be: a person at the terminal is asked; a script that says --repair means it."""
    plan = [f"  {check.name}: {check.detail}" for check in found.checks if check.state == "problem"]
    if not plan:
        return False
    prompts.say("memctl: a backup is made, then what can be mended is mended:", *plan)
    if prompts.is_person() and not yes:
        prompts.require_consent(f"Repair {call.engine.config.db}?", yes=False)
    return True
