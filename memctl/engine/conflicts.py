"""`engine.conflicts`: records that contradict each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memctl.core.model import Place
from memctl.core.typing_lite import TYPE_CHECKING
from memctl.engine.store_access import OperationGroup

if TYPE_CHECKING:
    from memctl.results.conflicts import ConflictsReport, ResolveReport


class ConflictOperations(OperationGroup):
    """Contradictions between records, and their resolution."""

    def list(
        self, place: Place | None = None, *, settled: bool = False, as_of: str | None = None
    ) -> ConflictsReport:
        """List the open contradictions of one project or of all, now or at a time.

        `settled` adds those that were resolved.
        """
        from memctl.curate import conflicts

        db = self._access.open_to_read()
        project_id = place.project_id if place else None
        return conflicts.list_conflicts(db, project_id, settled=settled, as_of=as_of)

    def list_undecided(self, place: Place | None = None) -> ConflictsReport:
        """List what nobody has decided, of one project or of all: open contradictions, and records
        that a newer one may replace.
        """
        from memctl.curate import conflicts

        project_id = place.project_id if place else None
        return conflicts.list_undecided(self._access.open_to_read(), self._access.actor, project_id)

    def resolve(
        self,
        ids: Iterable[str],
        place: Place,
        *,
        keep: str | None = None,
        supersede: Sequence[str] = (),
        both: bool = False,
        dismiss: bool = False,
        scopes: Mapping[str, str] | None = None,
        starts: Mapping[str, str] | None = None,
        ends: Mapping[str, str] | None = None,
        reason: str | None = None,
        dry_run: bool = False,
    ) -> ResolveReport:
        """Resolve one contradiction in one operation, in exactly one of four ways.

        `ids` name it: a link, one record or two. `keep` is the record that holds; `supersede` is
        the newer and the older record; with `both`, `scopes`, `starts` and `ends` say by record id
        where and when each holds; `dismiss` says that there is no contradiction. What an agent may
        not decide is proposed to the operator. Raises UsageError, NotFound, RefusedByPolicy.
        """
        from memctl.curate import conflicts, resolution_opinions

        access = self._access
        db = access.open_to_read() if dry_run else access.open_to_write()
        wanted = resolution_opinions.ConflictResolution(
            tuple(ids),
            keep,
            tuple(supersede),
            both,
            dismiss,
            scopes or {},
            starts or {},
            ends or {},
        )
        return conflicts.resolve_conflict(
            db, access.config, access.actor, wanted, place, reason=reason, dry_run=dry_run
        )
