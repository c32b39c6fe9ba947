"""Find by index the records that could say the same as a record, or the opposite.

They share its rarest words, its subject or an entity with it, name a known answer that rivals its
own, or, where there are vectors, are semantically similar. Each way finds a bounded number, however
large the store is. What has another scope key is left out by the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memctl.consolidate.similarity import list_rivals, pick_search_terms
from memctl.consolidate.wording import announces_change
from memctl.core import clock
from memctl.core.frozen import replace
from memctl.core.model import OPERATOR_IMPLIED, Evidence, Memory
from memctl.records.statement import Statement, find_holder
from memctl.settings.config import Config
from memctl.store import evidence, lexical, records, semantic, succession, vector_index
from memctl.store.database import Database

# The most neighbours that each way finds. Chosen by hand.
BY_WORDS = 12
BY_SUBJECT = 12
BY_SIMILARITY = 12
# Asking the index for a word costs by the records that hold it; so many are looked at, of the
# rarest words first.
_MOST_POSTINGS = 5_000
# Cosines below this say nothing. Chosen by hand.
_LEAST_COSINE = 0.3
_LIVE = ("active", "contradicted", "inbox")
# Whose claims count as one origin however many sessions repeat them.
_ONE_VOICE = ("assistant", "summary", "system")


class NeighbourFinder:
    """Finds the neighbours of records in one store while one plan is made."""

    def __init__(self, db: Database, config: Config | None = None) -> None:
        """With `config`, nearest vectors are asked for too, where the extension can be loaded."""
        self._db = db
        self._model = semantic.find_serving_model(db)
        self._angles = semantic.CosineCache()
        self._vectors: dict[str, bytes | None] = {}
        may_load = (
            config is not None and self._model is not None and bool(config["embedding.extension"])
        )
        self._has_table = (
            may_load and vector_index.has_table(db) and vector_index.load_extension(db)
        )

    def find_neighbours(self, statement: Statement) -> list[Statement]:
        """Living records that could say the same as a statement, or the opposite."""
        memory = records.get_record(self._db, statement.id)
        terms = succession.choose_rarest_words(
            self._db, pick_search_terms(memory.content), _MOST_POSTINGS
        )
        found = [
            *records.list_similar(self._db, terms, memory, BY_WORDS),
            *self._find_rivals(memory),
            *succession.list_by_subject(self._db, memory, BY_SUBJECT),
            *succession.list_by_entities(self._db, memory),
            *self._find_similar(memory),
        ]
        others = {
            other.id: other for other in found if other.id != memory.id and other.type != "episode"
        }
        return load_statements(self._db, list(others.values()))

    def measure_similarity(self, a: Statement, b: Statement) -> float | None:
        """The cosine of two records, 0..1; None where one has no vector."""
        if self._model is None:
            return None
        cosine = self._angles.between(self._read_vector(a.id), self._read_vector(b.id))
        return None if cosine is None else min(1.0, max(0.0, cosine))

    def _find_rivals(self, memory: Memory) -> list[Memory]:
        """Records that name another known answer to a question that this one answers.

        With `eslint`, another linter: the two may share no word.
        """
        terms = succession.choose_rarest_words(
            self._db, list_rivals(memory.content), _MOST_POSTINGS
        )
        return records.list_similar(self._db, terms, memory, BY_WORDS) if terms else []

    def _find_similar(self, memory: Memory) -> list[Memory]:
        vector = self._read_vector(memory.id) if self._has_table else None
        if vector is None:
            return []
        near = vector_index.find_nearest(
            self._db, vector, [lexical.compute_scope_key(memory)], BY_SIMILARITY + 1
        )
        numbers = [n for n, cosine in near.items() if cosine >= _LEAST_COSINE]
        others = records.list_by_numbers(self._db, numbers).values()
        return [other for other in others if other.status in _LIVE]

    def _read_vector(self, memory_id: str) -> bytes | None:
        if self._model is None:
            return None
        if memory_id not in self._vectors:
            n = records.find_number(self._db, memory_id)
            self._vectors[memory_id] = semantic.read_vectors(self._db, self._model.id, [n]).get(n)
        return self._vectors[memory_id]


def load_statements(db: Database, memories: Sequence[Memory]) -> list[Statement]:
    """Read the statements of records: what consolidation compares, with trust and origins."""
    proof = evidence.list_by_memory(db, [memory.id for memory in memories])
    named = find_origins(db, [item for items in proof.values() for item in items])
    return [_build_statement(memory, proof.get(memory.id, []), named) for memory in memories]


def find_origins(db: Database, items: Iterable[Evidence]) -> dict[str, str]:
    """The channel that each piece of evidence came through, by its id.

    What people and tools say counts once a session, a fork being one with its parent session. What
    an agent says of itself counts once, however many of its sessions repeat it.
    """
    listed = list(items)
    sessions = succession.list_sessions(db, {item.source_id for item in listed if item.source_id})
    origins = {}
    for item in listed:
        source = sessions.get(item.source_id or "")
        if source is None:
            origins[item.id] = item.source_id or f"manual:{item.role}"
        elif item.role in _ONE_VOICE:
            origins[item.id] = f"agent:{source['agent']}"
        else:
            session = source["parent_session_id"] or source["session_id"]
            origins[item.id] = f"{source['agent']}:{session}"
    return origins


def share_evidence(db: Database, giver: Memory, taker: Memory, now: str) -> None:
    """Copy the evidence that the taker lacks, each piece with its own trust and time."""
    known = {(item.source_id, item.quote) for item in evidence.list_of_memory(db, taker.id)}
    lacking = [
        item
        for item in evidence.list_of_memory(db, giver.id)
        if (item.source_id, item.quote) not in known
    ]
    evidence.insert_evidence(
        db,
        [replace(item, id=clock.new_id(), memory_id=taker.id, created_at=now) for item in lacking],
    )


def _build_statement(memory: Memory, proof: Sequence[Evidence], named: dict[str, str]) -> Statement:
    weighty = [item for item in proof if item.source_id and item.trust >= memory.trust]
    times = [memory.observed_at, memory.confirmed_at or "", *(item.observed_at for item in weighty)]
    quotes = [
        item.quote for item in proof if item.trust >= OPERATOR_IMPLIED and item.role == "human"
    ]
    return Statement(
        id=memory.id,
        content=memory.content,
        subject=memory.subject,
        scope=memory.scope,
        project_id=memory.project_id,
        type=memory.type,
        kind=memory.kind,
        status=memory.status,
        trust=memory.trust,
        observed_at=max(times),
        fingerprint=memory.fingerprint,
        agent_id=find_holder(memory),
        repo_id=memory.repo_id,
        origins=frozenset(named[item.id] for item in proof),
        announces=any(map(announces_change, quotes)),
        pinned=memory.always_load or memory.protected,
    )
