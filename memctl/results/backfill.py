"""Past sessions and memories of other tools that were read, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class BackfillAgent:
    """The session files of one agent: how many to read (`files`, `bytes`), what became of them,
    and what was left out and why (`copies`: another file of the same session replaces it).
    """

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
    copies: int = 0
    empty: int = 0
    refused: int = 0
    ignored: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class BackfillReport:
    """A backfill, or with `dry_run` its plan. `estimate_seconds` is for all of it, at the
    measured speed or else a usual one.
    """

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
class NoteChange:
    """What a changed line of a file means for the record that rests on it.

    change: `changed` (the record with `new_id` superseded it), `proposed` (it would, once it is
    approved), `gone` (its archive is proposed; a candidate says so itself), `said elsewhere` (the
    line is gone, but other evidence says the same), `back` (the line stands there again, and the
    record is back).
    """

    change: str
    title: str
    record_id: str
    new_title: str | None = None
    new_id: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """What became of one file of another tool, or of what its store holds about one project. The
    numbers count memories.

    `new` are candidates, without those that stand in the place of a `changed` line; `known` are all
    that were known before. Of the lines of the version before, so many were `changed`, `moved`,
    `gone`, `back` and `unchanged`.

    outcome: `captured`, `grown`, `rewritten`, `unchanged` (see Captured), `empty`, `missing` (it
    was imported before and is not there any more; its records stay), `ignored` (`note` says why),
    `refused` or `failed` (`problem` says why).
    """

    path: str
    kind: str | None
    project: str | None = None
    found: int = 0
    new: int = 0
    known: int = 0
    rejected: int = 0
    changed: int = 0
    moved: int = 0
    gone: int = 0
    back: int = 0
    unchanged: int = 0
    outcome: str = "captured"
    problem: str | None = None
    note: str | None = None
    redacted: Mapping[str, int] = field(default_factory=dict)
    changes: tuple[NoteChange, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoriesReport:
    """An import of other tools' memories, or with `dry_run` its plan."""

    items: tuple[MemoryFile, ...]
    dry_run: bool = False
