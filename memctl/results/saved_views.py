"""Saved searches and contexts, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any


@dataclass(frozen=True, slots=True)
class SavedView:
    """A search or a context under a name, with its options as they were given. `unknown` names
    options of a newer memctl.
    """

    name: str
    kind: str
    options: Mapping[str, Any]
    created_at: str
    updated_at: str
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ViewReport:
    """Saved views by name. outcome: `saved`, `replaced`, `deleted`, or null where they are only
    shown.
    """

    items: tuple[SavedView, ...]
    outcome: str | None = None
