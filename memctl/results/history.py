"""Undone changes, digests and rebuilt records, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field
from memctl.results.records import RecordView


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
