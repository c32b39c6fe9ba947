"""What a record already answers of what was just said: whether words repeat a record, or give its
question another answer.

Asked of statements that say too little to be proposed by themselves. Rules judge first; what they
cannot read is compared by the slot vectors, with a threshold from which on such pairs are right
nine times of ten. Words that repeat a record confirm it only where every number and name of it is
theirs; anything less is for the operator to decide, with both sides before him.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memctl.consolidate.amounts import list_amounts
from memctl.consolidate.compare import judge_pair
from memctl.consolidate.features import are_opposed, read_features, sum_weights
from memctl.consolidate.giving_up import gives_something_up
from memctl.consolidate.instead import keeps_roles, list_telling, says_something_else
from memctl.consolidate.neighbours import load_statements
from memctl.consolidate.slot_pairs import find_given_up, may_answer_one_question, score_pair
from memctl.consolidate.slot_proposals import LEAST_TO_PROPOSE
from memctl.consolidate.told_again import LEAST_SAME, TELLING_RARITY
from memctl.consolidate.value_pairs import list_named, list_words, score_same_value, weigh_rarity
from memctl.consolidate.words import LONGEST
from memctl.core.errors import EmbeddingUnavailable
from memctl.core.frozen import dataclass, replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import OPERATOR_IMPLIED, Memory
from memctl.core.typing_lite import Literal
from memctl.embed import Embedder
from memctl.records.statement import Statement, make_statement
from memctl.retrieve import query_embedding, slot_vectors
from memctl.settings.config import Config
from memctl.store import lexical, records, semantic, succession, vector_index
from memctl.store.database import Database
from memctl.text.corrections import drop_corrected_words
from memctl.text.overruled import list_search_words

Bearing = Literal["repeats", "changes"]
# How much of the weight of the shorter's words two statements without a name or number share where
# one repeats the other. Chosen by hand.
_LEAST_SHARED = 0.8
# How surely the two must read as one answer where their names and amounts are the same. By hand.
_LEAST_SAME_WITH_NAMES = 0.5
# Records that each way finds, the postings that a word may cost, and the least cosine of what is
# compared more closely. Chosen by hand.
_MOST_FOUND = 16
_MOST_POSTINGS = 5_000
_LEAST_COSINE = 0.3
_LIVING = ("active", "contradicted", "inbox")
# That something is as it was: it denies nothing of what is said.
_UNCHANGED = compile_later(
    r"[,;:.]?\s*\b(?:and )?(?:(?:that|this|it|which)"
    r" (?:hasn['\u2019]t|has not|didn['\u2019]t|did not"
    r"|won['\u2019]t) changed?|nothing (?:has )?changed|no changes?)\b(?: (?:there|here|yet))?",
    re.IGNORECASE,
)
_RULE_SAYS = "the two cannot both hold"
_MAY_ANSWER = "it may answer the same question anew"


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """A record that answers what was said; `is_sure` where a rule says so, not only the vectors."""

    record: Memory
    bearing: Bearing
    reason: str
    is_sure: bool


class KnownAnswers:
    """The records of one store, asked for what answers a statement that is not stored."""

    def __init__(self, db: Database, config: Config) -> None:
        self._db = db
        self._config = config
        self._model = semantic.find_serving_model(db)
        self._slots = semantic.find_slot_model(db)
        self._embedder, flags = query_embedding.find_ready_embedder(db, config, self._model)
        self._has_table = self._embedder is not None and "no_vector_index" not in flags
        self._reader: Embedder | None = None
        self._cosines = semantic.CosineCache()

    def find(self, memory: Memory) -> KnownAnswer | None:
        """The living record that a statement repeats, else the one that it would change."""
        if memory.trust < OPERATOR_IMPLIED or len(memory.content) > LONGEST:
            return None
        memory = replace(memory, content=_UNCHANGED.sub("", memory.content) or memory.content)
        near = self._list_near(memory)
        said = make_statement(memory)
        judged = {
            other.id: judge_pair(said, statement, nearness=None if angle is None else max(0, angle))
            for (other, angle), statement in zip(near, self._load(near), strict=True)
        }
        same = [other for other, _ in near if judged[other.id] == "duplicate"]
        if same:
            return KnownAnswer(_choose_latest(same), "repeats", "it says the same", is_sure=True)
        excluded = [other for other, _ in near if judged[other.id] == "exclusive"]
        if excluded:
            latest = _choose_latest(excluded)
            return KnownAnswer(latest, "changes", _RULE_SAYS, is_sure=True)
        return self._read_by_slots(memory, near)

    def _load(self, near: Iterable[tuple[Memory, float | None]]) -> list[Statement]:
        return load_statements(self._db, [other for other, _ in near])

    def _read_by_slots(
        self, memory: Memory, near: list[tuple[Memory, float | None]]
    ) -> KnownAnswer | None:
        """The same by the vectors: of all that answer the question the latest counts."""
        slots = self._measure_slots(memory, near)
        answering, same = list[Memory](), dict[str, float]()
        for other, angle in near:
            slot = slots.get(other.id)
            if slot is None or not may_answer_one_question(other.content, memory.content):
                continue
            older, nearness = drop_corrected_words(other.content), slot if angle is None else angle
            if score_pair(older, memory.content, slot, nearness) >= LEAST_TO_PROPOSE:
                same[other.id] = score_same_value(older, memory.content, slot, nearness)
                answering.append(other)
        if not answering:
            return None
        latest = _choose_latest(answering)
        if repeats(drop_corrected_words(latest.content), memory.content, same[latest.id]):
            return KnownAnswer(latest, "repeats", "it gives the same answer", is_sure=False)
        if adds_nothing(latest.content, memory.content):
            return None
        return KnownAnswer(latest, "changes", _MAY_ANSWER, is_sure=False)

    def _list_near(self, memory: Memory) -> list[tuple[Memory, float | None]]:
        """Living records of the same place that share words or meaning with it, with cosines."""
        terms = list_search_words(memory.content)
        rarest = succession.choose_rarest_words(self._db, terms, _MOST_POSTINGS)
        rows = lexical.list_similar(self._db, rarest, memory, _MOST_FOUND)
        angles: dict[int, float | None] = {row["n"]: None for row in rows}
        angles |= self._list_nearest(memory)
        found = records.list_by_numbers(self._db, list(angles), only_readable=True)
        return [
            (other, angles[n])
            for n, other in found.items()
            if other.status in _LIVING
            and other.type != "episode"
            and other.repo_id == memory.repo_id
            and other.observed_at < memory.observed_at
        ]

    def _list_nearest(self, memory: Memory) -> dict[int, float]:
        if self._embedder is None or not self._has_table:
            return {}
        vector = semantic.pack_vector(self._embedder.embed([memory.content])[0])
        key = lexical.compute_scope_key(memory)
        near = vector_index.find_nearest(self._db, vector, [key], _MOST_FOUND)
        return {n: cosine for n, cosine in near.items() if cosine >= _LEAST_COSINE}

    def _measure_slots(
        self, memory: Memory, near: Iterable[tuple[Memory, float | None]]
    ) -> dict[str, float]:
        """The cosines of the slot vectors, by the ids of those records that have one."""
        numbers = {other.id: records.find_number(self._db, other.id) for other, _ in near}
        if self._slots is None or not numbers:
            return {}
        known = semantic.read_vectors(self._db, self._slots.id, numbers.values())
        reader = self._find_reader() if known else None
        if reader is None:
            return {}
        own = semantic.pack_vector(reader.embed([memory.content])[0])
        measured = {each: self._cosines.between(own, known.get(n)) for each, n in numbers.items()}
        return {each: cosine for each, cosine in measured.items() if cosine is not None}

    def _find_reader(self) -> Embedder | None:
        """What reads slots as those of the store were read; None where that is not there."""
        if self._reader is None and self._slots is not None:
            try:
                found = slot_vectors.find_reader(self._db, self._config)
            except EmbeddingUnavailable:
                self._slots = None
                return None
            if found.fingerprint != self._slots.fingerprint:
                self._slots = None
                return None
            self._reader = found
        return self._reader


def repeats(older: str, newer: str, same: float) -> bool:
    """Whether a newer answer to the same question is the older one, given how surely it reads so.

    Their amounts are the same, and each names what the other names; where neither has a name or an
    amount, nearly all words of the shorter are the other's, or all that is rare in the newer is.
    """
    one, other = read_features(older), read_features(newer)
    if one.negations % 2 != other.negations % 2 or are_opposed(one, other):
        return False
    amounts = list_amounts(older)
    if amounts != list_amounts(newer) or find_given_up(older, newer) is not None:
        return False
    told, said = list_named(older), list_named(newer)
    if not (told <= list_words(newer) and said <= list_words(older)):
        return False
    if says_something_else(older, newer) or not keeps_roles(older, newer):
        return False
    if gives_something_up(older) or gives_something_up(newer):
        return False
    if told or said or amounts:
        return same >= _LEAST_SAME_WITH_NAMES
    shared, least = one.words & other.words, min(sum_weights(one.words), sum_weights(other.words))
    is_covered = sum_weights(shared) >= _LEAST_SHARED * least > 0
    rare = {word for word, rarity in weigh_rarity(newer).items() if rarity >= TELLING_RARITY}
    return same >= LEAST_SAME and (is_covered or rare <= weigh_rarity(older).keys())


def adds_nothing(older: str, newer: str) -> bool:
    """Whether a newer answer only leaves out what the older one says: no other answer, and no
    repetition that would confirm all of it.
    """
    one, other = read_features(older), read_features(newer)
    if one.negations % 2 != other.negations % 2 or are_opposed(one, other):
        return False
    if gives_something_up(newer) or not keeps_roles(older, newer):
        return False
    if not (list_amounts(newer) <= list_amounts(older) and list_named(newer) <= list_words(older)):
        return False
    return not list_telling(newer, older)


def _choose_latest(found: Iterable[Memory]) -> Memory:
    """The record that was said last, one in force before one that waits."""
    return max(found, key=lambda one: (one.status != "inbox", one.observed_at, one.id))
