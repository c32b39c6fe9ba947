"""How much a record counts for a short document about a project. Pure; chosen by hand.

What somebody pinned or laid down comes before what is merely so; what is sure, used and recent
before what is not. Nothing here decides what is true.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core import timestamps
from memctl.core.model import AGENT_CLAIMED, FETCHED_TEXT, Memory
from memctl.retrieve import decay

# By kind, else by type; 0 to 1.
_BY_KIND: Mapping[str, float] = {
    "constraint": 0.95,
    "correction": 0.9,
    "convention": 0.85,
    "preference": 0.8,
    "command": 0.75,
    "workflow": 0.7,
    "fix": 0.45,
    "todo": 0.4,
    "idea": 0.2,
    "pointer": 0.35,
}
_BY_TYPE: Mapping[str, float] = {
    "profile": 0.85,
    "decision": 0.8,
    "project": 0.5,
    "artifact": 0.35,
    "episode": 0.4,
    "task_hint": 0.3,
}
_PINNED = 2.0
_PROTECTED = 0.15
# What use and age add at most; a month takes half of what age adds.
_USE_SHARE = 0.15
_AGE_SHARE = 0.15
_AGE_HALF_LIFE = 30.0
# What is left of a claim by its trust.
_TRUST_FACTORS: Mapping[int, float] = {FETCHED_TEXT: 0.5, AGENT_CLAIMED: 0.7}
# A line that stands there yields only to one that counts for more by this.
STANDING_BONUS = 0.12


def compute_importance(memory: Memory, now: str, rates: Mapping[str, float]) -> float:
    """How much a record counts, from 0; pinned ones above all others."""
    if memory.always_load:
        return _PINNED
    # A decision is one whatever its kind.
    by_type = _BY_TYPE.get(memory.type, 0.3)
    kind = by_type if memory.type == "decision" else _BY_KIND.get(memory.kind, by_type)
    days = max(0.0, timestamps.days_between(memory.observed_at, now))
    age: float = _AGE_SHARE * 0.5 ** (days / _AGE_HALF_LIFE)
    return (
        kind
        * _TRUST_FACTORS.get(memory.trust, 1.0)
        * (0.5 + 0.5 * decay.compute_confidence(memory, now, rates))
        + _PROTECTED * memory.protected
        + _USE_SHARE * decay.compute_usage(memory, now)
        + age
    )
