"""Undone changes, digests and rebuilt records, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field
from memctl.results.records import RecordView


@dataclass(frozen=True, slots=True)
class RevertStep:
    """One change that is undone: its number, the record, what it did, by whom and when, and why
    it is included.
    """

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
    """Undone changes, newest first, and the records as they are now. With `dry_run` the plan,
    and why it would be `refused`.

    Of `undo` only: the `actor` whose change it takes back, and the newer change of somebody else
    that it leaves (`left`), where there is one.
    """

    steps: tuple[RevertStep, ...]
    changed: tuple[RecordView, ...] = ()
    refused: str | None = None
    dry_run: bool = False
    actor: str | None = None
    left: RevertStep | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the stored records differ from the event log.

    what: `differs` (in `columns`), `missing` here, `surplus` here (the event log ends it),
    `unknown` to the event log, or `lost` (evidence that is gone; the event log does not repeat its
    words).
    """

    topic: str
    item: str
    what: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """Records rebuilt from the event log: where they differed, what could not be repaired
    (`left`), and the backup made before.
    """

    differences: tuple[Difference, ...]
    records: int
    left: tuple[Difference, ...] = ()
    backup: str | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class DigestChange:
    """One change in a digest: to which record (or proposal, or rule), its verb, the present
    status, and the columns set.
    """

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
    """Changes made in one operation; `memctl revert SEQ` undoes them. section: `shared`,
    `maintenance`, `operator` or `agents`.
    """

    seq: int
    section: str
    actor: str
    at: str
    why: str | None
    changes: tuple[DigestChange, ...]


@dataclass(frozen=True, slots=True)
class DigestReport:
    """What changed since a time, or since the change `after` that the operator saw last, up to the
    change `until`.

    `counts` by verb; `left_out` counts entries over the limit; `waiting` counts what the operator
    has not decided: inbox, conflicts, proposals.
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


@dataclass(frozen=True, slots=True)
class TimelineItem:
    """One thing that became of a record: `verb` as in the event log; `reason` of a replacement or
    an archiving.
    """

    at: str
    verb: str
    id: str
    short: str
    type: str
    title: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class TimelineDay:
    """A day in UTC, how many days ago it is, and what happened on it, newest first."""

    day: str
    days_ago: int
    items: tuple[TimelineItem, ...]


@dataclass(frozen=True, slots=True)
class TimelineReport:
    """The story of a project, the newest day first."""

    project: str
    days: tuple[TimelineDay, ...]
