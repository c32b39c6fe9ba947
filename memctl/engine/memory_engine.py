"""MemoryEngine: the entry point of every surface (command line, hooks, libraries).

    from memctl import MemoryEngine
    with MemoryEngine.open() as engine:
        engine.ingest([NewMemory(type="project", content="Tests run with pytest -q")])
        print(engine.context_for(task="run the tests").text)

The everyday methods are here; all others are grouped by topic (`engine.records.show(...)`). Methods
are synchronous and short; each opens the store when first needed, and reads one snapshot or writes
one short transaction. Errors are those of `memctl.core.errors`. What an `Actor` may do is decided
below this module, never by a surface.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from memctl.core.errors import NoStore, NotFound, NothingInIt, StoreLocked
from memctl.core.model import NAMELESS_AGENT, Actor, NewMemory, Place, Query
from memctl.core.typing_lite import TYPE_CHECKING, Any
from memctl.engine.store_access import CAPTURE_WAIT_SECONDS, StoreAccess
from memctl.settings import config as config_module

if TYPE_CHECKING:
    from memctl.core.namespaces import AnyNamespace
    from memctl.curate.undrafted_writes import Whereabouts
    from memctl.engine.agent_verbs import ManageRequest, NamedPlace
    from memctl.engine.background import BackgroundOperations
    from memctl.engine.browsing import BrowseOperations
    from memctl.engine.captures import CaptureOperations
    from memctl.engine.conflicts import ConflictOperations
    from memctl.engine.conversations import ConversationOperations
    from memctl.engine.entities import EntityOperations
    from memctl.engine.history import HistoryOperations
    from memctl.engine.inbox import InboxOperations
    from memctl.engine.journal import JournalOperations
    from memctl.engine.projects import ProjectOperations
    from memctl.engine.records import RecordOperations
    from memctl.engine.setup import SetupOperations
    from memctl.engine.sync import SyncOperations
    from memctl.engine.upkeep import UpkeepOperations
    from memctl.engine.vault import VaultOperations
    from memctl.engine.views import ViewOperations
    from memctl.readers.base import Input
    from memctl.results.captures import CaptureReport
    from memctl.results.explanations import MemoryExplanation, RetrievalExplanation
    from memctl.results.history import RevertReport
    from memctl.results.journal import DreamReport
    from memctl.results.maintenance import ConsolidationReport, MaintainReport
    from memctl.results.records import ChangeReport, IngestReport, ManagedId
    from memctl.results.retrieval import ContextReport, SearchReport
    from memctl.results.store import StatusReport, TransferReport
    from memctl.store.database import Database
    from memctl.text.token_counts import Tokenizer


class MemoryEngine(StoreAccess):
    """The shared, durable memory of all agents of one operator, in one SQLite file."""

    @classmethod
    def open(
        cls, db: Path | str | None = None, *, actor: str | None = None, is_tolerant: bool = False
    ) -> MemoryEngine:
        """Open an engine on the store at `db` (else MEMCTL_DB, else the default path).

        `actor` is `operator` or `agent:NAME`; None asks whether the operator sits at the
        controlling terminal. The store itself is opened when first needed; only `init` and the
        operator's own first write create one. `is_tolerant` takes the default for settings that are
        wrong, which are an error otherwise.
        """
        from memctl.settings import terminal

        config = config_module.load_config(
            Path(db) if db is not None else None, is_tolerant=is_tolerant
        )
        return cls(config, Actor(actor) if actor else terminal.find_actor(config))

    def __enter__(self) -> MemoryEngine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- topics; each module loads when its topic is first used --------------------------------

    @property
    def inbox(self) -> InboxOperations:
        """Candidates and proposals that wait for the operator."""
        from memctl.engine.inbox import InboxOperations

        return InboxOperations(self)

    @property
    def records(self) -> RecordOperations:
        """Single records, read and changed by hand."""
        from memctl.engine.records import RecordOperations

        return RecordOperations(self)

    @property
    def conflicts(self) -> ConflictOperations:
        """Records that contradict each other."""
        from memctl.engine.conflicts import ConflictOperations

        return ConflictOperations(self)

    @property
    def entities(self) -> EntityOperations:
        """People, projects, organisations, concepts and tools in records."""
        from memctl.engine.entities import EntityOperations

        return EntityOperations(self)

    @property
    def projects(self) -> ProjectOperations:
        """The projects that the store knows, and their aliases."""
        from memctl.engine.projects import ProjectOperations

        return ProjectOperations(self)

    @property
    def sync(self) -> SyncOperations:
        """Stores of other machines that this one follows."""
        from memctl.engine.sync import SyncOperations

        return SyncOperations(self)

    @property
    def vault(self) -> VaultOperations:
        """Folders of Markdown notes that follow the records."""
        from memctl.engine.vault import VaultOperations

        return VaultOperations(self)

    @property
    def views(self) -> ViewOperations:
        """Saved options of searches and contexts."""
        from memctl.engine.views import ViewOperations

        return ViewOperations(self)

    @property
    def history(self) -> HistoryOperations:
        """The event log and what is made from it."""
        from memctl.engine.history import HistoryOperations

        return HistoryOperations(self)

    @property
    def journal(self) -> JournalOperations:
        """Daily notes, and MEMORY.md with its versions."""
        from memctl.engine.journal import JournalOperations

        return JournalOperations(self)

    @property
    def upkeep(self) -> UpkeepOperations:
        """Checks, figures, backups and erasure."""
        from memctl.engine.upkeep import UpkeepOperations

        return UpkeepOperations(self)

    @property
    def background(self) -> BackgroundOperations:
        """Upkeep that a hook starts, and what a person is told in passing."""
        from memctl.engine.background import BackgroundOperations

        return BackgroundOperations(self)

    @property
    def setup(self) -> SetupOperations:
        """Agents on this machine: their settings, past sessions and own memories."""
        from memctl.engine.setup import SetupOperations

        return SetupOperations(self)

    @property
    def browsing(self) -> BrowseOperations:
        """The store as a tree of folders."""
        from memctl.engine.browsing import BrowseOperations

        return BrowseOperations(self)

    @property
    def conversations(self) -> ConversationOperations:
        """What was captured, read and searched turn by turn."""
        from memctl.engine.conversations import ConversationOperations

        return ConversationOperations(self)

    @property
    def captures(self) -> CaptureOperations:
        """Captures that a hook leaves for later."""
        from memctl.engine.captures import CaptureOperations

        return CaptureOperations(self)

    # -- writing -------------------------------------------------------------------------------

    def init(self, *, project: Path | None = None) -> StatusReport:
        """Create the store and register the project at `project`; harmless where they exist."""
        from memctl.core.frozen import replace
        from memctl.records import projects
        from memctl.retrieve import overview, vectors
        from memctl.settings import synced_folders

        db = self.create_store()
        synced = synced_folders.describe_sync(self.config.db)
        warnings = [self.creation_note, synced, *self.config.odd_places]
        if project is not None:
            place = projects.register_folder(db, project, redactor=self.redactor)
            if not place.project_id:
                warnings.append(
                    f"{project.absolute()} was not registered: your home folder, what contains it, "
                    "and what lies in the folder for temporary files are no projects"
                )
        vectors.choose_first_model(db, self.config)
        report = overview.read_status(db, self.config)
        return replace(report, warnings=tuple(filter(None, warnings)))

    def ingest(
        self,
        items: Sequence[NewMemory],
        *,
        place: Place | None = None,
        file: Path | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> IngestReport:
        """Write records by hand; a store that stays busy gets them later, from the spool.

        Structured records are active at once. `file` is where the items were read from;
        `capture.ignore` may cover it. `progress` is called with the number of records stored and of
        all. Raises UsageError, RefusedByPolicy; then nothing is written.
        """
        from memctl.curate import manual_writes
        from memctl.curate.undrafted_writes import Whereabouts
        from memctl.records import ignore_rules

        ignore_rules.refuse_ignored(
            self.config, files=(file,), named=(item.project for item in items)
        )
        try:
            db = self.open_or_create()
        except StoreLocked:
            return self._leave_items(items, Whereabouts(place=place or Place()))
        return self.embed_written(
            manual_writes.ingest_items(
                db, self.config, self.actor, items, place or Place(), progress
            )
        )

    def leave_for_later(
        self,
        items: Sequence[NewMemory],
        cwd: Path | None,
        *,
        project: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        file: Path | None = None,
    ) -> IngestReport:
        """Leave records in the spool, since the store is locked and nobody can say where they
        belong; whoever takes them in finds their place. Raises like `ingest`.
        """
        from memctl.curate.undrafted_writes import Whereabouts
        from memctl.records import ignore_rules

        ignore_rules.refuse_ignored(self.config, files=(file,))
        place = Place(agent_id=self._choose_agent(agent), session_id=session)
        return self._leave_items(items, Whereabouts(cwd, project, place))

    def _leave_items(self, items: Sequence[NewMemory], where: Whereabouts) -> IngestReport:
        from memctl.curate import undrafted_writes

        if not self.config.db.exists():
            raise StoreLocked(f"{self.config.db}: it cannot be created now")
        return undrafted_writes.spool_items(self.config, self.actor, items, where)

    def upsert_profile_fact(
        self, key: str, value: str, *, kind: str = "preference", always_load: bool = True
    ) -> IngestReport:
        """Set one fact about the operator and supersede its old value. Raises RefusedByPolicy."""
        from memctl.curate import profile_facts

        try:
            db = self.open_or_create()
        except StoreLocked:
            if not self.config.db.exists():
                raise
            draft = profile_facts.draft_fact(
                self.config, self.actor, key, value, kind=kind, always_load=always_load
            )
            return profile_facts.leave_fact(self.config, self.actor, draft)
        saved = profile_facts.set_profile_fact(
            db,
            self.config,
            self.actor,
            key,
            value,
            kind=kind,
            always_load=always_load,
        )
        return self.embed_written(saved)

    def capture_session(
        self,
        source: Path | str | bytes | Input,
        *,
        agent: str | None = None,
        session_id: str | None = None,
        trigger: str = "capture-session",
        cwd: Path | None = None,
        project: str | None = None,
        scope: str | None = None,
    ) -> CaptureReport:
        """Capture an agent's transcript (a path or its bytes), without extracting from it.

        It belongs to `project` (a name or id), else to the folder that it names, else to `cwd`,
        whose project is registered if new, else to none: then what comes of it is private to its
        session until the operator says where it belongs. `scope` is that of all that comes of it.
        A store that stays busy is no error: after 2 s the report's state is `spooled`, as it is
        where no person has created one yet. Raises UnknownFormat, NothingInIt, NotFound,
        UsageError.
        """
        from memctl.capture import session
        from memctl.capture.request import CaptureRequest
        from memctl.readers.base import Input

        if isinstance(source, bytes):
            source = Input(data=source)
        request = CaptureRequest(
            source if isinstance(source, Input) else Input(path=Path(source)),
            trigger,
            self.actor.name,
            agent=agent,
            session_id=session_id,
            cwd=cwd and cwd.absolute(),
            project=project,
            scope=scope,
            takes_notes=trigger == "capture-conversation",
        )
        with self.limit_patience(CAPTURE_WAIT_SECONDS):
            return session.capture(self.open_or_create, self.config, request)

    def capture_conversation(
        self,
        source: Path | str | bytes | Input,
        *,
        trigger: str = "capture-conversation",
        cwd: Path | None = None,
        project: str | None = None,
        scope: str | None = None,
    ) -> CaptureReport:
        """Capture one or many conversations of any known format. Like `capture_session`."""
        return self.capture_session(source, trigger=trigger, cwd=cwd, project=project, scope=scope)

    def promote(
        self,
        ids: Iterable[str],
        *,
        reason: str | None = None,
        project: str | None = None,
        scope: str | None = None,
        dry_run: bool = False,
    ) -> ChangeReport:
        """Make candidates or archived records active; the report lists refusals one by one.

        `project` and `scope` say where they belong, which candidates of unknown place need.
        """
        from memctl.curate import approval

        return approval.approve_records(
            self.open_to_write(),
            self.config,
            self.actor,
            [*ids],
            reason=reason,
            project=project,
            scope=scope,
            dry_run=dry_run,
        )

    def forget(
        self, ids: Iterable[str], *, reason: str | None = None, dry_run: bool = False
    ) -> ChangeReport:
        """Archive records so that they are not served, proposed or imported again."""
        from memctl.curate import archiving

        return archiving.forget_records(
            self.open_to_write(),
            self.actor,
            [*ids],
            reason=reason,
            dry_run=dry_run,
            redactor=self.redactor,
        )

    def revert(
        self,
        change: str | None = None,
        *,
        seq: int | None = None,
        since: str | None = None,
        actor: str | None = None,
        dry_run: bool = False,
    ) -> RevertReport:
        """Undo one change, or all changes since a time, by an actor, or both.

        `change` is a change number or a record, whose last change (or change `seq`) is undone. The
        whole operation is undone, and what was built on it. Raises NotFound, UsageError,
        RefusedByPolicy.
        """
        from memctl.history import revert

        db = self.open_to_read() if dry_run else self.open_to_write()
        wanted = revert.RevertSelection(change, seq, since, actor)
        return revert.revert_changes(db, self.config, self.actor, wanted, dry_run=dry_run)

    # -- verbs of agents' loops ----------------------------------------------------------------

    def manage(
        self,
        content: str | None = None,
        action: str = "create",
        id: str | None = None,
        *,
        scope: AnyNamespace | None = None,
        metadata: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        place: Place | None = None,
    ) -> ManagedId:
        """Create, update or delete one memory, and return its id.

        `scope` is a namespace (see `memctl.core.namespaces`) within the caller's `place`.
        `metadata` may have type, kind, title, summary, subject, rationale, alternatives, entities,
        confidence, tags, always_load, protected, valid_from, valid_until, observed_at, quote,
        source and reason. An update with new words writes a record that supersedes the old one, so
        that the id is a new one; other fields change in place. To delete is to forget: archived,
        not served or proposed again, undone by `revert`. Raises UsageError, NotFound,
        RefusedByPolicy; then nothing is written.
        """
        from memctl.curate import updating
        from memctl.engine import agent_verbs

        wanted = agent_verbs.read_request(content, action, id, scope, metadata, tags)
        if wanted.action == "create":
            where = self.find_namespace(scope, place, to_write=True)
            return agent_verbs.tell_written(self.ingest([wanted.build(where)], place=where.place))
        if wanted.action == "delete":
            updating.require_current(self.open_to_read(), wanted.id)
            return agent_verbs.tell_changed(self.forget([wanted.id], reason=wanted.reason))
        return agent_verbs.tell_changed(self._update(wanted))

    def _update(self, wanted: ManageRequest) -> ChangeReport:
        from memctl.curate import updating

        told = wanted.id, wanted.content, wanted.changes
        try:
            db = self.open_to_write()
            updated = updating.update_record(
                db, self.config, self.actor, *told, reason=wanted.reason
            )
        except StoreLocked:
            if not self.config.db.exists():
                raise
            return updating.leave_update(self.config, self.actor, *told, reason=wanted.reason)
        return self.embed_written(updated)

    def flush(
        self,
        messages: Iterable[Any],
        scope: AnyNamespace | None = None,
        *,
        place: Place | None = None,
    ) -> CaptureReport:
        """Hand over the messages of a running conversation: `{"role": ..., "content": ...}` each.

        They wait for extraction in the queue, `capture.debounce_seconds` after the last flush. The
        same messages add nothing, a longer list its new turns. A `("session", ID)` in the scope
        names the conversation, which may then be handed over in windows; else its first words do.
        Like `capture_session` for the rest.
        """
        from memctl.capture import flushed_messages, session
        from memctl.capture.request import CaptureRequest
        from memctl.engine import agent_verbs

        where = self.find_namespace(scope, place, to_write=True)
        agent = where.place.agent_id
        packed = flushed_messages.pack_messages(
            messages, session_id=where.place.session_id, agent=agent
        )
        if packed is None:
            return agent_verbs.NOTHING_FLUSHED
        request = CaptureRequest(
            packed,
            flushed_messages.FLUSH,
            self.actor.name,
            agent=agent,
            project=where.place.project_id,
            scope=agent_verbs.choose_capture_scope(where.scope),
            keeps_unread=False,
        )
        try:
            with self.limit_patience(CAPTURE_WAIT_SECONDS):
                return session.capture(self.open_or_create, self.config, request)
        except NothingInIt:  # Pictures alone, say.
            return agent_verbs.NOTHING_FLUSHED

    def dream(
        self,
        lookback_days: int | None = None,
        scope: AnyNamespace | None = None,
        *,
        stages: bool = True,
    ) -> DreamReport:
        """Stage a new MEMORY.md of a project's namespace, or without one of every place.

        It waits for the operator; `stages=False` only shows it. See `engine.journal.dream`. Raises
        UsageError, NotFound.
        """
        from memctl.engine import agent_verbs

        where = None if scope is None else self.find_namespace(scope)
        return self.journal.dream(
            lookback_days=agent_verbs.read_limit("lookback_days", lookback_days, least=1),
            project=None if where is None else agent_verbs.name_document(where),
            stages=stages,
        )

    def find_namespace(
        self, scope: AnyNamespace | None, place: Place | None = None, *, to_write: bool = False
    ) -> NamedPlace:
        """Find the place that a namespace names; what it leaves open is that of `place`.

        A project must be known; one that a folder names is registered, if `to_write`. Raises
        UsageError, NotFound; RefusedByPolicy for an agent that names another one.
        """
        from memctl.core.namespaces import read_namespace
        from memctl.curate import refusals
        from memctl.engine.agent_verbs import NamedPlace, join_places
        from memctl.settings import policy

        start = self._require_own(place or Place(agent_id=self._choose_agent(None)))
        if scope is None:
            return NamedPlace(start)
        named = read_namespace(scope)
        refusals.require_allowed(policy.why_not_act_as(named.agent, self.actor))
        find = self.place_to_write if to_write and named.folder else self.place
        found = (
            find(named.folder, project=named.project) if named.project or named.folder else start
        )
        if named.folder is not None and found.project_id is None:
            raise NotFound(
                f"{named.folder} is no project that is known", hint="`init(project=...)`"
            )
        return NamedPlace(join_places(start, found, named), named.scope)

    def undo(self, *, dry_run: bool = False) -> RevertReport:
        """Undo the last change of this actor that still stands, and what was built on it.

        The report has no steps where there is none, and names a newer change of somebody else.
        Raises RefusedByPolicy.
        """
        from memctl.core.frozen import replace
        from memctl.results.history import RevertReport

        change = self.history.find_last_change()
        left = self.history.find_change_of_others(after=change or 0)
        if change is None:
            report = RevertReport((), dry_run=dry_run)
        else:
            report = self.revert(str(change), dry_run=dry_run)
        return replace(report, actor=self.actor.name, left=left)

    # -- reading -------------------------------------------------------------------------------

    def place(
        self,
        cwd: Path | None = None,
        *,
        project: str | None = None,
        agent: str | None = None,
        session: str | None = None,
    ) -> Place:
        """Find the caller's project, by name or id, else by folder.

        Raises NotFound for an unknown name.
        """
        from memctl.records import projects

        self._caller, self._folders = (cwd, project), {}
        agent = self._choose_agent(agent)
        return projects.find_place(
            self.open_to_read(),
            cwd,
            project=project,
            agent_id=agent,
            session_id=session,
            redactor=self.redactor,
            known=self._folders,
        )

    def _require_own(self, place: Place) -> Place:
        """Return a place. Raises RefusedByPolicy for that of another agent, whose notes it has."""
        if place.agent_id not in (None, self.actor.agent):
            # Here, because what agents themselves ask waits for no import.
            from memctl.curate import refusals
            from memctl.settings import policy

            refusals.require_allowed(policy.why_not_act_as(place.agent_id, self.actor))
        return place

    def _choose_agent(self, agent: str | None) -> str | None:
        """The agent that was named, or that calls: it finds its private records without a flag."""
        if agent is None and self.actor.agent != NAMELESS_AGENT:
            return self.actor.agent
        return agent

    def place_to_write(
        self,
        cwd: Path | None = None,
        *,
        project: str | None = None,
        agent: str | None = None,
        session: str | None = None,
    ) -> Place:
        """Find the caller's project like `place`, after registering the project of `cwd` if new.

        The store is created if new. A named project must exist: raises NotFound.
        """
        try:
            place = self.place(cwd, project=project, agent=agent, session=session)
        except NoStore:
            place = None
            self.open_or_create()
        is_unregistered = place is not None and not (place.project_id or cwd is None or project)
        if place is None or is_unregistered:
            self.init(project=None if project else cwd)
            place = self.place(cwd, project=project, agent=agent, session=session)
        return place

    def search(
        self,
        query: Query | str,
        limit: int | None = None,
        scope: AnyNamespace | None = None,
        *,
        place: Place | None = None,
        tags: Sequence[str] = (),
        explain: bool = False,
        reads_times: bool = False,
        asks_hubs: bool = False,
    ) -> SearchReport:
        """Find the best records for a query, each with its reasons; `explain` adds near misses.

        With `reads_times` a time that the question names (`last week`) is a filter; with
        `asks_hubs` the hubs that this store meets others at are asked for what it does not hold.

        A query may be plain words; `limit` is how many records at most. `scope` is the namespace
        from which one asks: what holds there is found, and what holds everywhere; `("global",)`
        finds only that. Of `tags` a record must have all. `write_logs` writes the log line. Raises
        UsageError, NotFound.
        """
        from memctl.retrieve import search

        is_plain = isinstance(query, Query) and limit is None and not tags
        if not is_plain or scope is not None or place is not None:
            from memctl.engine import agent_verbs

            is_placed = scope is not None or place is not None
            where = self.find_namespace(scope, place) if is_placed else None
            query = agent_verbs.build_query(query, limit, where, tags, self._choose_agent(None))
        assert isinstance(query, Query)
        self._require_own(query.place)
        db = self.open_to_read()
        if reads_times:
            from memctl.retrieve import asked_time

            report = asked_time.search_in_time(
                db, self.config, query, viewer=self.actor, explain=explain
            )
        else:
            report = search.search(db, self.config, query, actor=self.actor.name, explain=explain)
        if asks_hubs:
            from memctl.sync import hub_search

            return hub_search.search_hubs(db, self.config, query, report, self.actor)
        return report

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
        repeat: bool = False,
        prompt_only: bool = False,
        session_start: bool = False,
        as_of: str | None = None,
        explain: bool = False,
        tokenizer: Tokenizer | None = None,
    ) -> ContextReport:
        """Build the context that an agent starts from, within a budget in tokens.

        It holds profile, project facts, decisions and hits for the task. `phase` (plan, work,
        review, debug) selects the sections, `format` (markdown, xml, plain) how they are written.
        What the session of `place` was served since its `session_start` is omitted, unless the
        settings, or `repeat`, say otherwise; `fresh` omits it whatever the settings say.
        `prompt_only` keeps only hits for the task. `as_of` builds the context of that time.
        At a start it ends with what the operator has to decide about the folder of `place`.
        A `tokenizer` counts the tokens of a text; without one they are estimated.
        """
        from memctl.retrieve import context

        folder, project = self._caller
        is_asked = session_start and not project
        return context.build_context(
            self.open_to_read(),
            self.config,
            self._require_own(place or Place()),
            actor=self.actor.name,
            task=task,
            budget=budget,
            level=level,
            since=since,
            phase=phase,
            format=format,
            fresh=fresh,
            repeat=repeat,
            prompt_only=prompt_only,
            session_start=session_start,
            as_of=as_of,
            notice=self._describe_waiting_place(folder) if is_asked and folder else None,
            folder=folder,
            explain=explain,
            tokenizer=tokenizer,
        )

    def _describe_waiting_place(self, folder: Path) -> str | None:
        """Say which known project a folder may be, if the operator has to decide that."""
        from memctl.records import projects

        place = projects.find_waiting_place(
            self.open_to_read(), folder, self.redactor, self._folders
        )
        return None if place is None else str(place)

    def format_for_injection(
        self,
        scope: ContextReport | AnyNamespace | None = None,
        max_tokens: int | None = None,
        *,
        task: str | None = None,
        place: Place | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> str:
        """Return the context of a namespace in at most `max_tokens` tokens, or that of a report.

        It is fenced as reference data that captures leave out, whole or not at all: where nothing
        fits, or nothing is worth saying, the text is empty. Raises UsageError, NotFound.
        """
        from memctl.results.retrieval import ContextReport

        # A hook gives a report alone and waits for no import that only the others need.
        if isinstance(scope, ContextReport) and max_tokens is None and tokenizer is None:
            return scope.text
        from memctl.engine import agent_verbs

        if isinstance(scope, ContextReport):
            agent_verbs.refuse_second_budget(max_tokens, tokenizer)
            return scope.text
        report = self.context_for(
            place=self.find_namespace(scope, place).place,
            task=task,
            budget=agent_verbs.read_limit("max_tokens", max_tokens, least=0),
            tokenizer=tokenizer,
        )
        return report.text

    def explain(
        self, some_id: str, *, whole: bool = False, as_of: str | None = None
    ) -> MemoryExplanation | RetrievalExplanation:
        """Explain where a record comes from, or the scores of a past retrieval. Raises NotFound.

        `whole` adds the history of the records that it superseded.
        """
        from memctl.retrieve import explain

        return explain.explain(
            self.open_to_read(), self.config, some_id, viewer=self.actor, whole=whole, as_of=as_of
        )

    # -- upkeep and transfer -------------------------------------------------------------------

    def consolidate(
        self, *, dry_run: bool = False, place: Place | None = None, ids: Iterable[str] = ()
    ) -> ConsolidationReport:
        """Merge duplicates and mark contradictions; `dry_run` reports the plan.

        `ids` are the only records that are compared with the others. Raises NotFound.
        """
        from memctl.consolidate import apply

        db = self.open_to_read() if dry_run else self.open_to_write()
        return apply.consolidate_place(
            db, self.config, dry_run=dry_run, place=place, ids=tuple(ids)
        )

    def maintain(
        self,
        *,
        reindex: bool = False,
        retry: bool = False,
        dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
        steps: Sequence[str] = (),
        budget: float | None = None,
        at_step: Callable[[str], None] | None = None,
    ) -> MaintainReport:
        """Do the upkeep that is due, or only some `steps`, for at most `budget` seconds.

        Safe at any time and beside any other process. `progress` is called with the number of items
        done and the number of all, `at_step` with the name of each step that begins. `dry_run`
        reports the plan. Raises UsageError.
        """
        from memctl.maintain import execute

        db = self.open_to_read() if dry_run else self.open_to_write(take_in_spool=False)
        return execute.maintain(
            db,
            self.config,
            reindex=reindex,
            retry=retry,
            dry_run=dry_run,
            progress=progress,
            only=steps,
            budget=budget,
            at_step=at_step,
        )

    def export(self, path: Path | None = None, *, force: bool = False) -> TransferReport:
        """Export everything as JSONL with a manifest and checksums.

        Without a path, the report's `text` holds it. Raises UsageError for a file that is there
        already, unless `force` replaces it; RefusedByPolicy for what is private to another agent.
        """
        from memctl.exchange import export

        db = self.open_to_read(exactly=True)
        export.refuse_private(db, self.actor)
        return export.export_store(db, self.config, path, actor=self.actor, replaces=force)

    def import_(
        self,
        path: Path,
        *,
        origin: str | None = None,
        dry_run: bool = False,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> TransferReport:
        """Merge an export by id; bad lines are reported and skipped, and nothing gains trust.

        `origin` is whose it is: `mine`, a name, or `unknown` (also if None); only the operator may
        say more than `unknown`. A dry run takes no lock on the store. `progress` is called with the
        number of items done and the number of all. Raises RefusedByPolicy.
        """
        from memctl.core.bounded_work import BoundedWork
        from memctl.exchange import import_

        return import_.import_file(
            self._find_store() if dry_run else self.open_or_create(),
            self.config,
            self.actor,
            path,
            origin=origin,
            dry_run=dry_run,
            work=BoundedWork(tell=progress),
        )

    def is_own_export(self, path: Path) -> bool:
        """Whether the operator exported this whole file from this store, and it was not changed."""
        from memctl.exchange import origins

        return origins.is_own_export(self.config, path)

    def _find_store(self) -> Database | None:
        try:
            return self.open_to_read()
        except NoStore:
            return None
