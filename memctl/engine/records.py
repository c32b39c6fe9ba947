"""`engine.records`: single records, read and changed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core.errors import StoreLocked
from memctl.core.frozen import replace
from memctl.core.model import STATUSES, Filter, Place, Query, Relation
from memctl.core.typing_lite import TYPE_CHECKING, Any
from memctl.engine.store_access import OperationGroup
from memctl.results.explanations import ReplayReport
from memctl.results.records import ChangeReport, Page, RecordView, TagList
from memctl.results.retrieval import WhyNot

if TYPE_CHECKING:
    from memctl.results.feedback import FeedbackReport, PinReport


class RecordOperations(OperationGroup):
    """Records, the profile facts among them. `MemoryEngine.forget` archives."""

    def show(self, record_id: str, *, as_of: str | None = None) -> RecordView:
        """Show one record with evidence, links and entities, now or at a time. Raises NotFound."""
        from memctl.retrieve import overview

        access = self._access
        return overview.show_record(access.open_to_read(), access.config, record_id, as_of=as_of)

    def list(
        self,
        wanted: Filter | None = None,
        *,
        limit: int = -1,
        offset: int = 0,
        as_of: str | None = None,
    ) -> Page:
        """List the records that pass a filter (default: in force), last changed first.

        `as_of` lists what passed the filter at that time; a negative `limit` means all.
        """
        from memctl.retrieve import overview

        wanted = wanted or Filter(statuses=("active", "contradicted"))
        wanted = replace(wanted, viewer=self._access.actor.agent)
        db = self._access.open_to_read()
        return overview.list_records(db, wanted, limit=limit, offset=offset, as_of=as_of)

    def list_tags(self, wanted: Filter | None = None) -> TagList:
        """Count the records of each tag, by status and project of a filter (default: in force)."""
        from memctl.store import tags

        wanted = wanted or Filter(statuses=("active", "contradicted"))
        access = self._access
        counted = tags.count_tags(
            access.open_to_read(),
            wanted.statuses or STATUSES,
            project_id=wanted.project_id,
            agent=access.actor.agent,
        )
        return TagList(counted)

    def edit(
        self,
        record_id: str,
        changes: Mapping[str, Any],
        *,
        reason: str | None = None,
        place: Place | None = None,
    ) -> ChangeReport:
        """Change fields in place; the event log keeps the old values.

        `project` and `scope` among them move the record, for the operator alone; `place` is the
        caller's. Raises UsageError, NotFound, RefusedByPolicy.
        """
        from memctl.curate import editing

        access = self._access
        db = access.open_to_write()
        edited = editing.edit_record(
            db, access.config, access.actor, record_id, changes, reason=reason, place=place
        )
        return access.embed_written(edited)

    def confirm(self, ids: Iterable[str], *, reason: str | None = None) -> ChangeReport:
        """Vouch for records, as the operator: trust and confidence rise. Raises RefusedByPolicy."""
        from memctl.curate import editing

        access = self._access
        db = access.open_to_write()
        return editing.confirm_records(db, access.config, access.actor, [*ids], reason=reason)

    def correct(
        self,
        record_id: str,
        content: str,
        *,
        reason: str | None = None,
        rationale: str | None = None,
        valid_from: str | None = None,
        valid_until: str | None = None,
        keeps_rationale: bool = False,
    ) -> ChangeReport:
        """Write a new record that supersedes the old one.

        The old rationale goes with the old words unless `keeps_rationale`. Raises UsageError,
        RefusedByPolicy.
        """
        from memctl.curate import editing

        access = self._access
        try:
            db = access.open_to_write()
        except StoreLocked:
            if not access.config.db.exists():
                raise
            told = editing.Correction(
                record_id, content, reason, rationale, valid_from, valid_until, keeps_rationale
            )
            return editing.leave_correction(access.config, access.actor, told)
        corrected = editing.correct_record(
            db,
            access.config,
            access.actor,
            record_id,
            content,
            reason=reason,
            rationale=rationale,
            valid_from=valid_from,
            valid_until=valid_until,
            keeps_rationale=keeps_rationale,
        )
        return access.embed_written(corrected)

    def merge(self, absorbed: str, survivor: str, *, widens: bool | None = None) -> ChangeReport:
        """Let one record absorb another that says the same; the operator's alone.

        If they belong to different projects, `widens` says whether the survivor holds in all of
        them from now on. Raises NotFound, UsageError (also where that is not said),
        RefusedByPolicy.
        """
        from memctl.curate import merging

        access = self._access
        return merging.merge_records(
            access.open_to_write(),
            access.config,
            access.actor,
            absorbed,
            survivor,
            widens=widens,
        )

    def link(
        self,
        from_id: str,
        relation: Relation,
        to_id: str,
        *,
        reason: str | None = None,
        remove: bool = False,
    ) -> ChangeReport:
        """Link two records, or remove the link. Raises UsageError, NotFound, RefusedByPolicy."""
        from memctl.curate import linking

        access = self._access
        return linking.link_records(
            access.open_to_write(),
            access.config,
            access.actor,
            from_id,
            relation,
            to_id,
            reason=reason,
            remove=remove,
        )

    def pin(self, ids: Iterable[str], *, reason: str | None = None) -> PinReport:
        """Put records at the start of every context of their scope.

        Raises NotFound; RefusedByPolicy unless the operator.
        """
        from memctl.curate import pinning

        access = self._access
        return pinning.pin_records(
            access.open_to_write(), access.config, access.actor, ids, reason=reason
        )

    def unpin(
        self, ids: Iterable[str], *, auto: bool = False, reason: str | None = None
    ) -> PinReport:
        """Take records out of the start of contexts; `auto` lets rule and use choose again."""
        from memctl.curate import pinning

        access = self._access
        db = access.open_to_write()
        return pinning.unpin_records(db, access.config, access.actor, ids, auto=auto, reason=reason)

    def give_feedback(
        self,
        verdict: str,
        ids: Iterable[str],
        *,
        retrieval: str | None = None,
        reason: str | None = None,
    ) -> FeedbackReport:
        """Note that served records helped (`good`) or misled (`bad`).

        Raises UsageError, NotFound.
        """
        from memctl.curate import feedback

        access = self._access
        return feedback.record_feedback(
            access.open_to_write(),
            access.config,
            access.actor,
            verdict,
            ids,
            retrieval=retrieval,
            reason=reason,
        )

    def explain_absence(self, query: Query, record_id: str, *, way: str = "search") -> WhyNot:
        """Explain why a query does not find a record.

        With `way` `prompt` or `start`, why an agent is not told it at this prompt, or at a start
        with this task. Of a record that is private to another agent, it says only that.
        """
        access = self._access
        db, viewer = access.open_to_read(), access.actor
        if way == "search":
            from memctl.retrieve import why_not

            return why_not.explain_absence(db, access.config, query, record_id, viewer=viewer)
        from memctl.retrieve import why_not_told

        return why_not_told.explain_untold(
            db, access.config, query, record_id, way, folder=access.caller_folder, viewer=viewer
        )

    def replay_retrieval(self, retrieval_id: str) -> ReplayReport:
        """Run a past retrieval again on today's store and report the differences.

        Nothing is written.
        """
        from memctl.retrieve import explain

        access = self._access
        return explain.replay_retrieval(
            access.open_to_read(), access.config, retrieval_id, viewer=access.actor
        )

    def list_profile(self, *, as_of: str | None = None) -> Page:
        """List the profile facts in force, now or at a time."""
        from memctl.retrieve import overview

        return overview.list_profile(self._access.open_to_read(), as_of=as_of)

    def unset_profile_fact(self, key: str) -> ChangeReport:
        """Archive the profile fact with that key. Raises NotFound, RefusedByPolicy."""
        from memctl.curate import profile_facts

        access = self._access
        return profile_facts.unset_profile_fact(
            access.open_to_write(), access.config, access.actor, key
        )
