"""Which steps a maintenance takes, in which order, why, and how much time each is sure of. Pure.

Kept true: every step that is wanted stands in the plan once, after all that it depends on; what is sure never exceeds the budget; the
same question has the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from memctl.core import timestamps
from memctl.core.frozen import dataclass

RUN, PERHAPS, SKIP = "run", "perhaps", "skip"
# The half of the budget is shared out beforehand; of the other half, and of what is left over, whoever comes first takes what it needs.
_SURE = 0.5


@dataclass(frozen=True, slots=True)
class Step:
    """One step of maintenance.

    It comes after those it `needs`, which must not have failed, and after those whose work it takes up (`after`). `every` so many hours it
    is due; 0 means at any time. With `early` what waits makes it due before. `weight` is its part of the time. `is_shared`: several runs
    can be at it at once, each with its own share of the work.
    """

    name: str
    says: str
    run: Callable[[Any], Mapping[str, Any]]
    needs: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    every: float = 0
    early: bool = False
    weight: int = 1
    is_shared: bool = False
    waits: Callable[[Any, Any], int] | None = None
    off: Callable[[Any], str | None] | None = None


@dataclass(frozen=True, slots=True)
class Past:
    """How a step fared: its last state (None: it never ran), and when it last came to its end."""

    state: str | None = None
    done_at: str | None = None


@dataclass(frozen=True, slots=True)
class Planned:
    """One step of a plan. what: `run`, `perhaps` (if those before it leave something) or `skip`; `sure` seconds are kept for it."""

    step: Step
    what: str
    reason: str
    waits: int | None = None
    sure: float | None = None

    @property
    def name(self) -> str:
        """The name of the step."""
        return self.step.name


@dataclass(frozen=True, slots=True)
class Known:
    """What a plan is made from: how each step fared, how much waits for it (None: not known), and why it is turned off, if it is."""

    past: Mapping[str, Past]
    waits: Mapping[str, int | None]
    off: Mapping[str, str | None]
    now: str


def plan(
    table: Sequence[Step], asked: Iterable[str], known: Known, budget: float | None
) -> tuple[Planned, ...]:
    """The steps in order, each with what becomes of it and why; of those `asked` for only these, and of no step none."""
    names = set(asked)
    chosen, planned = (
        ordered([step for step in table if not names or step.name in names]),
        dict[str, Planned](),
    )
    for step in chosen:
        what, reason = _asked_for(step, known) if step.name in names else _due(step, known, planned)
        planned[step.name] = Planned(step, what, reason, known.waits.get(step.name))
    return _with_shares(list(planned.values()), budget)


def ordered(steps: Sequence[Step]) -> list[Step]:
    """Steps as they follow on each other, else as given. Raises ValueError for a circle."""
    by_name, out, open_ = {step.name: step for step in steps}, dict[str, Step](), set[str]()

    def visit(step: Step) -> None:
        if step.name in out:
            return
        if step.name in open_:
            raise ValueError(f"the step {step.name} depends on itself")
        open_.add(step.name)
        for name in (*step.needs, *step.after):
            if name in by_name:
                visit(by_name[name])
        out[step.name] = step

    for step in steps:
        visit(step)
    return list(out.values())


def due_at(step: Step, past: Past) -> str | None:
    """When a step is due again; None if it is already, or has no time of its own."""
    return (
        timestamps.add_seconds(past.done_at, seconds=3600 * step.every)
        if step.every and past.done_at
        else None
    )


def time_for(rest: Sequence[Planned], left: float | None) -> float | None:
    """The seconds that the first of some steps may take: all that is left but what those after it are sure of, and never less than what
    it is sure of itself, as long as there is any.
    """
    if left is None:
        return None
    own, others = rest[0].sure or 0.0, sum(each.sure or 0.0 for each in rest[1:])
    return max(0.0, left - others, min(own, left))


def _asked_for(step: Step, known: Known) -> tuple[str, str]:
    off, others = known.off.get(step.name), ", ".join(step.needs)
    if off:
        return SKIP, off
    return RUN, f"asked for; it needs {others}, as last done" if others else "asked for"


def _due(step: Step, known: Known, planned: Mapping[str, Planned]) -> tuple[str, str]:
    past, waits, off = (
        known.past.get(step.name, Past()),
        known.waits.get(step.name),
        known.off.get(step.name),
    )
    if off:
        return SKIP, off
    if past.state in ("unfinished", "running"):
        return RUN, "goes on from where it stopped"
    if past.state == "failed":
        return RUN, "failed last time"
    if waits and (step.early or not step.every):
        return RUN, f"{waits} wait"
    later = due_at(step, past)
    if later is not None and later > known.now:
        return _left_by(step, planned) if step.early else (SKIP, f"not due until {later}")
    if waits == 0 and not (step.every and step.early):
        return _left_by(step, planned)
    return RUN, "due" if past.done_at or not step.every else "never done yet"


def _left_by(step: Step, planned: Mapping[str, Planned]) -> tuple[str, str]:
    """Nothing waits now; steps before it may leave something."""
    before = [
        name
        for name in (*step.needs, *step.after)
        if name in planned and planned[name].what != SKIP
    ]
    return (
        (PERHAPS, f"if {' or '.join(before)} leave something")
        if before
        else (SKIP, "nothing waits")
    )


def _with_shares(planned: list[Planned], budget: float | None) -> tuple[Planned, ...]:
    if budget is None:
        return tuple(planned)
    weights = [0 if each.what == SKIP else each.step.weight for each in planned]
    whole = sum(weights) or 1
    return tuple(
        Planned(
            each.step, each.what, each.reason, each.waits, max(0.0, budget) * _SURE * weight / whole
        )
        for each, weight in zip(planned, weights, strict=True)
    )
