"""The month of `benchmarks/dream.py`, shorter: what stands in MEMORY.md is in force and traced."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import dream
from benchmarks.year_run import Life, moved
from benchmarks.year_world import world


@pytest.mark.proof
@pytest.mark.needs("weights")
def test_over_some_nights_every_sentence_is_of_a_record_in_force(tmp_path: Path) -> None:
    with moved() as moment:
        life = Life(tmp_path, world(3, "A", days=12, sessions=14), moment)
        account = dream.live(life, 1200)
    found = dream.figures(account)
    assert account.faults == []
    assert found["lines"] > 50 and found["daily notes"] > 4 and found["lines changed"] > 10
    for name, (sign, bound) in dream.TARGETS.items():
        assert dream.is_met(found[name], sign, bound), (name, found[name])


def test_the_month_sees_what_is_wrong() -> None:
    account = dream.Account()
    line = dream.MemoryLine("record", "facts", "- The moon is made of cheese `01JV3KQX2M`", ("x",))
    dream.check_line(line, {}, account)
    assert account.counts["untraced"] == 1 and account.counts["foreign words"] == 1
