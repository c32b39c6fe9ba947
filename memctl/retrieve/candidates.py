"""Which records may answer a query: asked of both indexes, by word and by meaning, within the
caller's scope; then read once.

Whatever index named a record, it is read in one place, and `PreparedQuery.allows` alone decides
whether it may be returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core.errors import StoreDamaged
from memctl.core.frozen import fill_instance, replace
from memctl.core.model import NO_SIGNALS, Memory
from memctl.records.record_source import RecordSource
from memctl.retrieve import certainty, query_embedding, score
from memctl.retrieve.certainty import PromptWords
from memctl.retrieve.prepared_query import PreparedQuery
from memctl.retrieve.score import SearchCandidate
from memctl.store import lexical, records, semantic, vector_index
from memctl.store.database import Database
from memctl.text import related_words, tokens

# Candidates of the caller's own scope, at least; the limits here were chosen by latency, with no
# loss of recall in the benchmarks.
_FEWEST = 24
# The same for a prompt, which has less time.
_FEWEST_AT_PROMPT = 16
# What is laid down for what is ordered, in related words.
_MOST_STANDING = 8
# Candidates for each result that is wanted.
_PER_RESULT = 3
# Candidates of all other projects together.
_FROM_ELSEWHERE = 10
# Nearest vectors, at least.
_FEWEST_NEAREST = 16
# Nearest vectors for each result that is wanted.
_NEAREST_PER_RESULT = 2
# Nearest vectors where a filter will drop most of them.
_NEAREST_FILTERED = 200
# Of the records that have the wanted tags, the newest so many are looked at; chosen by hand.
_MOST_TAGGED = 2_000

# What a term counts in a record that was found without the index, beside BM25; chosen by hand.
_SCANNED_PER_TERM = 2.0

# What the index says of a record: its BM25 (None if only vectors found it) and the terms that it
# was reached with.
_IndexHit = tuple[float | None, tuple[str, ...]]


def find_candidates(
    source: RecordSource, prepared: PreparedQuery
) -> tuple[list[SearchCandidate], list[SearchCandidate]]:
    """The candidates of a query, in no order; and those that match but were superseded."""
    db, scope = source.db, prepared.scope
    nearest = _find_nearest(db, prepared)
    hits: dict[int, _IndexHit] = dict.fromkeys(nearest, (None, ()))
    terms = prepared.index_terms
    with_superseded = replace(scope, statuses=tuple({*scope.statuses, "superseded"}))
    for n, bm25 in lexical.score_visible(
        db, list(terms), with_superseded, _get_candidate_limit(prepared)
    ).items():
        hits[n] = bm25, terms
    if prepared.prompt is not None:
        for n in _find_standing(db, prepared.prompt, scope):
            hits.setdefault(n, (None, ()))
    terms = prepared.terms_elsewhere
    for n, bm25 in lexical.score_other_projects(db, list(terms), scope, _FROM_ELSEWHERE).items():
        hits[n] = bm25, terms
    if "text" in db.damaged_indexes:
        _add_scanned(db, prepared, with_superseded, hits)
    if prepared.query.tags:
        hits = _keep_tagged(db, prepared, hits)
    candidates = _read_states(source, prepared, _build_candidates(source, prepared, hits, nearest))
    eligible = [each for each in candidates if prepared.allows(each.memory)]
    eligible_ids = {each.memory.id for each in eligible}
    superseded = [
        each
        for each in candidates
        if each.memory.status == "superseded"
        and each.memory.id not in eligible_ids
        and scope.sees(each.memory)
    ]
    return eligible, superseded


def _keep_tagged(
    db: Database, prepared: PreparedQuery, hits: Mapping[int, _IndexHit]
) -> dict[int, _IndexHit]:
    """What has the wanted tags of the hits, and what else has them and holds a word of the query.

    All that has them is looked at, as hits of a frequent word may be too many to reach it.
    """
    from memctl.store import tags  # few queries name one

    terms, kept = prepared.index_terms, dict[int, _IndexHit]()
    for n in tags.list_numbers(db, prepared.query.tags, _MOST_TAGGED):
        if n in hits:
            kept[n] = hits[n]
        elif bm25 := lexical.score_record(db, list(terms), n):
            kept[n] = bm25, terms
    return kept


def build_candidate(
    source: RecordSource, prepared: PreparedQuery, memory: Memory
) -> SearchCandidate:
    """One record as a candidate, whatever its scope and status."""
    n = records.find_number(source.db, memory.id)
    bm25 = lexical.score_record(source.db, list(prepared.index_terms), n)
    (candidate,) = _build_candidates(source, prepared, {n: (bm25, prepared.index_terms)}, {})
    return replace(candidate, memory=memory)


def read_linked(
    source: RecordSource, prepared: PreparedQuery, ids: Iterable[str]
) -> list[SearchCandidate]:
    """Linked records as candidates by their links alone; only what the caller may be given."""
    memories = [each for each in source.read_records(ids).values() if prepared.allows(each)]
    signals = source.find_signals(memories) if memories else {}
    return [
        SearchCandidate(memory, (), None, (), signals=signals.get(memory.id, NO_SIGNALS))
        for memory in memories
    ]


def _find_standing(db: Database, prompt: PromptWords, scope: lexical.Scope) -> Iterable[int]:
    """What is laid down for what a prompt orders to be done, in related words."""
    if prompt.is_question and not prompt.is_foreign:
        return ()
    words = related_words.list_members(prompt.actions)
    return lexical.score_standing(db, words, certainty.STANDING_KINDS, scope, _MOST_STANDING)


def _add_scanned(
    db: Database, prepared: PreparedQuery, scope: lexical.Scope, hits: dict[int, _IndexHit]
) -> None:
    """Add what the records themselves say, where the full-text index cannot be relied on."""
    terms = prepared.terms.terms  # an index without its entries knows none of them
    limit = _get_candidate_limit(prepared)
    for n, held in lexical.scan_words(db, list(terms), scope, limit).items():
        if hits.get(n, (None, ()))[0] is None:
            hits[n] = _SCANNED_PER_TERM * held, terms


def _get_candidate_limit(prepared: PreparedQuery) -> int:
    fewest = _FEWEST_AT_PROMPT if prepared.is_prompt else _FEWEST
    return max(fewest, _PER_RESULT * prepared.query.limit)


def _find_nearest(db: Database, prepared: PreparedQuery) -> dict[int, float]:
    """The cosines of the nearest records by index number, of the caller's own scope: in no other
    could meaning alone suffice.
    """
    query, vector = prepared.query, prepared.vector
    if vector is None or not vector.has_table:
        return {}
    limit = max(_FEWEST_NEAREST, _NEAREST_PER_RESULT * query.limit)
    if prepared.scope.is_narrow():
        limit = _NEAREST_FILTERED
    words = None if query.all_projects else prepared.scope.words()
    least = prepared.least_semantic
    try:
        nearest = vector_index.find_nearest(db, vector.vector, words, limit)
    except StoreDamaged:
        db.damaged_indexes.add("vectors")
        return {}
    return {
        n: cosine for n, cosine in nearest.items() if score.compute_semantic_part(cosine) >= least
    }


def _build_candidates(
    source: RecordSource,
    prepared: PreparedQuery,
    hits: Mapping[int, _IndexHit],
    nearest: Mapping[int, float],
) -> list[SearchCandidate]:
    """The records of these index numbers as they are now, each with the terms it holds and its
    semantic part.
    """
    if not hits:
        return []
    db, vector = source.db, prepared.vector
    memories, texts = (
        records.list_by_numbers(db, hits, only_readable=True),
        lexical.read_texts(db, hits),
    )
    if "text" in db.damaged_indexes:
        missing = {n: each for n, each in memories.items() if n not in texts}
        texts |= {n: lexical.build_document(each) for n, each in missing.items()}
    vectors = semantic.read_vectors(db, vector.model.id, hits) if vector else {}
    angles = semantic.CosineCache()
    signals = source.find_signals(memories.values())
    candidates = []
    for n, (bm25, terms) in hits.items():
        memory = memories.get(n)
        if memory is None:
            continue
        own = vectors.get(n)
        told = (
            memory,
            _find_matched_terms(prepared, texts.get(n, {})),
            bm25,
            terms,
            _compare_meaning(prepared, memory, own, nearest.get(n), angles),
            own,
            signals.get(memory.id, NO_SIGNALS),
        )
        candidates.append(fill_instance(SearchCandidate, told))
    return candidates


def _compare_meaning(
    prepared: PreparedQuery,
    memory: Memory,
    vector: bytes | None,
    cosine: float | None,
    angles: semantic.CosineCache,
) -> float | None:
    """The semantic part of a record, 0..1; None where the model knows nothing of the query or
    the record.
    """
    asked = prepared.vector
    if (
        asked is None
        or vector is None
        or not query_embedding.is_readable(memory.content, asked.model)
    ):
        return None
    if cosine is None:
        cosine = angles.between(asked.vector, vector) or 0.0
    return score.compute_semantic_part(cosine)


def _find_matched_terms(prepared: PreparedQuery, text: Mapping[str, str]) -> tuple[str, ...]:
    """The terms of a query that an analysed record holds."""
    return tuple(tokens.find_matching_terms(list(prepared.terms.terms), "\n".join(text.values())))


def _read_states(
    source: RecordSource, prepared: PreparedQuery, candidates: list[SearchCandidate]
) -> list[SearchCandidate]:
    """The candidates as the source knows them, with those that it knows in words which the index
    no longer holds.
    """
    found = {candidate.memory.id for candidate in candidates}
    reworded = [
        SearchCandidate(memory, (), None, ())
        for memory in source.list_reworded()
        if memory.id not in found
    ]
    states = (_read_state(source, prepared, each) for each in (*candidates, *reworded))
    return [
        state for state in states if state is not None and (state.matched or source.finds_by_vector)
    ]


def _read_state(
    source: RecordSource, prepared: PreparedQuery, candidate: SearchCandidate
) -> SearchCandidate | None:
    """A candidate as the source knows it, its terms matched again where its words were others;
    None if it did not exist.
    """
    state = source.find_state(candidate.memory)
    if state is None or state is candidate.memory:
        return candidate if state else None
    if candidate.matched and lexical.has_same_words(state, candidate.memory):
        return replace(candidate, memory=state)
    text = lexical.build_document(state)
    del text["place"]
    return SearchCandidate(state, _find_matched_terms(prepared, text), None, ())
