"""Where records come from and why retrievals returned them, as the engine returns it."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field
from memctl.core.model import Event, Evidence, Source
from memctl.core.typing_lite import Any
from memctl.results.records import RecordView


@dataclass(frozen=True, slots=True)
class EvidenceCheck:
    """A quote compared with its source again. state: `intact`, `moved`, `changed`, `missing` or
    `manual` (it has no source).
    """

    evidence: Evidence
    state: str
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class MemoryExplanation:
    """Where a record comes from: its quotes, checked again, its links and its history."""

    record: RecordView
    evidence: tuple[EvidenceCheck, ...]
    history: tuple[Event, ...]
    linked: Mapping[str, RecordView]
    tombstone: str | None = None
    as_of: str | None = None


@dataclass(frozen=True, slots=True)
class RetrievalExplanation:
    """A past retrieval with the score parts of every candidate.

    `retrieval` is the line of the log; its filters hold under `run` what a replay needs. `sections`
    names the section of each line that a context returned, as far as they are known.
    """

    retrieval: Mapping[str, Any]
    records: Mapping[str, RecordView]
    sections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A setting or other condition of a retrieval that differs between then and now."""

    name: str
    then: Any
    now: Any


@dataclass(frozen=True, slots=True)
class ReplayChange:
    """One record for which a retrieval would have a different answer now.

    what: `missing`, `new`, `moved`, `rescored` or `reworded`. `reason` is for programs, `sentence`
    for people. Ranks begin at 1; `parts` has the parts of the score that differ, as they were and
    as they are.
    """

    what: str
    record_id: str
    reason: str
    sentence: str
    rank_then: int | None = None
    rank_now: int | None = None
    score_then: float | None = None
    score_now: float | None = None
    parts: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """A past retrieval run again, as of its own time, on the store as it is now. Nothing is
    written.

    `same`: the result would not differ. `unreturned` counts candidates that were returned neither
    then nor now and would differ; `notes` say what is not known of the retrieval.
    """

    retrieval_id: str
    command: str
    query: str
    asked_at: str
    same: bool
    returned_then: int
    returned_now: int
    changes: tuple[ReplayChange, ...] = ()
    settings: tuple[SettingChange, ...] = ()
    unreturned: int = 0
    notes: tuple[str, ...] = ()
    records: Mapping[str, RecordView] = field(default_factory=dict)
