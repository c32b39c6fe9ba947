"""A command that is killed at any of its file operations leaves a sound store, loses nothing, and
goes through when it is run again.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from proofs import sampling
from proofs.commands import AT_A_TERMINAL, READING, SCENARIOS, list_commands
from proofs.judging import count_operations, judge, judge_end, prepare
from proofs.workshop import Scenario, Workshop

KILLS = 3


def test_every_command_is_known_as_one_that_writes_or_one_that_reads() -> None:
    known = {scenario.command for scenario in SCENARIOS} | {*READING, *AT_A_TERMINAL}
    assert sorted(known) == sorted(list_commands())
    assert not {scenario.command for scenario in SCENARIOS} & set(READING)


@pytest.mark.proof
def test_commands_that_read_change_no_record_and_no_event(workshop: Workshop) -> None:
    with workshop.open() as db:
        before = [tuple(row) for row in db.all("event_log.everything")]
    for line in READING.values():
        done = workshop.command(line)
        assert done.returncode in (0, 1), (line, done.stderr)
    with workshop.open() as db:
        assert [tuple(row) for row in db.all("event_log.everything")] == before


@pytest.mark.proof
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_kills_at_any_operations_lose_nothing(
    scenario: Scenario, workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    count = count_operations(workshop, scenario)
    places = sampling.choose(f"kill {scenario.name}", count, KILLS)
    kills = 0
    for part in sampling.split(places, KILLS):
        before = prepare(workshop, scenario)
        for place in part:
            how = ("before", "half", "after")[place % 3]
            run = workshop.run(scenario, kill=f"{place}:{how}")
            kills += run.was_killed
            judge(workshop, scenario, before)
        judge_end(workshop, scenario)
    assert kills
    record_property("kills", kills)
    record_property("commands", 1)
    record_property("lost", 0)
    record_property("corrupt", 0)
