"""What a search looked at and did not return, and the thresholds that it held its candidates against: for those who ask why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memctl.results.retrieval import NearMiss
from memctl.retrieve import score
from memctl.retrieve.candidates import Asked
from memctl.retrieve.score import Scored
from memctl.settings.config import Config
from memctl.store import context_records
from memctl.store.database import Db

if TYPE_CHECKING:
    from memctl.retrieve.search import Outcome

_MOST = 5


def thresholds(config: Config, asked: Asked) -> dict[str, float]:
    """What a record's relevance had to reach, in the caller's own place and in another project; and the settings behind the two."""
    settings = {
        name: float(config[name]) for name in ("search.floor", "search.other_project_floor")
    }
    return {"floor": asked.floor, "other_project_floor": asked.other_floor, **settings}


def near_misses(db: Db, outcome: Outcome) -> tuple[NearMiss, ...]:
    """The best of what was looked at and not returned."""
    missed = outcome.others[:_MOST]
    shorts = context_records.short_ids(db, [item.memory.id for item in missed])
    return tuple(_near_miss(item, outcome, shorts[item.memory.id]) for item in missed)


def _near_miss(item: Scored, outcome: Outcome, short: str) -> NearMiss:
    memory, asked = item.memory, outcome.asked
    floor = score.floor_for(item, asked.floor, asked.other_floor, is_prompt=asked.is_prompt)
    reason = outcome.reasons[memory.id]
    return NearMiss(
        memory.id,
        short,
        memory.title,
        reason,
        round(item.relevance, 4),
        floor,
        item.score,
        outcome.folded.get(memory.id),
    )
