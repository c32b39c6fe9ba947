"""What the words of a query are worth, and how well a record answers them. Pure: no I/O, no clock.

The numbers were tuned on three LoCoMo conversations and DevMemBench (docs/benchmarks.md) unless
they say otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from memctl.core.frozen import dataclass

# BM25 gives a term at most (k1 + 1) times its rarity, with the k1 = 1.2 that FTS5 has built in.
_MOST_BM25 = 2.2
# Records. The same for how the words of one query compare with each other.
_LEAST_COMPARED_SIZE = 20
# Factor on the weight of a compound, whose parts count already.
_COMPOUND_FACTOR = 0.3
# A long query need not be matched in every word: so many of the rarest terms make a full answer.
_TERMS_THAT_COUNT = 8
# Exponent of the matched share beside BM25 in a short text, 0..1.
_SHARE_EXPONENT = 0.5
# Characters. Up to this length the matched share has its full exponent.
_SHORT_TEXT = 300
# The share of its best BM25 that is assumed for a text which the index no longer holds.
_ASSUMED_SATURATION = 0.6
# Records. From this size on, frequent words are not asked for; chosen by latency.
_LARGE_SIZE = 2000
# In a large store, words in more than this share of all records choose nothing and cost most;
# chosen by latency.
_COMMON_SHARE = 0.2
# FTS5 walks every posting of every word it is asked for: so many at most, the rarest words first;
# chosen by latency.
_MOST_POSTINGS = 200_000
# Keeps the rarity of a word that nearly every record holds above zero.
_LEAST_RARITY = 1e-6


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The terms of a query with what each is worth.

    `weights` is how much a term says; `rarity` is what the index gives it; `full_weight` is that of
    a full answer; `influence` is the share of each term in the best BM25 that the query could
    reach.
    """

    terms: tuple[str, ...]
    weights: Mapping[str, float]
    rarity: Mapping[str, float]
    full_weight: float
    influence: Mapping[str, float]


def weigh_terms(
    terms: Sequence[str],
    frequencies: Mapping[str, int],
    size: int,
    *,
    compounds: Iterable[str] = (),
    prior: float = 1000.0,
) -> QueryTerms:
    """The terms with their weights, by how many of `size` records hold each.

    `compounds` are terms whose parts are terms too: having the whole is worth a little more than
    having all parts. In a small store hardly a word is rare, so weights are computed as if it had
    at least `prior` records.
    """
    weighing_size = max(size, int(prior))
    compared_size = max(size, _LEAST_COMPARED_SIZE)
    compound_terms = set(compounds)
    weights, rarity, compared = {}, {}, {}
    for term in terms:
        frequency = frequencies[term]
        factor = _COMPOUND_FACTOR if term in compound_terms else 1.0
        weights[term] = _compute_weight(weighing_size, frequency) * factor
        rarity[term] = _compute_rarity(size, frequency)
        if term not in compound_terms:
            compared[term] = _compute_rarity(compared_size, frequency)
    full_weight = _sum_largest(weights.values())
    best = _sum_largest(compared.values())
    influence = {term: value / best for term, value in compared.items()}
    return QueryTerms(tuple(terms), weights, rarity, full_weight, influence)


def choose_index_terms(
    query: QueryTerms, frequencies: Mapping[str, int], size: int, compounds: Iterable[str] = ()
) -> tuple[str, ...]:
    """The terms worth asking the index for: known ones; in a large store not nearly everywhere,
    and not too many postings in all.
    """
    compound_terms = set(compounds)
    known = [term for term in query.terms if frequencies[term] and term not in compound_terms]
    if size <= _LARGE_SIZE:
        return tuple(known)
    postings = 0
    chosen: set[str] = set()
    for term in sorted(known, key=lambda term: (frequencies[term], term)):
        postings += frequencies[term]
        if chosen and (postings > _MOST_POSTINGS or frequencies[term] > size * _COMMON_SHARE):
            break
        chosen.add(term)
    return tuple(term for term in known if term in chosen)


def find_required_terms(
    query: QueryTerms, among: Sequence[str], threshold: float
) -> tuple[str, ...]:
    """The fewest, rarest terms of which a record must hold at least one to reach a relevance
    threshold by its words.
    """
    left = sum(query.weights[term] for term in among)
    required = []
    for term in sorted(among, key=lambda term: (-query.weights[term], term)):
        # The words of a record are worth at most the root of the share that it holds.
        if left < threshold * threshold * query.full_weight:
            break
        required.append(term)
        left -= query.weights[term]
    return tuple(required)


def compute_lexical_part(
    query: QueryTerms,
    matched: Iterable[str],
    bm25: float | None,
    index_terms: Iterable[str],
    length: int = 0,
) -> float:
    """How well a record answers the words of a query, 0..1.

    The geometric mean of the share of the weight that it holds and its BM25 relative to the best
    possible, so that neither stands alone. The longer the text (`length` in characters), the less
    the share counts. `index_terms` are those that `bm25` was reached with.
    """
    held = set(matched)
    if not held or not query.full_weight:
        return 0.0
    held_weight = sum(query.weights[term] for term in query.terms if term in held)
    coverage = min(1.0, held_weight / query.full_weight)
    scored_terms = [term for term in index_terms or query.terms if term in held]
    best = sum(_MOST_BM25 * query.rarity[term] for term in scored_terms)
    if bm25 is None or not best:
        saturation = _ASSUMED_SATURATION
    else:
        saturation = min(1.0, max(0.0, bm25 / best))
    influence = sum(query.influence.get(term, 0.0) for term in scored_terms)
    reached = saturation * min(1.0, influence)
    exponent = _SHARE_EXPONENT * min(1.0, _SHORT_TEXT / max(1, length))
    return float(coverage**exponent * reached ** (1 - exponent))


def _sum_largest(values: Iterable[float]) -> float:
    return sum(sorted(values, reverse=True)[:_TERMS_THAT_COUNT])


def _compute_weight(size: int, frequency: int) -> float:
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


def _compute_rarity(size: int, frequency: int) -> float:
    """The inverse document frequency as FTS5 computes it."""
    return max(_LEAST_RARITY, math.log((size - frequency + 0.5) / (frequency + 0.5)))
