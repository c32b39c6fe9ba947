"""Searches and contexts, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field
from memctl.results.records import RecordView


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search: the record, its score, the scope that matched, and why in a sentence.

    `parts` are the parts of the score (each 0..1, or a factor). `relevance` is compared with the
    relevance threshold; `matched` are the words of the query that the record holds, as the index
    spells them. `boosted_by` is the linked record that raised its score.

    A record that only a hub holds names that in `hub`, and whose it is in `member`.
    """

    record: RecordView
    score: float
    parts: Mapping[str, float]
    matched_scope: str
    why: str
    relevance: float = 0.0
    matched: tuple[str, ...] = ()
    boosted_by: str | None = None
    hub: str | None = None
    member: str | None = None


@dataclass(frozen=True, slots=True)
class HubAnswer:
    """What a hub added to a search: how many results (`found`), or why it said nothing (`problem`).

    `ranking` says in what its results are ranked otherwise than those of this store.
    """

    name: str
    found: int
    problem: str | None = None
    ranking: str | None = None


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A record that was considered and not returned. reason: `below_floor` (the relevance
    threshold), `folded` (into `into`) or `beyond_limit`.
    """

    id: str
    short: str
    title: str
    reason: str
    relevance: float
    threshold: float
    score: float
    into: str | None = None


@dataclass(frozen=True, slots=True)
class SearchReport:
    """The results of a search. `flags` says what was unavailable (for instance `no_vectors`);
    `retrieval_id` can be explained later.

    `period` is what the question said of the time, and `since` and `until` (excluded) the bounds
    that it set. `thresholds` (relevance thresholds) and `near_misses` are filled by `--explain`
    only. `hubs` are those that were asked too.
    """

    query: str
    retrieval_id: str
    items: tuple[Hit, ...]
    flags: tuple[str, ...] = ()
    as_of: str | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)
    near_misses: tuple[NearMiss, ...] = ()
    since: str | None = None
    until: str | None = None
    period: str | None = None
    hubs: tuple[HubAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a record is not among the results, or not told. reason: `returned`, `inbox`, `archived`,
    `superseded`, `other_project`, `told_before`, `no_room`, ... `way` says of what: `search`,
    `prompt` or `start`.
    """

    query: str
    record: RecordView
    reason: str
    sentence: str
    score: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    way: str = "search"


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One line of a context: its text, the record that it cites, and the score of a search hit.

    `type` to `confidence` are those of the record; `source` is the conversation that it was taken
    from and `evidence` its best quote, which `memctl explain` shows. `newer` is a newer record that
    may replace it. A line that stands only beside the record that it
    may replace names that in `beside`.
    """

    id: str
    short: str
    text: str
    tokens: int
    score: float | None = None
    why: str | None = None
    newer: str | None = None
    beside: str | None = None
    type: str | None = None
    kind: str | None = None
    scope: str | None = None
    trust: int | None = None
    confidence: float | None = None
    source: str | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class ContextSection:
    """A titled group of context lines."""

    name: str
    title: str
    items: tuple[ContextItem, ...]


@dataclass(frozen=True, slots=True)
class ContextOmission:
    """A record that a context left out. reason: `told_before` (to this session, at `told_at`),
    `read_by_agent` (which reads `file` by itself) or `no_room`.
    """

    id: str
    short: str
    title: str
    reason: str
    file: str | None = None
    told_at: str | None = None


@dataclass(frozen=True, slots=True)
class ContextMark:
    """A record of a context with the newer one that may replace it.

    The newer one, of `newer_observed_at`, seems to answer the same question anew (`nearness`, 0 to
    1). `is_told`: it stands in the context too.
    """

    id: str
    short: str
    title: str
    newer: str
    newer_short: str
    newer_observed_at: str
    nearness: float
    is_told: bool


@dataclass(frozen=True, slots=True)
class ContextReport:
    """A context for an agent. `text` is empty when nothing is relevant; `tokens` never exceeds
    `budget`.

    `left_out` counts the lines that the budget had no room for, `pinned_left_out` and
    `rules_left_out` name the pinned records and the other rules among them, and `known` counts
    lines that the session was served before. `read_by_agent` names the records that the agent reads
    by itself, in a file that it loads here; `withdrawn` those that it was told and that no longer
    hold. `omissions` (with the reason of each) and `marks` (with what speaks for each) are filled
    by `--explain` only.
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
    pinned_left_out: tuple[str, ...] = ()
    rules_left_out: tuple[str, ...] = ()
    as_of: str | None = None
    read_by_agent: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    omissions: tuple[ContextOmission, ...] = ()
    marks: tuple[ContextMark, ...] = ()
