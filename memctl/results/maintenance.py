"""Maintenance runs, their steps and consolidation, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class StepReport:
    """One step of maintenance: what it did in numbers, how long that took, where the next run goes on.

    state: `done`, `unfinished` (its time was over), `failed` or `skipped`; in a dry run `planned`, `perhaps` or `skipped`, with how much
    `waits` and the seconds that are `sure` under a budget. `reason` says why.
    """

    name: str
    state: str
    reason: str
    did: Mapping[str, int | float] = field(default_factory=dict)
    seconds: float = 0.0
    position: str | None = None
    waits: int | None = None
    sure: float | None = None


@dataclass(frozen=True, slots=True)
class MaintainReport:
    """One run of maintenance (or with `dry_run` its plan), in numbers; `problems` are sentences for the operator."""

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
    """One step of maintenance: what it is for, what it needs, every how many hours it is due (0: whenever something waits), and the last
    time that it ran.

    state: None (it never ran), `running`, `done`, `failed`, `unfinished` or `interrupted`; `off` says which setting turns it off.
    """

    name: str
    says: str
    needs: tuple[str, ...] = ()
    every: float = 0
    off: str | None = None
    state: str | None = None
    started_at: str | None = None
    seconds: float | None = None
    did: Mapping[str, int | float] = field(default_factory=dict)
    error: str | None = None
    position: str | None = None
    done_at: str | None = None
    due_at: str | None = None


@dataclass(frozen=True, slots=True)
class StepsReport:
    """All steps of maintenance, in their order."""

    items: tuple[StepState, ...]


@dataclass(frozen=True, slots=True)
class ConsolidationStep:
    """One thing consolidation does. action: `merge`, `contradict`, `propose` (`id` in the place of `other`), `supersede`, `widen`."""

    action: str
    id: str
    other: str
    reason: str


@dataclass(frozen=True, slots=True)
class ConsolidationReport:
    """What consolidation did, or with `dry_run` would do."""

    steps: tuple[ConsolidationStep, ...]
    looked_at: int
    dry_run: bool = False
