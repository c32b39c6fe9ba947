"""What a record is worth for a question: the only place where scores are made. No I/O, no clock.

`relevance` says how well a record answers the words (and, with vectors, the sense) of a question, 0..1; a floor is held against it.
`score` is the relevance times factors of 0..1 for scope, freshness, confidence and trust. Each part only ever raises the score when
it rises itself, and equal scores stand in the order of their ids.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from memctl import clock
from memctl.data import dataclass
from memctl.model import Memory, Place

SEMANTIC_WEIGHT = 0.3
# BM25 gives a term at most (k1 + 1) times its rarity, with the k1 = 1.2 that FTS5 has built in.
_MOST_BM25 = 2.2
# In a small store hardly a word is rare; counting as if it were this large keeps what the question asks apart from what it mentions.
_LEAST_SIZE = 1000
# A word that nearly every prompt holds says little, in whatever few records it stands.
_COMMON_WORD = 0.25
# A prompt of nothing but such words ("yes, go ahead") asks for nothing: it is held against this many unknown words at least.
_LEAST_ASKED = 2.0
# A long prompt need not be matched in every word: the rarest eight are what it is about.
_TERMS_THAT_COUNT = 8
# What a text that the index no longer holds is taken to reach of its best score.
_USUAL_SATURATION = 0.6
# In a large store, words that stand in more than this share of all records choose nothing and cost most.
_LARGE_SIZE, _COMMON_SHARE = 2000, 0.2

_SCOPE_FACTORS: Mapping[str, float] = {
    "session": 1.0, "repo": 1.0, "agent": 0.98, "project": 0.97, "linked project": 0.9, "global": 0.88, "other repo": 0.85,
    "other project": 0.6,
}  # fmt: skip
_TRUST_FACTORS: Mapping[int, float] = {1: 0.76, 2: 0.88, 3: 0.94, 4: 0.97, 5: 1.0}
_LEAST_CONFIDENCE, _LEAST_FRESHNESS = 0.7, 0.6
_LASTING = frozenset({"profile", "decision"})
_DECAYING = frozenset({"episode", "task_hint"})
# What a project cannot do without comes before what is good to know.
_KIND_FACTORS: Mapping[str, float] = {
    "constraint": 1.0, "correction": 0.98, "convention": 0.96, "command": 0.94, "workflow": 0.94, "decision": 0.94, "fix": 0.9,
    "fact": 0.88, "domain-reference": 0.86, "todo": 0.82, "pointer": 0.8, "idea": 0.7, "reflection": 0.7,
}  # fmt: skip
_OTHER_KIND = 0.85

_SAME_WORDS = 0.8
_TELLING = re.compile(r"\d")
_NEGATIONS = frozenset({"not", "no", "never", "without", "don", "cannot", "instead", "avoid"})
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: its terms, how much each says (`weights`), the rarity that the index gives each, and the weight of a full answer."""

    terms: tuple[str, ...]
    weights: Mapping[str, float]
    rarity: Mapping[str, float]
    full: float


@dataclass(frozen=True, slots=True)
class Stand:
    """From where and when it is asked."""

    place: Place
    linked: frozenset[str]
    now: str
    half_life_days: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that may answer. `bm25` was reached with the terms `asked`; it is None for a text that the index no longer holds.

    `semantic` is the cosine part, 0..1, or None where there are no vectors.
    """

    memory: Memory
    matched: tuple[str, ...]
    bm25: float | None
    asked: tuple[str, ...]
    semantic: float | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its worth."""

    memory: Memory
    score: float
    relevance: float
    parts: Mapping[str, float]
    matched_scope: str
    matched: tuple[str, ...]


def question(
    terms: Sequence[str], frequencies: Mapping[str, int], size: int, common: Iterable[str] = (), *, is_prompt: bool = False
) -> Question:
    """The terms with what each is worth, by the number of records that hold it among `size`; a prompt asks for more than its every word."""
    rare_size, plain = max(size, _LEAST_SIZE), set(common)
    weights = {t: _weight(rare_size, frequencies[t]) * (_COMMON_WORD if t in plain else 1.0) for t in terms}
    rarity = {t: max(1e-6, math.log((size - frequencies[t] + 0.5) / (frequencies[t] + 0.5))) for t in terms}
    full = sum(sorted(weights.values(), reverse=True)[:_TERMS_THAT_COUNT])
    return Question(tuple(terms), weights, rarity, max(full, _LEAST_ASKED * _weight(rare_size, 0)) if is_prompt else full)


def _weight(size: int, frequency: int) -> float:
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


def choosing_terms(asked: Question, frequencies: Mapping[str, int], size: int) -> tuple[str, ...]:
    """The terms worth asking the index for: those that stand somewhere, and in a large store not nearly everywhere."""
    known = [t for t in asked.terms if frequencies[t]]
    if size <= _LARGE_SIZE:
        return tuple(known)
    return tuple(t for t in known if frequencies[t] <= size * _COMMON_SHARE) or tuple(known)


