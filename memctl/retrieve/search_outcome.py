"""What a search found, and the line of the retrieval log that tells it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from memctl.core import clock, timestamps
from memctl.core.frozen import asdict, dataclass
from memctl.core.model import Memory, Query
from memctl.core.typing_lite import Any
from memctl.retrieve import decay, score
from memctl.retrieve.prepared_query import PreparedQuery
from memctl.retrieve.score import ScoredRecord
from memctl.settings.config import Config

# So many candidates stand in a log line, best first.
_MOST_LOGGED = 30


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """Every candidate of a search and what became of it.

    `returned` is the answer; `others` are the rest, with the reason of each in `reasons` by id
    (`below_floor`, `beyond_limit`, `folded`; in a context `other_project`, `past_work` and
    `far_below_best`). `folded` says by id into which returned record a duplicate went.
    """

    prepared: PreparedQuery
    returned: tuple[ScoredRecord, ...]
    others: tuple[ScoredRecord, ...]
    reasons: dict[str, str]
    folded: dict[str, str]
    flags: tuple[str, ...] = ()


def find_threshold(item: ScoredRecord, prepared: PreparedQuery) -> float:
    """The relevance that a record must reach to be returned; none where it answers a prompted
    question by its meaning alone.
    """
    if item.parts["semantic"] >= prepared.answering:
        return 0.0
    return score.find_threshold(item, prepared.threshold, prepared.other_project_threshold)


def build_log_entry(
    config: Config,
    retrieval_id: str,
    command: str,
    outcome: SearchOutcome,
    actor: str,
    started: str,
) -> dict[str, Any]:
    """One line of the retrieval log; its keys are the table's columns. The filters hold under
    `run` what a replay needs besides.
    """
    ended = clock.now()
    query = outcome.prepared.query
    returned = [item.memory for item in outcome.returned]
    return {
        "id": retrieval_id,
        "command": command,
        "query": query.text,
        "filters": {
            **_list_filters(query),
            "run": {
                **describe_run(config, outcome.prepared, started),
                **list_last_uses(returned, outcome.prepared),
            },
        },
        "candidates": list_logged_candidates(outcome),
        "returned": [memory.id for memory in returned],
        "actor": actor,
        "session_id": query.place.session_id,
        "flags": list(outcome.flags),
        "duration_ms": max(
            0.0, (timestamps.parse_iso(ended) - timestamps.parse_iso(started)) * 1000
        ),
        "at": ended,
    }


def describe_run(config: Config, prepared: PreparedQuery, started: str) -> dict[str, Any]:
    """What a retrieval depended on beside the records and its own words: its moment, thresholds,
    settings of scores, and model.
    """
    model = prepared.vector.model if prepared.vector else None
    return {
        "now": started,
        "floor": prepared.threshold,
        "other_project_floor": prepared.other_project_threshold,
        "rates": {type_: rate for type_, rate in prepared.context.decay_rates.items() if rate},
        "neighbours": config.values.get("search.neighbour_boost"),
        "model": model.name if model else None,
        "fingerprint": model.fingerprint if model else None,
    }


def list_last_uses(
    memories: Iterable[Memory], prepared: PreparedQuery
) -> dict[str, dict[str, str]]:
    """When decaying records that are about to be used again were last used: nothing else could
    tell a replay later.
    """
    used = {
        memory.id: memory.last_accessed_at
        for memory in memories
        if memory.last_accessed_at and decay.find_decay_rate(memory, prepared.context.decay_rates)
    }
    return {"used": used} if used else {}


def list_logged_candidates(outcome: SearchOutcome) -> list[dict[str, Any]]:
    """The candidates as a log line has them, best first."""
    items = islice((*outcome.returned, *outcome.others), _MOST_LOGGED)
    return [_to_log(item, outcome) for item in items]


def _list_filters(query: Query) -> dict[str, Any]:
    """What a query asks for beside its text, where that is anything."""
    return {
        name: value
        for name, value in asdict(query).items()
        if name != "text" and value not in ((), None) and value is not False
    }


def _to_log(item: ScoredRecord, outcome: SearchOutcome) -> dict[str, Any]:
    memory_id = item.memory.id
    fate = outcome.reasons.get(memory_id, "returned")
    entry = {
        "id": memory_id,
        "score": item.score,
        "relevance": round(item.relevance, 4),
        "parts": dict(item.parts),
        "scope": item.matched_scope,
        "outcome": fate,
    }
    optional = {
        # Most candidates are below the threshold, and every prompt leaves a line: their
        # words would take too much room.
        "matched": list(item.matched) if fate != "below_floor" else None,
        "lifted_by": item.boosted_by,
        "into": outcome.folded.get(memory_id),
    }
    return entry | {name: value for name, value in optional.items() if value}
