"""The plan of a maintenance: every step that is wanted once, after what it depends on, with its
reason and its share of the time.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.core import timestamps
from memctl.core.frozen import replace
from memctl.maintain import steps as table
from memctl.maintain.plan import (
    PERHAPS,
    RUN,
    SKIP,
    MaintenanceStep,
    PlanInputs,
    PlannedStep,
    StepHistory,
    compute_time_limit,
    make_plan,
    sort_steps,
)

NOW = "2026-05-06T03:00:00.000Z"


def step(name: str, **given: object) -> MaintenanceStep:
    return replace(MaintenanceStep(name, name, lambda run: None), **given)


def known(
    past: dict[str, StepHistory] | None = None,
    waits: dict[str, int | None] | None = None,
    off: dict[str, str] | None = None,
) -> PlanInputs:
    return PlanInputs(past or {}, waits or {}, off or {}, NOW)


def ago(hours: float) -> StepHistory:
    return StepHistory("done", timestamps.add_seconds(NOW, seconds=-3600 * hours))


def reason(one: MaintenanceStep, **given: object) -> tuple[str, str]:
    found = make_plan([one], (), known(**given), None)[0]  # type: ignore[arg-type]
    return found.decision, found.reason


@st.composite
def tables(draw: st.DrawFn) -> list[MaintenanceStep]:
    """Steps that may need any that stand before them in some order, listed in any other."""
    names = draw(st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=1, max_size=8))
    made = []
    for place, name in enumerate(names):
        before = names[:place]
        needs = draw(st.lists(st.sampled_from(before), unique=True)) if before else []
        after = draw(st.lists(st.sampled_from(before), unique=True)) if before else []
        every, weight, early = (
            draw(st.sampled_from([0.0, 20.0])),
            draw(st.integers(1, 10)),
            draw(st.booleans()),
        )
        made.append(
            step(
                name,
                needs=tuple(needs),
                after=tuple(after),
                every_hours=every,
                weight=weight,
                is_due_early=early,
            )
        )
    return list(draw(st.permutations(made)))


@st.composite
def situations(draw: st.DrawFn, steps: Sequence[MaintenanceStep]) -> PlanInputs:
    states = st.sampled_from([None, "done", "failed", "unfinished", "running"])
    pasts = st.builds(
        StepHistory,
        states,
        st.one_of(
            st.none(),
            st.floats(0, 100).map(lambda h: timestamps.add_seconds(NOW, seconds=-3600 * h)),
        ),
    )
    names = [one.name for one in steps]
    return PlanInputs(
        {name: draw(pasts) for name in names},
        {name: draw(st.one_of(st.none(), st.integers(0, 9))) for name in names},
        {name: draw(st.sampled_from([None, None, "is off"])) for name in names},
        NOW,
    )


@given(st.data(), tables(), st.one_of(st.none(), st.floats(0, 1e6)))
def test_every_wanted_step_stands_in_the_plan_once_after_what_it_depends_on(
    data: st.DataObject, steps: list[MaintenanceStep], budget: float | None
) -> None:
    asked = data.draw(st.sets(st.sampled_from([one.name for one in steps])))
    made = make_plan(steps, asked, data.draw(situations(steps)), budget)
    names = [one.name for one in made]
    assert sorted(names) == sorted(asked or {one.name for one in steps})
    for place, one in enumerate(made):
        assert {*one.step.needs, *one.step.after} & set(names) <= set(names[:place])
        assert one.reason and one.decision in (RUN, PERHAPS, SKIP)


@given(st.data(), tables(), st.one_of(st.none(), st.floats(0, 1e6)))
def test_the_same_question_has_the_same_answer(
    data: st.DataObject, steps: list[MaintenanceStep], budget: float | None
) -> None:
    situation = data.draw(situations(steps))
    assert make_plan(steps, (), situation, budget) == make_plan(list(steps), [], situation, budget)


@given(st.data(), tables(), st.floats(0, 1e6))
def test_what_is_sure_never_exceeds_the_budget_and_what_runs_is_sure_of_some(
    data: st.DataObject, steps: list[MaintenanceStep], budget: float
) -> None:
    made = make_plan(steps, (), data.draw(situations(steps)), budget)
    assert all(one.reserved is not None and one.reserved >= 0 for one in made)
    assert sum(one.reserved or 0 for one in made) <= budget * 0.5 + 1e-6
    assert all(
        (one.reserved == 0) == (one.decision == SKIP or budget == 0) or budget < 1e-300
        for one in made
    )


@given(st.data(), tables(), st.floats(0.1, 1e5))
def test_no_step_gets_less_than_nothing_or_less_than_it_is_sure_of_while_all_keep_to_their_time(
    data: st.DataObject, steps: list[MaintenanceStep], budget: float
) -> None:
    made, left = make_plan(steps, (), data.draw(situations(steps)), budget), budget
    for place, one in enumerate(made):
        mine = compute_time_limit(made[place:], left)
        assert mine is not None and 0 <= mine <= left + 1e-6
        assert mine >= (one.reserved or 0) - 1e-6
        left = max(0.0, left - mine * data.draw(st.floats(0, 1)))


@given(st.lists(st.floats(0, 10), min_size=1, max_size=6), st.floats(0, 100))
def test_time_is_never_negative_however_much_was_taken(sure: list[float], left: float) -> None:
    rest = [PlannedStep(step(str(n)), RUN, "due", None, seconds) for n, seconds in enumerate(sure)]
    found = compute_time_limit(rest, left)
    assert found is not None and 0 <= found <= left + 1e-9
    assert compute_time_limit(rest, None) is None


def test_a_circle_is_refused() -> None:
    with pytest.raises(ValueError, match="depends on itself"):
        sort_steps([step("a", needs=("b",)), step("b", after=("a",))])


def test_the_table_itself_has_unique_names_no_circle_and_depends_on_what_is_there() -> None:
    names = [one.name for one in table.STEPS]
    assert len(set(names)) == len(names)
    assert [one.name for one in sort_steps(table.STEPS)] == names, (
        "the table is written in the order in which it is taken"
    )
    assert {name for one in table.STEPS for name in (*one.needs, *one.after)} <= set(names)


def test_each_reason() -> None:
    daily = step("a", every_hours=20)
    assert reason(daily) == (RUN, "never done yet")
    assert reason(daily, past={"a": ago(21)}) == (RUN, "due")
    assert reason(daily, past={"a": ago(1)}) == (SKIP, "not due until 2026-05-06T22:00:00.000Z")
    assert reason(daily, past={"a": StepHistory("unfinished", ago(1).done_at)}) == (
        RUN,
        "continues where it stopped",
    )
    assert reason(daily, past={"a": StepHistory("running", ago(1).done_at)}) == (
        RUN,
        "continues where it stopped",
    )
    assert reason(daily, past={"a": StepHistory("failed", ago(1).done_at)}) == (
        RUN,
        "failed last time",
    )
    assert reason(daily, off={"a": "a.b is 0"}) == (SKIP, "a.b is 0")
    assert reason(step("a"), waits={"a": 3}) == (RUN, "3 waiting")
    assert reason(step("a"), waits={"a": 0}) == (SKIP, "nothing waiting")
    assert reason(step("a")) == (RUN, "due")


def test_what_waits_makes_only_an_early_step_due_before_its_time() -> None:
    past = {"a": ago(1)}
    assert reason(step("a", every_hours=20), past=past, waits={"a": 3})[0] == SKIP
    assert reason(step("a", every_hours=20, is_due_early=True), past=past, waits={"a": 3}) == (
        RUN,
        "3 waiting",
    )
    assert reason(step("a", every_hours=20, is_due_early=True), past=past, waits={"a": 0}) == (
        SKIP,
        "nothing waiting",
    )
    assert reason(
        step("a", every_hours=20, is_due_early=True), past={"a": ago(30)}, waits={"a": 0}
    ) == (
        RUN,
        "due",
    )


def test_a_step_for_which_nothing_waits_may_get_something_from_those_before_it() -> None:
    made = make_plan(
        [step("a"), step("b", after=("a",)), step("c", needs=("b",))],
        (),
        known(waits={"a": 1, "b": 0, "c": 0}),
        None,
    )
    assert [(one.decision, one.reason) for one in made][1:] == [
        (PERHAPS, "only if a leaves something to do"),
        (PERHAPS, "only if b leaves something to do"),
    ]


def test_what_is_asked_for_is_taken_alone_and_told_what_it_needs() -> None:
    made = make_plan(
        [step("a"), step("b", needs=("a",))],
        ["b"],
        known(past={"b": ago(0.1)}, waits={"b": 0}),
        None,
    )
    assert [(one.name, one.decision, one.reason) for one in made] == [
        ("b", RUN, "requested; uses the last results of a")
    ]
