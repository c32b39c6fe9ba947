"""Connected agents and the files that connect them, as the engine returns them."""

from __future__ import annotations

from memctl.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class SetupFile:
    """A file that connects an agent. action: `create`, `change`, `delete`, `none`, or `left` (it cannot be edited; `problem` says why).

    A status says `connected`, `partly` or `absent` instead. `leads_to` is the file behind a link; `digest` is that of the present content.
    """

    path: str
    action: str
    diff: str = ""
    leads_to: str | None = None
    problem: str | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class SetupItem:
    """One agent, or the timer. state: `planned`, `done`, `connected`, `partly` or `absent`; `root` is the repository, if it is for one.

    `commands` are what is run besides, and `notes` what the operator has to know or do.
    """

    agent: str
    found: bool
    state: str
    root: str | None = None
    files: tuple[SetupFile, ...] = ()
    commands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SetupReport:
    """A plan, what was made of it, or how things are. action: `setup`, `undo` or `status`; `unanswered` if nobody was there to agree."""

    action: str
    items: tuple[SetupItem, ...]
    dry_run: bool = False
    unanswered: bool = False
