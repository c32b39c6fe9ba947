"""Before `doctor --repair` mends anything, the person is shown what it would mend."""

from __future__ import annotations

from memctl.cli import asking
from memctl.cli.call import Call
from memctl.results import DoctorReport


def agreed(call: Call, found: DoctorReport, *, yes: bool) -> bool:
    """Whether to go on: shown the findings, a person at the terminal is asked; a script that says --repair means it."""
    plan = [f"  {check.name}: {check.detail}" for check in found.checks if check.state == "problem"]
    asking.say("memctl: a backup is made, then what is derived is mended:", *plan or ["  (no problem was found)"])
    if asking.is_person() and not yes:
        asking.agreed(f"Repair {call.engine.config.db}?", yes=False)
    return True
