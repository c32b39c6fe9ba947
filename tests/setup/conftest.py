"""A house with agents in it, and setup run in this process or, by `memctl`, in one of its own."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from memctl import config
from memctl.results import SetupItem, SetupReport
from memctl.setup import run


@pytest.fixture
def setup() -> Callable[..., SetupReport]:
    """`setup("claude-code", undo=True)` does it at once."""

    def do(*names: str, dry_run: bool = False, shown: SetupReport | None = None, **asked: object) -> SetupReport:
        return run.setup(config.load(), run.asked(names, **asked), dry_run=dry_run, shown=shown)  # type: ignore[arg-type]

    return do


def only(report: SetupReport) -> SetupItem:
    (item,) = report.items
    return item


def snapshot(*folders: Path) -> Mapping[str, tuple[str, int, str]]:
    """Everything below some folders: kind, mode and content of each name; times left out."""
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            status = path.lstat()
            content = "" if path.is_symlink() or not path.is_file() else hashlib.sha256(path.read_bytes()).hexdigest()
            found[str(path)] = (stat.filemode(status.st_mode), status.st_uid, os.readlink(path) if path.is_symlink() else content)
    return found
