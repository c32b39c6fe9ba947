"""What the engine answers with: frozen data that a surface turns into text or JSON. No I/O, no decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.core.frozen import dataclass, field, fields, is_dataclass
from memctl.core.model import (
    TRUST_NAMES,
    EntityRef,
    Event,
    Evidence,
    Job,
    Link,
    Memory,
    Project,
    Source,
)
from memctl.core.typing_lite import Any


@dataclass(frozen=True, slots=True)
class Former:
    """What a record took the place of: what it said from when (`since`) until when (`until`), and why it was replaced."""

    id: str
    short: str
    title: str
    since: str
    until: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class RecordView:
    """A record with what belongs to it; `short` is the shortest prefix of its id that is unique in the store.

    `superseded_by` is the record in whose place it went, by way of `superseded_over` (nearest first); `replaces` are the records whose
    place a candidate takes when it is approved; `shorts` has the short ids of all records that these and `contradicted_by` name. `standing`
    says what time, use and the disk have made of it, where one record is looked at. It took the place of others `changes` times, of the
    first one as it was `changed_since`; `former` are these, the nearest first, where one record is looked at.
    """

    memory: Memory
    short: str
    project: str | None = None
    evidence: tuple[Evidence, ...] = ()
    links: tuple[Link, ...] = ()
    entities: tuple[EntityRef, ...] = ()
    contradicted_by: tuple[str, ...] = ()
    superseded_by: str | None = None
    superseded_over: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    shorts: Mapping[str, str] = field(default_factory=dict)
    standing: tuple[str, ...] = ()
    changes: int = 0
    changed_since: str | None = None
    former: tuple[Former, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """What maintenance would do but leaves to the operator. kind: `archive` (about a record), `mute` (a rule), `merge_entities` (two ids).

    state: `open`, `accepted`, `declined`, or `withdrawn` (it no longer holds). `short` is the shortest unique prefix of its id; `title` is
    that of the record it is about.
    """

    id: str
    short: str
    kind: str
    about: str
    reason: str
    state: str
    actor: str
    created_at: str
    data: Mapping[str, Any] = field(default_factory=dict)
    decided_at: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list: `total` counts everything within the filters. `proposals` wait for the operator beside an unfiltered inbox."""

    items: tuple[RecordView, ...]
    total: int
    proposals: tuple[Proposal, ...] = ()
    as_of: str | None = None


@dataclass(frozen=True, slots=True)
class Captured:
    """One conversation of a capture. outcome: `captured`, `grown`, `rewritten` or `unchanged`.

    `redacted` counts the different secrets by kind that were taken out of the new turns.
    """

    outcome: str
    source_id: str
    event_id: str | None
    agent: str
    session_id: str
    format: str
    project: str | None
    turns: int
    new_turns: int
    human_turns: int
    unknown: Mapping[str, int]
    redacted: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaptureReport:
    """A capture. state: `captured`, `unchanged`, `spooled` (the store could not take it yet) or `requested` (left for maintain)."""

    state: str
    items: tuple[Captured, ...] = ()
    spool_file: str | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """One manual write. outcome: `created`, `merged` (it was known), `inbox` (waits for the operator)."""

    outcome: str
    record: RecordView
    note: str | None = None


