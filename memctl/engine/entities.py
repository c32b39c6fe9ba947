"""`engine.entities`: the people, projects, organisations, concepts and tools in records."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core.typing_lite import TYPE_CHECKING
from memctl.engine.store_access import OperationGroup

if TYPE_CHECKING:
    from memctl.results.entities import EntityChange, EntityList, EntityReport


class EntityOperations(OperationGroup):
    """Entities and their names."""

    def list(
        self, *, kind: str | None = None, project_id: str | None = None, limit: int = 50
    ) -> EntityList:
        """List entities, most mentioned first; a negative `limit` means all."""
        from memctl.curate import entity_reports

        access = self._access
        return entity_reports.list_entities(
            access.open_to_read(),
            kind=kind,
            project_id=project_id,
            limit=limit,
            viewer=access.actor,
        )

    def show(self, name: str, *, as_of: str | None = None) -> EntityReport:
        """Show what is known of one entity, by any of its names. Raises NotFound, also where
        several fit.
        """
        from memctl.curate import entity_reports

        access = self._access
        return entity_reports.show_entity(
            access.open_to_read(), name, as_of=as_of, viewer=access.actor
        )

    def merge(self, name: str, other: str, *, reason: str | None = None) -> EntityChange:
        """Merge another entity into one. Raises NotFound, UsageError, RefusedByPolicy.

        Only the operator may change entities.
        """
        from memctl.curate import entities

        access = self._access
        return entities.merge_entities(
            access.open_to_write(), access.actor, name, other, reason=reason
        )

    def split(
        self, name: str, names: Iterable[str] = (), *, undo_merge: bool = False
    ) -> EntityChange:
        """Split names off into an entity of their own, or undo a merge. Raises like `merge`."""
        from memctl.curate import entities

        access = self._access
        db = access.open_to_write()
        return entities.split_entity(db, access.actor, name, tuple(names), undo_merge=undo_merge)

    def alias(self, name: str, other: str, *, remove: bool = False) -> EntityChange:
        """Give an entity another name, or remove it; a role moves over. Raises like `merge`."""
        from memctl.curate import entities

        access = self._access
        return entities.set_alias(
            access.open_to_write(),
            access.actor,
            name,
            other,
            remove=remove,
            redactor=self._access.redactor,
        )
