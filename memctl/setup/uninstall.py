"""What an uninstall leaves: where one's data are, and the commands that remove them and memctl."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from memctl.results.setup import KeptData
from memctl.settings.config import Config


def list_kept_data(config: Config) -> tuple[KeptData, ...]:
    """List where data of memctl are; places that are not there are left out."""
    places = (
        ("store, its copies, spool, key and logs", _list_beside(config)),
        ("settings", [config.path]),
        ("witness of the store", [config.state]),
    )
    return tuple(
        KeptData(str(path), what, *_measure(path))
        for what, paths in places
        for path in paths
        if path.exists() or path.is_symlink()
    )


def write_erase_command(kept: Iterable[KeptData]) -> str:
    """Write the command that removes the data; empty where there are none."""
    paths = [each.path for each in kept]
    return f"rm -r -- {shlex.join(paths)}" if paths else ""


def write_remove_command() -> str:
    """Write the command that removes the program, by how it was installed."""
    parts = Path(sys.prefix).parts
    if "pipx" in parts:
        return "pipx uninstall memctl"
    if "uv" in parts and "tools" in parts:
        return "uv tool uninstall memctl"
    return shlex.join([sys.executable, "-m", "pip", "uninstall", "memctl"])


def _list_beside(config: Config) -> list[Path]:
    """The folder of the store where it is memctl's own, else each of its files there."""
    folder = config.db.parent
    if folder.name == "memctl":
        return [folder]
    if not folder.is_dir():
        return []
    logs = ("hook.log", "hook.log.1", "maintain.log", "maintain.log.1")
    return sorted(
        path
        for path in folder.iterdir()
        if path.name == config.db.name
        or path.name.startswith((f"{config.db.name}-", f"{config.db.name}."))
        or path.name in logs
    )


def _measure(path: Path) -> tuple[int, int]:
    """How many files there are, and their bytes."""
    sizes = [each.lstat().st_size for each in _walk(path)]
    return len(sizes), sum(sizes)


def _walk(path: Path) -> Iterator[Path]:
    if not path.is_dir() or path.is_symlink():
        yield path
        return
    for folder, _, names in os.walk(path):
        yield from (Path(folder, name) for name in names)
