"""What the engine answers with: frozen data that a surface turns into text or JSON. No I/O, no decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.data import dataclass, field, fields, is_dataclass
from memctl.model import TRUST_NAMES, EntityRef, Event, Evidence, Job, Link, Memory, Project, Source
from memctl.typed import Any


@dataclass(frozen=True, slots=True)
class RecordView:
    """A record with what belongs to it; `short` is the shortest prefix of its id that is unique in the store."""

    memory: Memory
    short: str
    project: str | None = None
    evidence: tuple[Evidence, ...] = ()
    links: tuple[Link, ...] = ()
    entities: tuple[EntityRef, ...] = ()
    contradicted_by: tuple[str, ...] = ()
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list: `total` counts everything within the filters."""

    items: tuple[RecordView, ...]
    total: int


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
    """Changes to records: what was done to which, what was refused. `dry_run` means that nothing was written."""

    verb: str
    changed: tuple[RecordView, ...]
    refused: tuple[Refusal, ...] = ()
    dry_run: bool = False


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

    `left_out` counts the lines that found no room, `known` those that the session was given before.
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
    """One thing consolidation does. action: `merge`, `contradict`, `supersede`, `reject`."""

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
class MaintainReport:
    """One run of maintenance, in numbers; `problems` are sentences for the operator."""

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


@dataclass(frozen=True, slots=True)
class BackfillAgent:
    """What was found of one agent, in files: to read (`files`, `bytes`), what became of them, and what was left out and why."""

    agent: str
    files: int = 0
    bytes: int = 0
    captured: int = 0
    grown: int = 0
    unchanged: int = 0
    spooled: int = 0
    known: int = 0
    older: int = 0
    elsewhere: int = 0
    sub_agents: int = 0
    over_limit: int = 0
    empty: int = 0
    refused: int = 0
    ignored: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class BackfillReport:
    """A backfill, or its plan. `estimate_seconds` is how long all of it would take at the measured (else a usual) speed."""

    agents: tuple[BackfillAgent, ...]
    files: int
    bytes: int
    bytes_read: int = 0
    sessions: int = 0
    seconds: float = 0.0
    estimate_seconds: float = 0.0
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    interrupted: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """What became of another tool's file, or of what its store holds of one project; the numbers count memories.

    outcome: `captured`, `grown`, `rewritten` or `unchanged` (see Captured), `empty`, `ignored` (`note` says why), `refused` or `failed`
    (`problem` says why).
    """

    path: str
    kind: str | None
    project: str | None = None
    found: int = 0
    new: int = 0
    known: int = 0
    rejected: int = 0
    outcome: str = "captured"
    problem: str | None = None
    note: str | None = None
    redacted: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MemoriesReport:
    """An import of other tools' memories, or with `dry_run` what it would do."""

    items: tuple[MemoryFile, ...]
    dry_run: bool = False


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
    """The store at a glance."""

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


@dataclass(frozen=True, slots=True)
class SetupFile:
    """A file that connects an agent. action: `create`, `change`, `delete`, `none`, or `left` (it cannot be edited; `problem` says why).

    A status says `connected`, `partly` or `absent` instead. `leads_to` is the file behind a link; `digest` is that of the present content.
    """

    path: str
    action: str
    diff: str = ""
    leads_to: str | None = None
    problem: str | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class SetupItem:
    """One agent, or the timer. state: `planned`, `done`, `connected`, `partly` or `absent`; `root` is the repository, if it is for one.

    `commands` are what is run besides, and `notes` what the operator has to know or do.
    """

    agent: str
    found: bool
    state: str
    root: str | None = None
    files: tuple[SetupFile, ...] = ()
    commands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SetupReport:
    """A plan, what was made of it, or how things are. action: `setup`, `undo` or `status`; `unanswered` if nobody was there to agree."""

    action: str
    items: tuple[SetupItem, ...]
    dry_run: bool = False
    unanswered: bool = False


def jsonable(value: Any) -> Any:
    """Plain JSON data of any result: records are flattened into one object, trust ranks become their names."""
    if isinstance(value, RecordView):
        return _record(value)
    if isinstance(value, Hit):
        hit = {"score": value.score, "parts": dict(value.parts), "matched_scope": value.matched_scope, "why": value.why}
        more = {"relevance": value.relevance, "matched": list(value.matched), "lifted_by": value.lifted_by}
        return {**_record(value.record), **hit, **more}
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _field(f.name, getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [jsonable(item) for item in value]
    return value


def _field(name: str, value: Any) -> Any:
    return TRUST_NAMES.get(value, value) if name == "trust" else jsonable(value)


def _record(view: RecordView) -> dict[str, Any]:
    """One flat object: the record's own fields first, then what belongs to it."""
    own = {f.name: _field(f.name, getattr(view.memory, f.name)) for f in fields(view.memory)}
    return {**own, **{f.name: jsonable(getattr(view, f.name)) for f in fields(view) if f.name != "memory"}}


@dataclass(frozen=True, slots=True)
class RedactionSpot:
    """A place that holds secrets: what it is (record, turn, evidence, stream, log ...), which one, in which fields, of which kinds."""

    place: str
    id: str
    fields: tuple[str, ...]
    kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RedactionReport:
    """Secrets that were found, or, where `applied`, replaced; never the secrets themselves. `text` is a text that was filtered."""

    items: tuple[RedactionSpot, ...] = ()
    applied: bool = False
    text: str | None = None
    kinds: Mapping[str, int] = field(default_factory=dict)
    backups: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """What was erased for good, or, with `dry_run`, would be: ids only, and `titles` of what is still there.

    `rewritten` counts by place where the same words were cut out; `files` are files beside the store that changed; `backups` are older
    copies that still hold it; `remains` are files in which its bytes could not be overwritten yet, and `notes` say why.
    """

    records: tuple[str, ...]
    sources: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    rewritten: Mapping[str, int] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    backups: tuple[str, ...] = ()
    remains: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    dry_run: bool = False
