"""The state of the store: status, statistics, checks, logs and transfers, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass
from memctl.core.model import Event, Job
from memctl.core.typing_lite import Any


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
