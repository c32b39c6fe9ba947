"""Completion for a shell: the scripts that ship with memctl, and where each shell looks for them.

bash (with bash-completion) and fish find a file of that name by themselves. zsh has no folder of
the user's, so a block in .zshrc names one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memctl.core.errors import UsageError
from memctl.setup import resources
from memctl.setup.blocks import WHOLE, Block, WholeFile
from memctl.setup.recipes import EditedFile, SetupContext

# How setup calls the completion of a shell: `completion:bash`.
PREFIX = "completion:"
SHELLS = ("bash", "zsh", "fish")
_FILES = {"bash": "memctl.bash", "zsh": "_memctl", "fish": "memctl.fish"}
_NOTES = {
    "bash": "Needs the package bash-completion; open a new shell to have it.",
    "zsh": "Open a new shell to have it.",
    "fish": "Open a new shell to have it.",
}


def check_shell(shell: str) -> str:
    """Return the shell. Raises UsageError for one that has no script."""
    if shell not in SHELLS:
        raise UsageError(f"{shell!r} is not one of {', '.join(SHELLS)}")
    return shell


def read_script(shell: str) -> str:
    """Read the script of a shell."""
    return resources.read_completion(_FILES[check_shell(shell)])


def locate_script(shell: str, where: SetupContext) -> Path:
    """Return where the script of a shell is installed for this user."""
    if check_shell(shell) == "fish":
        return where.xdg_folder("XDG_CONFIG_HOME") / "fish" / "completions" / "memctl.fish"
    data = where.xdg_folder("XDG_DATA_HOME")
    if shell == "bash":
        return data / "bash-completion" / "completions" / "memctl"
    return data / "zsh" / "site-functions" / "_memctl"


def list_targets(shell: str, where: SetupContext) -> Sequence[EditedFile]:
    """The files that give a shell its completion, each with how it is edited."""
    path = locate_script(shell, where)
    script = EditedFile(path, WholeFile(f"{read_script(shell)}# {WHOLE}\n"))
    if shell != "zsh":
        return (script,)
    start = Path(where.environ.get("ZDOTDIR") or where.home) / ".zshrc"
    folder = str(path.parent).replace("'", "'\\''")
    lines = f"fpath=('{folder}' $fpath)\nautoload -Uz compinit && compinit"
    return (script, EditedFile(start, Block(lines)))


def list_all_targets(where: SetupContext) -> list[tuple[str, EditedFile]]:
    """Where completions of any shell would stand, for what a lost manifest would have named."""
    return [(PREFIX + shell, target) for shell in SHELLS for target in list_targets(shell, where)]


def describe_shell(shell: str) -> tuple[str, ...]:
    """What a person should know of the completion of a shell."""
    return (_NOTES[shell],)
