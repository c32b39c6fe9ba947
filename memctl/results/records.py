"""Records, pages of them and changes to them, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field
from memctl.core.model import EntityRef, Evidence, Link, Memory
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
