"""Connected agents and the files that connect them, as the engine returns them."""

from __future__ import annotations

from memctl.core.frozen import dataclass
from memctl.results.sync import LeaveReport


@dataclass(frozen=True, slots=True)
class SetupFile:
    """A file that connects an agent. action: `create`, `change`, `delete`, `none` or `left`
    (`problem` says why it was left).

    In a status the action is `connected`, `partly` or `absent`. `leads_to` is the target of a
    symbolic link; `digest` is a hash of the present content.
    """

    path: str
    action: str
    diff: str = ""
    leads_to: str | None = None
    problem: str | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class SetupItem:
    """One agent, the timer, or the reader.

    state: `planned`, `done`, `connected`, `partly` or `absent`.

    `root` is the repository, if it is set up for one. `commands` are run besides; `notes` tell the
    operator what to know or do.
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
class SetupReader:
    """An agent of this machine that could read: its name as a model, its title, its daily limit."""

    model: str
    title: str
    limit: str


@dataclass(frozen=True, slots=True)
class SetupReport:
    """A plan, its result, or a status. action: `setup`, `undo` or `status`. `unanswered`: nobody
    was there to agree.
    """

    action: str
    items: tuple[SetupItem, ...]
    dry_run: bool = False
    unanswered: bool = False


@dataclass(frozen=True, slots=True)
class KeptData:
    """What of one's data an uninstall leaves: a place, what it is, its files and bytes."""

    path: str
    what: str
    files: int
    size: int


@dataclass(frozen=True, slots=True)
class UninstallReport:
    """What setup wrote and how it came out, the data that stay, and commands that are the person's
    to run: `erase` removes those data, `remove` the program. `sync` says which other machines are
    left, if the store followed any.
    """

    setup: SetupReport
    kept: tuple[KeptData, ...]
    erase: str
    remove: str
    sync: LeaveReport | None = None