def needed_terms(asked: Question, among: Sequence[str], floor: float) -> tuple[str, ...]:
    """The fewest, rarest terms of which a record must hold at least one to come above a floor."""
    left = sum(asked.weights[t] for t in among)
    needed = []
    for term in sorted(among, key=lambda t: (-asked.weights[t], t)):
        if left < floor * asked.full:
            break
        needed.append(term)
        left -= asked.weights[term]
    return tuple(needed)


def lexical(asked: Question, matched: Iterable[str], bm25: float | None, with_terms: Iterable[str]) -> float:
    """How much of the question's weight a record holds, times how fully it holds it; 0..1."""
    held = set(matched)
    if not held or not asked.full:
        return 0.0
    coverage = min(1.0, sum(asked.weights[t] for t in asked.terms if t in held) / asked.full)
    best = sum(_MOST_BM25 * asked.rarity[t] for t in with_terms if t in held)
    saturation = _USUAL_SATURATION if bm25 is None or not best else min(1.0, max(0.0, bm25 / best))
    return coverage * saturation


def relevance(lexical_part: float, semantic_part: float | None) -> float:
    """Both parts fused; without vectors the words alone."""
    return lexical_part if semantic_part is None else (1 - SEMANTIC_WEIGHT) * lexical_part + SEMANTIC_WEIGHT * semantic_part


def scored(candidate: Candidate, asked: Question, stand: Stand) -> Scored:
    """A candidate's score and the parts it is made of."""
    memory = candidate.memory
    words = lexical(asked, candidate.matched, candidate.bm25, candidate.asked)
    fused = relevance(words, candidate.semantic)
    where = matched_scope(memory, stand)
    factors = standing(memory, stand)
    parts = {"lexical": round(words, 4), "semantic": round(candidate.semantic or 0.0, 4), **factors}
    return Scored(memory, round(fused * math.prod(factors.values()), 4), fused, parts, where, candidate.matched)


def standing(memory: Memory, stand: Stand) -> dict[str, float]:
    """The factors that do not depend on what is asked."""
    return {
        "scope": _SCOPE_FACTORS[matched_scope(memory, stand)],
        "freshness": round(freshness(memory, stand.now, stand.half_life_days), 4),
        "confidence": round(_LEAST_CONFIDENCE + (1 - _LEAST_CONFIDENCE) * memory.confidence, 4),
        "trust": _TRUST_FACTORS[memory.trust],
    }


def strength(memory: Memory, stand: Stand) -> float:
    """How much a record deserves to be said when nothing is asked."""
    kind = _KIND_FACTORS.get(memory.kind, _OTHER_KIND)
    chosen = 1.0 if memory.always_load or memory.protected else 0.9
    return round(math.prod(standing(memory, stand).values()) * kind * chosen, 4)


def matched_scope(memory: Memory, stand: Stand) -> str:
    """Which part of the caller's surroundings a record belongs to."""
    place = stand.place
    if memory.scope in ("global", "agent", "session"):
        return memory.scope
    if memory.project_id == place.project_id:
        if memory.scope != "repo" or place.repo_id is None:
            return "project"
        return "repo" if memory.repo_id == place.repo_id else "other repo"
    return "linked project" if memory.project_id in stand.linked else "other project"


def freshness(memory: Memory, now: str, half_life_days: float) -> float:
    """1 for what lasts or is new, falling gently towards a floor; a record's own `decay_rate` is a share lost per day."""
    if memory.type in _LASTING or memory.protected:
        return 1.0
    rate = memory.decay_rate or (math.log(2) / half_life_days if memory.type in _DECAYING and half_life_days > 0 else 0.0)
    age = max(0.0, clock.days_between(memory.observed_at, now)) if rate else 0.0
    return _LEAST_FRESHNESS + (1 - _LEAST_FRESHNESS) * math.exp(-rate * age)


def ordered(items: Iterable[Scored]) -> list[Scored]:
    """Best first; equals by id."""
    return sorted(items, key=lambda item: (-item.score, item.memory.id))


def folded(items: Sequence[Scored]) -> tuple[list[Scored], dict[str, str]]:
    """The items without those that say what a better one says, and for each of these the id of the better one."""
    kept: list[tuple[Scored, frozenset[str]]] = []
    into: dict[str, str] = {}
    for item in items:
        words = frozenset(_WORD.findall(item.memory.content.casefold()))
        better = next((other for other, known in kept if _says_the_same(item, words, other, known)), None)
        if better is None:
            kept.append((item, words))
        else:
            into[item.memory.id] = better.memory.id
    return [item for item, _ in kept], into


def _says_the_same(a: Scored, words: frozenset[str], b: Scored, others: frozenset[str]) -> bool:
    """Whether one text only adds a few words to the other; a replaced word, a number or a denial makes it another statement."""
    if "contradicted" in (a.memory.status, b.memory.status):
        return False
    few, many = sorted((words, others), key=len)
    if len(few) < _SAME_WORDS * len(many) or not few <= many:
        return False
    difference = many - few
    return not any(word in _NEGATIONS or _TELLING.search(word) for word in difference)
