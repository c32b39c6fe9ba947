"""Captured conversations, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class Captured:
    """One captured conversation. outcome: `captured`, `grown`, `rewritten` or `unchanged`.

    `unknown` counts what the reader did not understand, `redacted` the different secrets that were
    removed from the new turns, each by kind.
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
    """A capture. state: `captured`, `unchanged`, `spooled` (the store was unavailable) or
    `requested` (left for maintain).
    """

    state: str
    items: tuple[Captured, ...] = ()
    spool_file: str | None = None

    def describe_missing_store(self, store: str) -> str:
        """Say where a capture waits because there is no store at that path."""
        where = self.spool_file or f"{store}.spool"
        return f"no store at {store}; kept in the spool at {where} until `memctl init`"
