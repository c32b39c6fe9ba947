"""What is known of records beside themselves: whether what they cite is still there, what was said of their use. Read at every search."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core.frozen import dataclass
from memctl.core.model import Memory
from memctl.store.database import Db
from memctl.store.rows import array

# How many votes of one agent on one record count, however often it votes.
_AGENT_VOTES = 2


@dataclass(frozen=True, slots=True)
class Heard:
    """What is known of a record: the share of what it cites that is gone, and how often who said that it helped or misled."""

    gone: float = 0.0
    operator_good: int = 0
    operator_bad: int = 0
    agents_good: int = 0
    agents_bad: int = 0


NOTHING = Heard()


def of(db: Db, memories: Iterable[Memory]) -> dict[str, Heard]:
    """What is known of those records of which anything is."""
    known = list(memories)
    rows = db.all("heard.gone", ids=array(memory.id for memory in known) or "[]")
    found = {row["memory_id"]: Heard(row["missing"] / row["known"]) for row in rows}
    voted = array(memory.id for memory in known if memory.good or memory.bad)
    for row in db.all("heard.tally", ids=voted) if voted else ():
        found[row["memory_id"]] = _with(
            found.get(row["memory_id"], NOTHING), row["actor"], row["good"], row["bad"]
        )
    return found


def _with(before: Heard, actor: str, good: int, bad: int) -> Heard:
    if actor == "operator":
        return Heard(before.gone, good, bad, before.agents_good, before.agents_bad)
    more_good, more_bad = (min(many, _AGENT_VOTES) for many in (good, bad))
    return Heard(
        before.gone,
        before.operator_good,
        before.operator_bad,
        before.agents_good + more_good,
        before.agents_bad + more_bad,
    )
