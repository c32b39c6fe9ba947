"""Before `memctl setup` writes anything, the person sees what, and is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memctl.cli import ask_reader, prompts
from memctl.cli.text.setup import render_setup_plan
from memctl.core.errors import Interrupted, UsageError
from memctl.core.frozen import dataclass, replace
from memctl.engine.setup import SetupOperations
from memctl.results.setup import SetupFile, SetupReader, SetupReport

# The name by which `setup` knows the MCP server alone.
MCP = "mcp"
# Names that only the MCP server is for.
_SERVER_ONLY = frozenset((MCP, "claude-desktop", "zed", "vscode", "jetbrains"))


@dataclass(frozen=True, slots=True)
class WantedSetup:
    """What the words of the command line ask for; `reader` is as they give it, `none` included.

    `mcp`: the MCP server too. `is_mcp`: this is the part that names it.
    """

    names: tuple[str, ...]
    undo: bool = False
    folder: Path | None = None
    kind: str | None = None
    reader: str | None = None
    mcp: bool = False
    is_mcp: bool = False

    def split(self) -> list[WantedSetup]:
        """Return the parts that are done one after the other: hooks, then the MCP server.

        Both may be in one file. What is taken out is taken out at once.
        """
        if self.undo:
            return [self]
        servers = tuple(name for name in self.names if name in _SERVER_ONLY)
        others = tuple(name for name in self.names if name not in _SERVER_ONLY)
        parts = [replace(self, names=others)] if others or not self.names else []
        if self.mcp or servers:
            clients = () if MCP in servers else (*(others if self.mcp else ()), *servers)
            only = replace(self, names=clients, kind=None, reader=None, is_mcp=True)
            parts.append(only)
        return parts

    def plan(self, setup: SetupOperations) -> SetupReport:
        """Return what would be done. Raises UsageError."""
        return self._connect(setup, None)

    def carry_out(self, setup: SetupOperations, plan: SetupReport) -> SetupReport:
        """Do what was planned."""
        return self._connect(setup, plan)

    @property
    def may_ask_for_reader(self) -> bool:
        """Whether nothing was said of a reader, and nobody else was named."""
        is_open = not (self.undo or self.folder or self.reader or self.is_mcp)
        return is_open and self.names in ((), (ask_reader.NAME,))

    def _connect(self, setup: SetupOperations, plan: SetupReport | None) -> SetupReport:
        model = None if self.reader == ask_reader.NONE else self.reader
        if model and (self.undo or self.folder):
            raise UsageError("--reader excludes --undo and --project")
        return setup.connect(
            self.names,
            undo=self.undo,
            folder=self.folder,
            kind=self.kind,
            reader=model,
            mcp=self.is_mcp,
            dry_run=plan is None,
            shown=plan,
        )


def list_agents(names: Sequence[str] | None, *, every: bool) -> tuple[str, ...]:
    """Return the named agents, each once; none for all that are found. Raises UsageError."""
    if every and names:
        raise UsageError("--all and names exclude each other")
    return tuple(dict.fromkeys(names or ()))


def plan_all(setup: SetupOperations, wanted: WantedSetup) -> SetupReport:
    """Return what would be done, the MCP server's part last. Raises UsageError."""
    return _join([part.plan(setup) for part in wanted.split()])


def set_up(
    setup: SetupOperations, wanted: WantedSetup, *, yes: bool, skips: bool = False
) -> SetupReport:
    """Carry out what is wanted if the person agrees, or agreed beforehand with `yes`.

    Then ask whether the MCP server shall be named and whether an agent shall read, unless that was
    said or one agent was named. Where nobody can be asked, nothing is done and the plan is the
    answer. A no `skips` that part and goes on, or raises Interrupted.
    """
    parts = wanted.split()
    report = _join([_confirm_and_carry_out(setup, part, yes=yes, skips=skips) for part in parts])
    if yes or not wanted.may_ask_for_reader:
        return report
    with explain_stop():
        return _offer_more(setup, wanted, report)


@contextmanager
def explain_stop() -> Iterator[None]:
    """Where the person stops at a question, say that what they agreed to before it is done."""
    try:
        yield
    except (KeyboardInterrupt, Interrupted) as error:
        raise Interrupted(
            "stopped: what you agreed to so far is done",
            hint="`memctl setup` offers the rest again, `memctl setup --undo` removes what it "
            "wrote",
        ) from error


def _offer_more(setup: SetupOperations, wanted: WantedSetup, report: SetupReport) -> SetupReport:
    if not wanted.mcp and not wanted.names:
        report = _offer_server(setup, wanted, report)

    def connect_reader(reader: SetupReader) -> SetupReport:
        only = replace(wanted, names=(ask_reader.NAME,), reader=reader.model)
        return only.carry_out(setup, only.plan(setup))

    return ask_reader.offer_readers(
        report, setup.list_readers(), connect_reader, is_named=bool(wanted.names)
    )


def _offer_server(setup: SetupOperations, wanted: WantedSetup, report: SetupReport) -> SetupReport:
    """Ask whether those who take an MCP server shall start ours; no is the default."""
    if report.unanswered or not prompts.is_person():
        return report
    clients = setup.list_mcp_clients()
    if not clients:
        return report
    question = f"Add memctl's MCP server to {', '.join(clients)} too? [y/N]"
    if prompts.ask(question).lower() not in ("y", "yes"):
        return report
    only = replace(wanted, names=clients, is_mcp=True)
    return _join([report, only.carry_out(setup, only.plan(setup))])


def _join(reports: Sequence[SetupReport]) -> SetupReport:
    """One report of several parts."""
    items = tuple(item for report in reports for item in report.items)
    return replace(reports[0], items=items, unanswered=any(report.unanswered for report in reports))


def _confirm_and_carry_out(
    setup: SetupOperations, wanted: WantedSetup, *, yes: bool, skips: bool
) -> SetupReport:
    plan = wanted.plan(setup)
    if not _has_work(plan):
        return wanted.carry_out(setup, plan)
    if not yes and not prompts.is_person():
        return replace(plan, unanswered=True)
    if not yes:
        prompts.say(*render_setup_plan(plan, with_changes=False))
        if skips:
            prompts.say("  later: memctl setup; undo: memctl setup --undo")
        if not _ask_to_write(plan):
            if not skips:
                raise Interrupted("nothing was changed")
            prompts.say("  skipped: nothing was written")
            return _leave_out(plan)
    return wanted.carry_out(setup, plan)


def _leave_out(plan: SetupReport) -> SetupReport:
    """Say of what was planned that it is not connected."""
    items = tuple(
        replace(item, state="absent", files=(), commands=(), notes=())
        if item.state == "planned"
        else item
        for item in plan.items
    )
    return replace(plan, items=items, dry_run=False)


def _ask_to_write(plan: SetupReport) -> bool:
    """Ask whether to write, after showing every line if that is wanted. Raises Interrupted at q."""
    question = "Remove this?" if plan.action == "undo" else "Write this?"
    while True:
        answer = prompts.ask(f"{question} [y/N, d: show every line]").lower()
        if answer in ("q", "quit"):
            raise Interrupted("nothing was changed")
        if answer != "d":
            return answer in ("y", "yes")
        prompts.say(*render_setup_plan(plan))


def _has_work(plan: SetupReport) -> bool:
    return any(
        item.state == "planned" or item.commands or _has_changes(item.files) for item in plan.items
    )


def _has_changes(files: Iterable[SetupFile]) -> bool:
    return any(file.action in ("create", "change", "delete") for file in files)
