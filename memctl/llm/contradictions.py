"""What a model makes of two statements that the rules cannot decide: at most an open contradiction, for the operator to settle.

Kept true: nothing is superseded, merged or archived on a model's word; only two statements of the same place that are near each other are
shown to it; what is written of its verdict are words of ours, not of its own. A pair is judged once, for as long as its words are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memctl.consolidate.compare import relation_of
from memctl.consolidate.features import read_features
from memctl.consolidate.neighbours import NeighbourFinder, load_statements
from memctl.consolidate.similarity import measure_overlap
from memctl.core.frozen import dataclass
from memctl.core.model import Memory
from memctl.llm.calls import Question, Reply
from memctl.llm.session import Ask
from memctl.records import relations
from memctl.records.drafts import shorten
from memctl.records.statement import Statement
from memctl.settings.config import Config
from memctl.store import event_log, links, meta, model_calls, records
from memctl.store.database import Database

PURPOSE = "judge"
ACTOR = "maintain"
# Up to which record, by its last change, the pairs were judged.
_POSITION = "model_judged"
_BATCH, _PAIRS = 100, 4
_LIVE = ("active", "contradicted", "inbox")
# Two statements are near by so many common words, or by so small an angle between them.
_OVERLAP, _COSINE = 0.35, 0.6
_LONGEST = 600
_DIFFER = {
    "number": "they differ in a number",
    "name": "they differ in a name",
    "choice": "they differ in a choice",
    "date": "they differ in time",
    "negation": "one denies what the other says",
}
_SAYS = {"contradicts": "both cannot hold", "updates": "the newer one says that this has changed"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two records, the older first."""

    older: Memory
    newer: Memory

    @property
    def ids(self) -> frozenset[str]:
        """The two."""
        return frozenset((self.older.id, self.newer.id))

    @property
    def material(self) -> str:
        """What the model is shown."""
        return "\n".join(
            f"{name} (said {memory.observed_at[:10]}): {' '.join(memory.content[:_LONGEST].split())}"
            for name, memory in (("A", self.older), ("B", self.newer))
        )


def work(db: Database, config: Config, ask: Ask) -> Iterator[Counter[str]]:
    """Judge the undecided pairs of all records that changed since last time; the counts of each. Raises Held."""
    at, _, last = (meta.get(db, _POSITION) or "").partition(" ")
    begun = at, last
    seen: set[frozenset[str]] = set()
    try:
        while batch := model_calls.records_after(db, at, last, _BATCH):
            around = NeighbourFinder(db, config)
            for memory in batch:
                ask.go_on()
                for pair in undecided(db, around, memory):
                    if pair.ids in seen:
                        continue
                    seen.add(pair.ids)
                    reply = ask(
                        Question(PURPOSE, f"{pair.older.id} {pair.newer.id}", pair.material)
                    )
                    if reply.how == "failed":
                        return
                    yield _take(db, pair, reply)
                at, last = memory.updated_at, memory.id
    finally:
        if (at, last) != begun:
            with db.write():
                meta.put(db, _POSITION, f"{at} {last}")


def undecided(db: Database, around: NeighbourFinder, memory: Memory) -> list[Pair]:
    """The pairs of one record that are near each other, of which the rules say nothing and nobody has said anything; nearest first."""
    (own,) = load_statements(db, [memory])
    known = {end for link in links.of_memory(db, memory.id) for end in (link.from_id, link.to_id)}
    found = []
    for other in around.neighbours(own):
        if other.id not in known and _may_meet(own, other):
            near = around.nearness(own, other)
            if (
                relation_of(own, other, nearness=near) is None
                and relation_of(other, own, nearness=near) is None
            ):
                found.append((_closeness(own, other, near), other.id))
    chosen = [other_id for close, other_id in sorted(found, reverse=True) if close > 0][:_PAIRS]
    others = records.by_ids(db, chosen)
    return [_pair(memory, others[other_id]) for other_id in chosen if other_id in others]


def _may_meet(a: Statement, b: Statement) -> bool:
    """Two of the same place, at least one of them approved."""
    return a.id != b.id and a.room == b.room and b.is_live and (a.is_in_force or b.is_in_force)


def _closeness(a: Statement, b: Statement, near: float | None) -> float:
    """How much speaks for asking; 0 for what has nothing in common."""
    shared = measure_overlap(read_features(a.content), read_features(b.content))
    is_near = (
        shared >= _OVERLAP
        or (near or 0.0) >= _COSINE
        or (a.subject is not None and a.subject == b.subject)
    )
    return max(shared, near or 0.0, 0.01) if is_near else 0.0


def _pair(a: Memory, b: Memory) -> Pair:
    return Pair(*sorted((a, b), key=lambda memory: (memory.observed_at, memory.id)))


def _take(db: Database, pair: Pair, reply: Reply) -> Counter[str]:
    """Make a contradiction explicit, if that is the verdict and both records still say what was judged."""
    if reply.value is None:
        return Counter()
    verdict = reply.value["verdict"]
    if verdict not in _SAYS:
        return Counter({f"judged_{verdict}": 1})
    cause = f"model call {reply.call}"
    with db.write(), event_log.operation(db, actor=ACTOR, cause=cause):
        now = records.by_ids(db, (pair.older.id, pair.newer.id))
        if any(
            now[old.id].content != old.content or now[old.id].status not in _LIVE
            for old in (pair.older, pair.newer)
        ):
            return Counter()
        reason = "the model says: " + "; ".join(
            filter(None, (_SAYS[verdict], _DIFFER.get(reply.value.get("aspect", ""))))
        )
        fresh = relations.add_contradiction(
            db, pair.older, pair.newer, reason=shorten(reason, 200), actor=ACTOR, cause=cause
        )
    return Counter({f"judged_{verdict}": 1, "contradictions": int(fresh)})
