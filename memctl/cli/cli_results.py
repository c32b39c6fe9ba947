"""Results that only the command line has: raw text, a review, the settings in force."""

from __future__ import annotations

from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any
from memctl.results.records import ChangeReport


@dataclass(frozen=True, slots=True)
class Raw:
    """A text that is the result itself, such as a file or an example.

    It is printed unchanged, except to a terminal.
    """

    text: str


@dataclass(frozen=True, slots=True)
class ReviewReport:
    """What a review of candidates changed, in order, and how many it left in the inbox."""

    items: tuple[ChangeReport, ...]
    kept: int = 0
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class SettingInForce:
    """One setting: its value and its origin (`default`, the file, a variable, an option)."""

    key: str
    value: Any
    origin: str
    help: str


@dataclass(frozen=True, slots=True)
class SettingsReport:
    """The settings in force; `path` is the path of config.yaml."""

    path: str
    exists: bool
    items: tuple[SettingInForce, ...]
