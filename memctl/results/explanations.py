"""Where records come from and why retrievals returned them, as the engine returns it."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field
from memctl.core.model import Event, Evidence, Source
from memctl.core.typing_lite import Any
from memctl.results.records import RecordView


@dataclass(frozen=True, slots=True)
class EvidenceCheck:
    """A quote held against its source again. state: `intact`, `moved`, `changed`, `missing`, `manual`."""

    evidence: Evidence
    state: str
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class MemoryExplanation:
    """Where a record comes from: quotes re-verified, links, history."""

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
    """Something that a retrieval depends on beside the records, as it was then and as it is now."""

    name: str
    then: Any
    now: Any


@dataclass(frozen=True, slots=True)
class ReplayChange:
    """One record that a retrieval would answer otherwise with now.

    what: `missing`, `new`, `moved`, `rescored` or `reworded`; `reason` is a word for a program, `sentence` for a person. Ranks begin at 1;
    `parts` has those parts of the score that differ, each as it was and as it is.
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
    """A past retrieval asked again, at its own moment, of the store as it is now; nothing is written.

    `same` says that nothing would differ. `unreturned` counts candidates that were not returned and would come, go or score otherwise;
    `notes` say what is not known of the retrieval.
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
