"""What tests of setup look at: the one item of a report, and everything below some folders."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from memctl.results.setup import SetupItem, SetupReport


def only(report: SetupReport) -> SetupItem:
    (item,) = report.items
    return item


def snapshot(*folders: Path) -> Mapping[str, tuple[str, int, str]]:
    """Everything below some folders: kind, mode and content of each name; times left out."""
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            status = path.lstat()
            content = (
                ""
                if path.is_symlink() or not path.is_file()
                else hashlib.sha256(path.read_bytes()).hexdigest()
            )
            found[str(path)] = (
                stat.filemode(status.st_mode),
                status.st_uid,
                os.readlink(path) if path.is_symlink() else content,
            )
    return found
