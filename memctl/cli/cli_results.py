"""Results that only the command line has: a bare text, a session of review, the settings in force."""

from __future__ import annotations

from typing import Any

from memctl.core.frozen import dataclass
from memctl.results.records import ChangeReport


@dataclass(frozen=True, slots=True)
class Raw:
    """A text that is the result itself (a file, an example); it is given out as it is unless a terminal would show it."""

    text: str


@dataclass(frozen=True, slots=True)
class ReviewReport:
    """What came of reading candidates: the changes in the order they were made, and how many were left as they are."""

    items: tuple[ChangeReport, ...]
    kept: int = 0
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class SettingInForce:
    """One setting: its value and where that came from (`default`, the file, a variable, an option)."""

    key: str
    value: Any
    origin: str
    help: str


@dataclass(frozen=True, slots=True)
class SettingsReport:
    """The settings in force; `path` is where config.yaml is looked for."""

    path: str
    exists: bool
    items: tuple[SettingInForce, ...]
