"""`engine.journal`: daily notes, and MEMORY.md with its versions."""

from __future__ import annotations

from pathlib import Path

from memctl.core.errors import UsageError
from memctl.core.typing_lite import TYPE_CHECKING
from memctl.engine.store_access import OperationGroup, StoreAccess

if TYPE_CHECKING:
    from memctl.journal.proposal import Wording
    from memctl.results.journal import DailyReport, DreamReport
    from memctl.store.database import Database


class JournalOperations(OperationGroup):
    """What memory holds, as documents that a person reads."""

    def keep_daily_note(
        self, day: str | None = None, *, project: str | None = None, folder: Path | None = None
    ) -> DailyReport:
        """Make the note of a day: `today` (the default), `yesterday` or a date.

        It is written where `folder` or `journal.dir` names a folder, and what a person wrote into
        the file is kept. Raises UsageError, NotFound, StoreFull.
        """
        from memctl.journal import daily_notes

        access = self._access
        return daily_notes.keep_note(
            access.open_to_read(), access.config, day, project=project, folder=folder
        )

    def dream(
        self,
        *,
        lookback_days: int | None = None,
        project: str | None = None,
        budget: int | None = None,
        folder: Path | None = None,
        stages: bool = False,
        uses_model: bool = True,
    ) -> DreamReport:
        """Make a new MEMORY.md of a project, or of every place: shown, or staged if it says
        anything new.

        `lookback_days` is how far back sessions are told (default: `journal.days`), `budget` the
        tokens of each. A configured model may word lines otherwise; what no record says is refused.
        Raises NotFound, UsageError.
        """
        from memctl.journal import dream, journal_files, proposal
        from memctl.journal.proposal import DreamOptions

        access = self._access
        if budget is not None and budget < proposal.LEAST_BUDGET:
            raise UsageError(f"a MEMORY.md takes {proposal.LEAST_BUDGET} tokens at least")
        db = access.open_to_write() if stages else access.open_to_read()
        options = DreamOptions(
            int(access.config["journal.days"]) if lookback_days is None else lookback_days,
            int(access.config["journal.memory_budget"]) if budget is None else budget,
            journal_files.find_folder(access.config, folder),
            _make_wording(db, access) if stages and uses_model else None,
        )
        places = dream.find_places(db, project)
        if stages:
            return dream.stage_documents(db, access.config, access.actor, places, options)
        return dream.propose_documents(db, access.config, places, options)

    def approve(self, version: str, *, folder: Path | None = None) -> DreamReport:
        """Let a staged version be the present one and write its file.

        Raises RefusedByPolicy unless the operator, NotFound, UsageError.
        """
        from memctl.journal import dream

        access = self._access
        return dream.approve_document(
            access.open_to_write(), access.config, access.actor, version, folder
        )

    def reject(self, version: str) -> DreamReport:
        """Turn a staged version down; the same is not staged again. Raises like `approve`."""
        from memctl.journal import dream

        return dream.reject_document(self._access.open_to_write(), self._access.actor, version)

    def restore(self, version: str, *, folder: Path | None = None) -> DreamReport:
        """Let an old version be the present one, but for what no longer holds. Raises like
        `approve`.
        """
        from memctl.journal import dream

        access = self._access
        return dream.restore_document(
            access.open_to_write(), access.config, access.actor, version, folder
        )

    def list_versions(self, *, project: str | None = None, limit: int = 20) -> DreamReport:
        """List the versions of MEMORY.md, newest first, each with what it changed and why.

        Raises NotFound.
        """
        from memctl.journal import dream

        return dream.list_versions(self._access.open_to_read(), project, limit)

    def compare_staged(self, *, project: str | None = None) -> DreamReport:
        """Show what staged versions change in the lines of the present ones. Raises NotFound."""
        from memctl.journal import dream

        return dream.compare_staged(self._access.open_to_read(), project)


def _make_wording(db: Database, access: StoreAccess) -> Wording | None:
    """Who words lines: the configured model, for the operator; an agent spends no budget."""
    from memctl.journal import memory_wording

    return memory_wording.make_wording(db, access.config) if access.actor.is_operator else None
