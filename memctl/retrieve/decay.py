"""How sure a record still is: what time takes from it, what use and votes give it. Pure; nothing
here changes what is stored.

Kept true: what lasts (profile, decisions, protected or pinned records) never decays;
confirming or using a record makes it as sure as it was; whatever agents say of records never lets
one pass another that is trusted more. The numbers were chosen by hand.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from memctl.core import timestamps
from memctl.core.model import FeedbackSignals, Memory

_LASTING_TYPES = frozenset({"profile", "decision"})
# Exponent on the days: what has held for two years does not lose confidence as fast as what is new.
_DAYS_EXPONENT = 0.8
# The share of its confidence that a record keeps when everything it cites is gone.
_ALL_MISSING_FACTOR = 0.5
# How far votes can move a score, as a share, up and down.
_VOTE_SPAN = 0.2
# One vote of the operator counts as so many.
_OPERATOR_WEIGHT = 3
# So many votes of the operator count at most.
_MOST_OPERATOR_VOTES = 3
# So many votes of all agents together count at most.
_MOST_AGENT_VOTES = 4
# Days after which a use counts half.
_USAGE_HALF_LIFE = 30.0
# So many recent uses give a usage of 0.5.
_HALF_USAGE = 8.0
# A vote is worth so many uses.
_USES_PER_VOTE = 2.0
# So many votes count as uses at most.
_MOST_USAGE_VOTES = 3


def find_decay_rate(memory: Memory, rates: Mapping[str, float]) -> float:
    """How fast a record decays, per day: by its own rate, else by its type; what lasts does not
    decay.
    """
    if memory.type in _LASTING_TYPES or memory.protected or memory.always_load:
        return 0.0
    return memory.decay_rate or float(rates.get(memory.type, 0.0))


def find_last_confirmation(memory: Memory, now: str, last_use: str | None = None) -> str:
    """When a record was last observed, confirmed or used; a use after `now` does not count."""
    confirmed = max(memory.observed_at, memory.confirmed_at or "")
    use = last_use or memory.last_accessed_at
    return use if use is not None and confirmed < use <= now else confirmed


def compute_decay(
    memory: Memory, now: str, rates: Mapping[str, float], last_use: str | None = None
) -> float:
    """What time has left of a record's confidence, 0..1; `last_use` stands in for its own field
    where that says something later.
    """
    rate = find_decay_rate(memory, rates)
    if not rate:
        return 1.0
    last = find_last_confirmation(memory, now, last_use)
    days = max(0.0, timestamps.days_between(last, now))
    return math.exp(-rate * days**_DAYS_EXPONENT)


def compute_citation_factor(missing_share: float) -> float:
    """What missing citations leave of a record's confidence, 0..1."""
    return 1 - (1 - _ALL_MISSING_FACTOR) * missing_share


def compute_confidence(
    memory: Memory, now: str, rates: Mapping[str, float], missing_share: float = 0.0
) -> float:
    """How sure a record is now, 0..1: its confidence, as far as time and missing citations have
    left it.
    """
    factor = compute_citation_factor(missing_share)
    return memory.confidence * compute_decay(memory, now, rates) * factor


def compute_usage(memory: Memory, now: str) -> float:
    """How much a record is in use, 0..1: its uses, worth half as much a month after the last; a
    few votes count as uses.
    """
    votes = max(-_MOST_USAGE_VOTES, min(_MOST_USAGE_VOTES, memory.good - memory.bad))
    uses = max(0.0, memory.access_count + _USES_PER_VOTE * votes)
    if not uses or memory.last_accessed_at is None:
        return 0.0
    days = max(0.0, timestamps.days_between(memory.last_accessed_at, now))
    recent: float = uses * 0.5 ** (days / _USAGE_HALF_LIFE)
    return recent / (recent + _HALF_USAGE)


def compute_feedback_factor(
    signals: FeedbackSignals, trust: int, trust_factors: Mapping[int, float]
) -> float:
    """The factor by which votes move a score: 1 without any; bounded, and for agents' votes
    within what trust allows.
    """
    good = _OPERATOR_WEIGHT * min(signals.operator_good, _MOST_OPERATOR_VOTES)
    bad = _OPERATOR_WEIGHT * min(signals.operator_bad, _MOST_OPERATOR_VOTES)
    agents_good = min(signals.agents_good, _MOST_AGENT_VOTES)
    agents_bad = min(signals.agents_bad, _MOST_AGENT_VOTES)
    low, high = _find_trust_bounds(trust, trust_factors)
    agents = min(high, max(low, _compute_vote_factor(agents_good, agents_bad)))
    return _compute_vote_factor(good, bad) * agents


def _compute_vote_factor(good: int, bad: int) -> float:
    """Votes as a factor around 1, smoothed so that the first ones do not decide all."""
    return 1 + _VOTE_SPAN * (2 * (good + 1) / (good + bad + 2) - 1)


def _find_trust_bounds(trust: int, factors: Mapping[int, float]) -> tuple[float, float]:
    """How far a factor may move a record: half-way to the next worse and the next better trust."""
    own = factors[trust]
    worse = factors.get(trust - 1, own * (1 - _VOTE_SPAN))
    better = factors.get(trust + 1, own)
    return (own + worse) / 2 / own, (own + better) / 2 / own
