"""What is known of records beside their fields: missing citations and votes.

It is read for every search.
"""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core.frozen import replace
from memctl.core.model import NO_SIGNALS, FeedbackSignals, Memory
from memctl.store.database import Database
from memctl.store.rows import to_json_array

# How many votes of one agent on one record count, however often it votes; chosen by hand.
_MAX_VOTES_PER_AGENT = 2


def find_signals(db: Database, memories: Iterable[Memory]) -> dict[str, FeedbackSignals]:
    """Return the signals of those records that have any, by record id."""
    all_memories = list(memories)
    ids = to_json_array(memory.id for memory in all_memories) or "[]"
    signals = {
        row["memory_id"]: FeedbackSignals(row["missing"] / row["known"])
        for row in db.all("feedback_signals.gone", ids=ids)
    }
    voted_ids = to_json_array(memory.id for memory in all_memories if memory.good or memory.bad)
    for row in db.all("feedback_signals.tally", ids=voted_ids) if voted_ids else ():
        before = signals.get(row["memory_id"], NO_SIGNALS)
        signals[row["memory_id"]] = _add_votes(before, row["actor"], row["good"], row["bad"])
    return signals


def _add_votes(signals: FeedbackSignals, actor: str, good: int, bad: int) -> FeedbackSignals:
    if actor == "operator":
        return replace(signals, operator_good=good, operator_bad=bad)
    return replace(
        signals,
        agents_good=signals.agents_good + min(good, _MAX_VOTES_PER_AGENT),
        agents_bad=signals.agents_bad + min(bad, _MAX_VOTES_PER_AGENT),
    )
