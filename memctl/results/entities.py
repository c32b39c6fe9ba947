"""Entities that records mention, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass
from memctl.results.records import RecordView


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
