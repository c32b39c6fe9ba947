"""All commands that write, in one house, under a clock that is ahead, behind, in 1970 or on a leap
day; then again at the right time.
"""

from __future__ import annotations

import calendar
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from proofs import sampling
from proofs.commands import SCENARIOS
from proofs.workshop import Workshop

from memctl.core.errors import exit_codes

DAY = 86_400
CLOCKS: dict[str, Callable[[float], float]] = {
    "ahead": lambda now: now + 400 * DAY,
    "behind": lambda now: now - 400 * DAY,
    "in 1970": lambda _: DAY,
    "on a leap day": lambda _: calendar.timegm((2028, 2, 29, 23, 59, 58)),
    "in 2100": lambda _: calendar.timegm((2100, 1, 1, 0, 0, 0)),
}
# How many commands run under each clock, in the order of the table.
COMMANDS = 20


@pytest.mark.proof
@pytest.mark.parametrize("name", CLOCKS)
def test_a_clock_that_jumps_breaks_no_command_and_loses_nothing(
    name: str, workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    shift = str(int(CLOCKS[name](time.time()) - time.time()))
    chosen = sampling.choose(f"clock {name}", len(SCENARIOS), COMMANDS)
    before = workshop.contents()
    for place in chosen:
        scenario = SCENARIOS[place - 1]
        done = workshop.run(scenario, clock=shift)
        told = (scenario.line, done.code, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr, told
        assert done.code in exit_codes(), told
    assert workshop.find_faults() == []
    written = workshop.command("ingest 'The clock is right again' --global")
    assert written.returncode == 0, written.stderr
    assert workshop.maintain().code == 0
    assert "right again" in workshop.command("search 'is the clock right'").stdout
    assert_copy_is_there(workshop)
    assert workshop.find_faults() == []
    # Records may be changed by what was told to; none may be gone but for a purge or a restore.
    gone = set(before) - set(workshop.contents()) - {workshop.ids["DOOMED"], workshop.ids["OLD"]}
    assert gone == set()
    record_property("runs", len(chosen))
    record_property("clocks", 1)
    record_property("tracebacks", 0)
    record_property("lost", 0)


def assert_copy_is_there(workshop: Workshop) -> None:
    """Assert that a copy that is reported as made is there."""
    done = workshop.command("backup --json")
    assert done.returncode == 0, done.stderr
    path = Path(json.loads(done.stdout)["data"]["path"])
    assert path.exists(), "a copy was reported and then deleted"
