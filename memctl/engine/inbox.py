"""`engine.inbox`: candidates and maintenance proposals that wait for the operator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memctl.core.frozen import replace
from memctl.core.model import CandidateDecision, Filter
from memctl.engine.store_access import OperationGroup
from memctl.results.records import ChangeReport, Page, RecordView


class InboxOperations(OperationGroup):
    """What waits in the inbox, and the operator's answers. `MemoryEngine.promote` approves."""

    def list(self, wanted: Filter | None = None, *, limit: int = 20, offset: int = 0) -> Page:
        """List candidates, most confident first; a negative `limit` means all."""
        from memctl.retrieve import overview

        db = self._access.open_to_read()
        return overview.list_inbox(
            db, self._limit_view(wanted or Filter()), limit=limit, offset=offset
        )

    def _limit_view(self, wanted: Filter) -> Filter:
        """What an agent may decide on is what it may see."""
        return replace(wanted, viewer=self._access.actor.agent)

    def approve_all(self, wanted: Filter, *, dry_run: bool = False) -> ChangeReport:
        """Make every candidate that passes the filter active."""
        from memctl.curate import approval

        access = self._access
        db = access.open_to_write()
        return approval.approve_matching(
            db, access.config, access.actor, self._limit_view(wanted), dry_run=dry_run
        )

    def reject(self, ids: Iterable[str], *, reason: str | None = None) -> ChangeReport:
        """Archive candidates for good, so that they are not proposed again."""
        from memctl.curate import archiving, inbox_review

        access = self._access
        db = access.open_to_write()
        why = reason or inbox_review.choose_reason(access.actor)
        return archiving.reject_candidates(
            db, access.actor, [*ids], reason=why, redactor=self._access.redactor
        )

    def reject_all(
        self, wanted: Filter, *, reason: str | None = None, dry_run: bool = False
    ) -> ChangeReport:
        """Reject every candidate that passes the filter."""
        from memctl.curate import inbox_review

        access = self._access
        db = access.open_to_read()  # a store that does not exist yet holds no candidates
        return inbox_review.reject_all(
            db,
            access.config,
            access.actor,
            self._limit_view(wanted),
            reason=reason,
            dry_run=dry_run,
        )

    def decide(
        self,
        *,
        approve: Iterable[str] = (),
        reject: Iterable[str] = (),
        reason: str | None = None,
        project: str | None = None,
        scope: str | None = None,
        tags: Sequence[str] = (),
        dry_run: bool = False,
    ) -> tuple[ChangeReport, ...]:
        """Approve and reject candidates and proposals by their ids, after checking all of them.

        `project` and `scope` say where the approved ones belong, `tags` what they are filed under.
        Raises UsageError for an id on both sides, NotFound, RefusedByPolicy.
        """
        from memctl.curate import inbox_review

        access = self._access
        return inbox_review.decide(
            access.open_to_read(),
            access.config,
            access.actor,
            approve=approve,
            reject=reject,
            reason=reason,
            project=project,
            scope=scope,
            tags=tags,
            dry_run=dry_run,
        )

    def apply_decisions(
        self, decisions: Sequence[CandidateDecision], *, dry_run: bool = False
    ) -> tuple[ChangeReport, ...]:
        """Edit, reject and approve candidates as the operator decided on each."""
        from memctl.curate import inbox_review

        access = self._access
        reports = tuple(
            inbox_review.apply_decisions(
                access.open_to_read(exactly=True),
                access.config,
                access.actor,
                decisions,
                dry_run=dry_run,
            )
        )
        for report in reports:
            if report.verb == "edited" and not dry_run:
                access.embed_written(report)
        return reports

    def find_candidates(self, ids: Iterable[str]) -> tuple[RecordView, ...]:
        """Return the candidates of these ids, each once.

        Raises NotFound, and RefusedByPolicy for a record that is not in the inbox.
        """
        from memctl.curate import inbox_review

        access = self._access
        return inbox_review.find_candidates(access.open_to_read(), access.config, ids)

    def find_nearest(self, candidate: RecordView) -> RecordView | None:
        """Return the record whose text is most like a candidate's; None if none is similar."""
        from memctl.curate import inbox_review

        access = self._access
        return inbox_review.find_nearest(
            access.open_to_read(), access.config, access.actor, candidate
        )

    def accept_proposals(self, ids: Iterable[str], *, dry_run: bool = False) -> ChangeReport:
        """Carry out maintenance proposals. Raises NotFound; RefusedByPolicy unless the operator."""
        from memctl.curate import proposal_decisions

        access = self._access
        db = access.open_to_write()
        return proposal_decisions.accept_proposals(
            db, access.config, access.actor, [*ids], dry_run=dry_run
        )

    def decline_proposals(self, ids: Iterable[str], *, dry_run: bool = False) -> ChangeReport:
        """Turn maintenance proposals down for good. Raises like `accept_proposals`."""
        from memctl.curate import proposal_decisions

        access = self._access
        db = access.open_to_write()
        return proposal_decisions.decline_proposals(
            db, access.config, access.actor, [*ids], dry_run=dry_run
        )
