"""How much of what agents and rules propose is kept, as the engine returns it."""

from __future__ import annotations

from memctl.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Account:
    """What became of the records that one agent, format, extractor or rule proposed.

    Each record has one end: `waiting`, `approved` (`by_policy`: by a rule of the config),
    `rejected`, `forgotten`, `merged` into another, `lapsed` (archived or replaced undecided), or
    active `at_once` and in no need of approval, as episodes are. `rate` is the share kept of what
    was `decided` (null if nothing was), between `low` and `high` (Wilson interval, 95 %). Of the
    approved: `contradicted` or `superseded` since, and `unused` for 30 days and more. `good` and
    `bad` count feedback.
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
    """An extraction rule whose candidates are not proposed. `waiting` counts earlier ones that
    are still in the inbox.
    """

    rule: str
    reason: str | None
    actor: str
    created_at: str
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class QualityReport:
    """How much of what was proposed is kept: in all, by agent, format, extractor and rule, the
    most proposed first.
    """

    since: str | None
    total: Account
    agents: tuple[Account, ...]
    formats: tuple[Account, ...]
    extractors: tuple[Account, ...]
    rules: tuple[Account, ...]
    muted: tuple[MutedRule, ...] = ()


@dataclass(frozen=True, slots=True)
class MuteReport:
    """A rule that was muted or unmuted. `changed` is false if it already was."""

    rule: str
    muted: bool
    changed: bool
    waiting: int = 0
