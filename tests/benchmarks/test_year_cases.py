"""A simulated month of work: after the nightly runs what is served is what holds, once, and nothing
of the noise.

The whole year is `benchmarks/year.py`; this is a piece of it small enough for every run of the
tests, worded by family A, with an operator who makes no mistakes and nothing beside the slots.
"""

from __future__ import annotations

import pytest

from benchmarks import year_probe
from benchmarks.year_run import Life, days, moved
from benchmarks.year_world import world

DAYS, SESSIONS, SLOTS = 40, 30, 3
# Much is told twice in so short a time; the figures of a whole year are the benchmark's.
FLOOR, MOST = 0.6, 2.0


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> tuple[Life, year_probe.Reading]:
    """The month, with everything looked at by the operator on its last day."""
    with pytest.MonkeyPatch.context() as patch, moved() as moment:
        patch.setenv("MEMCTL_EMBEDDING_MODEL", "none")
        life = Life(
            tmp_path_factory.mktemp("year") / "home",
            world(5, "A", days=DAYS, sessions=SESSIONS, slots=SLOTS, beside=0),
            moment,
            errs=False,
        )
        for day in days(life):
            if day == DAYS - 1:
                life.look(day, at_all=True)
                life.night(day)
        return life, year_probe.read(life, DAYS - 1)


def test_what_holds_is_what_is_served(month: tuple[Life, year_probe.Reading]) -> None:
    assert month[1].share("current") >= FLOOR


def test_what_no_longer_holds_is_mostly_not_served(month: tuple[Life, year_probe.Reading]) -> None:
    assert month[1].share("stale") <= 1 - FLOOR


def test_a_fact_told_in_many_words_is_not_a_record_for_each_of_them(
    month: tuple[Life, year_probe.Reading],
) -> None:
    assert month[1].duplicates <= MOST


def test_nothing_of_the_noise_is_in_force(month: tuple[Life, year_probe.Reading]) -> None:
    assert month[1].junk <= 0.02


def test_no_night_leaves_work_undone(month: tuple[Life, year_probe.Reading]) -> None:
    assert [problem for night in month[0].nights for problem in night.problems] == []
