"""MemoryEngine: the one door for every surface (command line, hooks, libraries).

    from memctl import MemoryEngine
    with MemoryEngine.open() as engine:
        engine.ingest([NewMemory(type="project", content="Tests run with pytest -q")])
        print(engine.context_for(task="run the tests").text)

Methods are synchronous and short; each opens the store when first needed, reads from one snapshot or writes in one short transaction.
Errors are those of `memctl.core.errors`. What an `Actor` may do is decided below this module, never by a surface.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from memctl.core.model import Actor, NewMemory, Place, Query, Relation
from memctl.core.typing_lite import TYPE_CHECKING, Any, TypeVar
from memctl.engine.curation import Curation
from memctl.redact import store_key
from memctl.results.captures import CaptureReport
from memctl.results.explanations import MemoryExplanation, ReplayReport, RetrievalExplanation
from memctl.results.maintenance import ConsolidationReport, MaintainReport
from memctl.results.projects import ProjectReport
from memctl.results.records import ChangeReport, IngestReport, Page, RecordView
from memctl.results.retrieval import ContextReport, SearchReport, WhyNot
from memctl.results.saved_views import ViewReport
from memctl.results.store import DoctorReport, LogReport, StatusReport, TransferReport
from memctl.settings import config as config_module
from memctl.settings.config import Config
from memctl.store.database import Db
from memctl.store.migrate import open_store
from memctl.store.records import Filter

if TYPE_CHECKING:
    from memctl.agents.hook_contracts import HookCall
    from memctl.readers.base import Input
    from memctl.results.backfill import BackfillReport, MemoriesReport
    from memctl.results.erasure import PurgeReport, RedactionReport
    from memctl.results.setup import SetupReport

Report = TypeVar("Report", IngestReport, ChangeReport)
_SHORTEST_SECRET = 24
_SPOOL_WAIT_SECONDS = 0.5


class MemoryEngine(Curation):
    """The shared, durable memory of all agents of one operator, in one SQLite file."""

    def __init__(self, config: Config, actor: Actor, *, patience: float | None = None) -> None:
        """`patience` is how many seconds a write may wait for others (default: 30)."""
        self.config = config
        store_key.enter(config)
        self.actor = _named(actor)
        self.patience = patience
        self._db: Db | None = None
        # From where, and about which project, was asked.
        self._asked_from: tuple[Path | None, str | None] = (None, None)

    @classmethod
    def open(cls, db: Path | str | None = None, *, actor: str | None = None) -> MemoryEngine:
        """An engine on the store at `db` (else MEMCTL_DB, else the default place).

        `actor` is `operator` or `agent:NAME`; None asks whether the operator sits at the controlling terminal.
        The store itself is opened, and for writes created, when first needed.
        """
        from memctl.settings import terminal

        config = config_module.load(Path(db) if db is not None else None)
        return cls(config, Actor(actor) if actor else terminal.actor(config))

    def close(self) -> None:
        """Close the store, after its log lines; the engine opens it again when needed."""
        if self._db is not None:
            self.write_logs()
            self._db.close()
            self._db = None

    def __enter__(self) -> MemoryEngine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- writing by hand ----------------------------------------------------------------------------------------------

    def init(self, *, project: Path | None = None) -> StatusReport:
        """Create the store (and register the project at `project`); harmless when it exists."""
        from memctl.records import projects
        from memctl.retrieve import overview, vectors

        db = self._write_db()
        if project is not None:
            projects.register(db, project)
        vectors.begin(db, self.config)
        return overview.status(db, self.config)

    def ingest(
        self, items: Sequence[NewMemory], *, place: Place | None = None, file: Path | None = None
    ) -> IngestReport:
        """Write records by hand, all in one transaction; structured ones are active at once. Raises UsageError, RefusedByPolicy.

        `file` is where they were written down, if that may be in a place to be left out.
        """
        from memctl.curate import manual_writes
        from memctl.records import ignore_rules

        ignore_rules.refuse(self.config, files=(file,), named=(item.project for item in items))
        return self._with_vectors(
            manual_writes.ingest(self._write_db(), self.config, self.actor, items, place or Place())
        )

    def upsert_profile_fact(
        self, key: str, value: str, *, kind: str = "preference", always_load: bool = True
    ) -> IngestReport:
        """Set one fact about the operator; an earlier value is superseded and stays. Raises RefusedByPolicy away from a terminal."""
        from memctl.curate import manual_writes

        made = manual_writes.set_profile(
            self._write_db(),
            self.config,
            self.actor,
            key,
            value,
            kind=kind,
            always_load=always_load,
        )
        return self._with_vectors(made)

    def profile(self, *, as_of: str | None = None) -> Page:
        """The profile facts in force, or those that were at a time."""
        from memctl.retrieve import overview

        return overview.profile(self._read_db(), as_of=as_of)

    def unset_profile_fact(self, key: str) -> ChangeReport:
        """Archive the profile fact with that key. Raises NotFound, RefusedByPolicy."""
        from memctl.curate import manual_writes

        return manual_writes.unset_profile(self._write_db(), self.config, self.actor, key)

    # -- capture ------------------------------------------------------------------------------------------------------

    def capture_session(
        self,
        source: Path | str | Input,
        *,
        agent: str | None = None,
        session_id: str | None = None,
        trigger: str = "capture-session",
        cwd: Path | None = None,
        project: str | None = None,
    ) -> CaptureReport:
        """Take in an agent's transcript; never extracts. Raises UnknownFormat, NothingInIt; a busy store means `spooled`."""
        return self._capture(
            source, agent=agent, session_id=session_id, trigger=trigger, cwd=cwd, project=project
        )

    def capture_conversation(
        self,
        source: Path | str | Input,
        *,
        trigger: str = "capture-conversation",
        cwd: Path | None = None,
        project: str | None = None,
    ) -> CaptureReport:
        """Take in any conversation, its format found by content; a file may hold many. Raises like `capture_session`."""
        return self._capture(
            source, agent=None, session_id=None, trigger=trigger, cwd=cwd, project=project
        )

    def backfill(
        self,
        *,
        agents: Sequence[str] = (),
        since: str | None = None,
        project: str | None = None,
        limit: int | None = None,
        dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> BackfillReport:
        """Take in the past sessions of the agents on this machine. Raises UsageError for an agent that is not known."""
        from memctl.capture import backfill

        wanted = backfill.Wanted(tuple(agents), since, project, limit)
        return backfill.backfill(
            self._write_db, self.config, self.actor.name, wanted, dry_run=dry_run, progress=progress
        )

    def import_memories(
        self,
        paths: Sequence[Path] = (),
        *,
        kind: str | None = None,
        found: bool = False,
        cwd: Path | None = None,
        dry_run: bool = False,
    ) -> MemoriesReport:
        """Take in what other tools remember, into the inbox: files and folders, or all that is `found` here. Raises UsageError."""
        from memctl.capture import import_memories

        wanted = import_memories.Wanted(tuple(paths), kind, found, cwd)
        return import_memories.import_memories(
            self._write_db, self.config, self.actor.name, wanted, dry_run=dry_run
        )

    def request_capture(
        self,
        path: Path | None,
        *,
        agent: str | None,
        session_id: str | None,
        trigger: str,
        cwd: Path | None = None,
        said: Sequence[tuple[str, str]] = (),
    ) -> CaptureReport:
        """Leave a capture for the next `maintain`, in the spool; it waits until the transcript tells all that was `said`."""
        from memctl.records import ignore_rules
        from memctl.store import spool

        store_key.enter(self.config)
        ignore_rules.refuse(self.config, folders=(cwd,), files=(path,))
        return spool.request(
            self.config,
            path,
            agent=agent,
            session_id=session_id,
            trigger=trigger,
            cwd=cwd,
            said=said,
        )

    def withdraw_request(self, report: CaptureReport) -> None:
        """Take a request back that was met at once."""
        from memctl.store import spool

        if report.spool_file is not None:
            spool.withdraw(Path(report.spool_file))

    def request_missed(self, call: HookCall, environ: Mapping[str, str]) -> int:
        """Leave requests for sessions of the calling agent that ended without their hook; how many."""
        from memctl.capture import missed_sessions

        return missed_sessions.sweep(self._read_db(), self.config, call, environ)

    def last_captured(self, agent: str, session_id: str) -> str | None:
        """When a session was last captured and had grown; None if it never was."""
        from memctl.store import sources

        return max(
            (
                source.updated_at
                for source in sources.of_session(self._read_db(), agent, session_id)
            ),
            default=None,
        )

    # -- the inbox and the life of a record ---------------------------------------------------------------------------

    def inbox(self, wanted: Filter | None = None, *, limit: int = 20, offset: int = 0) -> Page:
        """Candidates that wait for the operator, surest first; `limit` below 0 means all."""
        from memctl.retrieve import overview

        return overview.inbox(self._read_db(), wanted or Filter(), limit=limit, offset=offset)

    def promote(
        self, ids: Iterable[str], *, reason: str | None = None, dry_run: bool = False
    ) -> ChangeReport:
        """Make candidates (or archived records) active; what policy forbids is refused one by one."""
        from memctl.curate import promote

        return promote.approve(
            self._write_db(), self.config, self.actor, list(ids), reason=reason, dry_run=dry_run
        )

    def promote_all(self, wanted: Filter, *, dry_run: bool = False) -> ChangeReport:
        """Make every candidate within the filters active."""
        from memctl.curate import promote

        return promote.approve_all(
            self._write_db(), self.config, self.actor, wanted, dry_run=dry_run
        )

    def reject(self, ids: Iterable[str], *, reason: str) -> ChangeReport:
        """Archive candidates for good: they are not proposed again."""
        from memctl.curate import promote

        return promote.reject(self._write_db(), self.config, self.actor, list(ids), reason=reason)

    def show(self, record_id: str, *, as_of: str | None = None) -> RecordView:
        """One record with its evidence, links and entities, `as_of` a time as they were then. Raises NotFound."""
        from memctl.retrieve import overview

        return overview.show(self._read_db(), self.config, record_id, as_of=as_of)

    def list(
        self,
        wanted: Filter | None = None,
        *,
        limit: int = -1,
        offset: int = 0,
        as_of: str | None = None,
    ) -> Page:
        """Records within filters (active ones by default), newest change first; `as_of` a time what that list was then."""
        from memctl.retrieve import overview

        wanted = wanted or Filter(statuses=("active", "contradicted"))
        return overview.page(self._read_db(), wanted, limit=limit, offset=offset, as_of=as_of)

    def edit(
        self, record_id: str, changes: Mapping[str, Any], *, reason: str | None = None
    ) -> ChangeReport:
        """Change fields of a record in place; the stream keeps what was. Raises UsageError, RefusedByPolicy."""
        from memctl.curate import lifecycle

        return self._with_vectors(
            lifecycle.edit(
                self._write_db(), self.config, self.actor, record_id, changes, reason=reason
            )
        )

    def confirm(self, ids: Iterable[str], *, reason: str | None = None) -> ChangeReport:
        """The operator vouches for records: trust and confidence rise. Raises RefusedByPolicy away from a terminal."""
        from memctl.curate import lifecycle

        return lifecycle.confirm(
            self._write_db(), self.config, self.actor, list(ids), reason=reason
        )

    def correct(
        self,
        record_id: str,
        content: str,
        *,
        reason: str | None = None,
        rationale: str | None = None,
        valid_from: str | None = None,
        valid_until: str | None = None,
    ) -> ChangeReport:
        """Write the new truth beside the old: the old record is superseded and stays linked."""
        from memctl.curate import lifecycle

        db, holds = self._write_db(), {"valid_from": valid_from, "valid_until": valid_until}
        changed = lifecycle.correct(
            db,
            self.config,
            self.actor,
            record_id,
            content,
            reason=reason,
            rationale=rationale,
            **holds,
        )
        return self._with_vectors(changed)

    def forget(
        self, ids: Iterable[str], *, reason: str | None = None, dry_run: bool = False
    ) -> ChangeReport:
        """Archive records so that they are not served, proposed or imported again."""
        from memctl.curate import lifecycle

        return lifecycle.forget(
            self._write_db(), self.config, self.actor, list(ids), reason=reason, dry_run=dry_run
        )

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
        """Erase for good, history and all; a tombstone without content stays. Raises RefusedByPolicy for anybody but the operator."""
        from memctl.erase import purge

        wanted = purge.Wanted(tuple(ids), source, session, project, match)
        return purge.purge(self._write_db(), self.config, self.actor, wanted, dry_run=dry_run)

    def redact_store(self, *, apply: bool = False) -> RedactionReport:
        """The secrets that are in the store and beside it, told without being shown; with `apply`, replaced in place, history and all."""
        from memctl.erase import scan

        return (
            scan.apply(self._write_db(), self.config, self.actor)
            if apply
            else scan.scan(self._read_db(), self.config)
        )

    def redact_text(self, text: str) -> RedactionReport:
        """A text without secrets, as it would be stored."""
        from memctl.erase import scan

        return scan.filtered(self.config, text)

    def link(
        self,
        from_id: str,
        relation: Relation,
        to_id: str,
        *,
        reason: str | None = None,
        remove: bool = False,
    ) -> ChangeReport:
        """Link two records (or part them). Raises UsageError, NotFound."""
        from memctl.curate import lifecycle

        return lifecycle.link(
            self._write_db(),
            self.config,
            self.actor,
            from_id,
            relation,
            to_id,
            reason=reason,
            remove=remove,
        )

    # -- retrieval ----------------------------------------------------------------------------------------------------

    def place(
        self,
        cwd: Path | None = None,
        *,
        project: str | None = None,
        agent: str | None = None,
        session: str | None = None,
    ) -> Place:
        """Where a caller stands: the project by name or id, else by folder. Raises NotFound for a named project that is not known."""
        from memctl.records import projects

        self._asked_from = cwd, project
        return projects.place(
            self._read_db(), cwd, project=project, agent_id=agent, session_id=session
        )

    def search(self, query: Query, *, explain: bool = False) -> SearchReport:
        """The best records for a query, each explained; with `explain` also what just missed. The log line follows by `write_logs`."""
        from memctl.retrieve import search

        return search.search(
            self._read_db(), self.config, query, actor=self.actor.name, explain=explain
        )

    def why_not(self, query: Query, record_id: str) -> WhyNot:
        """Why a record is not among the results of a query; of what is private to another agent, only that."""
        from memctl.retrieve import why_not

        return why_not.why_not(self._read_db(), self.config, query, record_id, viewer=self.actor)

    def context_for(
        self,
        *,
        place: Place | None = None,
        task: str | None = None,
        budget: int | None = None,
        level: int | None = None,
        since: str | None = None,
        phase: str | None = None,
        format: str = "markdown",
        fresh: bool = False,
        prompt_only: bool = False,
        session_start: bool = False,
        as_of: str | None = None,
    ) -> ContextReport:
        """The bundle an agent starts from: profile, project facts, decisions, hits for the task, within the token budget.

        `phase` (plan, work, review, debug) says what comes up, `format` (markdown, xml, plain) how it is written. `fresh` leaves out
        what the place's session was given since its `session_start`. `prompt_only` leaves out all but what the task itself calls for.
        `as_of` a time it is what would have been given then.
        """
        from memctl.retrieve import context

        return context.build(
            self._read_db(),
            self.config,
            place or Place(),
            actor=self.actor.name,
            task=task,
            budget=budget,
            level=level,
            since=since,
            phase=phase,
            format=format,
            fresh=fresh,
            prompt_only=prompt_only,
            session_start=session_start,
            as_of=as_of,
        )

    def format_for_injection(self, report: ContextReport) -> str:
        """A context as fenced reference data with the sentinel by which capture strips it again; empty stays empty."""
        return report.text

    def write_logs(self) -> None:
        """Write the log lines of the retrievals so far; gives up after 20 ms and leaves them in the spool.

        Of a question that was asked where `capture.ignore` leaves sessions out, they do not keep the words.
        """
        from memctl.records import ignore_rules
        from memctl.store import spool

        if self._db is not None:
            store_key.enter(self.config)
            cwd, project = self._asked_from
            left_out = (
                ignore_rules.why_ignored(self.config, folders=(cwd,), named=(project,))
                if self._db.unwritten
                else None
            )
            spool.flush_logs(self._db, self.config, keeps_words=left_out is None)

    def explain(
        self, some_id: str, *, whole: bool = False, as_of: str | None = None
    ) -> MemoryExplanation | RetrievalExplanation:
        """A record's provenance, with the `whole` history of what it took the place of; or a past retrieval's scores. Raises NotFound."""
        from memctl.retrieve import explain

        return explain.explain(
            self._read_db(), self.config, some_id, viewer=self.actor, whole=whole, as_of=as_of
        )

    def replay(self, retrieval_id: str) -> ReplayReport:
        """A past retrieval asked again, at its own moment, of the store as it is now: what would differ, and why. Writes nothing."""
        from memctl.retrieve import explain

        return explain.replay(self._read_db(), self.config, retrieval_id, viewer=self.actor)

    # -- saved views --------------------------------------------------------------------------------------------------

    def save_view(
        self, name: str, kind: str, options: Mapping[str, Any], *, replace: bool = False
    ) -> ViewReport:
        """Keep the options of a `search` or a `context` under a name. Raises UsageError, also for a name that is taken."""
        from memctl.records import saved_views

        return saved_views.save(self._write_db(), self.config, name, kind, options, replace=replace)

    def views(self) -> ViewReport:
        """All saved views."""
        from memctl.records import saved_views

        return saved_views.every(self._read_db())

    def view(self, name: str) -> ViewReport:
        """One saved view. Raises NotFound."""
        from memctl.records import saved_views

        return saved_views.show(self._read_db(), name)

    def view_options(self, name: str, kind: str) -> dict[str, Any]:
        """What a saved view of that kind asks for. Raises NotFound; UsageError for another kind, or one that a newer memctl made."""
        from memctl.records import saved_views

        return saved_views.usable(self._read_db(), name, kind)

    def delete_view(self, name: str) -> ViewReport:
        """Forget a saved view. Raises NotFound."""
        from memctl.records import saved_views

        return saved_views.delete(self._write_db(), name)

    # -- upkeep -------------------------------------------------------------------------------------------------------

    def consolidate(
        self, *, dry_run: bool = False, place: Place | None = None
    ) -> ConsolidationReport:
        """Merge duplicates and make contradictions explicit; `dry_run` shows the plan that the real run executes."""
        from memctl.consolidate import apply

        return apply.consolidate(self._write_db(), self.config, dry_run=dry_run, place=place)

    def maintain(
        self,
        *,
        reindex: bool = False,
        retry: bool = False,
        dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
        steps: Sequence[str] = (),
        budget: float | None = None,
    ) -> MaintainReport:
        """All upkeep that waits, or only some `steps` of it, for `budget` seconds at most. Safe to run at any time and beside anything.

        `progress` is told how many of what is counted are done, and of how many. With `dry_run`, the plan. Raises UsageError.
        """
        from memctl.maintain import execute

        db = self._read_db() if dry_run else self._write_db(take_in=False)
        return execute.maintain(
            db,
            self.config,
            reindex=reindex,
            retry=retry,
            dry_run=dry_run,
            progress=progress,
            only=steps,
            budget=budget,
        )

    def doctor(self, *, repair: bool = False) -> DoctorReport:
        """Check the store and its surroundings; `repair` mends what is derived, after a backup."""
        from memctl.maintain import doctor

        return doctor.doctor(self.config, repair=repair)

    def status(self, *, as_of: str | None = None) -> StatusReport:
        """The store at a glance, or as it was at a time."""
        from memctl.retrieve import overview

        return overview.status(self._read_db(), self.config, as_of=as_of)

    def log(self, kind: str = "events", *, limit: int = 20, since: str | None = None) -> LogReport:
        """What happened; kind is `events` (ingestion), `retrievals` or `changes`."""
        from memctl.retrieve import overview

        return overview.log(self._read_db(), kind, limit=limit, since=since)

    # -- connecting agents --------------------------------------------------------------------------------------------

    def setup(
        self,
        names: Sequence[str] = (),
        *,
        undo: bool = False,
        folder: Path | None = None,
        kind: str | None = None,
        dry_run: bool = False,
        shown: SetupReport | None = None,
    ) -> SetupReport:
        """Connect agents (none named: those that are here) in the operator's settings, or those of the repository at `folder`; or undo it.

        `shown` is a plan (made by `dry_run`) that was agreed to; what changed since is not written. Raises UsageError.
        """
        from memctl.setup import run

        store_key.enter(self.config)
        return run.setup(
            self.config,
            run.asked(names, undo=undo, folder=folder, kind=kind),
            dry_run=dry_run,
            shown=shown,
        )

    def setup_status(self, names: Sequence[str] = (), *, folder: Path | None = None) -> SetupReport:
        """Which agents are connected, and where."""
        from memctl.setup import run

        return run.status(self.config, run.asked(names, folder=folder))

    # -- moving house -------------------------------------------------------------------------------------------------

    def export(self, path: Path | None = None) -> TransferReport:
        """Everything as one JSONL file with a manifest and checksums (`text` holds it when `path` is None)."""
        from memctl.exchange import export

        return export.export(self._read_db(), self.config, path)

    def import_(self, path: Path, *, dry_run: bool = False) -> TransferReport:
        """Merge an export by id; bad lines are reported and passed over; nothing gains trust on the way."""
        from memctl.exchange import import_

        return import_.import_file(self._write_db(), self.config, self.actor, path, dry_run=dry_run)

    def backup(self, path: Path | None = None) -> TransferReport:
        """A complete private copy of the store, also among writers."""
        from memctl.store import backup

        return backup.backup(self._read_db(), self.config, path)

    def restore(self, path: Path) -> TransferReport:
        """Put a verified backup in the store's place; the present store is kept beside it."""
        from memctl.store import backup

        self.close()
        return backup.restore(self.config, self.actor, path)

    # -- projects -----------------------------------------------------------------------------------------------------

    def projects(self, name: str | None = None) -> ProjectReport:
        """All projects, or the one of that name or id. Raises NotFound."""
        from memctl.records import projects

        return projects.report(self._read_db(), name)

    def alias_project(
        self, name: str, kind: str, value: str, *, remove: bool = False
    ) -> ProjectReport:
        """Let a project be known by another path, remote, marker or name."""
        from memctl.records import projects

        return projects.alias(self._write_db(), name, kind, value, remove=remove)

    def link_projects(
        self, a: str, b: str, *, reason: str | None = None, remove: bool = False
    ) -> ProjectReport:
        """Let two projects use each other's memories."""
        from memctl.records import projects

        return projects.link(self._write_db(), a, b, reason=reason, remove=remove)

    def adopt_project(self, name: str, into: str) -> ProjectReport:
        """Make one project part of another: aliases, records and sources move."""
        from memctl.records import projects

        return projects.adopt(self._write_db(), self.actor, name, into)

    def keep_projects_apart(self, a: str, b: str) -> ProjectReport:
        """Settle that two projects which look alike are two."""
        from memctl.records import projects

        return projects.keep_apart(self._write_db(), a, b)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _capture(
        self,
        source: Path | str | Input,
        *,
        agent: str | None,
        session_id: str | None,
        trigger: str,
        cwd: Path | None,
        project: str | None,
    ) -> CaptureReport:
        from memctl.capture import session
        from memctl.readers.base import Input

        store_key.enter(self.config)
        given = source if isinstance(source, Input) else Input(path=Path(source))
        request = session.Request(
            given,
            trigger,
            self.actor.name,
            agent=agent,
            session_id=session_id,
            cwd=cwd,
            project=project,
        )
        return session.capture(self._write_db, self.config, request)

    def _with_vectors(self, report: Report) -> Report:
        """The report of a write, whose records get their vectors now if that is quick."""
        from memctl.retrieve import vectors

        views = (
            report.changed
            if isinstance(report, ChangeReport)
            else [saved.record for saved in report.items]
        )
        vectors.embed_now(self._write_db(), self.config, [view.memory for view in views])
        return report

    def _read_db(self) -> Db:
        return self._opened(create=False)

    def _write_db(self, *, take_in: bool = True) -> Db:
        """The store for a change. Captures that wait in the spool go in first, but for maintenance (which counts them) and hooks."""
        first = self._db is None
        db = self._opened(create=True)
        if first and take_in and self.patience is None:
            self._take_in_spool(db)
        return db

    def _take_in_spool(self, db: Db) -> None:
        from memctl.store import spool

        if spool.files(self.config, "capture"):
            from memctl.capture import spool_intake

            # A store that is busy now is waited for once, by the change itself.
            db.patience, usual = _SPOOL_WAIT_SECONDS, db.patience
            with suppress(*spool.UNWILLING):
                spool_intake.take_in(db, self.config, requests=False)
            db.patience = usual

    def _opened(self, *, create: bool) -> Db:
        store_key.enter(self.config)
        if self._db is None:
            self._db = open_store(self.config.db, create=create)
            self._db.acting = self.actor.name, ""
            if self.patience is not None:
                self._db.patience = self.patience
        return self._db


def _named(actor: Actor) -> Actor:
    """An actor under a name that may be stored: it comes from the environment or the command line."""
    if len(actor.name) < _SHORTEST_SECRET:
        return actor
    from memctl.records.drafts import one_line

    return Actor(one_line(actor.name))
