"""Where records are read from: the store as it is now, or as it was at a time. Both answer the same
questions.

`memctl.records.as_of.records_at` chooses the source once, at the door of a command. Whoever is
passed one need not know which it is; where the past can answer less than the present, the source
says so by a named property.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memctl.core.model import EntityRef, Evidence, FeedbackSignals, Filter, Link, Memory
from memctl.store import (
    chains,
    context_records,
    entity_lookup,
    evidence,
    feedback_signals,
    links,
    records,
)
from memctl.store.database import Database, Row
from memctl.store.lexical import Scope, compute_scope_key

_IN_FORCE = ("active", "contradicted")


class RecordSource(ABC):
    """The records of one time with what belonged to them; `at` is that time, or None for now.

    `knows_usage`: whether use, votes and checked citations are known, which are not kept for past
    times. `can_be_changed`: whether a command can act on what is shown. `finds_by_vector`: whether
    vectors alone may find a record; those that are kept are of its words of now.
    """

    at: str | None = None
    knows_usage = True
    can_be_changed = True
    finds_by_vector = True

    def __init__(self, db: Database) -> None:
        self.db = db

    # -- time

    @abstractmethod
    def has_happened(self, at: str) -> bool:
        """Whether what was stored at `at` is known to this source."""

    @abstractmethod
    def get_reference_time(self, now: str) -> str:
        """The time at which validity and age are judged."""

    # -- records

    @abstractmethod
    def find_record(self, text: str) -> Memory:
        """One record by its id or a unique prefix of it. Raises NotFound."""

    @abstractmethod
    def find_state(self, memory: Memory) -> Memory | None:
        """A record of now as this source knows it (the same object if nothing changed), or None
        if it did not exist.
        """

    @abstractmethod
    def read_records(self, ids: Iterable[str]) -> dict[str, Memory]:
        """Records by id; missing ones are left out."""

    @abstractmethod
    def read_page(self, wanted: Filter, limit: int, offset: int) -> tuple[list[Memory], int]:
        """A part of the records within filters, newest change first, and how many there are in
        all; a negative limit means all.
        """

    @abstractmethod
    def list_records_of_entity(self, entity_id: str) -> list[Memory]:
        """The records that mention an entity, newest first."""

    @abstractmethod
    def count_records(self) -> tuple[Counter[str], Counter[str]]:
        """How many records there are by status, and by type."""

    @abstractmethod
    def count_originals(self) -> dict[str, int]:
        """How many `projects` and captured `sources` there are, with `original_bytes` and
        `stored_bytes`.
        """

    # -- what belongs to records

    @abstractmethod
    def list_links(self, ids: Iterable[str]) -> list[Link]:
        """The links that touch any of the records, in either direction."""

    @abstractmethod
    def list_contradictions(self, project_id: str | None, *, settled: bool) -> list[Link]:
        """Open contradictions that touch a project (None: any), newest first; with `settled` all
        that ever were.
        """

    @abstractmethod
    def read_evidence(self, ids: Sequence[str]) -> Mapping[str, Sequence[Evidence]]:
        """The evidence of each record, strongest first."""

    @abstractmethod
    def read_entities(self, ids: Sequence[str]) -> Mapping[str, Sequence[EntityRef]]:
        """The entities that each record mentions."""

    @abstractmethod
    def find_signals(self, memories: Iterable[Memory]) -> dict[str, FeedbackSignals]:
        """Votes and missing citations of those records of which any are known."""

    def read_newer(self, memories: Sequence[Memory], now: str) -> dict[str, tuple[Memory, float]]:
        """For each record that a newer one may replace, that one and how near the two are (0..1).

        Whoever sees the one sees the other. Of past times nothing is said.
        """
        return {}

    def list_successors(self, memory_id: str) -> tuple[str, ...]:
        """What supersedes a record, what supersedes that, and so on; the last one is the head of
        the chain.
        """
        from memctl.store import succession  # hardly anything that is served was superseded

        return tuple(succession.read_chain(self.db, memory_id, self.at))

    def read_predecessors(self, ids: Iterable[str]) -> dict[str, list[Row]]:
        """What each of some records superseded, directly or through others, the nearest first;
        those without are left out.
        """
        return chains.list_predecessors(self.db, ids, self.at)

    def find_short_ids(self, ids: Iterable[str]) -> dict[str, str]:
        """For each id the shortest prefix that tells it from every record of the store."""
        return context_records.shorten_ids(self.db, ids)

    # -- what a context begins with

    @abstractmethod
    def list_always_loaded(
        self, project_id: str | None, limit: int, since: str | None
    ) -> list[Memory]:
        """Records that every context begins with, most trusted and newest first; private ones of
        all agents among them.
        """

    @abstractmethod
    def read_loading_reasons(self, project_id: str | None) -> dict[str, str]:
        """Why contexts of a project begin with some records by rule and use: ids, each with its
        reason.
        """

    @abstractmethod
    def list_newest_of_type(
        self, project_id: str | None, type_: str, limit: int, since: str | None
    ) -> list[Memory]:
        """The newest living records of one type in one project, or of those without a project."""

    @abstractmethod
    def list_newest_of_kind(
        self, project_id: str | None, kind: str, limit: int, since: str | None
    ) -> list[Memory]:
        """The newest living records of one kind in one project, or of those without a project."""

    @abstractmethod
    def count_of_kind(self, project_id: str | None, kind: str) -> int:
        """How many living records of one kind a project has, or are without a project."""

    @abstractmethod
    def list_contradicted(
        self, project_id: str | None, limit: int, since: str | None
    ) -> list[Memory]:
        """The newest contradicted records of one project, or of those without a project."""

    # -- what the index, which knows only the words of now, is asked for

    @abstractmethod
    def to_index_scope(self, scope: Scope) -> Scope:
        """What to ask the index for, so that it leaves out nothing that `scope` may return."""

    @abstractmethod
    def list_reworded(self) -> list[Memory]:
        """Records of now that the index may miss, because this source knows them in other words."""


class PresentRecords(RecordSource):
    """The records as they are in the store."""

    def has_happened(self, at: str) -> bool:
        return True

    def get_reference_time(self, now: str) -> str:
        return now

    def find_record(self, text: str) -> Memory:
        return records.resolve_record(self.db, text)

    def find_state(self, memory: Memory) -> Memory | None:
        return memory

    def read_records(self, ids: Iterable[str]) -> dict[str, Memory]:
        return records.list_by_ids(self.db, ids, only_readable=True)

    def read_page(self, wanted: Filter, limit: int, offset: int) -> tuple[list[Memory], int]:
        return records.select_page(self.db, wanted, limit=limit, offset=offset)

    def list_records_of_entity(self, entity_id: str) -> list[Memory]:
        from memctl.store import entity_lookup

        return entity_lookup.list_memories(self.db, entity_id)

    def count_records(self) -> tuple[Counter[str], Counter[str]]:
        from memctl.store import counts

        statuses, types = Counter[str](), Counter[str]()
        for row in counts.count_records(self.db):
            statuses[row["status"]] += row["count"]
            types[row["type"]] += row["count"]
        return statuses, types

    def count_originals(self) -> dict[str, int]:
        from memctl.store import counts

        return {"projects": counts.count_projects(self.db), **counts.count_sources(self.db)}

    def list_links(self, ids: Iterable[str]) -> list[Link]:
        return links.list_of_memories(self.db, ids)

    def list_contradictions(self, project_id: str | None, *, settled: bool) -> list[Link]:
        from memctl.store import succession

        return succession.list_contradictions(self.db, project_id, settled=settled)

    def read_evidence(self, ids: Sequence[str]) -> Mapping[str, Sequence[Evidence]]:
        return evidence.list_by_memory(self.db, ids)

    def read_entities(self, ids: Sequence[str]) -> Mapping[str, Sequence[EntityRef]]:
        return entity_lookup.list_refs_by_memory(self.db, ids)

    def find_signals(self, memories: Iterable[Memory]) -> dict[str, FeedbackSignals]:
        return feedback_signals.find_signals(self.db, memories)

    def read_newer(self, memories: Sequence[Memory], now: str) -> dict[str, tuple[Memory, float]]:
        known = {memory.id: memory for memory in memories if memory.status in _IN_FORCE}
        return {
            memory_id: (newer, nearness)
            for memory_id, (newer, nearness) in context_records.read_newer(self.db, known).items()
            if newer.is_valid_at(now) and _is_seen_with(known[memory_id], newer)
        }

    def list_always_loaded(
        self, project_id: str | None, limit: int, since: str | None
    ) -> list[Memory]:
        return context_records.list_pinned(self.db, project_id, limit, since)

    def read_loading_reasons(self, project_id: str | None) -> dict[str, str]:
        return context_records.list_loaded(self.db, project_id)

    def list_newest_of_type(
        self, project_id: str | None, type_: str, limit: int, since: str | None
    ) -> list[Memory]:
        return context_records.list_newest(self.db, project_id, type_, limit, since)

    def list_newest_of_kind(
        self, project_id: str | None, kind: str, limit: int, since: str | None
    ) -> list[Memory]:
        return context_records.list_newest_of_kind(self.db, project_id, kind, limit, since)

    def count_of_kind(self, project_id: str | None, kind: str) -> int:
        return context_records.count_of_kind(self.db, project_id, kind)

    def list_contradicted(
        self, project_id: str | None, limit: int, since: str | None
    ) -> list[Memory]:
        return context_records.list_disputed(self.db, project_id, limit, since)

    def to_index_scope(self, scope: Scope) -> Scope:
        return scope

    def list_reworded(self) -> list[Memory]:
        return []


def _is_seen_with(memory: Memory, other: Memory) -> bool:
    """Whether everybody who may be told of a record may be told of the other."""
    return compute_scope_key(memory) == compute_scope_key(other) and memory.repo_id == other.repo_id
