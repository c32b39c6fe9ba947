"""What setup works on: our commands, the repository, and files and the crontab alike."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from shutil import which

from memctl.core.errors import MemctlError, UsageError
from memctl.settings import config as config_module
from memctl.settings.config import Config
from memctl.setup import disk, timer
from memctl.setup.hooks import HOOK
from memctl.setup.recipes import SetupContext


def locate_setup(
    config: Config, folder: Path | None, *, need_commands: bool = True
) -> SetupContext:
    """Build the context of a setup.

    Raises UsageError for a folder that is no project, MemctlError if our commands are not found.
    """
    environ = config_module.get_environment()
    hook, memctl = find_command(HOOK), find_command("memctl")
    if need_commands and not (hook and memctl):
        raise MemctlError(
            f"{HOOK} was not found beside memctl", hint="install memctl with pipx, uv tool or pip"
        )
    _refuse_unwritable_paths(hook, memctl, config.db)
    usual = config.home / ".local" / "share" / "memctl" / "memory.db"
    root = find_repository(folder, config.home) if folder else None
    return SetupContext(
        config.home,
        environ,
        root,
        hook or Path("/", HOOK),
        memctl or Path("/memctl"),
        None if config.db == usual else config.db,
    )


def _refuse_unwritable_paths(*paths: Path | None) -> None:
    """Refuse paths that settings cannot hold: not UTF-8, or with control characters."""
    for path in filter(None, paths):
        if not str(path).replace("\\", "").isprintable():
            raise MemctlError(f"the path {str(path)!r} cannot be written into settings")


def list_warnings(where: SetupContext) -> tuple[str, ...]:
    """Doubts about our commands: one that was run but not installed may be gone tomorrow."""
    fleeting = (config_module.find_temporary_folder(), where.home / ".cache")
    gone = any(where.hook.is_relative_to(folder) for folder in fleeting)
    if not gone:
        return ()
    return (
        f"{where.hook} is in a temporary folder: install memctl with pipx, uv tool or pip, and run "
        "this again.",
    )


def find_command(name: str) -> Path | None:
    """The whole path of one of our commands: beside the running one, in this Python's scripts, or
    on the PATH.
    """
    beside = [Path(sys.argv[0]).absolute().parent / name] if "/" in sys.argv[0] else []
    for path in (*beside, Path(sysconfig.get_path("scripts")) / name):
        if found := which(str(path)):
            return Path(found)
    found = which(name)
    return Path(found).absolute() if found else None


def find_repository(folder: Path, home: Path) -> Path:
    """The repository that holds a folder, else the folder. Raises UsageError for the home
    folder.
    """
    folder = folder.absolute()
    root = next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)
    if root == home.absolute():
        raise UsageError(
            "the home folder is no project", hint="change to the repository, or leave out --project"
        )
    return root


def look_at(path: Path) -> disk.FileState:
    """Read what is at a path, or in the crontab."""
    return timer.look_at_crontab() if path == timer.CRONTAB else disk.look_at(path)


def list_missing_folders(spot: disk.FileState) -> list[Path]:
    """The folders to make for a file, outermost first."""
    return [] if spot.path == timer.CRONTAB else disk.list_missing_folders(spot.real.parent)


def write_target(spot: disk.FileState, data: bytes | None) -> None:
    """Write the file or crontab, folders included. Raises Unfit, OSError."""
    if spot.path == timer.CRONTAB:
        timer.write_crontab(spot, data)
        return
    spot.real.parent.mkdir(parents=True, exist_ok=True)
    disk.write_file(spot, data)
