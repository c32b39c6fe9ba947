"""Feedback on records and pinned records, as the engine returns them."""

from __future__ import annotations

from memctl.core.frozen import dataclass
from memctl.results.records import RecordView, Refusal


@dataclass(frozen=True, slots=True)
class OutcomeReport:
    """What was said of records: `good` or `bad`, the records as they are now, and which of them the same actor had judged otherwise."""

    verdict: str
    items: tuple[RecordView, ...]
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PinReport:
    """What contexts begin with now (`pinned`), or no longer do (`unpinned`); `over_budget` says where pins alone cost too much."""

    verb: str
    changed: tuple[RecordView, ...]
    refused: tuple[Refusal, ...] = ()
    over_budget: tuple[str, ...] = ()
