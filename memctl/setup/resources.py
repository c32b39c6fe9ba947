"""Files that ship with the package: the timer's, the completions, and OpenCode's plugin."""

from __future__ import annotations

from pathlib import Path

from memctl.setup.textedit import Unfit

_HERE = Path(__file__).resolve().parents[1]


def read_cron_file(name: str) -> str:
    """A file of contrib/cron, from the installed package or from the checkout."""
    installed = _HERE / "_cron"
    return (
        (installed if installed.is_dir() else _HERE.parent / "contrib" / "cron")
        .joinpath(name)
        .read_text(encoding="utf-8")
    )


def read_completion(name: str) -> str:
    """A file of completions/, from the installed package or from the checkout."""
    installed = _HERE / "_completions"
    folder = installed if installed.is_dir() else _HERE.parent / "completions"
    return (folder / name).read_text(encoding="utf-8")


def read_asset(name: str) -> str:
    """A file of memctl/assets. Raises Unfit if the installation lacks it."""
    try:
        return (_HERE / "assets" / name).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise Unfit(f"this installation lacks {name}") from error
