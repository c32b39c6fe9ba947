"""`engine.setup`: connecting agents, and taking in what they already have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from memctl.core.errors import MemctlError
from memctl.core.typing_lite import TYPE_CHECKING
from memctl.engine.store_access import OperationGroup

if TYPE_CHECKING:
    from memctl.results.backfill import BackfillReport, MemoriesReport
    from memctl.results.setup import SetupReader, SetupReport, UninstallReport
    from memctl.results.sync import LeaveReport


class SetupOperations(OperationGroup):
    """Agents on this machine: their settings, past sessions and own memories."""

    def connect(
        self,
        names: Sequence[str] = (),
        *,
        undo: bool = False,
        folder: Path | None = None,
        kind: str | None = None,
        reader: str | None = None,
        mcp: bool = False,
        dry_run: bool = False,
        shown: SetupReport | None = None,
    ) -> SetupReport:
        """Connect agents (default: those installed) for the operator or a repository.

        With `mcp`, by naming the MCP server in their settings, instead of by hooks.

        `reader` is the agent that shall read for `maintain` (`agent:codex`). `undo` disconnects
        them. `shown` is the plan, made by `dry_run`, that was agreed to; files that changed since
        are not written. Raises UsageError.
        """
        from memctl.llm import reader_choice
        from memctl.setup import plan, run

        config = self._access.config
        chosen = reader_choice.choose_reader(config, reader) if reader else None
        wanted = plan.parse_request(
            names, undo=undo, folder=folder, kind=kind, reader=chosen, mcp=mcp
        )
        report = run.run_setup(config, wanted, dry_run=dry_run, shown=shown)
        if not undo and not dry_run:
            self._access.create_store()  # hooks create none, and have nowhere to look otherwise
        return report

    def list_mcp_clients(self, names: Sequence[str] = ()) -> tuple[str, ...]:
        """List the programs here, or those named, that start MCP servers and lack ours."""
        from memctl.setup import plan, run

        report = run.run_setup(
            self._access.config, plan.parse_request(names, mcp=True), dry_run=True
        )
        return tuple(
            item.agent.partition(":")[2] for item in report.items if item.state == "planned"
        )

    def uninstall(
        self, *, dry_run: bool = False, shown: UninstallReport | None = None
    ) -> UninstallReport:
        """Remove everything that setup wrote; report what data stays and how to erase it.

        `shown` is the plan, made by `dry_run`, that was agreed to.
        """
        from memctl.results.setup import UninstallReport
        from memctl.setup import plan, run, uninstall

        config = self._access.config
        done = run.run_setup(
            config,
            plan.SetupRequest(undo=True),
            dry_run=dry_run,
            shown=shown.setup if shown else None,
        )
        kept = uninstall.list_kept_data(config)
        erase, remove = uninstall.write_erase_command(kept), uninstall.write_remove_command()
        return UninstallReport(done, kept, erase, remove, self._leave_group(dry_run=dry_run))

    def _leave_group(self, *, dry_run: bool) -> LeaveReport | None:
        """Leave the other machines that the store follows; None where it follows none."""
        from memctl.results.sync import LeaveReport
        from memctl.store import files

        if not files.locate_sync_key(self._access.config.db).exists():
            return None
        from memctl.engine.sync import SyncOperations

        try:
            return SyncOperations(self._access).leave(dry_run=dry_run)
        except MemctlError as error:
            return LeaveReport((), False, (f"sync was not left: {error}",), dry_run)

    def install_completion(
        self, shell: str, *, undo: bool = False, dry_run: bool = False
    ) -> SetupReport:
        """Install the completion of `bash`, `zsh` or `fish` for this user, or take it out.

        Raises UsageError for another shell.
        """
        from memctl.setup import completions, plan, run

        name = completions.PREFIX + completions.check_shell(shell)
        request = plan.SetupRequest((name,), undo)
        return run.run_setup(self._access.config, request, dry_run=dry_run)

    def read_completion(self, shell: str) -> str:
        """Read the completion script of a shell. Raises UsageError for one that has none."""
        from memctl.setup import completions

        return completions.read_script(shell)

    def locate_completion(self, shell: str) -> Path:
        """Return where the completion of a shell is installed. Raises UsageError."""
        from memctl.setup import completions, targets

        where = targets.locate_setup(self._access.config, None, need_commands=False)
        return completions.locate_script(shell, where)

    def list_words(self, kind: str, prefix: str) -> list[str]:
        """List what a word on a command line may become: `ids`, `projects` or `views`.

        None where the store cannot be read: a shell that completes wants no error.
        """
        from memctl.store import completion

        try:
            return completion.list_words(self._access.open_to_read(), kind, prefix)
        except MemctlError:
            return []

    def list_readers(self) -> tuple[SetupReader, ...]:
        """List the agents here that could read for `maintain`; none where a model is named."""
        from memctl.llm import reader_choice

        return reader_choice.list_readers(self._access.config)

    def status(self, names: Sequence[str] = (), *, folder: Path | None = None) -> SetupReport:
        """Report which agents are connected, and where."""
        from memctl.setup import plan, status

        return status.report_status(self._access.config, plan.parse_request(names, folder=folder))

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
        """Capture the past sessions of the agents on this machine.

        `progress` is called with the number of sessions done and of all. Raises UsageError for an
        unknown agent.
        """
        from memctl.capture import backfill

        access = self._access
        wanted = backfill.BackfillOptions(tuple(agents), since, project, limit)
        return backfill.backfill(
            access.open_or_create,
            access.config,
            access.actor.name,
            wanted,
            dry_run=dry_run,
            progress=progress,
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
        """Propose what other tools remember, from files and folders.

        `found` looks for all such files on this machine. Raises UsageError.
        """
        from memctl.capture import import_memories, memory_files

        access = self._access
        wanted = memory_files.ImportOptions(tuple(paths), kind, found, cwd)
        return import_memories.import_memories(
            access.open_or_create, access.config, access.actor.name, wanted, dry_run=dry_run
        )
