"""Maintenance runs, their steps and consolidation, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class StepReport:
    """One maintenance step of a run or of a plan.

    state: `done`, `unfinished` (cut off by its time limit), `failed` or `skipped`; in a dry run
    `planned`, `perhaps` (only if an earlier step leaves it something to do) or `skipped`.
    `reason` says why. `counts` says what was committed, by name, also by a step that was cut off
    or failed. `position` is where the next run continues. In a dry run, `waiting` is how much
    waits for the step, and `reserved_seconds` its part of the budget.
    """

    name: str
    state: str
    reason: str
    counts: Mapping[str, int | float] = field(default_factory=dict)
    seconds: float = 0.0
    position: str | None = None
    waiting: int | None = None
    reserved_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class MaintainReport:
    """One maintenance run, or with `dry_run` its plan, in numbers. `problems` are sentences for
    the operator.
    """

    spool_taken: int = 0
    jobs_done: int = 0
    jobs_failed: int = 0
    jobs_waiting: int = 0
    proposed: int = 0
    duplicates: int = 0
    rejected_again: int = 0
    episodes: int = 0
    promoted: int = 0
    contradictions: int = 0
    expired: int = 0
    archived: int = 0
    logs_pruned: int = 0
    reindexed: int = 0
    embedded: int = 0
    vectors_indexed: int = 0
    inbox: int = 0
    problems: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    dry_run: bool = False
    steps: tuple[StepReport, ...] = ()


@dataclass(frozen=True, slots=True)
class StepState:
    """One maintenance step: what it does, when it is due, and the last time that it ran.

    `every_hours` is 0 for a step that is due whenever something waits; `off_reason` names the
    setting that turns it off. state: None (it never ran), `running`, `done`, `failed`,
    `unfinished` (cut off by its time limit) or `interrupted` (its process is gone).
    """

    name: str
    description: str
    needs: tuple[str, ...] = ()
    every_hours: float = 0
    off_reason: str | None = None
    state: str | None = None
    started_at: str | None = None
    seconds: float | None = None
    counts: Mapping[str, int | float] = field(default_factory=dict)
    error: str | None = None
    position: str | None = None
    done_at: str | None = None
    due_at: str | None = None


@dataclass(frozen=True, slots=True)
class StepsReport:
    """All maintenance steps, in their order."""

    items: tuple[StepState, ...]


@dataclass(frozen=True, slots=True)
class ConsolidationStep:
    """One step of consolidation. action: `merge`, `contradict`, `propose` (`id` to supersede
    `other`), `supersede` or `widen`.
    """

    action: str
    id: str
    other: str
    reason: str


@dataclass(frozen=True, slots=True)
class ConsolidationReport:
    """What consolidation did, or with `dry_run` would do. `looked_at` counts the records
    compared.
    """

    steps: tuple[ConsolidationStep, ...]
    looked_at: int
    dry_run: bool = False
