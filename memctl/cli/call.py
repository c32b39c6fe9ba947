"""One call of a command: its store, its place, and what is left to do once the answer is printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memctl.core import process_exit
from memctl.core.errors import NoStore, UsageError

if TYPE_CHECKING:
    from memctl.core.model import Place
    from memctl.engine.memory_engine import MemoryEngine


class Call:
    """What every command is handed. The engine is opened at first use and closed by `close`.

    A command may set `agent` (for whom it acts), `quiet` (print problems only) and `verbose` (print more).
    """

    def __init__(self, db: Path | None = None, as_json: bool = False) -> None:
        self.db = db
        self.as_json = as_json
        self.agent: str | None = None
        self.quiet = self.verbose = False
        self._engine: MemoryEngine | None = None
        self._later: list[Callable[[], None]] = []
        self._only_read = False

    @property
    def engine(self) -> MemoryEngine:
        """The engine on the chosen store, acting for `agent` if one was named, else for whoever sits at the terminal."""
        if self._engine is None:
            from memctl.engine.memory_engine import MemoryEngine

            self._engine = MemoryEngine.open(
                self.db, actor=f"agent:{self.agent}" if self.agent else None
            )
        return self._engine

    def place(
        self, project: str | None = None, *, everywhere: bool = False, session: str | None = None
    ) -> Place:
        """Where the command stands: the named project, nowhere in particular (`--global`), else the project of the working folder."""
        if project and everywhere:
            raise UsageError("--project and --global exclude each other")
        cwd = None if everywhere else Path.cwd()
        return self.engine.place(cwd, project=project, agent=self.agent, session=session)

    def place_to_write(
        self, project: str | None = None, *, everywhere: bool = False, session: str | None = None
    ) -> Place:
        """Like `place`; the store is made and the working folder's project registered if they are new."""
        try:
            found = self.place(project, everywhere=everywhere, session=session)
        except NoStore:
            found = None
        if found is None or not (found.project_id or everywhere or project):
            self.engine.init(project=None if everywhere or project else Path.cwd())
            found = self.place(project, everywhere=everywhere, session=session)
        return found

    def log_later(self) -> None:
        """Write the log line of what was only read, once the answer is printed."""
        self._later.append(self.engine.write_logs)
        self._only_read = True

    def run_deferred_work(self) -> None:
        """Do what was deferred until the answer is printed."""
        for work in self._later:
            work()

    def close(self) -> None:
        """Close the store; one that was only searched is let go."""
        if self._engine is None:
            return
        if self._only_read:
            process_exit.release(self._engine)
        else:
            self._engine.close()


def drop_unset(options: Mapping[str, object]) -> dict[str, object]:
    """The options that were used: without those that are None or empty."""
    return {
        name: value
        for name, value in options.items()
        if value is not None and value != () and value != []
    }
