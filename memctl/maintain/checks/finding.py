"""What a check of `doctor` finds, and how it is put into words."""

from __future__ import annotations

import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from memctl.core.frozen import dataclass
from memctl.results.store import Check

# How many ids or names a finding lists before it is cut short.
MAX_LISTED = 5
RESTORE_CURE = "look at them with `memctl explain`; `memctl restore` brings a backup back"


@dataclass(frozen=True, slots=True)
class Finding:
    """A check, and what would repair it: the repair, and a sentence that says what was done.

    Only what is derived from the records, or the store's own files, has a repair.
    """

    check: Check
    repaired: str = ""
    repair: Callable[[], object] | None = None


def make_ok(name: str, detail: str) -> Finding:
    """Build a finding that all is well."""
    return Finding(Check(name, "ok", detail))


def make_note(name: str, detail: str, cure: str | None = None) -> Finding:
    """Build a finding that is worth knowing."""
    return Finding(Check(name, "note", detail, cure))


def make_problem(name: str, detail: str, cure: str | None = None) -> Finding:
    """Build a finding that something is wrong."""
    return Finding(Check(name, "problem", detail, cure))


def find_faults(
    name: str, faults: Sequence[object], *, ok: str, label: str, cure: str | None = None
) -> Finding:
    """A check that finds a list of faults; `ok` is its text when the list is empty."""
    if not faults:
        return make_ok(name, ok)
    return make_problem(name, f"{len(faults)} {label}: {join_listed(faults)}", cure)


def join_listed(items: Sequence[object]) -> str:
    """The first few items, and whether there are more."""
    more = " ..." if len(items) > MAX_LISTED else ""
    return ", ".join(map(str, items[:MAX_LISTED])) + more


def read_mode(path: Path) -> int:
    """The permission bits of a file."""
    return stat.S_IMODE(path.stat().st_mode)
