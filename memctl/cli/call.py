"""One call of a command: its store, its location, and the work after the answer is printed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from memctl.core import process_exit
from memctl.core.errors import MemctlError, RefusedByPolicy, UsageError
from memctl.core.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from memctl.cli.progress import ProgressLine
    from memctl.core.model import NewMemory, Place
    from memctl.engine.memory_engine import MemoryEngine
    from memctl.results.captures import CaptureReport
    from memctl.results.records import IngestReport


class Call:
    """What every command gets. The engine is opened at first use and closed by `close`.

    A command may set `agent` (for whom it acts), `quiet` (print only problems), `verbose`, and
    `is_tolerant` (wrong settings are no error).
    """

    def __init__(self, db: Path | None = None, as_json: bool = False) -> None:
        self.db = db
        self.as_json = as_json
        self.agent: str | None = None
        self.quiet = self.verbose = self.is_tolerant = False
        self._engine: MemoryEngine | None = None
        self._deferred: list[Callable[[], None]] = []
        self._is_read_only = False

    @property
    def engine(self) -> MemoryEngine:
        """The engine on the chosen store.

        It acts for `agent` if one was named, else for whoever sits at the terminal.
        """
        if self._engine is None:
            from memctl.engine.memory_engine import MemoryEngine

            actor = f"agent:{self._require_own_name(self.agent)}" if self.agent else None
            self._engine = MemoryEngine.open(self.db, actor=actor, is_tolerant=self.is_tolerant)
        return self._engine

    @staticmethod
    def _require_own_name(agent: str) -> str:
        """Return the agent that `--agent` named. Raises RefusedByPolicy where another one calls."""
        from memctl.settings.config import list_agent_names

        calling = list_agent_names()
        if calling and agent not in calling:
            raise RefusedByPolicy(
                f"this call comes from {calling[0]}: what is private to {agent!r:.60} is read and "
                "written by that agent alone",
                hint="leave --agent out",
            )
        return agent

    @property
    def has_changed_records(self) -> bool:
        """Whether the command has committed changes so far."""
        return self._engine is not None and self._engine.has_changed_records

    def show_progress(
        self, doing: str, first: str, counted: str = "", *, in_bytes: bool = False
    ) -> AbstractContextManager[ProgressLine]:
        """Show to a person how far slow work is, unless only its answer or problems are wanted."""
        from memctl.cli import progress  # here, because most commands are quick

        stream = None if self.as_json or self.quiet else sys.stderr
        return progress.show_progress(stream, doing, first, counted, in_bytes=in_bytes)

    def place(
        self, project: str | None = None, *, everywhere: bool = False, session: str | None = None
    ) -> Place:
        """Find the named project, else that of the working folder; none for `--global`."""
        cwd = self._find_folder(project, everywhere)
        place = self.engine.place(cwd, project=project, agent=self.agent, session=session)
        if cwd is not None and project is None and self._is_decided_now(cwd):
            place = self.engine.place(cwd, agent=self.agent, session=session)
        return place

    def place_to_write(
        self, project: str | None = None, *, everywhere: bool = False, session: str | None = None
    ) -> Place:
        """Like `place`; a new store is created and the folder's project registered if new."""
        cwd = self._find_folder(project, everywhere)
        place = self.engine.place_to_write(cwd, project=project, agent=self.agent, session=session)
        if cwd is not None and project is None and self._is_decided_now(cwd):
            place = self.engine.place(cwd, agent=self.agent, session=session)
        return place

    def tell_missing_store(self, report: CaptureReport) -> CaptureReport:
        """Return the report of a capture; say on standard error that it waits for a store.

        Only `init`, or the operator's first write, takes it in: the home or MEMCTL_DB may be wrong.
        """
        store = self.engine.config.db
        if report.spool_file is not None and not store.exists():
            from memctl.cli import output

            output.print_notice([f"memctl: {report.describe_missing_store(str(store))}"])
        return report

    def leave_for_later(
        self,
        items: Sequence[NewMemory],
        *,
        file: Path | None,
        project: str | None,
        everywhere: bool,
        session: str | None,
    ) -> IngestReport:
        """Leave records in the spool while the store cannot even say where the caller is."""
        cwd = self._find_folder(project, everywhere)
        return self.engine.leave_for_later(
            items, cwd, project=project, agent=self.agent, session=session, file=file
        )

    def _is_decided_now(self, cwd: Path) -> bool:
        """Ask the person, once, about a folder that may be a known project; others are told."""
        waiting = self.engine.projects.find_waiting_place(cwd)
        if waiting is None:
            return False
        from memctl.cli import review_projects

        return review_projects.review_waiting_place(self.engine, cwd, waiting)

    def _find_folder(self, project: str | None, everywhere: bool) -> Path | None:
        if project and everywhere:
            raise UsageError("--project and --global exclude each other")
        return None if everywhere else Path.cwd()

    def log_later(self) -> None:
        """Write the retrieval log once the answer is printed. The store is only read."""
        self._deferred.append(self.engine.write_logs)
        self._is_read_only = True

    def list_warnings(self) -> list[MemctlError]:
        """List what was met in the store and gone around."""
        return [] if self._engine is None else self._engine.list_warnings()

    def run_deferred_work(self) -> None:
        """Do what was deferred until the answer is printed."""
        for work in self._deferred:
            work()

    def close(self) -> None:
        """Close the store; one that was only read is closed without waiting."""
        if self._engine is None:
            return
        if self._is_read_only:
            process_exit.close_later(self._engine)
        else:
            self._engine.close()


def drop_unset(options: Mapping[str, object]) -> dict[str, object]:
    """Return the options that were given: without those that are None or empty."""
    return {
        name: value
        for name, value in options.items()
        if value is not None and value != () and value != []
    }
