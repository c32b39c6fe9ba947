"""Captured conversations, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class Captured:
    """One conversation of a capture. outcome: `captured`, `grown`, `rewritten` or `unchanged`.

    `redacted` counts the different secrets by kind that were taken out of the new turns.
    """

    outcome: str
    source_id: str
    event_id: str | None
    agent: str
    session_id: str
    format: str
    project: str | None
    turns: int
    new_turns: int
    human_turns: int
    unknown: Mapping[str, int]
    redacted: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaptureReport:
    """A capture. state: `captured`, `unchanged`, `spooled` (the store could not take it yet) or `requested` (left for maintain)."""

    state: str
    items: tuple[Captured, ...] = ()
    spool_file: str | None = None
