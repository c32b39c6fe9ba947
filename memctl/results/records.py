"""Records, pages of them and changes to them, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field
from memctl.core.model import EntityRef, Evidence, Link, Memory
from memctl.core.typing_lite import Any


@dataclass(frozen=True, slots=True)
class Former:
    """A record that another one superseded: what it said, from when (`since`) until when
    (`until`), and why it was replaced.
    """

    id: str
    short: str
    title: str
    since: str
    until: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class NewerRecord:
    """A newer record in force that may replace another one; nobody has decided that yet.

    The newer one seems to answer the same question anew (`nearness`, 0 to 1). `observed_at` is its
    time, `text` what it says.
    """

    id: str
    short: str
    observed_at: str
    text: str
    nearness: float


@dataclass(frozen=True, slots=True)
class RecordView:
    """A record with everything that belongs to it. `short` is the shortest prefix of its id that is
    unique in the store.

    `superseded_by` is the record in force that superseded it, by way of `superseded_over` (nearest
    first). `replaces` are the records that a candidate supersedes when it is approved. `shorts` has
    the short ids of all records that these and `contradicted_by` name, `others` what those say
    (only of a candidate and of a record in an open contradiction).

    `newer` is a newer record that may replace this one, if there is one.

    `place_unknown`: nobody has said which project it belongs to, so that it is private to its
    session; `suggested_project` is the name that its session gives for it.

    Only where one record is shown: `standing` has notes on age, usage and missing citations, and
    `former` the records that it superseded, nearest first. `changes` counts them; `changed_since`
    is the time of the first.
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
    place_unknown: bool = False
    suggested_project: str | None = None
    newer: NewerRecord | None = None
    others: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change that maintenance proposes and the operator decides on.

    kind: `archive` (a record), `mute` (a rule), `merge_entities` (two ids) or `resolve` (two ids of
    records, as an agent would resolve them; `data` says how). state: `open`,
    `accepted`, `declined`, or `withdrawn` (it no longer applies). `short` is the shortest unique
    prefix of its id; `title` is the title of the record that it is about.
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
class TagList:
    """The tags in use, the most used first, each with the number of its records."""

    tags: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list. `total` counts everything that passes the filters; `proposals` come with
    an unfiltered inbox.
    """

    items: tuple[RecordView, ...]
    total: int
    proposals: tuple[Proposal, ...] = ()
    as_of: str | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """One record written by hand. outcome: `created`, `merged` (it was known) or `inbox` (it
    waits for the operator).
    """

    outcome: str
    record: RecordView
    note: str | None = None


@dataclass(frozen=True, slots=True)
class IngestReport:
    """Records written by hand, in the order they were given.

    `spool_file` holds what a busy store could not take: the next write or maintenance stores it, as
    if it had been written now. `problems` name what was refused meanwhile.
    """

    items: tuple[Saved, ...]
    spool_file: str | None = None
    problems: tuple[str, ...] = ()


class ManagedId(str):
    """The id of a record that `manage` wrote, changed or archived: a text like any other.

    `outcome` says what became of it: `created`, `merged` (it was known), `inbox` (it waits for the
    operator), `corrected`, `proposed` (the operator decides on the new words), `edited`,
    `forgotten`, or `spooled`: the store was busy, the next write stores it, and the id of what is
    new is not known yet (empty). `note` says why, if there is anything to say.
    """

    outcome: str
    note: str | None

    def __new__(cls, record_id: str, outcome: str, note: str | None = None) -> ManagedId:
        made = super().__new__(cls, record_id)
        made.outcome = outcome
        made.note = note
        return made


@dataclass(frozen=True, slots=True)
class Refusal:
    """A change that was not made, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """Changes to records: what was done (`verb`) to which, what was refused, and which proposals it
    settled.

    `replaced` are the records that an approval superseded. With `dry_run` nothing was written, and
    this is what would be done. `spool_file` holds a correction that a busy store could not take.
    """

    verb: str
    changed: tuple[RecordView, ...]
    refused: tuple[Refusal, ...] = ()
    dry_run: bool = False
    proposals: tuple[Proposal, ...] = ()
    replaced: tuple[RecordView, ...] = ()
    spool_file: str | None = None
