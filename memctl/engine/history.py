"""`engine.history`: what happened to the store. `MemoryEngine.revert` undoes it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from memctl.core.typing_lite import TYPE_CHECKING
from memctl.engine.store_access import OperationGroup
from memctl.results.store import LogReport

if TYPE_CHECKING:
    from memctl.results.history import DigestReport, RebuildReport, RevertStep, TimelineReport


class HistoryOperations(OperationGroup):
    """The event log and what is made from it."""

    def log(self, kind: str = "events", *, limit: int = 20, since: str | None = None) -> LogReport:
        """List log entries; `kind` is `events` (of ingestion), `retrievals` or `changes`."""
        from memctl.retrieve import overview

        access = self._access
        return overview.read_log(
            access.open_to_read(), kind, limit=limit, since=since, viewer=access.actor.name
        )

    def find_last_change(self) -> int | None:
        """Return the number of the last change of this actor that still stands; None without one.

        `MemoryEngine.revert` takes it and the rest of its operation back.
        """
        from memctl.history import last_change

        access = self._access
        change = last_change.find_last_change(access.open_to_read(), access.actor)
        return None if change is None else change.seq

    def find_change_of_others(self, *, after: int = 0) -> RevertStep | None:
        """Find the last change of a record by somebody else that this actor may see.

        None if there is none `after` the change of that number.
        """
        from memctl.history import last_change

        access = self._access
        return last_change.find_change_of_others(access.open_to_read(), access.actor, after)

    def list_changes_after(self, number: int | None) -> Sequence[int]:
        """List this actor's changes after the one of this number that still stand, newest first.

        Each is the last of its operation.
        """
        from memctl.history import last_change

        access = self._access
        standing = last_change.find_standing_changes(access.open_to_read(), access.actor)
        newer = takewhile(lambda event: number is None or event.seq > number, standing)
        return [event.seq for event in newer]

    def tell_timeline(self, project: str, *, limit: int = 100) -> TimelineReport:
        """Tell what became of a project's records, by day. Raises NotFound."""
        from memctl.records import timeline

        return timeline.tell_timeline(self._access.open_to_read(), project, limit)

    def digest(
        self,
        *,
        since: str | None = None,
        project: str | None = None,
        limit: int = 50,
        mark: bool = False,
        format: str = "text",
    ) -> DigestReport:
        """Report the changes since a time or since the operator last read the digest.

        `mark` notes that the digest is read up to now, if anything can be written. Raises
        UsageError.
        """
        from memctl.curate import digest

        access = self._access
        db = access.open_to_read()
        mark = mark and db.obstacle is None
        if mark:
            access.open_to_write()
            db = access.open_to_read()
        return digest.build_digest(
            db,
            access.config,
            access.actor,
            since=since,
            project=project,
            limit=limit,
            mark=mark,
            format=format,
        )

    def rebuild(self, *, dry_run: bool = False) -> RebuildReport:
        """Rebuild all records from the event log, after a backup. Raises RefusedByPolicy."""
        from memctl.history import rebuild

        access = self._access
        return rebuild.rebuild_records(
            access.open_to_write(), access.config, access.actor, dry_run=dry_run
        )
