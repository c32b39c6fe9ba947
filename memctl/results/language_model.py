"""Use of the configured language model, as the engine returns it."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a language model was asked for one purpose: questions, failures, tokens in both
    directions, cost.
    """

    purpose: str
    model: str
    calls: int
    failed: int
    tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class ModelTrouble:
    """One question that failed, or whose answer was unusable, and why."""

    at: str
    purpose: str
    model: str
    error: str


@dataclass(frozen=True, slots=True)
class ModelReport:
    """The configured language model (empty: none), what it used today (UTC) and may still use.

    `left` has only what is limited. `waiting_until` is when a model that failed is asked again;
    `uses` covers the last thirty days; `troubles` are the latest, newest first. The answers that
    are kept, so that nothing is asked twice, take `answer_bytes`.
    """

    model: str
    purposes: tuple[str, ...] = ()
    calls: int = 0
    failed: int = 0
    tokens: int = 0
    cost: float = 0.0
    left: Mapping[str, float] = field(default_factory=dict)
    waiting_until: str | None = None
    answers: int = 0
    answer_bytes: int = 0
    uses: tuple[ModelUse, ...] = ()
    troubles: tuple[ModelTrouble, ...] = ()
