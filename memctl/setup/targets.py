"""The surroundings of a setup on this machine: our own commands, the repository, and files or crontab alike to look at and to write."""

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
from memctl.setup.recipes import Where


def where(config: Config, folder: Path | None, *, need_commands: bool = True) -> Where:
    """Where a setup happens. Raises UsageError for a folder that is no project, MemctlError where our commands cannot be found or named."""
    environ = config_module.environ()
    hook, memctl = command(HOOK), command("memctl")
    if need_commands and not (hook and memctl):
        raise MemctlError(
            f"{HOOK} was not found beside memctl", hint="install memctl with pipx, uv tool or pip"
        )
    _writable_in_settings(hook, memctl, config.db)
    usual = config.home / ".local" / "share" / "memctl" / "memory.db"
    root = repository(folder, config.home) if folder else None
    return Where(
        config.home,
        environ,
        root,
        hook or Path("/", HOOK),
        memctl or Path("/memctl"),
        None if config.db == usual else config.db,
    )


def _writable_in_settings(*paths: Path | None) -> None:
    """Refuse names of files that cannot be written down: not UTF-8, or with characters that no line of settings may hold."""
    for path in filter(None, paths):
        if not str(path).replace("\\", "").isprintable():
            raise MemctlError(f"the path {str(path)!r} cannot be written into settings")


def warnings(where: Where) -> tuple[str, ...]:
    """What is doubtful about our commands: a program that was only run, not installed, may be gone tomorrow."""
    fleeting = (config_module.temporary_folder(), where.home / ".cache")
    gone = any(where.hook.is_relative_to(folder) for folder in fleeting)
    said = f"{where.hook} lies in a folder that is emptied at times: install memctl with pipx, uv tool or pip, and run this again."
    return (said,) if gone else ()


def command(name: str) -> Path | None:
    """The whole path of one of our commands: beside the one that runs, in this Python's folder of scripts, or on the PATH."""
    beside = [Path(sys.argv[0]).absolute().parent / name] if "/" in sys.argv[0] else []
    for path in (*beside, Path(sysconfig.get_path("scripts")) / name):
        if found := which(str(path)):
            return Path(found)
    found = which(name)
    return Path(found).absolute() if found else None


def repository(folder: Path, home: Path) -> Path:
    """The repository that a folder is in, else the folder itself. Raises UsageError for the home folder."""
    folder = folder.absolute()
    root = next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)
    if root == home.absolute():
        raise UsageError(
            "the home folder is no project", hint="change to the repository, or leave out --project"
        )
    return root


def look(path: Path) -> disk.Spot:
    """What is at a path, or in the crontab."""
    return timer.look_at_crontab() if path == timer.CRONTAB else disk.look(path)


def missing_folders(spot: disk.Spot) -> list[Path]:
    """The folders that are to be made for a file, outermost first."""
    return [] if spot.path == timer.CRONTAB else disk.missing_folders(spot.real.parent)


def write(spot: disk.Spot, data: bytes | None) -> None:
    """Put it there, folders included. Raises Unfit, OSError."""
    if spot.path == timer.CRONTAB:
        timer.write_crontab(spot, data)
        return
    spot.real.parent.mkdir(parents=True, exist_ok=True)
    disk.write(spot, data)
