"""Before `memctl setup` writes anything, the person sees what, and is asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from memctl.cli import ask_reader, prompts
from memctl.cli.text.setup import render_setup_plan
from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass, replace
from memctl.engine.setup import SetupOperations
from memctl.results.setup import SetupFile, SetupReader, SetupReport


@dataclass(frozen=True, slots=True)
class WantedSetup:
    """What the words of the command line ask for; `reader` is as they give it, `none` included."""

    names: tuple[str, ...]
    undo: bool = False
    folder: Path | None = None
    kind: str | None = None
    reader: str | None = None

    def plan(self, setup: SetupOperations) -> SetupReport:
        """Return what would be done. Raises UsageError."""
        return self._connect(setup, None)

    def carry_out(self, setup: SetupOperations, plan: SetupReport) -> SetupReport:
        """Do what was planned."""
        return self._connect(setup, plan)

    @property
    def may_ask_for_reader(self) -> bool:
        """Whether nothing was said of a reader, and nobody else was named."""
        is_open = not self.undo and self.folder is None and self.reader is None
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
            dry_run=plan is None,
            shown=plan,
        )


def list_agents(names: Sequence[str] | None, *, every: bool) -> tuple[str, ...]:
    """Return the named agents, each once; none for all that are found. Raises UsageError."""
    if every and names:
        raise UsageError("--all and names exclude each other")
    return tuple(dict.fromkeys(names or ()))


def set_up(setup: SetupOperations, wanted: WantedSetup, *, yes: bool) -> SetupReport:
    """Carry out what is wanted if the person agrees, or agreed beforehand with `yes`.

    Then ask whether an agent shall read, unless that was said or one agent was named. Where nobody
    can be asked, nothing is done and the plan is the answer. Raises Interrupted on a no.
    """
    report = _confirm_and_carry_out(setup, wanted, yes=yes)
    if yes or not wanted.may_ask_for_reader:
        return report

    def connect_reader(reader: SetupReader) -> SetupReport:
        only = replace(wanted, names=(ask_reader.NAME,), reader=reader.model)
        return only.carry_out(setup, only.plan(setup))

    return ask_reader.offer_readers(
        report, setup.list_readers(), connect_reader, is_named=bool(wanted.names)
    )


def _confirm_and_carry_out(
    setup: SetupOperations, wanted: WantedSetup, *, yes: bool
) -> SetupReport:
    plan = wanted.plan(setup)
    if not _has_work(plan):
        return wanted.carry_out(setup, plan)
    if not yes and not prompts.is_person():
        return replace(plan, unanswered=True)
    if not yes:
        prompts.say(*render_setup_plan(plan))
        question = "Remove this?" if plan.action == "undo" else "Write this?"
        prompts.require_consent(question, yes=False)
    return wanted.carry_out(setup, plan)


def _has_work(plan: SetupReport) -> bool:
    return any(
        item.state == "planned" or item.commands or _has_changes(item.files) for item in plan.items
    )


def _has_changes(files: Iterable[SetupFile]) -> bool:
    return any(file.action in ("create", "change", "delete") for file in files)
