"""`engine.inbox`: candidates and maintenance proposals that wait for the operator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memctl.engine.store_access import OperationGroup
from memctl.results.hot import ChangeReport, Page
from memctl.store.records import Filter


class InboxOperations(OperationGroup):
    """What waits in the inbox, and the operator's answers. `MemoryEngine.promote` approves."""

    def list(self, wanted: Filter | None = None, *, limit: int = 20, offset: int = 0) -> Page:
        """List candidates, most confident first; a negative `limit` means all."""
        from memctl.retrieve import overview

        db = self._access.open_to_read()
        return overview.inbox(db, wanted or Filter(), limit=limit, offset=offset)

    def approve_all(self, wanted: Filter, *, dry_run: bool = False) -> ChangeReport:
        """Make every candidate that passes the filter active."""
        from memctl.curate import promote

        access = self._access
        db = access.open_to_write()
        return promote.approve_all(db, access.config, access.actor, wanted, dry_run=dry_run)

    def reject(self, ids: Iterable[str], *, reason: str) -> ChangeReport:
        """Archive candidates for good, so that they are not proposed again."""
        from memctl.curate import promote

        access = self._access
        db = access.open_to_write()
        return promote.reject(db, access.config, access.actor, [*ids], reason=reason)

    def split_proposals(self, ids: Iterable[str]) -> tuple[Sequence[str], Sequence[str]]:
        """Split ids or prefixes into those of maintenance proposals and all others."""
        from memctl.records import proposals

        return proposals.apart(self._access.open_to_read(), ids)

    def accept_proposals(self, ids: Iterable[str], *, dry_run: bool = False) -> ChangeReport:
        """Carry out maintenance proposals. Raises NotFound; RefusedByPolicy unless the operator."""
        from memctl.records import proposals

        access = self._access
        db = access.open_to_write()
        return proposals.accept_all(db, access.config, access.actor, [*ids], dry_run=dry_run)

    def decline_proposals(self, ids: Iterable[str], *, dry_run: bool = False) -> ChangeReport:
        """Turn maintenance proposals down for good. Raises like `accept_proposals`."""
        from memctl.records import proposals

        access = self._access
        db = access.open_to_write()
        return proposals.decline_all(db, access.config, access.actor, [*ids], dry_run=dry_run)
