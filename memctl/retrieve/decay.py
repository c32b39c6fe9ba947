"""How sure a record still is: what time takes from it, what use and votes give it. Pure; nothing here changes what is stored.

Kept true: what lasts (profile, decisions, what is protected or always loaded) never fades; confirming or using a record makes it as sure
as it was; whatever agents say of records never lets one pass another that is trusted more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from memctl.core import timestamps
from memctl.core.model import FeedbackSignals, Memory

_LASTING = frozenset({"profile", "decision"})
# Time weighs less and less: what has held for two years does not fall as fast as what is new.
_BEND = 0.8
# What is left of the confidence in a record of which everything that it cites is gone.
_ALL_GONE = 0.5
# How far the operator's votes can move a record, up and down; what one vote of theirs weighs, and how many of them count.
_SPAN, _OPERATOR_WEIGHT, _OPERATOR_VOTES = 0.2, 3, 3
# How many votes of all agents together count.
_ALL_AGENTS_VOTES = 4
# A use counts half after so many days.
_HEAT_DAYS = 30.0
_HOT_USES = 8.0
# How many uses a vote is worth, and how many votes matter.
_VOTE_USES, _MOST_VOTES = 2.0, 3


def rate_of(memory: Memory, rates: Mapping[str, float]) -> float:
    """How fast a record fades: by its own rate, else by its type; what lasts does not fade at all."""
    if memory.type in _LASTING or memory.protected or memory.always_load:
        return 0.0
    return memory.decay_rate or float(rates.get(memory.type, 0.0))


def last_vouched(memory: Memory, now: str, used: str | None = None) -> str:
    """When a record was last observed, confirmed or used; what came after `now` does not count."""
    vouched = max(memory.observed_at, memory.confirmed_at or "")
    use = used or memory.last_accessed_at
    return use if use is not None and vouched < use <= now else vouched


def fade(memory: Memory, now: str, rates: Mapping[str, float], used: str | None = None) -> float:
    """What time has left of a record's confidence, 0..1; `used` is when it was last used, where its own field says something later."""
    rate = rate_of(memory, rates)
    if not rate:
        return 1.0
    days = max(0.0, timestamps.days_between(last_vouched(memory, now, used), now))
    return math.exp(-rate * days**_BEND)


def kept(gone: float) -> float:
    """What missing citations leave of a record's confidence, 0..1."""
    return 1 - (1 - _ALL_GONE) * gone


def confidence(memory: Memory, now: str, rates: Mapping[str, float], gone: float = 0.0) -> float:
    """How sure a record is now: its confidence, as far as time and what it cites have left it."""
    return memory.confidence * fade(memory, now, rates) * kept(gone)


def heat(memory: Memory, now: str) -> float:
    """How much a record is in use, 0..1: its uses, worth half as much a month after the last; a few votes count as uses."""
    uses = max(
        0.0,
        memory.access_count
        + _VOTE_USES * max(-_MOST_VOTES, min(_MOST_VOTES, memory.good - memory.bad)),
    )
    if not uses or memory.last_accessed_at is None:
        return 0.0
    days = max(0.0, timestamps.days_between(memory.last_accessed_at, now))
    warm: float = uses * 0.5 ** (days / _HEAT_DAYS)
    return warm / (warm + _HOT_USES)


def verdict(heard: FeedbackSignals, trust: int, trust_factors: Mapping[int, float]) -> float:
    """The factor that votes move a record's score by: 1 without any; bounded, and for agents' votes within what trust allows."""
    good, bad = (
        _OPERATOR_WEIGHT * min(many, _OPERATOR_VOTES)
        for many in (heard.operator_good, heard.operator_bad)
    )
    theirs = _leaning(
        min(heard.agents_good, _ALL_AGENTS_VOTES), min(heard.agents_bad, _ALL_AGENTS_VOTES)
    )
    low, high = _room(trust, trust_factors)
    return _leaning(good, bad) * min(high, max(low, theirs))


def _leaning(good: int, bad: int) -> float:
    """Votes as a factor around 1, smoothed so that the first ones do not decide all."""
    return 1 + _SPAN * (2 * (good + 1) / (good + bad + 2) - 1)


def _room(trust: int, factors: Mapping[int, float]) -> tuple[float, float]:
    """How far a factor may move a record of this trust before it stands half-way to the next better or worse trusted."""
    own = factors[trust]
    worse, better = factors.get(trust - 1, own * (1 - _SPAN)), factors.get(trust + 1, own)
    return (own + worse) / 2 / own, (own + better) / 2 / own
