"""The records as they were at a time, replayed from the event log.

A record that was corrected since has its words of then; one that came later does not exist; one
that was archived since is active. Use, votes and what came up by rule are not kept for past times.
A time long ago costs more than yesterday: everything is computed back from what is stored now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from memctl.core.errors import NotFound
from memctl.core.frozen import replace
from memctl.core.model import (
    NAMELESS_AGENT,
    STATUSES,
    EntityRef,
    Evidence,
    FeedbackSignals,
    Filter,
    Link,
    Memory,
)
from memctl.core.typing_lite import Any
from memctl.records.record_source import RecordSource
from memctl.store import as_of, context_records, counts, event_log, records
from memctl.store.database import Database
from memctl.store.lexical import Scope
from memctl.store.records import LATER
from memctl.text import tags

_LIVING = ("active", "contradicted")
_CONTRADICTABLE = ("active", "contradicted", "inbox")


class PastRecords(RecordSource):
    """The records of one past time."""

    knows_usage = False
    can_be_changed = False
    finds_by_vector = False

    def __init__(self, db: Database, at: str) -> None:
        super().__init__(db)
        self.at: str = at

    def has_happened(self, at: str) -> bool:
        return at <= self.at

    def get_reference_time(self, now: str) -> str:
        return self.at

    def find_record(self, text: str) -> Memory:
        memory = records.resolve_record(self.db, text)
        state = self.find_state(memory)
        if state is None:
            raise NotFound(
                f"{memory.id} did not exist yet at {self.at}",
                hint="`memctl explain ID` shows when it came to be",
            )
        return state

    def find_state(self, memory: Memory) -> Memory | None:
        return memory if memory.id not in self._changed else self._replay(memory)

    def read_records(self, ids: Iterable[str]) -> dict[str, Memory]:
        states = self._list_states(records.list_by_ids(self.db, ids).values())
        return {memory.id: memory for memory in states}

    def read_page(self, wanted: Filter, limit: int, offset: int) -> tuple[list[Memory], int]:
        fitting = [memory for memory in self._everything if is_within(memory, wanted)]
        if wanted.tags:
            fitting = [memory for memory in fitting if self._has_tags(memory.id, wanted.tags)]
        fitting.sort(key=lambda memory: (memory.updated_at, memory.id), reverse=True)
        end = None if limit < 0 else offset + limit
        return fitting[offset:end], len(fitting)

    def list_records_of_entity(self, entity_id: str) -> list[Memory]:
        states = self.read_records(
            as_of.list_records_of_entity(self.db, entity_id, self.at)
        ).values()
        return sorted(states, key=lambda memory: (memory.observed_at, memory.id), reverse=True)

    def count_records(self) -> tuple[Counter[str], Counter[str]]:
        statuses = Counter[str](memory.status for memory in self._everything)
        return statuses, Counter[str](memory.type for memory in self._everything)

    def count_originals(self) -> dict[str, int]:
        return counts.count_at(self.db, self.at)

    def list_links(self, ids: Iterable[str]) -> list[Link]:
        return as_of.list_links(self.db, ids, self.at)

    def list_contradictions(self, project_id: str | None, *, settled: bool) -> list[Link]:
        contradictions = [
            link
            for link in as_of.list_all_links(self.db, self.at)
            if link.relation == "contradicts"
        ]
        states = self.read_records(
            {end for link in contradictions for end in (link.from_id, link.to_id)}
        )
        chosen = [
            link for link in contradictions if _is_listed(link, states, project_id, settled=settled)
        ]
        return sorted(chosen, key=lambda link: (link.created_at, link.id), reverse=True)

    def read_evidence(self, ids: Sequence[str]) -> Mapping[str, Sequence[Evidence]]:
        return {memory_id: as_of.list_evidence(self.db, memory_id, self.at) for memory_id in ids}

    def read_entities(self, ids: Sequence[str]) -> Mapping[str, Sequence[EntityRef]]:
        return {memory_id: as_of.list_entities(self.db, memory_id, self.at) for memory_id in ids}

    def find_signals(self, memories: Iterable[Memory]) -> dict[str, FeedbackSignals]:
        return {}

    def list_always_loaded(
        self, project_id: str | None, limit: int, since: str | None
    ) -> list[Memory]:
        pinned = [
            memory
            for memory in self._list_living(since)
            if memory.always_load
            and (memory.scope == "global" or memory.project_id in (None, project_id))
        ]
        return sorted(pinned, key=lambda memory: -memory.trust)[:limit]

    def read_loading_reasons(self, project_id: str | None) -> dict[str, str]:
        return {}

    def list_newest_of_type(
        self, project_id: str | None, type_: str, limit: int, since: str | None
    ) -> list[Memory]:
        living = self._list_living_of(project_id, since)
        return [memory for memory in living if memory.type == type_][:limit]

    def list_newest_of_kind(
        self, project_id: str | None, kind: str, limit: int, since: str | None
    ) -> list[Memory]:
        living = self._list_living_of(project_id, since)
        return [memory for memory in living if memory.kind == kind][:limit]

    def count_of_kind(self, project_id: str | None, kind: str) -> int:
        living = self._list_living_of(project_id, None)
        return sum(1 for memory in living if memory.kind == kind)

    def list_contradicted(
        self, project_id: str | None, limit: int, since: str | None
    ) -> list[Memory]:
        living = self._list_living_of(project_id, since)
        return [memory for memory in living if memory.status == "contradicted"][:limit]

    def to_index_scope(self, scope: Scope) -> Scope:
        return replace(scope, statuses=STATUSES, now=None)

    def list_reworded(self) -> list[Memory]:
        return list(
            records.list_by_ids(
                self.db, context_records.list_changed_after(self.db, self.at)
            ).values()
        )

    def _has_tags(self, memory_id: str, wanted: Sequence[str]) -> bool:
        refs = as_of.list_entities(self.db, memory_id, self.at)
        return {*wanted} <= {*tags.split_refs(refs)[1]}

    # -- replaying

    @cached_property
    def _changed(self) -> set[str]:
        """The ids of the records that were changed or created since."""
        return as_of.list_changed_since(self.db, self.at)

    @cached_property
    def _everything(self) -> list[Memory]:
        """Every record of the time."""
        return self._list_states(records.select_records(self.db, Filter()))

    @cached_property
    def _living(self) -> list[Memory]:
        """What held at the time, newest first."""
        living = [memory for memory in self._everything if memory.status in _LIVING]
        return sorted(living, key=lambda memory: (memory.observed_at, memory.id), reverse=True)

    def _list_living(self, since: str | None) -> list[Memory]:
        return [memory for memory in self._living if since is None or memory.updated_at >= since]

    def _list_living_of(self, project_id: str | None, since: str | None) -> list[Memory]:
        return [memory for memory in self._list_living(since) if memory.project_id == project_id]

    def _list_states(self, memories: Iterable[Memory]) -> list[Memory]:
        states = map(self.find_state, memories)
        return [state for state in states if state is not None]

    def _replay(self, memory: Memory) -> Memory | None:
        """The record as the event log says it was, or None if there was none."""
        state: dict[str, Any] | None = event_log.replay_fields(self.db, memory.id, self.at)
        if state is None:
            return None
        known = {name: value for name, value in {**LATER, **state}.items() if hasattr(memory, name)}
        if "alternatives" in known:
            known["alternatives"] = tuple(known["alternatives"] or ())
        return replace(memory, **known)


def is_within(memory: Memory, wanted: Filter) -> bool:
    """Whether a record is within filters, as the statement that lists records decides it."""
    return (
        _has_wanted_words(memory, wanted)
        and _has_wanted_ids(memory, wanted)
        and (wanted.min_confidence is None or memory.confidence >= wanted.min_confidence)
        and (wanted.max_confidence is None or memory.confidence <= wanted.max_confidence)
        and (not wanted.since or memory.updated_at >= wanted.since)
        and (not wanted.before or memory.updated_at < wanted.before)
    )


def _has_wanted_words(memory: Memory, wanted: Filter) -> bool:
    pairs = (
        (wanted.statuses, memory.status),
        (wanted.types, memory.type),
        (wanted.kinds, memory.kind),
        (wanted.scopes, memory.scope),
    )
    return all(not allowed or value in allowed for allowed, value in pairs)


def _has_wanted_ids(memory: Memory, wanted: Filter) -> bool:
    pairs = (
        (wanted.project_id, memory.project_id),
        (wanted.agent_id, memory.agent_id),
        (wanted.source_kind, memory.source_kind),
        (wanted.source_ref, memory.source_ref),
    )
    return _is_seen_by(memory, wanted.viewer) and all(
        required is None or value == required for required, value in pairs
    )


def _is_seen_by(memory: Memory, viewer: str | None) -> bool:
    """Whether a list for this agent has the record: not what is private to others, nor what was
    taken from a session and is private to it, unless it waits and the caller is no agent by name.
    """
    if viewer is None or memory.scope not in ("agent", "session"):
        return True
    if memory.scope == "session":
        is_waiting = memory.status == "inbox" and viewer == NAMELESS_AGENT
        return memory.source_kind == "manual" or is_waiting
    return memory.agent_id == viewer


def _is_listed(
    link: Link, states: Mapping[str, Memory], project_id: str | None, *, settled: bool
) -> bool:
    """Whether a contradiction of the time is listed: both records existed, and it was open
    between living ones, or all are wanted.
    """
    sides = [states[end] for end in (link.from_id, link.to_id) if end in states]
    if len(sides) < 2:
        return False
    is_open = link.resolved_at is None and all(side.status in _CONTRADICTABLE for side in sides)
    is_of_project = project_id is None or project_id in {side.project_id for side in sides}
    return (settled or is_open) and is_of_project
