"""What a record is worth for a query: the only place where scores are made. Pure: no I/O, no clock.

`relevance` (0..1) says how well a record answers the words of a query and, with vectors, its
meaning; at a prompt, how sure it is that the prompt calls for it (`certainty`). The relevance
threshold is held against it. `score` is the relevance times factors for
scope, freshness, confidence and trust (0..1) and for feedback (around 1). Each part only ever
raises the score when it rises itself, and equal scores are ordered by id. What becomes of the
scored list is decided in `order`; what time and votes do to a record, in `decay`.

The numbers were tuned on three LoCoMo conversations and DevMemBench (docs/benchmarks.md) unless
they say otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from memctl.core.frozen import dataclass, field, fill_instance, replace
from memctl.core.model import NO_SIGNALS, FeedbackSignals, Memory, Place
from memctl.retrieve import certainty, decay
from memctl.retrieve.certainty import PromptCrowd, PromptWords, RecordWords
from memctl.retrieve.query_terms import QueryTerms, compute_lexical_part
from memctl.text import related_words

# The share of semantic similarity in the relevance; results hardly differ between 0.2 and 0.4.
SEMANTIC_WEIGHT = 0.3
# The same for the shortest texts, where some record answers the words well: of a few words the
# meaning is vague, and what has all words of a question should come first.
_LEAST_SEMANTIC_WEIGHT = 0.1
# Characters. From this length on, a text has its full semantic weight.
_TELLING_LENGTH = 200
# From the first lexical part on, words are well answered; at the second, entirely so.
_WELL_ANSWERED = (0.2, 0.5)
# Cosine up to which two texts count as unrelated.
_UNRELATED_COSINE = 0.1
# Cosine from which one text counts as a restatement of the other.
_SAME_COSINE = 0.8
# The parts by which the relevance is multiplied.
SCORE_FACTORS = ("scope", "freshness", "confidence", "trust", "outcomes")
# The share of a hit's relevance that a linked record gets, by relation; chosen by hand.
_LINK_BOOSTS: Mapping[str, float] = {"applies_to": 0.7, "supports": 0.6, "supersedes": 1.0}
# The relations of which the hit must be strong.
BOOSTING_RELATIONS = ("applies_to", "supports")

# Chosen by hand: the nearer a record is to the caller, the more it counts.
_SCOPE_FACTORS: Mapping[str, float] = {
    "session": 1.0,
    "repo": 1.0,
    "agent": 0.98,
    "project": 0.97,
    "linked project": 0.9,
    "global": 0.88,
    "other repo": 0.85,
    "other project": 0.6,
}
# By trust rank (see core.model.TRUST_NAMES); chosen by hand.
_TRUST_FACTORS: Mapping[int, float] = {1: 0.76, 2: 0.88, 3: 0.94, 4: 0.97, 5: 1.0}
# The factor of a record without any confidence; chosen by hand.
_LEAST_CONFIDENCE = 0.7
# The factor of a record that has decayed entirely; chosen by hand.
_LEAST_FRESHNESS = 0.6
# Chosen by hand: what a project cannot do without comes before what is good to know.
_KIND_FACTORS: Mapping[str, float] = {
    "constraint": 1.0,
    "correction": 0.98,
    "convention": 0.96,
    "command": 0.94,
    "workflow": 0.94,
    "decision": 0.94,
    "fix": 0.9,
    "fact": 0.88,
    "domain-reference": 0.86,
    "todo": 0.82,
    "pointer": 0.8,
    "idea": 0.7,
    "reflection": 0.7,
}
_OTHER_KIND_FACTOR = 0.85
# The factor of what was neither pinned nor protected; chosen by hand.
_UNPINNED_FACTOR = 0.9


@dataclass(frozen=True, slots=True)
class ScoringContext:
    """From where and when a query is asked, and how fast each type decays (`decay_rates`, per day).

    `last_uses` has the last use of some records as of `now`, where the record itself may say
    something later; `prompt` is what the words of a prompt say, `groups` are the groups of related
    words that it has, `crowd` is what its candidates have in common.
    """

    caller: Place
    linked_projects: frozenset[str]
    now: str
    decay_rates: Mapping[str, float]
    last_uses: Mapping[str, str] = field(default_factory=dict)
    prompt: PromptWords | None = None
    crowd: PromptCrowd = PromptCrowd()
    groups: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class SearchCandidate:
    """A record that may answer a query.

    `bm25` was reached with `index_terms`; it is None for a text that the index no longer holds.
    `semantic` is the semantic part, 0..1, or None without vectors; `vector` is the record's own,
    packed; `signals` are its votes and missing citations.
    """

    memory: Memory
    matched: tuple[str, ...]
    bm25: float | None
    index_terms: tuple[str, ...]
    semantic: float | None = None
    vector: bytes | None = None
    signals: FeedbackSignals = NO_SIGNALS


@dataclass(frozen=True, slots=True)
class ScoredRecord:
    """A candidate with its score; `has_semantic` says whether vectors were compared,
    `boosted_by` is the linked hit that raised it.
    """

    memory: Memory
    score: float
    relevance: float
    parts: Mapping[str, float]
    matched_scope: str
    matched: tuple[str, ...]
    vector: bytes | None = None
    boosted_by: str | None = None
    has_semantic: bool = False


def compute_semantic_part(cosine: float) -> float:
    """The semantic part of a cosine: 0 up to what unrelated texts reach, 1 from a restatement
    on.
    """
    return min(1.0, max(0.0, (cosine - _UNRELATED_COSINE) / (_SAME_COSINE - _UNRELATED_COSINE)))


def compute_semantic_weight(length: int, best_lexical: float) -> float:
    """The share of meaning in the relevance of a text of so many characters, where the best
    lexical part of all candidates is `best_lexical`.
    """
    low, high = _WELL_ANSWERED
    is_answered = min(1.0, max(0.0, (best_lexical - low) / (high - low)))
    is_short = max(0.0, 1 - length / _TELLING_LENGTH)
    return SEMANTIC_WEIGHT - (SEMANTIC_WEIGHT - _LEAST_SEMANTIC_WEIGHT) * is_answered * is_short


def combine_relevance(
    lexical_part: float, semantic_part: float | None, semantic_weight: float = SEMANTIC_WEIGHT
) -> float:
    """Both parts fused; without vectors the lexical part alone."""
    if semantic_part is None:
        return lexical_part
    return (1 - semantic_weight) * lexical_part + semantic_weight * semantic_part


def score_candidates(
    candidates: Iterable[SearchCandidate],
    terms: QueryTerms,
    context: ScoringContext,
    best_lexical: float = 0.0,
) -> list[ScoredRecord]:
    """The candidates' scores with the parts they are made of; `best_lexical` is the best lexical
    part of others that belong to them.
    """
    lexical = [(each, _compute_lexical(each, terms)) for each in candidates]
    best = max((part for _, part in lexical), default=0.0)
    return [
        _score_candidate(each, part, context, max(best, best_lexical)) for each, part in lexical
    ]


def _compute_lexical(candidate: SearchCandidate, terms: QueryTerms) -> float:
    length = len(candidate.memory.content)
    return compute_lexical_part(
        terms, candidate.matched, candidate.bm25, candidate.index_terms, length
    )


def _score_candidate(
    candidate: SearchCandidate, lexical: float, context: ScoringContext, best_lexical: float
) -> ScoredRecord:
    memory = candidate.memory
    if context.prompt is None:
        weight = compute_semantic_weight(len(memory.content), best_lexical)
        relevance = combine_relevance(lexical, candidate.semantic, weight)
    else:
        words = list_words_of_record(candidate, context.groups)
        relevance = certainty.compute_certainty(context.prompt, words, context.crowd)
    parts = {
        "lexical": round(lexical, 4),
        "semantic": round(candidate.semantic or 0.0, 4),
        **compute_factors(memory, context, candidate.signals),
    }
    told = (
        memory,
        _compute_score(relevance, parts),
        relevance,
        parts,
        find_matched_scope(memory, context),
        candidate.matched,
        candidate.vector,
        None,
        candidate.semantic is not None,
    )
    return fill_instance(ScoredRecord, told)


def list_words_of_record(candidate: SearchCandidate, wanted: frozenset[int]) -> RecordWords:
    """What of a candidate is held against a prompt that has some groups of related words."""
    memory = candidate.memory
    groups = related_words.find_groups_in(f"{memory.title}\n{memory.content}", wanted)
    held = (candidate.matched, memory.title, candidate.semantic, memory.kind, groups)
    return fill_instance(RecordWords, held)


def join_crowd(candidates: Iterable[SearchCandidate], context: ScoringContext) -> ScoringContext:
    """The context in which the candidates of a prompt are held against each other; that of a search
    is unchanged.
    """
    if context.prompt is None:
        return context
    wanted = context.prompt.list_all_groups()
    words = [list_words_of_record(each, wanted) for each in candidates]
    return replace(context, groups=wanted, crowd=certainty.build_crowd(words, context.prompt))


def find_threshold(item: ScoredRecord, threshold: float, other_project_threshold: float) -> float:
    """The relevance that an item must reach: more in another project."""
    if item.matched_scope == "other project":
        return max(threshold, other_project_threshold)
    return threshold


def boost_by_link(
    item: ScoredRecord, hit: ScoredRecord, relation: str, least: float
) -> ScoredRecord:
    """An item raised by a hit of at least this relevance that it is linked with, or by any that
    it supersedes; unchanged if it is as relevant by itself.
    """
    raised = _LINK_BOOSTS[relation] * hit.relevance
    is_too_weak = relation in BOOSTING_RELATIONS and hit.relevance < least
    if raised <= item.relevance or is_too_weak:
        return item
    parts = {**item.parts, "linked": round(raised, 4)}
    score = _compute_score(raised, parts)
    return replace(item, relevance=raised, score=score, parts=parts, boosted_by=hit.memory.id)


def boost_by_neighbours(
    items: Iterable[ScoredRecord], neighbours: Mapping[str, Iterable[str]], share: float
) -> list[ScoredRecord]:
    """The items with a share of the relevance of their best neighbour, which was said just
    before or after them.
    """
    before = list(items)
    relevance_of = {item.memory.id: item.relevance for item in before}
    boosted = []
    for item in before:
        others = neighbours.get(item.memory.id, ())
        best = max((relevance_of.get(other, 0.0) for other in others), default=0.0)
        if not best:
            boosted.append(item)
            continue
        raised = item.relevance + share * best
        parts = {**item.parts, "beside": round(share * best, 4)}
        score = _compute_score(raised, parts)
        boosted.append(replace(item, relevance=raised, score=score, parts=parts))
    return boosted


def compute_factors(
    memory: Memory, context: ScoringContext, signals: FeedbackSignals = NO_SIGNALS
) -> dict[str, float]:
    """The factors that do not depend on what is asked."""
    left = decay.compute_decay(
        memory, context.now, context.decay_rates, context.last_uses.get(memory.id)
    )
    sure = memory.confidence * decay.compute_citation_factor(signals.missing_share)
    factors = {
        "scope": _SCOPE_FACTORS[find_matched_scope(memory, context)],
        "freshness": round(_LEAST_FRESHNESS + (1 - _LEAST_FRESHNESS) * left, 4),
        "confidence": round(_LEAST_CONFIDENCE + (1 - _LEAST_CONFIDENCE) * sure, 4),
        "trust": _TRUST_FACTORS[memory.trust],
    }
    if signals is not NO_SIGNALS:
        feedback = decay.compute_feedback_factor(signals, memory.trust, _TRUST_FACTORS)
        if round(feedback, 4) != 1.0:
            factors["outcomes"] = round(feedback, 4)
    return factors


def compute_strength(
    memory: Memory, context: ScoringContext, signals: FeedbackSignals = NO_SIGNALS
) -> float:
    """How much a record deserves to be said when nothing is asked, 0..1."""
    factors = compute_factors(memory, context, signals)
    kind = _KIND_FACTORS.get(memory.kind, _OTHER_KIND_FACTOR)
    chosen = 1.0 if memory.always_load or memory.protected else _UNPINNED_FACTOR
    return round(math.prod(factors.values()) * kind * chosen, 4)


def find_matched_scope(memory: Memory, context: ScoringContext) -> str:
    """Which part of the caller's surroundings a record belongs to (a key of the scope factors)."""
    caller = context.caller
    if memory.scope in ("global", "agent", "session"):
        return memory.scope
    if memory.project_id != caller.project_id:
        is_linked = memory.project_id in context.linked_projects
        return "linked project" if is_linked else "other project"
    if memory.scope != "repo" or caller.repo_id is None:
        return "project"
    return "repo" if memory.repo_id == caller.repo_id else "other repo"


def _compute_score(relevance: float, parts: Mapping[str, float]) -> float:
    factors = math.prod(parts.get(name, 1.0) for name in SCORE_FACTORS)
    return round(min(1.0, relevance * factors), 4)
