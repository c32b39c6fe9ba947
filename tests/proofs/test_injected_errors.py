"""A disk that is full, over quota or broken at any file operation: a documented exit code, no
traceback, a sound store, nothing acknowledged lost.
"""

from __future__ import annotations

import errno
from collections.abc import Callable

import pytest
from proofs import sampling
from proofs.commands import SCENARIOS
from proofs.judging import count_operations, judge, judge_end, prepare
from proofs.workshop import Scenario, Workshop

from memctl.core.errors import exit_codes

ERRORS = 2
KINDS = (errno.ENOSPC, errno.EIO, errno.EDQUOT)
# Said for an error that the disk itself reports.
ROOM = (errno.ENOSPC, errno.EDQUOT)


@pytest.mark.proof
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_an_error_at_any_operation_is_told_and_loses_nothing(
    scenario: Scenario, workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    count = count_operations(workshop, scenario)
    places = sampling.choose(f"error {scenario.name}", count, ERRORS)
    injected = 0
    for part in sampling.split(places, ERRORS):
        before = prepare(workshop, scenario)
        for place in part:
            kind = KINDS[place % len(KINDS)]
            stays = ("sticky", "once")[place // len(KINDS) % 2]
            run = workshop.run(scenario, fail=f"{place}:{kind}:{stays}")
            injected += bool(run.failures)
            told = (place, kind, stays, run.code, run.stdout, run.stderr)
            assert "Traceback" not in run.stderr + run.stdout, told
            assert run.code in exit_codes(), told
            assert not (run.failures and stays == "sticky" and kind in ROOM and run.code == 13), (
                "a full disk is no damage",
                told,
            )
            judge(workshop, scenario, before)
        judge_end(workshop, scenario)
    assert injected
    record_property("errors", injected)
    record_property("commands", 1)
    record_property("tracebacks", 0)
    record_property("lost", 0)
