"""Entities that records mention, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass
from memctl.results.records import RecordView


@dataclass(frozen=True, slots=True)
class EntityItem:
    """A person, project, organisation, concept or tool: its names, how many records mention it,
    first and last time.
    """

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
    """Entities, the most mentioned first. `total` also counts those beyond the limit."""

    items: tuple[EntityItem, ...]
    total: int


@dataclass(frozen=True, slots=True)
class EntityRole:
    """What somebody is to the operator (`my boss`), since when, and until when if it passed to
    another.
    """

    role: str
    since: str
    until: str | None = None


@dataclass(frozen=True, slots=True)
class EntityGroup:
    """How many records of one type and status mention an entity, and when the first and the last
    were observed.
    """

    type: str
    status: str
    records: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class RelatedEntity:
    """Another entity that the same records mention, and how many of them."""

    id: str
    kind: str
    name: str
    records: int


@dataclass(frozen=True, slots=True)
class EntitySource:
    """A conversation or document from which records about an entity were taken, and how many."""

    id: str
    agent: str
    session_id: str
    title: str | None
    observed_at: str
    records: int


@dataclass(frozen=True, slots=True)
class EntityReport:
    """Everything known about one entity.

    `names_used` counts how often each name is used; `groups` counts records by type and status;
    `items` are the newest records and `decisions` those in force. `related` are entities that the
    same records mention, `merged` the entities that were merged into it. `as_of` is the time of the
    report, if not now.
    """

    entity: EntityItem
    names_used: Mapping[str, int]
    roles: tuple[EntityRole, ...]
    groups: tuple[EntityGroup, ...]
    items: tuple[RecordView, ...]
    decisions: tuple[RecordView, ...]
    related: tuple[RelatedEntity, ...]
    sources: tuple[EntitySource, ...]
    merged: tuple[EntityItem, ...] = ()
    as_of: str | None = None


@dataclass(frozen=True, slots=True)
class EntityChange:
    """A change to an entity. verb: `merged`, `split`, `known as` or `no longer known as`.

    `other` is the entity that it was merged with or split from; `records` counts those that mention
    another entity than before.
    """

    verb: str
    entity: EntityItem
    other: EntityItem | None = None
    names: tuple[str, ...] = ()
    records: int = 0
