"""What cannot both hold, and who and what records speak of, as the engine answers."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field
from memctl.results.hot import RecordView


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
