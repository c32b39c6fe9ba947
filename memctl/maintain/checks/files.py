"""Checks of the files that memctl made: what killed commands left, what only you remove."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memctl.maintain.checks.finding import Finding, join_listed, make_note, make_ok
from memctl.settings.config import Config
from memctl.store import file_register
from memctl.store.database import Database

_MEGABYTE = 1e6


def check_files(_db: Database, config: Config) -> Iterator[Finding]:
    """No killed command left a half-written file with memories in it."""
    left = [str(each.path) for each in file_register.list_abandoned(config) if each.is_confidential]
    if left:
        detail = f"half-written by killed commands: {join_listed(left)}"
        yield make_note("files", detail, "`memctl maintain` removes them")
    else:
        yield make_ok("files", "no killed command left a half-written file")


def check_kept_copies(_db: Database, config: Config) -> Iterator[Finding]:
    """Tell of copies that nothing removes by itself, if there are any."""
    kept = file_register.list_kept_copies(config)
    if kept:
        size = sum(_read_size(path) for path in kept) / _MEGABYTE
        detail = f"copies from before a restore: {len(kept)}, {size:.1f} MB, beside the store"
        yield make_note("kept_copies", detail, "delete those that you no longer need")


def _read_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
