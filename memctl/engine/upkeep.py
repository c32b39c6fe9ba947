"""`engine.upkeep`: the health, size and safety of the store.

`MemoryEngine.maintain` does the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from memctl.core.errors import MemctlError, NoStore
from memctl.core.frozen import replace
from memctl.core.typing_lite import TYPE_CHECKING, Any
from memctl.engine.store_access import OperationGroup
from memctl.results.store import DoctorReport, StatusReport, TransferReport

if TYPE_CHECKING:
    from memctl.results.erasure import PurgeReport, RedactionReport
    from memctl.results.language_model import ModelReport
    from memctl.results.maintenance import StepsReport
    from memctl.results.quality import MuteReport, QualityReport
    from memctl.results.store import ReportFile, StatsReport
    from memctl.store.database import Database

_UNKNOWN_PURGES = (
    "the store that was here cannot be read: whether this copy brings back what had been purged is "
    "not known"
)


class UpkeepOperations(OperationGroup):
    """Checks, figures, backups and erasure."""

    def status(self, *, as_of: str | None = None) -> StatusReport:
        """Summarise the store, now or at a time."""
        from memctl.retrieve import overview

        access = self._access
        return overview.read_status(access.open_to_read(), access.config, as_of=as_of)

    def doctor(
        self,
        *,
        repair: bool = False,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> DoctorReport:
        """Check the store and its surroundings; `repair` mends derived data, after a backup."""
        from memctl.maintain import doctor

        return doctor.doctor(self._access.config, repair=repair, progress=progress)

    def list_steps(self) -> StepsReport:
        """List the steps of maintenance: purpose, last run and result, when due."""
        from memctl.maintain import reports

        access = self._access
        return reports.list_step_states(access.open_to_read(), access.config)

    def stats(self) -> StatsReport:
        """Count what is in the store."""
        from memctl.records import quality

        return quality.read_stats(self._access.open_to_read())

    def write_report(self, path: Path | None = None, *, replaces: bool = False) -> ReportFile:
        """Write one HTML page on the store (default: `report.html` beside it), private to the user.

        Raises UsageError for a file that is there already, unless it `replaces` that.
        """
        from memctl.report import write

        access = self._access
        return write.write_report(access.open_to_read(), access.config, path, replaces=replaces)

    def quality(
        self,
        *,
        since: str | None = None,
        agent: str | None = None,
        extractor: str | None = None,
        rule: str | None = None,
    ) -> QualityReport:
        """Report the share of proposed records that was kept.

        It is counted by agent, format, extractor and rule.
        """
        from memctl.records import quality

        db = self._access.open_to_read()
        return quality.report_quality(db, quality.AccountFilter(since, agent, extractor, rule))

    def mute_rule(self, rule: str, *, muted: bool = True, reason: str | None = None) -> MuteReport:
        """Mute an extraction rule, or unmute it.

        Raises NotFound; RefusedByPolicy unless the operator.
        """
        from memctl.records import quality

        access = self._access
        db = access.open_to_write()
        return quality.set_muted(
            db, access.actor, rule, muted=muted, reason=reason, redactor=self._access.redactor
        )

    def model_status(self) -> ModelReport:
        """Report the language model: usage, budget, last failures. Raises ConfigError."""
        from memctl.llm import usage

        access = self._access
        return usage.report_status(access.open_to_read(), access.config)

    def backup(self, path: Path | None = None) -> TransferReport:
        """Write a complete private copy of the store, also while others write."""
        from memctl.store import backup

        access = self._access
        return backup.make_backup(access.open_to_read(), access.config, path)

    def restore(self, path: Path, *, with_purged: bool = False) -> TransferReport:
        """Replace the store with a verified backup; the present store is kept beside it.

        What was purged since then is purged again, unless it is to come back `with_purged`.
        """
        from memctl.erase import returning
        from memctl.store import restore, witness

        access = self._access
        purged = self._list_purged()
        access.close()
        given = {} if access.patience is None else {"patience": access.patience}
        held = returning.Returning((), None)

        def prepare(copied: Database) -> None:
            nonlocal held
            held = returning.begin_in_copy(
                copied, purged or (), access.actor, bring_back=with_purged
            )

        report = restore.restore_backup(access.config, access.actor, path, prepare=prepare, **given)
        # Again: a command that ended at that moment may have noted the old store.
        witness.announce_rewriting(access.config, f"restore of {path.name}")
        db = access.open_to_read(exactly=True)
        erased = returning.finish(db, access.config, held)
        witness.renew_witness(db, access.config)
        told = [
            *([report.text] if report.text else []),
            *([said] if (said := returning.describe(held)) else []),
            *(erased.notes if erased else ()),
            *([_UNKNOWN_PURGES] if purged is None else []),
        ]
        return replace(report, text="\n".join(told) or None)

    def _list_purged(self) -> list[dict[str, Any]] | None:
        """List the marks of what was purged here; None where the store cannot be read."""
        from memctl.store import tombstones

        try:
            return tombstones.list_purged(self._access.open_to_read(exactly=True))
        except NoStore:
            return []
        except MemctlError:
            return None

    def purge(
        self,
        ids: Iterable[str] = (),
        *,
        source: str | None = None,
        session: str | None = None,
        project: str | None = None,
        match: str | None = None,
        dry_run: bool = False,
    ) -> PurgeReport:
        """Erase for good, history included; a tombstone without content stays.

        Raises RefusedByPolicy unless the operator, NotFound, UsageError.
        """
        from memctl.erase import purge

        access = self._access
        wanted = purge.PurgeSelection(tuple(ids), source, session, project, match)
        db = access.open_to_write()
        report = purge.purge_selected(db, access.config, access.actor, wanted, dry_run=dry_run)
        left = [] if dry_run else self._withdraw_from_notes(db, match)
        return replace(report, notes=(*report.notes, *left)) if left else report

    def _withdraw_from_notes(self, db: Database, match: str | None = None) -> list[str]:
        """Let what was erased leave the folders of notes; returns what could not be done."""
        from memctl.store import vaults

        if not vaults.list_vaults(db):
            return []
        from memctl.vault import folder

        return folder.withdraw_purged(db, self._access.config, match)

    def scan_for_secrets(self) -> RedactionReport:
        """Find secrets in the store and in the files beside it, without showing them."""
        from memctl.erase import scan

        access = self._access
        return scan.find_secrets(access.open_to_read(), access.config)

    def redact_secrets(self) -> RedactionReport:
        """Replace the secrets that `scan_for_secrets` finds, history included."""
        from memctl.erase import purge, scan

        access = self._access
        purge.finish_purges(access.open_to_write(), access.config)
        db = access.open_to_write()
        report = scan.replace_secrets(db, access.config, access.actor)
        left = self._withdraw_from_notes(db) if report.items else []
        return replace(report, notes=(*report.notes, *left)) if left else report

    def redact_text(self, text: str) -> RedactionReport:
        """Redact a text as it would be stored."""
        from memctl.erase import scan

        return scan.redact_text(self._access.config, text)
