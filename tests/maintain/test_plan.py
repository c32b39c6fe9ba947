"""The plan of a maintenance: every step that is wanted once, after what it depends on, with its reason and its share of the time."""

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
    Known,
    Past,
    Planned,
    Step,
    ordered,
    plan,
    time_for,
)

NOW = "2026-05-06T03:00:00.000Z"


def step(name: str, **given: object) -> Step:
    return replace(Step(name, name, lambda run: {}), **given)


def known(
    past: dict[str, Past] | None = None,
    waits: dict[str, int | None] | None = None,
    off: dict[str, str] | None = None,
) -> Known:
    return Known(past or {}, waits or {}, off or {}, NOW)


def ago(hours: float) -> Past:
    return Past("done", timestamps.add_seconds(NOW, seconds=-3600 * hours))


def reason(one: Step, **given: object) -> tuple[str, str]:
    found = plan([one], (), known(**given), None)[0]  # type: ignore[arg-type]
    return found.what, found.reason


@st.composite
def tables(draw: st.DrawFn) -> list[Step]:
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
                every=every,
                weight=weight,
                early=early,
            )
        )
    return list(draw(st.permutations(made)))


@st.composite
def situations(draw: st.DrawFn, steps: Sequence[Step]) -> Known:
    states = st.sampled_from([None, "done", "failed", "unfinished", "running"])
    pasts = st.builds(
        Past,
        states,
        st.one_of(
            st.none(),
            st.floats(0, 100).map(lambda h: timestamps.add_seconds(NOW, seconds=-3600 * h)),
        ),
    )
    names = [one.name for one in steps]
    return Known(
        {name: draw(pasts) for name in names},
        {name: draw(st.one_of(st.none(), st.integers(0, 9))) for name in names},
        {name: draw(st.sampled_from([None, None, "is off"])) for name in names},
        NOW,
    )


@given(st.data(), tables(), st.one_of(st.none(), st.floats(0, 1e6)))
def test_every_wanted_step_stands_in_the_plan_once_after_what_it_depends_on(
    data: st.DataObject, steps: list[Step], budget: float | None
) -> None:
    asked = data.draw(st.sets(st.sampled_from([one.name for one in steps])))
    made = plan(steps, asked, data.draw(situations(steps)), budget)
    names = [one.name for one in made]
    assert sorted(names) == sorted(asked or {one.name for one in steps})
    for place, one in enumerate(made):
        assert {*one.step.needs, *one.step.after} & set(names) <= set(names[:place])
        assert one.reason and one.what in (RUN, PERHAPS, SKIP)


@given(st.data(), tables(), st.one_of(st.none(), st.floats(0, 1e6)))
def test_the_same_question_has_the_same_answer(
    data: st.DataObject, steps: list[Step], budget: float | None
) -> None:
    situation = data.draw(situations(steps))
    assert plan(steps, (), situation, budget) == plan(list(steps), [], situation, budget)


@given(st.data(), tables(), st.floats(0, 1e6))
def test_what_is_sure_never_exceeds_the_budget_and_what_runs_is_sure_of_some(
    data: st.DataObject, steps: list[Step], budget: float
) -> None:
    made = plan(steps, (), data.draw(situations(steps)), budget)
    assert all(one.sure is not None and one.sure >= 0 for one in made)
    assert sum(one.sure or 0 for one in made) <= budget * 0.5 + 1e-6
    assert all(
        (one.sure == 0) == (one.what == SKIP or budget == 0) or budget < 1e-300 for one in made
    )


@given(st.data(), tables(), st.floats(0.1, 1e5))
def test_no_step_gets_less_than_nothing_or_less_than_it_is_sure_of_while_all_keep_to_their_time(
    data: st.DataObject, steps: list[Step], budget: float
) -> None:
    made, left = plan(steps, (), data.draw(situations(steps)), budget), budget
    for place, one in enumerate(made):
        mine = time_for(made[place:], left)
        assert mine is not None and 0 <= mine <= left + 1e-6
        assert mine >= (one.sure or 0) - 1e-6
        left = max(0.0, left - mine * data.draw(st.floats(0, 1)))


@given(st.lists(st.floats(0, 10), min_size=1, max_size=6), st.floats(0, 100))
def test_time_is_never_negative_however_much_was_taken(sure: list[float], left: float) -> None:
    rest = [Planned(step(str(n)), RUN, "due", None, seconds) for n, seconds in enumerate(sure)]
    found = time_for(rest, left)
    assert found is not None and 0 <= found <= left + 1e-9
    assert time_for(rest, None) is None


def test_a_circle_is_refused() -> None:
    with pytest.raises(ValueError, match="depends on itself"):
        ordered([step("a", needs=("b",)), step("b", after=("a",))])


def test_the_table_itself_has_unique_names_no_circle_and_depends_on_what_is_there() -> None:
    names = [one.name for one in table.STEPS]
    assert len(set(names)) == len(names)
    assert [one.name for one in ordered(table.STEPS)] == names, (
        "the table is written in the order in which it is taken"
    )
    assert {name for one in table.STEPS for name in (*one.needs, *one.after)} <= set(names)


def test_each_reason() -> None:
    daily = step("a", every=20)
    assert reason(daily) == (RUN, "never done yet")
    assert reason(daily, past={"a": ago(21)}) == (RUN, "due")
    assert reason(daily, past={"a": ago(1)}) == (SKIP, "not due until 2026-05-06T22:00:00.000Z")
    assert reason(daily, past={"a": Past("unfinished", ago(1).done_at)}) == (
        RUN,
        "goes on from where it stopped",
    )
    assert reason(daily, past={"a": Past("running", ago(1).done_at)}) == (
        RUN,
        "goes on from where it stopped",
    )
    assert reason(daily, past={"a": Past("failed", ago(1).done_at)}) == (RUN, "failed last time")
    assert reason(daily, off={"a": "a.b is 0"}) == (SKIP, "a.b is 0")
    assert reason(step("a"), waits={"a": 3}) == (RUN, "3 wait")
    assert reason(step("a"), waits={"a": 0}) == (SKIP, "nothing waits")
    assert reason(step("a")) == (RUN, "due")


def test_what_waits_makes_only_an_early_step_due_before_its_time() -> None:
    past = {"a": ago(1)}
    assert reason(step("a", every=20), past=past, waits={"a": 3})[0] == SKIP
    assert reason(step("a", every=20, early=True), past=past, waits={"a": 3}) == (RUN, "3 wait")
    assert reason(step("a", every=20, early=True), past=past, waits={"a": 0}) == (
        SKIP,
        "nothing waits",
    )
    assert reason(step("a", every=20, early=True), past={"a": ago(30)}, waits={"a": 0}) == (
        RUN,
        "due",
    )


def test_a_step_for_which_nothing_waits_may_get_something_from_those_before_it() -> None:
    made = plan(
        [step("a"), step("b", after=("a",)), step("c", needs=("b",))],
        (),
        known(waits={"a": 1, "b": 0, "c": 0}),
        None,
    )
    assert [(one.what, one.reason) for one in made][1:] == [
        (PERHAPS, "if a leave something"),
        (PERHAPS, "if b leave something"),
    ]


def test_what_is_asked_for_is_taken_alone_and_told_what_it_needs() -> None:
    made = plan(
        [step("a"), step("b", needs=("a",))],
        ["b"],
        known(past={"b": ago(0.1)}, waits={"b": 0}),
        None,
    )
    assert [(one.name, one.what, one.reason) for one in made] == [
        ("b", RUN, "asked for; it needs a, as last done")
    ]
