"""What a search looked at and did not return, and the thresholds that it held candidates
against.
"""

from __future__ import annotations

from memctl.records.record_source import RecordSource
from memctl.results.retrieval import NearMiss
from memctl.retrieve.prepared_query import PreparedQuery
from memctl.retrieve.score import ScoredRecord
from memctl.retrieve.search_outcome import SearchOutcome, find_threshold
from memctl.settings.config import Config

# So many near misses are shown.
_MOST = 5


def list_thresholds(config: Config, prepared: PreparedQuery) -> dict[str, float]:
    """The relevance that records had to reach, in the caller's scope and in another project; and
    the settings behind the two.
    """
    return {
        "relevance_threshold": prepared.threshold,
        "other_project_threshold": prepared.other_project_threshold,
        "search.relevance_threshold": float(config["search.relevance_threshold"]),
        "search.other_project_threshold": float(config["search.other_project_threshold"]),
    }


def list_near_misses(source: RecordSource, outcome: SearchOutcome) -> tuple[NearMiss, ...]:
    """The best of what was looked at and not returned."""
    missed = outcome.others[:_MOST]
    shorts = source.find_short_ids([item.memory.id for item in missed])
    return tuple(_build_near_miss(item, outcome, shorts[item.memory.id]) for item in missed)


def _build_near_miss(item: ScoredRecord, outcome: SearchOutcome, short: str) -> NearMiss:
    memory = item.memory
    return NearMiss(
        memory.id,
        short,
        memory.title,
        outcome.reasons[memory.id],
        round(item.relevance, 4),
        find_threshold(item, outcome.prepared),
        item.score,
        outcome.folded.get(memory.id),
    )
