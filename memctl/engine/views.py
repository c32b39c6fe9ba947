"""`engine.views`: saved options of searches and contexts."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.typing_lite import Any
from memctl.engine.store_access import OperationGroup
from memctl.results.saved_views import ViewReport


class ViewOperations(OperationGroup):
    """Saved views."""

    def save(
        self, name: str, kind: str, options: Mapping[str, Any], *, replace: bool = False
    ) -> ViewReport:
        """Save the options of a `search` or a `context`. Raises UsageError, also for a taken
        name.
        """
        from memctl.records import saved_views

        access = self._access
        db = access.open_to_write()
        return saved_views.save_view(db, access.config, name, kind, options, replace=replace)

    def list(self) -> ViewReport:
        """List all saved views."""
        from memctl.records import saved_views

        return saved_views.list_views(self._access.open_to_read())

    def show(self, name: str) -> ViewReport:
        """Show one saved view. Raises NotFound."""
        from memctl.records import saved_views

        return saved_views.show_view(self._access.open_to_read(), name)

    def read_options(self, name: str, kind: str) -> dict[str, Any]:
        """Read the options of a saved view.

        Raises NotFound; UsageError for another kind, or a view of a newer version.
        """
        from memctl.records import saved_views

        return saved_views.read_options(self._access.open_to_read(), name, kind)

    def delete(self, name: str) -> ViewReport:
        """Delete a saved view. Raises NotFound."""
        from memctl.records import saved_views

        return saved_views.delete_view(self._access.open_to_write(), name)
