"""Contradictions and their resolution, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field
from memctl.results.records import RecordView


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
