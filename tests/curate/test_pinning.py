"""What contexts begin with: pins, then what the operator laid down, then what is in use; within
a budget, and told why.
"""

from __future__ import annotations

from typing import Any

import pytest
from bench import Bench

from memctl.core import clock
from memctl.core.errors import RefusedByPolicy
from memctl.core.frozen import replace
from memctl.core.model import OPERATOR_IMPLIED, Memory, Place, Query
from memctl.curate import pinning
from memctl.store import meta, projects, records


@pytest.fixture
def kiln(bench: Bench) -> str:
    """A project's id."""
    with bench.db.write():
        return projects.insert(bench.db, "kiln", None, clock.now()).id


def put(bench: Bench, content: str, kiln: str, **given: Any) -> Memory:
    return bench.put(content, project="kiln", **given)


def change(bench: Bench, memory: Memory, **fields: Any) -> Memory:
    with bench.db.write():
        changed = replace(memory, **fields, updated_at=clock.now())
        records.replace_record(bench.db, memory, changed, verb="edited", actor="test", cause="test")
    return bench.get(memory)


def use(bench: Bench, memory: Memory, times: int) -> None:
    with bench.db.write():
        for _ in range(times):
            records.count_access(bench.db, [memory.id], clock.now())


def begun(bench: Bench, kiln: str, **given: Any) -> dict[str, str]:
    """Why each record of a context with no task comes up, in order."""
    report = bench.operator.context_for(place=Place(kiln), **given)
    return {item.id: item.why or "" for section in report.sections for item in section.items}


def test_a_pinned_record_comes_first_and_says_why(bench: Bench, kiln: str) -> None:
    for n in range(4):
        put(bench, f"Shelf {n} holds lamp {n}", kiln)
    pinned = put(bench, "Fire at 1040 degrees", kiln)
    assert bench.operator.records.pin([pinned.id]).changed[0].memory.always_load
    why = begun(bench, kiln)
    assert next(iter(why)) == pinned.id and why[pinned.id].startswith("pinned")


def test_only_the_operator_pins_and_takes_out(bench: Bench, kiln: str) -> None:
    memory = put(bench, "Fire at 1040 degrees", kiln)
    for act in (bench.agent.records.pin, bench.agent.records.unpin):
        with pytest.raises(RefusedByPolicy):
            act([memory.id])


def test_what_is_archived_is_not_pinned(bench: Bench, kiln: str) -> None:
    memory = put(bench, "Fire at 1040 degrees", kiln)
    bench.operator.forget([memory.id])
    report = bench.operator.records.pin([memory.id])
    assert not report.changed and report.refused[0].reason == "it is archived"


def test_constraints_of_the_operator_are_loaded_before_what_is_hot(bench: Bench, kiln: str) -> None:
    rule = put(bench, "Never open the kiln above 200 degrees", kiln, kind="constraint")
    hot, cold = (
        put(bench, "The tongs hang at the door", kiln),
        put(bench, "The broom stands behind the shelf", kiln),
    )
    use(bench, hot, 9)
    assert pinning.choose_loaded_records(bench.db, bench.config)["loaded"] == 2
    why = begun(bench, kiln)
    assert list(why)[:2] == [rule.id, hot.id]
    assert why[rule.id] == "by rule: a constraint that the operator stated" and why[
        hot.id
    ].startswith("by use: served 9 times")
    assert why.get(cold.id) in (None, "among the strongest here")


def test_what_an_agent_merely_claims_is_never_loaded_by_rule_or_use(
    bench: Bench, kiln: str
) -> None:
    claim = put(bench, "Always open the kiln at once", kiln, kind="constraint", by=bench.agent)
    change(bench, claim, status="active")
    use(bench, bench.get(claim), 99)
    assert pinning.choose_loaded_records(bench.db, bench.config)["loaded"] == 0
    change(bench, bench.get(claim), trust=OPERATOR_IMPLIED)
    assert pinning.choose_loaded_records(bench.db, bench.config)["loaded"] == 1


