"""Let a model judge pairs of statements that the rules cannot decide.

The result is at most an open contradiction, for the operator to settle: nothing is superseded,
merged or archived on a model's word. Only neighbouring statements of one scope are shown to it. The
stored reason is in our own words. A pair is judged once, as long as its words are the same.
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
from memctl.llm.calls import ModelQuestion, ModelReply
from memctl.llm.session import QuestionSession
from memctl.records import relations
from memctl.records.drafts import shorten
from memctl.records.statement import Statement
from memctl.settings.config import Config
from memctl.store import event_log, links, meta, model_calls, records
from memctl.store.database import Database

PURPOSE = "judge"
ACTOR = "maintain"
# Key in the store's `meta` table: the change (time, id) up to which pairs were judged.
_POSITION = "model_judged"
# Records read at once; pairs judged for one record. Chosen by hand.
_BATCH = 100
_MAX_PAIRS = 4
_LIVING_STATUSES = ("active", "contradicted", "inbox")
# Two statements are neighbours by this share of common words, or this cosine of their vectors.
# Chosen by hand.
_MIN_OVERLAP = 0.35
_MIN_COSINE = 0.6
# Characters of a record that the model is shown.
_MAX_CONTENT_LENGTH = 600
_ASPECT_WORDS = {
    "number": "they differ in a number",
    "name": "they differ in a name",
    "choice": "they differ in a choice",
    "date": "they differ in time",
    "negation": "one denies what the other says",
}
_VERDICT_WORDS = {
    "contradicts": "both cannot hold",
    "updates": "the newer one says that this has changed",
}


@dataclass(frozen=True, slots=True)
class StatementPair:
    """Two records, the older first."""

    older: Memory
    newer: Memory

    @property
    def ids(self) -> frozenset[str]:
        """The ids of both."""
        return frozenset((self.older.id, self.newer.id))

    @property
    def material(self) -> str:
        """The text that the model is shown."""
        return f"{_format_statement('A', self.older)}\n{_format_statement('B', self.newer)}"


def _format_statement(name: str, memory: Memory) -> str:
    text = " ".join(memory.content[:_MAX_CONTENT_LENGTH].split())
    return f"{name} (said {memory.observed_at[:10]}): {text}"


def judge_pairs(db: Database, config: Config, ask: QuestionSession) -> Iterator[Counter[str]]:
    """Judge the undecided pairs of all records that changed since the last run; yields counts.

    Raises ModelHeldBack.
    """
    at, _, last = (meta.get_note(db, _POSITION) or "").partition(" ")
    at, last = (at, last) if meta.is_time(at) else ("", "")
    begun = at, last
    seen: set[frozenset[str]] = set()
    try:
        while batch := model_calls.list_records_after(db, at, last, _BATCH):
            around = NeighbourFinder(db, config)
            for memory in batch:
                ask.require_time()
                for pair in find_undecided_pairs(db, around, memory):
                    if pair.ids in seen:
                        continue
                    seen.add(pair.ids)
                    reply = ask(
                        ModelQuestion(PURPOSE, f"{pair.older.id} {pair.newer.id}", pair.material)
                    )
                    if reply.how == "failed":
                        return
                    yield _apply_verdict(db, pair, reply)
                at, last = memory.updated_at, memory.id
    finally:
        if (at, last) != begun:
            with db.write():
                meta.put_note(db, _POSITION, f"{at} {last}")


def find_undecided_pairs(
    db: Database, around: NeighbourFinder, memory: Memory
) -> list[StatementPair]:
    """The pairs of one record with its neighbours, the nearest first.

    Only pairs that are not linked yet, and of which the rules say nothing.
    """
    (own,) = load_statements(db, [memory])
    known = {
        end for link in links.list_of_memory(db, memory.id) for end in (link.from_id, link.to_id)
    }
    found = []
    for other in around.find_neighbours(own):
        if other.id not in known and _are_comparable(own, other):
            near = around.measure_similarity(own, other)
            if (
                relation_of(own, other, nearness=near) is None
                and relation_of(other, own, nearness=near) is None
            ):
                found.append((_compute_closeness(own, other, near), other.id))
    chosen = [other_id for close, other_id in sorted(found, reverse=True) if close > 0][:_MAX_PAIRS]
    others = records.list_by_ids(db, chosen)
    return [_make_pair(memory, others[other_id]) for other_id in chosen if other_id in others]


def _are_comparable(a: Statement, b: Statement) -> bool:
    """Whether two statements have one scope key, and at least one of them is approved."""
    is_same_scope = a.id != b.id and a.scope_key == b.scope_key
    return is_same_scope and b.is_live and (a.is_in_force or b.is_in_force)


def _compute_closeness(a: Statement, b: Statement, near: float | None) -> float:
    """How near two statements are, from 0 (nothing in common) to 1."""
    shared = measure_overlap(read_features(a.content), read_features(b.content))
    is_near = (
        shared >= _MIN_OVERLAP
        or (near or 0.0) >= _MIN_COSINE
        or (a.subject is not None and a.subject == b.subject)
    )
    return max(shared, near or 0.0, 0.01) if is_near else 0.0


def _make_pair(a: Memory, b: Memory) -> StatementPair:
    return StatementPair(*sorted((a, b), key=lambda memory: (memory.observed_at, memory.id)))


def _apply_verdict(db: Database, pair: StatementPair, reply: ModelReply) -> Counter[str]:
    """Open a contradiction, if that is the verdict and neither record changed meanwhile."""
    if reply.value is None:
        return Counter()
    verdict = reply.value["verdict"]
    if verdict not in _VERDICT_WORDS:
        return Counter({f"judged_{verdict}": 1})
    cause = f"model call {reply.call}"
    with db.write(), event_log.group_changes(db, actor=ACTOR, cause=cause):
        now = records.list_by_ids(db, (pair.older.id, pair.newer.id))
        if any(
            now[old.id].content != old.content or now[old.id].status not in _LIVING_STATUSES
            for old in (pair.older, pair.newer)
        ):
            return Counter()
        reason = "the model says: " + "; ".join(
            filter(
                None, (_VERDICT_WORDS[verdict], _ASPECT_WORDS.get(reply.value.get("aspect", "")))
            )
        )
        fresh = relations.add_contradiction(
            db, pair.older, pair.newer, reason=shorten(reason, 200), actor=ACTOR, cause=cause
        )
    return Counter({f"judged_{verdict}": 1, "contradictions": int(fresh)})
