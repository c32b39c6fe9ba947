"""What a context looks through beside its hits, as it stood at a time: the same questions as `store.place` answers of now."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core.model import Memory
from memctl.records import as_of
from memctl.store import records
from memctl.store.database import Db
from memctl.store.records import Filter

_LIVING = ("active", "contradicted")


class Then:
    """The living records of a time; the store that the questions name is the one that they were read from."""

    def __init__(self, db: Db, at: str) -> None:
        found = as_of.states(db, records.select(db, Filter()), at)
        self._living = sorted(
            (memory for memory in found if memory.status in _LIVING),
            key=lambda memory: (memory.observed_at, memory.id),
            reverse=True,
        )

    def always(
        self, _db: Db, project_id: str | None, limit: int, since: str | None = None
    ) -> list[Memory]:
        """Records that every context began with, most trusted and newest first."""
        found = (
            m
            for m in self._since(since)
            if m.always_load and (m.scope == "global" or m.project_id in (None, project_id))
        )
        return sorted(found, key=lambda memory: -memory.trust)[:limit]

    def newest(
        self, _db: Db, project_id: str | None, type_: str, limit: int, since: str | None = None
    ) -> list[Memory]:
        """The newest living records of one type in one project, or of those without a project."""
        return [
            memory
            for memory in self._since(since)
            if memory.project_id == project_id and memory.type == type_
        ][:limit]

    def newest_of_kind(
        self, _db: Db, project_id: str | None, kind: str, limit: int, since: str | None = None
    ) -> list[Memory]:
        """The newest living records of one kind in one project, or of those without a project."""
        return [
            memory
            for memory in self._since(since)
            if memory.project_id == project_id and memory.kind == kind
        ][:limit]

    def disputed(
        self, _db: Db, project_id: str | None, limit: int, since: str | None = None
    ) -> list[Memory]:
        """The newest records of one project, or of those without a project, that another one contradicted."""
        return [
            memory
            for memory in self._since(since)
            if memory.project_id == project_id and memory.status == "contradicted"
        ][:limit]

    def loaded(self, _db: Db, _project_id: str | None) -> dict[str, str]:
        """What came by rule and use is not kept for past times."""
        return {}

    def _since(self, since: str | None) -> Iterable[Memory]:
        return (memory for memory in self._living if since is None or memory.updated_at >= since)
