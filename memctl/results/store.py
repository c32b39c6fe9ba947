"""Status, statistics, checks, logs and transfers of the store, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field
from memctl.core.model import Event, Job
from memctl.core.typing_lite import Any


@dataclass(frozen=True, slots=True)
class Check:
    """One finding of `doctor`. state: `ok`, `note` or `problem`; `cure` says what to do about
    it.
    """

    name: str
    state: str
    detail: str
    cure: str | None = None


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """All findings of `doctor`. `repaired` lists what was repaired, after a copy to `backup`.

    `next_step` is the one thing to do first; None if there is no problem.
    """

    checks: tuple[Check, ...]
    repaired: tuple[str, ...] = ()
    backup: str | None = None
    next_step: str | None = None

    @property
    def healthy(self) -> bool:
        """Whether no check found a problem."""
        return all(check.state != "problem" for check in self.checks)


@dataclass(frozen=True, slots=True)
class SyncPlaceState:
    """A place where this store meets others, and how the last syncs there went.

    `failing_since` is when it could last not be reached for the first time; None where it could.
    """

    name: str
    kind: str
    is_encrypted: bool
    done_at: str | None = None
    tried_at: str | None = None
    failing_since: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class UpkeepState:
    """Which `way` upkeep runs: `cron`, `systemd`, `launchd`, `hooks` or `nothing`; when its last
    run began, and what started that: `hook`, a timer, or None (a person, or a program of theirs).
    """

    way: str
    last_run: str | None = None
    started_by: str | None = None


@dataclass(frozen=True, slots=True)
class StatusReport:
    """The store at a glance. `upkeep` is what starts it (see `UpkeepState`), `maintained_by` what
    started the last run. `muted` are extraction rules whose candidates are not proposed;
    `warnings` tell what `init` found wrong with the place, or did not do; `places` are where it
    meets stores of other machines.

    With `as_of`, records, types, projects and sources are counted as of that time; the rest is
    current.
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
    warnings: tuple[str, ...] = ()
    places: tuple[SyncPlaceState, ...] = ()
    upkeep: str = "nothing"
    maintained_by: str | None = None


@dataclass(frozen=True, slots=True)
class StatsReport:
    """The store in numbers. `statuses` counts all records; `records`, `types`, `scopes`, `kinds`,
    `trust` and `projects` only those in force.

    `evidence` counts quotes, and `sources` what they were taken from. `changes`, `captures` and
    `retrievals` are pairs: the last 7 and the last 30 days. `never_served` counts records in force
    that no search or context has returned. `months` counts the records made in each (`2026-03`).
    """

    records: int
    statuses: Mapping[str, int]
    types: Mapping[str, int]
    scopes: Mapping[str, int]
    kinds: Mapping[str, int]
    trust: Mapping[str, int]
    projects: Mapping[str, int]
    evidence: int
    sources: int
    links: Mapping[str, int]
    entities: Mapping[str, int]
    sessions: Mapping[str, int]
    turns: int
    changes: tuple[int, int]
    captures: tuple[int, int]
    retrievals: tuple[int, int]
    never_served: int
    good: int
    bad: int
    oldest_waiting: str | None = None
    proposals: int = 0
    muted: tuple[str, ...] = ()
    months: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TransferReport:
    """An export, import, backup or restore: counts by section. `problems` lists bad lines with
    their numbers, `removed` the older automatic backups that went.
    """

    path: str
    counts: Mapping[str, Mapping[str, int]]
    problems: tuple[str, ...] = ()
    dry_run: bool = False
    text: str | None = None
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogReport:
    """Ingestion events, retrievals or changes to records, newest first."""

    kind: str
    events: tuple[Job, ...] = ()
    retrievals: tuple[Mapping[str, Any], ...] = ()
    changes: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportFile:
    """The page of `memctl report`: its file and bytes."""

    path: str
    size: int
