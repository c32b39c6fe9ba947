"""Find by index the records that could say the same as a record, or the opposite.

They share its rarest words, its subject or an entity with it, name a known answer that rivals its
own, or, where there are vectors, are semantically similar. Each way finds a bounded number, however
large the store is. What has another scope key is left out by the plan.

A finder that serves many records asks the store for a word, and reads a statement, once. What it
remembers is true as long as nobody else writes: `follow_changes` asks for that, and who writes
himself says so with `note_written` and `forget`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from memctl.consolidate.plan import Judged
from memctl.consolidate.similarity import list_rivals, pick_search_terms
from memctl.consolidate.slot_reading import SlotReading
from memctl.consolidate.wording import announces_change
from memctl.core import clock
from memctl.core.frozen import replace
from memctl.core.model import OPERATOR_IMPLIED, Evidence, Memory
from memctl.records.statement import Statement, make_statement
from memctl.settings.config import Config
from memctl.store import (
    event_log,
    evidence,
    lexical,
    records,
    semantic,
    succession,
    vector_index,
)
from memctl.store.database import Database
from memctl.store.word_index import WordIndex
from memctl.text.corrections import drop_corrected_words

# The most neighbours that each way finds. Chosen by hand.
BY_WORDS = 12
BY_SUBJECT = 12
# Asked for many records at once, some of which do not exist yet for the one at hand.
_BY_FREQUENT_WORDS = 24
BY_SIMILARITY = 12
# Of those whose vectors for searches are nearest, so many are compared by their slot vectors, and
# so many kept: the answer that is sought often shares no word with the other one.
_READ_FOR_SLOTS = 64
BY_SLOTS = 12
# Of which one may be overtaken by the other: more, because other versions of it are among them.
BY_NEARNESS = 24
# Asking the index for a word costs by the records that hold it; so many are looked at, of the
# rarest words first.
_MOST_POSTINGS = 5_000
# Cosines below this say nothing. Chosen by hand.
_LEAST_COSINE = 0.3
_LIVE = ("active", "contradicted", "inbox")
# Statements that are kept for a whole run. Chosen by hand: they take some 20 MB.
_MOST_KEPT = 10_000
# Whose claims count as one origin however many sessions repeat them.
_ONE_VOICE = ("assistant", "summary", "system")


class NeighbourFinder:
    """Finds the neighbours of records in one store while plans are made."""

    def __init__(self, db: Database, config: Config | None = None) -> None:
        """With `config`, nearest vectors are asked for too, where the extension can be loaded."""
        self._db = db
        self._model = semantic.find_serving_model(db)
        self._angles = semantic.CosineCache()
        # What question each record answers is asked only where records are compared in earnest.
        self._slots = SlotReading(db)
        self.reads_pairs = config is not None and self._slots.is_there
        self._vectors: dict[str, bytes | None] = {}
        self._words = WordIndex(db)
        self._by_frequent: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        self._by_number: dict[int, Statement | None] = {}
        self._numbers: dict[str, int] = {}
        # What pairs of unchanged records are to each other: similarity and judgement by their ids.
        self.judged: Judged = {}
        # New records that mention no entity.
        self._without_entities: set[str] = set()
        self._last_change = event_log.get_last_number(db)
        may_load = (
            config is not None and self._model is not None and bool(config["embedding.extension"])
        )
        self._has_table = (
            may_load and vector_index.has_table(db) and vector_index.load_extension(db)
        )

    def find_neighbours(self, statement: Statement) -> list[Statement]:
        """Living records that could say the same as a statement, or the opposite."""
        memory = records.get_record(self._db, statement.id)
        return self.find_around(memory)

    def find_around(self, memory: Memory, hidden: Container[object] = ()) -> list[Statement]:
        """The same of a record at hand; records whose ids are `hidden` do not exist yet."""
        found = [
            *self._find_by_words(memory, pick_search_terms(memory.content), hidden),
            *self._find_by_words(memory, list_rivals(memory.content), hidden),
            *self._load(succession.list_by_subject(self._db, memory, BY_SUBJECT)),
            *self._load(self._list_by_entities(memory)),
            *self._load(self._find_similar(memory)),
        ]
        others = {
            other.id: other
            for other in found
            if other.id != memory.id and other.type != "episode" and other.id not in hidden
        }
        return list(others.values())

    def follow_changes(self) -> None:
        """Forget everything if somebody else has written since."""
        last = event_log.get_last_number(self._db)
        if last != self._last_change:
            self._last_change = last
            self._forget_all()

    def begin_batch(self) -> None:
        """Look anew for what may have changed since the last batch of a run.

        Vectors come without an event.
        """
        self.follow_changes()
        self._vectors = {each: vector for each, vector in self._vectors.items() if vector}
        self._slots.forget_missing()
        if len(self._by_number) > _MOST_KEPT:
            self._forget_all()

    def _forget_all(self) -> None:
        self._words.clear()
        self._by_frequent.clear()
        self._by_number.clear()
        self._vectors.clear()
        self._slots.forget()
        self._without_entities.clear()
        self.judged.clear()

    def foresee(self, memories: Iterable[Memory]) -> None:
        """Ask the index, once, which words of records that are not stored yet no record holds."""
        self._words.foresee(
            (term, lexical.compute_scope_key(memory))
            for memory in memories
            for term in (*pick_search_terms(memory.content), *list_rivals(memory.content))
        )

    def note_written(self, written: Iterable[tuple[int, Memory, bool]]) -> None:
        """Take up records that were just written: index number, record, whether it has entities."""
        for n, memory, has_entities in written:
            self._words.add(n, memory)
            self._vectors[memory.id] = None
            self._numbers[memory.id] = n
            if not has_entities:
                self._without_entities.add(memory.id)
        self._by_frequent.clear()
        self._last_change = event_log.get_last_number(self._db)

    def remember(self, read: Iterable[tuple[Memory, Statement]]) -> None:
        """Keep the statements of records that were noted as written and are unchanged since."""
        for memory, statement in read:
            n = self._numbers.get(memory.id)
            if n is not None:
                self._by_number.setdefault(n, None if memory.type == "episode" else statement)

    def forget(self, ids: Iterable[str]) -> None:
        """Read these records anew when they are needed next."""
        for each in ids:
            n = self._numbers.get(each)
            if n is not None:
                self._by_number.pop(n, None)
        self._last_change = event_log.get_last_number(self._db)

    def measure_similarity(self, a: Statement | Memory, b: Statement | Memory) -> float | None:
        """The cosine of two records, 0..1; None where one has no vector."""
        if self._model is None:
            return None
        vector = self._read_vector(a.id)
        if vector is None:
            return None
        cosine = self._angles.between(vector, self._read_vector(b.id))
        return None if cosine is None else min(1.0, max(0.0, cosine))

    def read_pair(self, older: Statement | Memory, newer: Statement | Memory) -> float | None:
        """How surely two records answer one question, 0..1; None where one was not read."""
        slots = self._slots.measure(older.id, newer.id)
        if slots is None:
            return None
        from memctl.consolidate.slot_pairs import score_pair  # here: few are read by then

        nearness = self.measure_similarity(older, newer)
        return score_pair(
            older.content, newer.content, slots, slots if nearness is None else nearness
        )

    def read_values(self, older: Statement | Memory, newer: Statement | Memory) -> float | None:
        """How surely two answers to one question are the same, 0..1; None where not read."""
        slots = self._slots.measure(older.id, newer.id)
        if slots is None:
            return None
        from memctl.consolidate.value_pairs import score_same_value  # here: few are read by then

        nearness = self.measure_similarity(older, newer)
        return score_same_value(
            drop_corrected_words(older.content),
            drop_corrected_words(newer.content),
            slots,
            slots if nearness is None else nearness,
        )

    def measure_slots(self, one: Statement, other: Statement) -> float | None:
        """The cosine of what two records answer; None where one was not read."""
        return self._slots.measure(one.id, other.id)

    def was_read(self, memory_id: str) -> bool:
        """Whether all is known of what a record answers that can be: it was read, or none is."""
        return not self.reads_pairs or self._slots.has_vector(memory_id)

    def find_near(self, memory: Memory) -> list[tuple[Memory, float]] | None:
        """Living records of the same place with their cosines, nearest first; None for a record
        that has no vector yet.

        Without an index they are those that share words, a subject or an entity with it; with one,
        those too that seem to answer the same question.
        """
        vector = self._read_vector(memory.id)
        if vector is None:
            return None
        key = lexical.compute_scope_key(memory)
        pairs = [
            (other, angle)
            for other, angle in self._list_near(memory, vector)
            if other.id != memory.id
            and other.status in _LIVE
            and lexical.compute_scope_key(other) == key
        ]
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0].id))

    def _list_near(self, memory: Memory, vector: bytes) -> list[tuple[Memory, float]]:
        if not self._has_table:
            ids = [other.id for other in self.find_around(memory)]
            found = list(records.list_by_ids(self._db, ids, only_readable=True).values())
            angles = [self._angles.between(vector, self._read_vector(one.id)) for one in found]
        else:
            many = _READ_FOR_SLOTS if self.reads_pairs else BY_NEARNESS + 1
            near = vector_index.find_nearest(
                self._db, vector, [lexical.compute_scope_key(memory)], many
            )
            chosen = [*near][: BY_NEARNESS + 1]
            if self.reads_pairs:
                chosen += self._slots.pick_nearest(memory.id, near.keys() - {*chosen}, BY_SLOTS)
            by_number = records.list_by_numbers(self._db, chosen, only_readable=True)
            found, angles = list(by_number.values()), [near[n] for n in by_number]
        return [(one, angle) for one, angle in zip(found, angles, strict=True) if angle is not None]

    def _find_by_words(
        self, memory: Memory, terms: Sequence[str], hidden: Container[object]
    ) -> list[Statement]:
        """The records that share most of the rare words; where those are too few, also those that
        the index ranks best by the frequent ones.

        With `list_rivals` as terms, `eslint` finds another linter: the two may share no word.
        """
        if not terms:
            return []
        sharing = self._words.find_sharing(terms, lexical.compute_scope_key(memory))
        found = self._read_living(sharing.numbers, memory.id, hidden)
        if sharing.frequent:
            others = self._find_by_frequent_words(memory, sharing.frequent)
            found += [
                other for other in others if other.id != memory.id and other.id not in hidden
            ][:BY_WORDS]
        return found

    def _read_living(
        self, numbers: Sequence[int], own_id: str, hidden: Container[object]
    ) -> list[Statement]:
        """The first living ones of these records, a bounded number, without the one at hand."""
        found: list[Statement] = []
        for start in range(0, len(numbers), BY_WORDS + 1):
            for other in self._read_numbers(numbers[start : start + BY_WORDS + 1]):
                if other.is_live and other.id != own_id and other.id not in hidden:
                    found.append(other)
            if len(found) >= BY_WORDS:
                break
        return found[:BY_WORDS]

    def _find_by_frequent_words(self, memory: Memory, terms: tuple[str, ...]) -> list[Statement]:
        """What the index ranks best, asked once for all records with the same frequent words."""
        key = lexical.compute_scope_key(memory), terms
        if key not in self._by_frequent:
            rarest = succession.choose_rarest_words(self._db, terms, _MOST_POSTINGS)
            similar = lexical.list_similar(self._db, rarest, memory, _BY_FREQUENT_WORDS)
            self._by_frequent[key] = [row["n"] for row in similar]
        found = self._read_numbers(self._by_frequent[key])
        return [other for other in found if other.is_live]

    def _read_numbers(self, numbers: Sequence[int]) -> list[Statement]:
        """The statements with these index numbers, in their order; episodes are left out."""
        unread = [n for n in numbers if n not in self._by_number]
        if unread:
            memories = {
                n: memory
                for n, memory in records.list_by_numbers(
                    self._db, unread, only_readable=True
                ).items()
                if memory.type != "episode"
            }
            statements = load_statements(self._db, list(memories.values()))
            self._by_number |= dict.fromkeys(unread)
            self._by_number |= zip(memories, statements, strict=True)
            self._numbers |= {one.id: n for n, one in zip(memories, statements, strict=True)}
        return [one for n in numbers if (one := self._by_number[n]) is not None]

    def _load(self, memories: Sequence[Memory]) -> list[Statement]:
        return load_statements(self._db, memories) if memories else []

    def _list_by_entities(self, memory: Memory) -> list[Memory]:
        if memory.id in self._without_entities:
            return []
        return succession.list_by_entities(self._db, memory)

    def _find_similar(self, memory: Memory) -> list[Memory]:
        vector = self._read_vector(memory.id) if self._has_table else None
        if vector is None:
            return []
        many = _READ_FOR_SLOTS if self.reads_pairs else BY_SIMILARITY + 1
        near = vector_index.find_nearest(
            self._db, vector, [lexical.compute_scope_key(memory)], many
        )
        numbers = [n for n, cosine in near.items() if cosine >= _LEAST_COSINE][: BY_SIMILARITY + 1]
        if self.reads_pairs:
            numbers += self._slots.pick_nearest(memory.id, near.keys() - {*numbers}, BY_SLOTS)
        others = records.list_by_numbers(self._db, numbers, only_readable=True).values()
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
    return replace(
        make_statement(memory),
        observed_at=max(times),
        origins=frozenset(named[item.id] for item in proof),
        announces=any(map(announces_change, quotes)),
        pinned=memory.always_load or memory.protected,
    )
