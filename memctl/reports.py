"""What the engine answers where agents are connected, their past and other memories read, and secrets erased. As `results`, for cold calls.

They stand apart because a hook reads the other module at every prompt, and never needs these.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.data import dataclass, field
from memctl.results import RecordView, Refusal


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
class RevertStep:
    """One change that is undone: its number, what it was about, what it did, by whom and when, and why it is among them."""

    seq: int
    record: str
    title: str | None
    topic: str
    verb: str
    actor: str
    at: str
    why: str


@dataclass(frozen=True, slots=True)
class RevertReport:
    """Changes undone, newest first, and the records as they are now; with `dry_run` the plan, and why it would be `refused`."""

    steps: tuple[RevertStep, ...]
    changed: tuple[RecordView, ...] = ()
    refused: str | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """Where what is stored is not what the stream says.

    what: `differs` (in `columns`), `missing` here, `surplus` here (its end is in the stream), `unknown` to the stream, or `lost` (evidence
    that is gone, whose words the stream does not repeat).
    """

    topic: str
    item: str
    what: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """Records made anew from the stream: where they differed, what could not be mended (`left`), and the backup made before."""

    differences: tuple[Difference, ...]
    records: int
    left: tuple[Difference, ...] = ()
    backup: str | None = None
    dry_run: bool = False


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


@dataclass(frozen=True, slots=True)
class ConflictSide:
    """One side of a contradiction: what it says, since when, on whose word, on how many pieces of evidence."""

    id: str
    short: str
    text: str
    type: str
    kind: str
    status: str
    trust: int
    observed_at: str
    project: str | None
    evidence: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two records that cannot both hold, what was said first before what was said later.

    `newer` is the side that is proposed to take the other's place, if any; `commands` are the command lines that would settle it, the
    likeliest first. A settled one has `resolved_at`.
    """

    id: str
    reason: str
    actor: str
    created_at: str
    sides: tuple[ConflictSide, ConflictSide]
    newer: str | None = None
    commands: tuple[str, ...] = ()
    resolved_at: str | None = None


@dataclass(frozen=True, slots=True)
class ConflictsReport:
    """Contradictions, newest first."""

    items: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True)
class ResolveStep:
    """One thing that settles a contradiction.

    action: `supersede` (`id` takes the place of `other`), `reject` or `approve` (a candidate), `set` (`changes` say where and when it
    holds), `dismiss` (`id` and `other` both hold, for that `reason` if one is known).
    """

    action: str
    id: str
    other: str | None = None
    reason: str | None = None
    changes: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ResolveReport:
    """A contradiction that was settled, or with `dry_run` the plan: which way (`keep`, `supersede`, `both`, `dismiss`), by which steps."""

    way: str
    link: str
    steps: tuple[ResolveStep, ...]
    changed: tuple[RecordView, ...]
    dry_run: bool = False


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
class EntityItem:
    """A person, project, organisation, concept or tool: every name it is known by, how many records speak of it, from when to when."""

    id: str
    short: str
    kind: str
    name: str
    aliases: tuple[str, ...] = ()
    records: int = 0
    first_seen: str | None = None
    last_seen: str | None = None


@dataclass(frozen=True, slots=True)
class EntityList:
    """What records speak of, the most spoken of first; `total` counts what the limit left out too."""

    items: tuple[EntityItem, ...]
    total: int


@dataclass(frozen=True, slots=True)
class EntityRole:
    """What somebody is to you (`my boss`), since when, and until when if it passed to another."""

    role: str
    since: str
    until: str | None = None


@dataclass(frozen=True, slots=True)
class EntityGroup:
    """How many records of one type and status speak of an entity, and when the first and the last were observed."""

    type: str
    status: str
    records: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class EntityBeside:
    """Another entity that the same records speak of, and how many of them."""

    id: str
    kind: str
    name: str
    records: int


@dataclass(frozen=True, slots=True)
class EntitySource:
    """A conversation or document that records about an entity were taken from, and how many."""

    id: str
    agent: str
    session_id: str
    title: str | None
    observed_at: str
    records: int


@dataclass(frozen=True, slots=True)
class EntityReport:
    """Everything known of one entity: its names and how often each is used, its roles, the records by type and status, the newest of them.

    `decisions` are those in force, `beside` what the same records speak of, `merged` the names of what was merged into it. `as_of` is the
    time that it is told for, if not now.
    """

    entity: EntityItem
    names_used: Mapping[str, int]
    roles: tuple[EntityRole, ...]
    groups: tuple[EntityGroup, ...]
    items: tuple[RecordView, ...]
    decisions: tuple[RecordView, ...]
    beside: tuple[EntityBeside, ...]
    sources: tuple[EntitySource, ...]
    merged: tuple[EntityItem, ...] = ()
    as_of: str | None = None


@dataclass(frozen=True, slots=True)
class EntityChange:
    """What became of an entity. verb: `merged`, `split`, `known as`, `no longer known as`; `other` is what it was merged with or split off.

    `records` counts those that speak of another entity than before.
    """

    verb: str
    entity: EntityItem
    other: EntityItem | None = None
    names: tuple[str, ...] = ()
    records: int = 0


@dataclass(frozen=True, slots=True)
class DigestChange:
    """One change in a digest: to which record (or proposal, or rule), what was done, how it stands now, and the columns set."""

    seq: int
    record: str
    short: str
    title: str | None
    topic: str
    verb: str
    status: str | None
    what: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DigestEntry:
    """Changes that were made as one; `memctl revert SEQ` undoes them. section: `shared`, `maintenance`, `operator` or `agents`."""

    seq: int
    section: str
    actor: str
    at: str
    why: str | None
    changes: tuple[DigestChange, ...]


@dataclass(frozen=True, slots=True)
class DigestReport:
    """What changed since a time, or since the change `after` that the operator saw last, up to the change `until`.

    `counts` by verb; `left_out` counts entries over the limit; `waiting` what the operator has not decided: inbox, conflicts, proposals.
    """

    entries: tuple[DigestEntry, ...]
    since: str | None
    after: int | None
    until: int
    counts: Mapping[str, int] = field(default_factory=dict)
    left_out: int = 0
    waiting: Mapping[str, int] = field(default_factory=dict)
    marked: bool = False
    format: str = "text"