@dataclass(frozen=True, slots=True)
class IngestReport:
    """Manual writes in the order they were given."""

    items: tuple[Saved, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A change that was not made, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """Changes to records: what was done to which, what was refused, which proposals it settled. `dry_run`: nothing was written.

    `replaced` are the records that an approval superseded, or would.
    """

    verb: str
    changed: tuple[RecordView, ...]
    refused: tuple[Refusal, ...] = ()
    dry_run: bool = False
    proposals: tuple[Proposal, ...] = ()
    replaced: tuple[RecordView, ...] = ()


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
class SavedView:
    """A search or a context under a name, its options as they were given; `unknown` names those that only a newer memctl understands."""

    name: str
    kind: str
    options: Mapping[str, Any]
    created_at: str
    updated_at: str
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ViewReport:
    """Saved views by name. outcome: `saved`, `replaced`, `deleted`, or null where they are only shown."""

    items: tuple[SavedView, ...]
    outcome: str | None = None


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
    """A past retrieval with every candidate's score parts; what a replay needs to know stands in its filters under `run`."""

    retrieval: Mapping[str, Any]
    records: Mapping[str, RecordView]


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
class Check:
    """One finding of `doctor`. state: `ok`, `note`, `problem`."""

    name: str
    state: str
    detail: str
    cure: str | None = None


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """All findings; `repaired` lists what was mended."""

    checks: tuple[Check, ...]
    repaired: tuple[str, ...] = ()
    backup: str | None = None

    @property
    def healthy(self) -> bool:
        """Whether no check found a problem."""
        return all(check.state != "problem" for check in self.checks)


@dataclass(frozen=True, slots=True)
class StatusReport:
    """The store at a glance. `muted` are the rules of extraction whose candidates are not proposed.

    With `as_of` records, types, projects and sources are counted as they were then; the rest is of now.
    """

    db: str
    schema_version: int
    size_bytes: int
    records: Mapping[str, int]
    types: Mapping[str, int]
    projects: int
    sources: int
    original_bytes: int
    stored_bytes: int
    queue: Mapping[str, int]
    spool: int
    last_maintained: str | None
    flags: tuple[str, ...] = ()
    muted: tuple[str, ...] = ()
    as_of: str | None = None


@dataclass(frozen=True, slots=True)
class ProjectView:
    """A project with the numbers of its records and the projects linked with it."""

    project: Project
    records: Mapping[str, int]
    linked: tuple[str, ...] = ()
    repos: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two projects that may be one: the newer, the older, and why."""

    project_id: str
    name: str
    root_path: str | None
    other_id: str
    other_name: str
    other_root_path: str | None
    why: str


@dataclass(frozen=True, slots=True)
class ProjectReport:
    """Projects; `doubtful` holds pairs that may be one, for the operator to settle."""

    items: tuple[ProjectView, ...]
    doubtful: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class TransferReport:
    """An export, import, backup or restore: counts by section; `problems` lists bad lines with their numbers."""

    path: str
    counts: Mapping[str, Mapping[str, int]]
    problems: tuple[str, ...] = ()
    dry_run: bool = False
    text: str | None = None


@dataclass(frozen=True, slots=True)
class LogReport:
    """What happened: ingestion events, retrievals, or changes to records, newest first."""

    kind: str
    events: tuple[Job, ...] = ()
    retrievals: tuple[Mapping[str, Any], ...] = ()
    changes: tuple[Event, ...] = ()


def jsonable(value: Any) -> Any:
    """Plain JSON data of any result: records are flattened into one object, trust ranks become their names."""
    if isinstance(value, RecordView):
        return _record(value)
    if isinstance(value, Hit):
        hit = {
            "score": value.score,
            "parts": dict(value.parts),
            "matched_scope": value.matched_scope,
            "why": value.why,
        }
        more = {
            "relevance": value.relevance,
            "matched": list(value.matched),
            "lifted_by": value.lifted_by,
        }
        return {**_record(value.record), **hit, **more}
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _field(f.name, getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [jsonable(item) for item in value]
    return value


def _field(name: str, value: Any) -> Any:
    return (
        TRUST_NAMES.get(value, value)
        if name == "trust" and isinstance(value, int)
        else jsonable(value)
    )


def _record(view: RecordView) -> dict[str, Any]:
    """One flat object: the record's own fields first, then what belongs to it."""
    own = {f.name: _field(f.name, getattr(view.memory, f.name)) for f in fields(view.memory)}
    return {
        **own,
        **{f.name: jsonable(getattr(view, f.name)) for f in fields(view) if f.name != "memory"},
    }