def test_what_was_taken_out_stays_out_until_it_is_left_to_rule_again(
    bench: Bench, kiln: str
) -> None:
    rule = put(bench, "Never open the kiln above 200 degrees", kiln, kind="constraint")
    pinning.choose_loaded_records(bench.db, bench.config)
    assert bench.operator.records.unpin([rule.id]).changed[0].memory.never_load
    assert rule.id not in begun(bench, kiln)
    assert pinning.choose_loaded_records(bench.db, bench.config)["loaded"] == 0
    assert bench.operator.search(Query("kiln above 200 degrees", place=Place(kiln))).items
    bench.operator.records.unpin([rule.id], auto=True)
    pinning.choose_loaded_records(bench.db, bench.config)
    assert begun(bench, kiln)[rule.id].startswith("by rule")


def test_the_budget_bounds_what_comes_by_rule_and_pins_come_out_of_it_first(
    bench: Bench, kiln: str
) -> None:
    for n in range(30):
        put(
            bench,
            f"Never put pot number {n} on shelf number {n + 1} of the lower kiln",
            kiln,
            kind="constraint",
        )
    bench.settings(context__always_budget=100)
    few = pinning.choose_loaded_records(bench.db, bench.config)["loaded"]
    assert 0 < few < 8
    bench.operator.records.pin([put(bench, "A long word on lamps " * 12, kiln).id])
    assert pinning.choose_loaded_records(bench.db, bench.config)["loaded"] < few
    bench.settings(context__always_budget=0)
    assert pinning.choose_loaded_records(bench.db, bench.config)["loaded"] == 0


def test_pins_over_the_budget_are_told_and_those_without_room_are_named(
    bench: Bench, kiln: str
) -> None:
    bench.settings(context__always_budget=50)
    pins = [
        put(
            bench,
            f"Lamp {n} " + "burns with oil of the third pressing and a wick of flax " * 3,
            kiln,
        )
        for n in range(12)
    ]
    report = bench.operator.records.pin([memory.id for memory in pins])
    assert len(report.over_budget) == 1 and report.over_budget[0].startswith(
        "12 pinned records of kiln cost "
    )
    made = bench.operator.context_for(place=Place(kiln), budget=220)
    said = {item.id for section in made.sections for item in section.items}
    assert (
        made.pinned_left_out
        and said
        and said.isdisjoint(made.pinned_left_out)
        and {memory.id for memory in pins} == said | set(made.pinned_left_out)
    )
    assert f"no room for {len(made.pinned_left_out)} pinned: [" in made.text and made.tokens <= 220
    for format_ in ("xml", "plain"):
        assert (
            "no room for"
            in bench.operator.context_for(place=Place(kiln), budget=220, format=format_).text
        )


def test_what_fits_names_nothing(bench: Bench, kiln: str) -> None:
    bench.operator.records.pin([put(bench, "Fire at 1040 degrees", kiln).id])
    made = bench.operator.context_for(place=Place(kiln))
    assert made.pinned_left_out == () and "no room" not in made.text


def test_settling_again_writes_nothing(bench: Bench, kiln: str) -> None:
    put(bench, "Never open the kiln above 200 degrees", kiln, kind="constraint")
    pinning.choose_loaded_records(bench.db, bench.config)
    before = bench.db.value("meta.get", key=f"loaded:{kiln}")
    pinning.choose_loaded_records(bench.db, bench.config)
    assert before and meta.get_note(bench.db, f"loaded:{kiln}") == before


def test_a_record_archived_since_is_not_loaded(bench: Bench, kiln: str) -> None:
    rule = put(bench, "Never open the kiln above 200 degrees", kiln, kind="constraint")
    pinning.choose_loaded_records(bench.db, bench.config)
    bench.operator.forget([rule.id])
    assert rule.id not in begun(bench, kiln)
