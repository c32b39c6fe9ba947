"""What is known of records beside themselves: whether what they cite is still there, and what was said of their use."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.db import Db
from memctl.model import Memory
from memctl.retrieve.fading import AGENT_VOTES, NOTHING, Heard
from memctl.store import citations, outcomes


def of(db: Db, memories: Iterable[Memory]) -> dict[str, Heard]:
    """What is known of those records of which anything is; of one agent only so many votes count, however often it votes."""
    known = list(memories)
    gone = citations.gone(db, [memory.id for memory in known])
    voted = [memory.id for memory in known if memory.good or memory.bad]
    heard = {memory_id: Heard(gone=share) for memory_id, share in gone.items()}
    for memory_id, actor, good, bad in outcomes.tally(db, voted) if voted else ():
        heard[memory_id] = _with(heard.get(memory_id, NOTHING), actor, good, bad)
    return heard


def _with(before: Heard, actor: str, good: int, bad: int) -> Heard:
    if actor == "operator":
        return Heard(before.gone, good, bad, before.agents_good, before.agents_bad)
    more_good, more_bad = (min(many, AGENT_VOTES) for many in (good, bad))
    return Heard(before.gone, before.operator_good, before.operator_bad, before.agents_good + more_good, before.agents_bad + more_bad)
