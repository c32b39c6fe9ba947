"""Files that ship with the package and are filled in when they are installed: the timer's, from contrib/cron, and OpenCode's plugin."""

from __future__ import annotations

from pathlib import Path

from memctl.setup.textedit import Unfit

_HERE = Path(__file__).resolve().parents[1]


def cron(name: str) -> str:
    """A file of contrib/cron: inside the installed package, or beside it in a checkout."""
    installed = _HERE / "_cron"
    return (
        (installed if installed.is_dir() else _HERE.parent / "contrib" / "cron")
        .joinpath(name)
        .read_text(encoding="utf-8")
    )


def asset(name: str) -> str:
    """A file of memctl/assets. Raises Unfit where the installation lacks it."""
    try:
        return (_HERE / "assets" / name).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise Unfit(f"this installation lacks {name}") from error
