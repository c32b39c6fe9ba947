"""Before `doctor --repair` changes anything, the person sees what."""

from __future__ import annotations

from memctl.cli import prompts
from memctl.cli.call import Call
from memctl.results.store import DoctorReport


def confirm_repair(call: Call, found: DoctorReport, *, yes: bool) -> bool:
    """Show the problems and ask; False if there are none.

    Only a person at the terminal is asked. Raises Interrupted on a no.
    """
    problems = [
        f"  {check.name}: {check.detail}" for check in found.checks if check.state == "problem"
    ]
    if not problems:
        return False
    prompts.say("memctl: a backup is made, then what can be repaired is repaired:", *problems)
    if prompts.is_person() and not yes:
        prompts.require_consent(f"Repair {call.engine.config.db}?", yes=False)
    return True
