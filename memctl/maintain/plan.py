"""Decide which maintenance steps run, in which order, why, and how much time each is sure of. Pure.

Guarantees: every wanted step is in the plan exactly once, after all steps it depends on; the
reserved seconds never exceed the budget; equal inputs give equal plans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from memctl.core import timestamps
from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any

# What a plan says of a step: run it; run it if earlier steps leave it something to do; skip it.
RUN = "run"
PERHAPS = "perhaps"
SKIP = "skip"
# The part of a budget that is reserved for the steps beforehand. Of the other part, and of reserved
# time that is left over, each step takes what it needs, in order. Chosen by hand.
_RESERVED_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class MaintenanceStep:
    """One step of maintenance. See the page on maintenance for how to add one.

    name: unique; the operator uses it as `maintain --step NAME`.
    description: what the step does, as an imperative sentence.
    action: does the work. It gets the `MaintenanceRun`, counts what it commits and asks
        `must_stop()` between transactions.
    needs: steps that must not have failed in this run; the step comes after them.
    after: steps whose results it uses; the step comes after them.
    every_hours: it is due this many hours after it was last done; 0: at any time.
    is_due_early: waiting work makes it due before its time.
    weight: its share of the reserved time, relative to the other steps.
    is_shared: several runs can do it at once, each with its own part of the work.
    count_waiting: how much work waits for it; None: unknown, it runs when its time has come.
    why_off: why the settings turn it off, or None; None: it cannot be turned off.
    """

    name: str
    description: str
    action: Callable[[Any], None]
    needs: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    every_hours: float = 0
    is_due_early: bool = False
    weight: int = 1
    is_shared: bool = False
    count_waiting: Callable[[Any, Any], int] | None = None
    why_off: Callable[[Any], str | None] | None = None


@dataclass(frozen=True, slots=True)
class StepHistory:
    """How a step went: its last state (None: it never ran), and when it was last done."""

    state: str | None = None
    done_at: str | None = None


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One step of a plan. decision: `RUN`, `PERHAPS` or `SKIP`; `reserved` seconds are its own."""

    step: MaintenanceStep
    decision: str
    reason: str
    waiting: int | None = None
    reserved: float | None = None

    @property
    def name(self) -> str:
        """The name of the step."""
        return self.step.name


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """What a plan depends on, by the name of the step.

    histories: how it went; waiting: how much work waits (None: unknown); off: why it is turned
    off (None: it is not).
    """

    histories: Mapping[str, StepHistory]
    waiting: Mapping[str, int | None]
    off: Mapping[str, str | None]
    now: str


def make_plan(
    steps: Sequence[MaintenanceStep],
    requested: Iterable[str],
    inputs: PlanInputs,
    budget: float | None,
) -> tuple[PlannedStep, ...]:
    """Decide about each step, in order; only about the `requested` ones, if any are named.

    `budget` is in seconds; None: unlimited.
    """
    names = set(requested)
    planned: dict[str, PlannedStep] = {}
    for step in sort_steps([step for step in steps if not names or step.name in names]):
        if step.name in names:
            decision, reason = _decide_requested(step, inputs)
        else:
            decision, reason = _decide_due(step, inputs, planned)
        planned[step.name] = PlannedStep(step, decision, reason, inputs.waiting.get(step.name))
    return _reserve_time(list(planned.values()), budget)


def sort_steps(steps: Sequence[MaintenanceStep]) -> list[MaintenanceStep]:
    """Sort steps so that each follows what it depends on; otherwise keep their order.

    Raises ValueError for steps that depend on each other in a circle.
    """
    by_name = {step.name: step for step in steps}
    in_order: dict[str, MaintenanceStep] = {}
    being_visited: set[str] = set()

    def visit(step: MaintenanceStep) -> None:
        if step.name in in_order:
            return
        if step.name in being_visited:
            raise ValueError(f"the step {step.name} depends on itself")
        being_visited.add(step.name)
        for name in (*step.needs, *step.after):
            if name in by_name:
                visit(by_name[name])
        in_order[step.name] = step

    for step in steps:
        visit(step)
    return list(in_order.values())


def compute_due_time(step: MaintenanceStep, history: StepHistory) -> str | None:
    """When a step is due again; None if it is due already or has no time of its own."""
    if not step.every_hours or not history.done_at:
        return None
    return timestamps.add_seconds(history.done_at, seconds=3600 * step.every_hours)


def compute_time_limit(
    steps_left: Sequence[PlannedStep], seconds_left: float | None
) -> float | None:
    """How many seconds the first of the steps that are left may take; None: unlimited.

    That is everything except what is reserved for the others, and at least its own reserved time
    as long as there is any.
    """
    if seconds_left is None:
        return None
    own = steps_left[0].reserved or 0.0
    others = sum(planned.reserved or 0.0 for planned in steps_left[1:])
    return max(0.0, seconds_left - others, min(own, seconds_left))


def _decide_requested(step: MaintenanceStep, inputs: PlanInputs) -> tuple[str, str]:
    why_off = inputs.off.get(step.name)
    if why_off:
        return SKIP, why_off
    if step.needs:
        return RUN, f"requested; uses the last results of {', '.join(step.needs)}"
    return RUN, "requested"


def _decide_due(
    step: MaintenanceStep, inputs: PlanInputs, planned: Mapping[str, PlannedStep]
) -> tuple[str, str]:
    """Decide about a step that nobody requested; `planned` are the steps before it."""
    history = inputs.histories.get(step.name, StepHistory())
    waiting = inputs.waiting.get(step.name)
    why_off = inputs.off.get(step.name)
    if why_off:
        return SKIP, why_off
    if history.state in ("unfinished", "running"):
        return RUN, "continues where it stopped"
    if history.state == "failed":
        return RUN, "failed last time"
    if waiting and (step.is_due_early or not step.every_hours):
        return RUN, f"{waiting} waiting"
    due_at = compute_due_time(step, history)
    if due_at is not None and due_at > inputs.now:
        if step.is_due_early:
            return _decide_by_predecessors(step, planned)
        return SKIP, f"not due until {due_at}"
    if waiting == 0 and not (step.every_hours and step.is_due_early):
        return _decide_by_predecessors(step, planned)
    return RUN, "due" if history.done_at or not step.every_hours else "never done yet"


def _decide_by_predecessors(
    step: MaintenanceStep, planned: Mapping[str, PlannedStep]
) -> tuple[str, str]:
    """Decide about a step for which nothing waits now: the steps before it may leave something."""
    before = [
        name
        for name in (*step.needs, *step.after)
        if name in planned and planned[name].decision != SKIP
    ]
    if before:
        return PERHAPS, f"only if {' or '.join(before)} leaves something to do"
    return SKIP, "nothing waiting"


def _reserve_time(planned: list[PlannedStep], budget: float | None) -> tuple[PlannedStep, ...]:
    """Give each step that may run its reserved share of the budget, by weight."""
    if budget is None:
        return tuple(planned)
    weights = [0 if each.decision == SKIP else each.step.weight for each in planned]
    reserved = max(0.0, budget) * _RESERVED_SHARE
    total = sum(weights) or 1
    return tuple(
        PlannedStep(each.step, each.decision, each.reason, each.waiting, reserved * weight / total)
        for each, weight in zip(planned, weights, strict=True)
    )
