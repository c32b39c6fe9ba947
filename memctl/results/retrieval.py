"""Searches and contexts, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field
from memctl.results.records import RecordView


@dataclass(frozen=True, slots=True)
class Hit:
    """One result: its score, the parts the score is made of (each 0..1 or a factor), the scope that matched, why in a sentence.

    `relevance` is what a threshold is held against; `matched` are the query's words that it holds, in the form the index knows them by;
    `lifted_by` is the record that it rose with by a link.
    """

    record: RecordView
    score: float
    parts: Mapping[str, float]
    matched_scope: str
    why: str
    relevance: float = 0.0
    matched: tuple[str, ...] = ()
    lifted_by: str | None = None


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A record that was looked at and not returned. reason: `below_floor`, `folded` (into `into`) or `beyond_limit`."""

    id: str
    short: str
    title: str
    reason: str
    relevance: float
    floor: float
    score: float
    into: str | None = None


@dataclass(frozen=True, slots=True)
class SearchReport:
    """A search. `flags` says what was off (for instance `no_vectors`); `retrieval_id` can be explained later.

    With `--explain` also the `thresholds` that a record's relevance was held against, and the best of what was not returned.
    """

    query: str
    retrieval_id: str
    items: tuple[Hit, ...]
    flags: tuple[str, ...] = ()
    as_of: str | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)
    near_misses: tuple[NearMiss, ...] = ()


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a record was not among the results. reason: `returned`, `inbox`, `archived`, `superseded`, `other_project`, ..."""

    query: str
    record: RecordView
    reason: str
    sentence: str
    score: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One line of a context: the text given, the record it cites, the score if it was searched for."""

    id: str
    short: str
    text: str
    tokens: int
    score: float | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class ContextSection:
    """A titled group of context lines."""

    name: str
    title: str
    items: tuple[ContextItem, ...]


@dataclass(frozen=True, slots=True)
class ContextReport:
    """A context for an agent; `text` is empty when nothing is worth saying. `tokens` never exceeds `budget`.

    `left_out` counts the lines that found no room, `known` those that the session was given before; `unsaid` are the pinned records among
    those without room.
    """

    text: str
    sections: tuple[ContextSection, ...]
    tokens: int
    budget: int
    level: int
    retrieval_id: str
    project: str | None = None
    left_out: int = 0
    flags: tuple[str, ...] = ()
    phase: str | None = None
    format: str = "markdown"
    known: int = 0
    unsaid: tuple[str, ...] = ()
    as_of: str | None = None
