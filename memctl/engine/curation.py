"""What keeps memory true over time, as methods of the engine: conflicts, entities, proposals, outcomes, the digest, undoing.

A part of `MemoryEngine`, which gives it the store and the actor; surfaces call the engine.
"""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core.model import Actor, Place
from memctl.core.typing_lite import TYPE_CHECKING
from memctl.results.records import ChangeReport
from memctl.settings.config import Config
from memctl.store.database import Db

if TYPE_CHECKING:
    from memctl.curate.conflicts import Wanted as ResolveWanted
    from memctl.results.conflicts import ConflictsReport, ResolveReport
    from memctl.results.entities import EntityChange, EntityList, EntityReport
    from memctl.results.feedback import OutcomeReport, PinReport
    from memctl.results.history import DigestReport, RebuildReport, RevertReport
    from memctl.results.language_model import ModelReport
    from memctl.results.maintenance import StepsReport
    from memctl.results.quality import MuteReport, QualityReport
    from memctl.results.store import StatsReport


class Curation:
    """The engine's methods of curation."""

    config: Config
    actor: Actor

    def _read_db(self) -> Db:
        raise NotImplementedError

    def _write_db(self, *, take_in: bool = True) -> Db:
        raise NotImplementedError

    # -- undoing ------------------------------------------------------------------------------------------------------

    def revert(
        self,
        change: str | None = None,
        *,
        seq: int | None = None,
        since: str | None = None,
        actor: str | None = None,
        dry_run: bool = False,
    ) -> RevertReport:
        """Undo a change by its number, the last one to a record (or its change `seq`), or all since a time and by an actor.

        What was made as one is undone as one, and what was built on it goes with it. Raises NotFound, UsageError, RefusedByPolicy.
        """
        from memctl.history import revert

        db = self._read_db() if dry_run else self._write_db()
        return revert.revert(
            db, self.config, self.actor, revert.Wanted(change, seq, since, actor), dry_run=dry_run
        )

    def rebuild_from_history(self, *, dry_run: bool = False) -> RebuildReport:
        """Make every record, and what hangs on it, anew from the stream, after a backup. Raises RefusedByPolicy but for the operator."""
        from memctl.history import rebuild

        return rebuild.rebuild(self._write_db(), self.config, self.actor, dry_run=dry_run)

    # -- contradictions -----------------------------------------------------------------------------------------------

    def conflicts(
        self, place: Place | None = None, *, settled: bool = False, as_of: str | None = None
    ) -> ConflictsReport:
        """The contradictions that nobody has settled, of one project or of all; with `settled`, also those that were.

        `as_of` a time those that were open then.
        """
        from memctl.curate import conflicts

        return conflicts.report(
            self._read_db(), place.project_id if place else None, settled=settled, as_of=as_of
        )

    def resolve(
        self,
        wanted: ResolveWanted,
        place: Place,
        *,
        reason: str | None = None,
        dry_run: bool = False,
    ) -> ResolveReport:
        """Settle one contradiction, as one operation. Raises UsageError, NotFound, RefusedByPolicy."""
        from memctl.curate import conflicts

        db = self._read_db() if dry_run else self._write_db()
        return conflicts.resolve(
            db, self.config, self.actor, wanted, place, reason=reason, dry_run=dry_run
        )

    def digest(
        self,
        *,
        since: str | None = None,
        project: str | None = None,
        limit: int = 50,
        mark: bool = False,
        format: str = "text",
    ) -> DigestReport:
        """What changed since a time, else since the operator last looked; `mark` notes that now is that time. Raises UsageError."""
        from memctl.curate import digest

        db = self._write_db() if mark else self._read_db()
        return digest.digest(
            db,
            self.config,
            self.actor,
            since=since,
            project=project,
            limit=limit,
            mark=mark,
            format=format,
        )

    # -- entities -----------------------------------------------------------------------------------------------------

    def entities(
        self, *, kind: str | None = None, project_id: str | None = None, limit: int = 50
    ) -> EntityList:
        """Who and what records speak of, the most spoken of first; `limit` below 0 means all."""
        from memctl.curate import entities

        return entities.every(
            self._read_db(), kind=kind, project_id=project_id, limit=limit, viewer=self.actor
        )

    def entity(self, name: str, *, as_of: str | None = None) -> EntityReport:
        """Everything known of one entity, by any of its names. Raises NotFound, also for a name that fits several."""
        from memctl.curate import entities

        return entities.show(self._read_db(), name, as_of=as_of, viewer=self.actor)

    def merge_entities(self, name: str, other: str, *, reason: str | None = None) -> EntityChange:
        """Let one entity stand for another. Raises NotFound, UsageError, RefusedByPolicy for anybody but the operator."""
        from memctl.curate import entities

        return entities.merge(self._write_db(), self.actor, name, other, reason=reason)

    def split_entity(
        self, name: str, names: Iterable[str] = (), *, undo_merge: bool = False
    ) -> EntityChange:
        """Take names off an entity into one of their own, or undo a merge. Raises as `merge_entities`."""
        from memctl.curate import entities

        return entities.split(
            self._write_db(), self.actor, name, tuple(names), undo_merge=undo_merge
        )

    def alias_entity(self, name: str, other: str, *, remove: bool = False) -> EntityChange:
        """Let an entity be known by another name, or no longer; a role passes to it. Raises as `merge_entities`."""
        from memctl.curate import entities

        return entities.alias(self._write_db(), self.actor, name, other, remove=remove)

    # -- proposals ----------------------------------------------------------------------------------------------------

    def proposals_among(self, ids: Iterable[str]) -> tuple[list[str], list[str]]:
        """Which of some ids (or prefixes) are proposals', and which are not."""
        from memctl.records import proposals

        return proposals.apart(self._read_db(), ids)

    def accept(self, ids: Iterable[str], *, dry_run: bool = False) -> ChangeReport:
        """Do what proposals of maintenance say. Raises NotFound, RefusedByPolicy for anybody but the operator."""
        from memctl.records import proposals

        return proposals.accept_all(
            self._write_db(), self.config, self.actor, list(ids), dry_run=dry_run
        )

    def decline(self, ids: Iterable[str], *, dry_run: bool = False) -> ChangeReport:
        """Leave what proposals are about as it is, and do not be asked again. Raises as `accept`."""
        from memctl.records import proposals

        return proposals.decline_all(
            self._write_db(), self.config, self.actor, list(ids), dry_run=dry_run
        )

    # -- use ----------------------------------------------------------------------------------------------------------

    def outcome(
        self,
        verdict: str,
        ids: Iterable[str],
        *,
        retrieval: str | None = None,
        reason: str | None = None,
    ) -> OutcomeReport:
        """Note that records which were given out helped (`good`) or misled (`bad`). Raises UsageError, NotFound."""
        from memctl.curate import feedback

        return feedback.say(
            self._write_db(),
            self.config,
            self.actor,
            verdict,
            ids,
            retrieval=retrieval,
            reason=reason,
        )

    def pin(self, ids: Iterable[str], *, reason: str | None = None) -> PinReport:
        """Let every context of their place begin with records. Raises NotFound, RefusedByPolicy for anybody but the operator."""
        from memctl.curate import pinning

        return pinning.pin(self._write_db(), self.config, self.actor, ids, reason=reason)

    def unpin(
        self, ids: Iterable[str], *, auto: bool = False, reason: str | None = None
    ) -> PinReport:
        """Take records out of what contexts begin with; with `auto` leave it to rule and use again. Raises as `pin`."""
        from memctl.curate import pinning

        return pinning.unpin(
            self._write_db(), self.config, self.actor, ids, auto=auto, reason=reason
        )

    # -- quality ------------------------------------------------------------------------------------------------------

    def stats(self) -> StatsReport:
        """The store in numbers."""
        from memctl.records import quality

        return quality.stats(self._read_db())

    def quality(
        self,
        *,
        since: str | None = None,
        agent: str | None = None,
        extractor: str | None = None,
        rule: str | None = None,
    ) -> QualityReport:
        """How much of what was proposed is kept, by agent, format, extractor and rule."""
        from memctl.records import quality

        return quality.accounts(self._read_db(), quality.Wanted(since, agent, extractor, rule))

    def mute_rule(self, rule: str, *, muted: bool = True, reason: str | None = None) -> MuteReport:
        """Let a rule of extraction propose nothing more, or again. Raises NotFound, RefusedByPolicy for anybody but the operator."""
        from memctl.records import quality

        return quality.set_muted(self._write_db(), self.actor, rule, muted=muted, reason=reason)

    # -- the language model -------------------------------------------------------------------------------------------

    def model_status(self) -> ModelReport:
        """The configured language model, what it used and may still use, and its last troubles. Raises ConfigError."""
        from memctl.llm import usage

        return usage.status(self._read_db(), self.config)

    # -- maintenance --------------------------------------------------------------------------------------------------

    def maintenance_steps(self) -> StepsReport:
        """The steps of maintenance: what each is for, when it last ran and what came of it, when it is due."""
        from memctl.maintain import reports

        return reports.states(self._read_db(), self.config)
