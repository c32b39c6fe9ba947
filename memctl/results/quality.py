"""Numbers of a store, what its rules and models are worth, and what use says of records, as the engine answers."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field
from memctl.results.hot import RecordView, Refusal


@dataclass(frozen=True, slots=True)
class Account:
    """What became of the records that one agent, format, extractor or rule brought.

    Each record has one end: it is `waiting`, `approved` (`by_policy`: by a rule of the config), `rejected`, `forgotten`, `merged` into
    another one, `lapsed` (archived or replaced undecided), or was active `at_once` and needs no approval, as episodes do. `rate` is the
    share kept of what was `decided` (null if nothing was), between `low` and `high` (Wilson, 95 %). Of the approved: `contradicted` or
    `superseded` since, and `unused` for 30 days and more. `good` and `bad` count outcomes.
    """

    name: str
    proposed: int
    waiting: int
    approved: int
    rejected: int
    forgotten: int
    merged: int
    at_once: int
    lapsed: int
    by_policy: int
    decided: int
    rate: float | None
    low: float
    high: float
    contradicted: int
    superseded: int
    unused: int
    good: int
    bad: int


@dataclass(frozen=True, slots=True)
class MutedRule:
    """A rule of extraction whose candidates are not proposed; `waiting` of them were before and still wait in the inbox."""

    rule: str
    reason: str | None
    actor: str
    created_at: str
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class QualityReport:
    """How much of what was proposed is kept: in all, by agent, by format, by extractor and by rule, the most proposed first."""

    since: str | None
    total: Account
    agents: tuple[Account, ...]
    formats: tuple[Account, ...]
    extractors: tuple[Account, ...]
    rules: tuple[Account, ...]
    muted: tuple[MutedRule, ...] = ()


@dataclass(frozen=True, slots=True)
class MuteReport:
    """A rule that was muted or is heard again. `changed` is false if it was so before."""

    rule: str
    muted: bool
    changed: bool
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class StatsReport:
    """The store in numbers. `records`, `types`, `scopes`, `kinds`, `trust` and `rules` count the records in force; `statuses` all of them.

    `changes`, `captures` and `retrievals` count what happened in the last 7 and 30 days; `unused` are records in force that nobody was
    given yet.
    """

    records: int
    statuses: Mapping[str, int]
    types: Mapping[str, int]
    scopes: Mapping[str, int]
    kinds: Mapping[str, int]
    trust: Mapping[str, int]
    projects: Mapping[str, int]
    evidence: int
    origins: int
    links: Mapping[str, int]
    entities: Mapping[str, int]
    sessions: Mapping[str, int]
    turns: int
    changes: tuple[int, int]
    captures: tuple[int, int]
    retrievals: tuple[int, int]
    unused: int
    good: int
    bad: int
    oldest_waiting: str | None = None
    proposals: int = 0
    muted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutcomeReport:
    """What was said of records: `good` or `bad`, the records as they are now, and which of them the same actor had judged otherwise."""

    verdict: str
    items: tuple[RecordView, ...]
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PinReport:
    """What contexts begin with now (`pinned`), or no longer do (`unpinned`); `over_budget` says where pins alone cost too much."""

    verb: str
    changed: tuple[RecordView, ...]
    refused: tuple[Refusal, ...] = ()
    over_budget: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a language model was asked for one purpose: questions, how many of them failed, tokens both ways, cost."""

    purpose: str
    model: str
    calls: int
    failed: int
    tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class ModelTrouble:
    """One question that went wrong, or whose answer was of no use, and why."""

    at: str
    purpose: str
    model: str
    error: str


@dataclass(frozen=True, slots=True)
class ModelReport:
    """The configured language model (empty: none): what it used today (UTC) and may still use (`left`, only of what has a limit).

    `waiting_until` is when a model that failed is asked again, `uses` the last thirty days, `troubles` the latest, newest first; the
    answers that are kept, so that nothing is asked twice, take `answer_bytes`.
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
