"""Feedback on records and pinned records, as the engine returns them."""

from __future__ import annotations

from memctl.core.frozen import dataclass
from memctl.results.records import RecordView, Refusal


@dataclass(frozen=True, slots=True)
class FeedbackReport:
    """Feedback on records: `vote` is `good` or `bad`, `items` the records as they are now.

    `changed` are the ids on which the same actor had voted otherwise before.
    """

    vote: str
    items: tuple[RecordView, ...]
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PinReport:
    """Records that contexts begin with now (`pinned`), or no longer do (`unpinned`).

    `over_budget` says where the pinned records alone exceed the budget.
    """

    verb: str
    changed: tuple[RecordView, ...]
    refused: tuple[Refusal, ...] = ()
    over_budget: tuple[str, ...] = ()
