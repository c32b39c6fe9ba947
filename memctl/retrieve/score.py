"""What a record is worth for a question: the only place where scores are made. No I/O, no clock.

`relevance` says how well a record answers the words (and, with vectors, the sense) of a question, 0..1; a floor is held against it.
`score` is the relevance times factors for scope, freshness, confidence and trust (0..1) and for what was said of its use (around 1). Each
part only ever raises the score when it rises itself, and equal scores stand in the order of their ids. What becomes of the scored list
stands in `order.py`; what time and votes do to a record in `fading.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from memctl.core.frozen import dataclass, field, replace
from memctl.core.model import NO_SIGNALS, FeedbackSignals, Memory, Place
from memctl.retrieve import decay

SEMANTIC_WEIGHT = 0.3
_UNRELATED_COSINE, _SAME_COSINE = 0.1, 0.8
_LEAST_OF_FLOOR = 0.7
# BM25 gives a term at most (k1 + 1) times its rarity, with the k1 = 1.2 that FTS5 has built in.
_MOST_BM25 = 2.2
# In a small store hardly a word is rare; counting as if it were this large keeps what the question asks apart from what it mentions.
_LEAST_SIZE = 1000
# In a store of a few records the index calls no word rare; how the words compare is told as in one of this size.
_LEAST_TELLING_SIZE = 20
# A word that nearly every prompt holds says little, in whatever few records it stands.
_COMMON_WORD = 0.25
# A compound counts by its parts already.
_WHOLE = 0.3
# A prompt of nothing but such words ("yes, go ahead") asks for nothing: it is held against this many unknown words at least.
_LEAST_ASKED = 2.0
# A long prompt need not be matched in every word: the rarest eight are what it is about.
_TERMS_THAT_COUNT = 8
# How much the share of the words counts beside BM25 in a text of at most so many characters.
_SHARE_COUNTS, _SHORT_TEXT = 0.5, 300
# What a text that the index no longer holds is taken to reach of its best score.
_USUAL_SATURATION = 0.6
# In a large store, words that stand in more than this share of all records choose nothing and cost most.
_LARGE_SIZE, _COMMON_SHARE = 2000, 0.2
# FTS5 walks every posting of every word it is asked for: so many are looked at, of the rarest words first.
_MOST_POSTINGS = 200_000

# Words that no sense confirms must say more; where neither is clear, both together must be.
_WORDS_ALONE = 1.5
_CLEAR_WORDS, _CLEAR_SENSE, _UNCLEAR_FLOOR = 0.3, 0.36, 0.25
# By which factors of the parts the relevance is multiplied.
FACTORS = ("scope", "freshness", "confidence", "trust", "outcomes")
# What is linked with a hit of at least this relevance rises to a share of it.
STRONG = 0.3
_LIFTS: Mapping[str, float] = {"applies_to": 0.7, "supports": 0.6, "supersedes": 1.0}
LIFTING = ("applies_to", "supports")

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
_TRUST_FACTORS: Mapping[int, float] = {1: 0.76, 2: 0.88, 3: 0.94, 4: 0.97, 5: 1.0}
_LEAST_CONFIDENCE, _LEAST_FRESHNESS = 0.7, 0.6
# What a project cannot do without comes before what is good to know.
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
_OTHER_KIND = 0.85


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: its terms, how much each says (`weights`), the rarity that the index gives each, and what a full answer would have.

    `full` is its weight; `sway` is each term's part in the best BM25 that the question could reach.
    """

    terms: tuple[str, ...]
    weights: Mapping[str, float]
    rarity: Mapping[str, float]
    full: float
    sway: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Stand:
    """From where and when it is asked, and how fast what type of record fades. `used` says of some when they were last used by then."""

    place: Place
    linked: frozenset[str]
    now: str
    rates: Mapping[str, float]
    used: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that may answer. `bm25` was reached with the terms `asked`; it is None for a text that the index no longer holds.

    `semantic` is the part of sense, 0..1, or None where there are no vectors; `vector` is the record's own, packed; `heard` is what is
    known of it beside itself.
    """

    memory: Memory
    matched: tuple[str, ...]
    bm25: float | None
    asked: tuple[str, ...]
    semantic: float | None = None
    vector: bytes | None = None
    heard: FeedbackSignals = NO_SIGNALS


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its worth."""

    memory: Memory
    score: float
    relevance: float
    parts: Mapping[str, float]
    matched_scope: str
    matched: tuple[str, ...]
    vector: bytes | None = None
    lifted_by: str | None = None
    # Whether its sense was compared at all.
    sensed: bool = False


def question(
    terms: Sequence[str],
    frequencies: Mapping[str, int],
    size: int,
    common: Iterable[str] = (),
    *,
    is_prompt: bool = False,
    wholes: Iterable[str] = (),
) -> Question:
    """The terms with what each is worth, by the number of records that hold it among `size`; a prompt asks for more than its every word.

    `wholes` are the compounds whose parts are terms too: that a record has the whole is worth a little more than that it has all parts.
    """
    rare_size, plain, whole = max(size, _LEAST_SIZE), set(common), set(wholes)
    factors = {
        t: (_COMMON_WORD if t in plain else 1.0) * (_WHOLE if t in whole else 1.0) for t in terms
    }
    weights = {t: _weight(rare_size, frequencies[t]) * factors[t] for t in terms}
    rarity = {
        t: max(1e-6, math.log((size - frequencies[t] + 0.5) / (frequencies[t] + 0.5)))
        for t in terms
    }
    known = max(size, _LEAST_TELLING_SIZE)
    rare = {
        t: max(1e-6, math.log((known - frequencies[t] + 0.5) / (frequencies[t] + 0.5)))
        for t in terms
        if t not in whole
    }
    best, full = _most(rare.values()), _most(weights.values())
    sway = {t: value / best for t, value in rare.items()}
    return Question(
        tuple(terms),
        weights,
        rarity,
        max(full, _LEAST_ASKED * _weight(rare_size, 0)) if is_prompt else full,
        sway,
    )


def _most(values: Iterable[float]) -> float:
    return sum(sorted(values, reverse=True)[:_TERMS_THAT_COUNT])


def _weight(size: int, frequency: int) -> float:
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


def choosing_terms(
    asked: Question, frequencies: Mapping[str, int], size: int, wholes: Iterable[str] = ()
) -> tuple[str, ...]:
    """The terms worth asking the index for: those that stand somewhere; in a large store not nearly everywhere, and not too many in all."""
    whole = set(wholes)
    known = [t for t in asked.terms if frequencies[t] and t not in whole]
    if size <= _LARGE_SIZE:
        return tuple(known)
    spent = 0
    chosen: set[str] = set()
    for term in sorted(known, key=lambda t: (frequencies[t], t)):
        spent += frequencies[term]
        if chosen and (spent > _MOST_POSTINGS or frequencies[term] > size * _COMMON_SHARE):
            break
        chosen.add(term)
    return tuple(t for t in known if t in chosen)


def needed_terms(asked: Question, among: Sequence[str], floor: float) -> tuple[str, ...]:
    """The fewest, rarest terms of which a record must hold at least one to come above a floor by its words."""
    left = sum(asked.weights[t] for t in among)
    needed = []
    for term in sorted(among, key=lambda t: (-asked.weights[t], t)):
        # The words of a record are worth at most the root of the share that it holds.
        if left < floor * floor * asked.full:
            break
        needed.append(term)
        left -= asked.weights[term]
    return tuple(needed)


def lexical(
    asked: Question,
    matched: Iterable[str],
    bm25: float | None,
    with_terms: Iterable[str],
    length: int = 0,
) -> float:
    """How well a record answers a question's words, 0..1: the share of their weight that it holds, and its BM25 of the best there could be.

    The mean of both (geometric, so that neither stands alone). The share tells short records apart; the longer a text (`length` in
    characters), the less it says that a word stands in it, and the more BM25 counts.
    """
    held = set(matched)
    if not held or not asked.full:
        return 0.0
    coverage = min(1.0, sum(asked.weights[t] for t in asked.terms if t in held) / asked.full)
    asked_and_held = [t for t in with_terms or asked.terms if t in held]
    best = sum(_MOST_BM25 * asked.rarity[t] for t in asked_and_held)
    saturation = _USUAL_SATURATION if bm25 is None or not best else min(1.0, max(0.0, bm25 / best))
    reached = saturation * min(1.0, sum(asked.sway.get(t, 0.0) for t in asked_and_held))
    share = _SHARE_COUNTS * min(1.0, _SHORT_TEXT / max(1, length))
    return float(coverage**share * reached ** (1 - share))


def semantic(cosine: float) -> float:
    """The part of sense that a cosine stands for: nothing below what unrelated texts reach, everything at a restatement."""
    return min(1.0, max(0.0, (cosine - _UNRELATED_COSINE) / (_SAME_COSINE - _UNRELATED_COSINE)))


def least_sense(floor: float) -> float:
    """The part of sense below which a record that words did not find is not worth looking at: a few words more would not lift it."""
    return min(1.0, _LEAST_OF_FLOOR * floor / SEMANTIC_WEIGHT)


def relevance(lexical_part: float, semantic_part: float | None) -> float:
    """Both parts fused; without vectors the words alone."""
    return (
        lexical_part
        if semantic_part is None
        else (1 - SEMANTIC_WEIGHT) * lexical_part + SEMANTIC_WEIGHT * semantic_part
    )


def scored(candidate: Candidate, asked: Question, stand: Stand) -> Scored:
    """A candidate's score and the parts it is made of."""
    memory = candidate.memory
    words = lexical(asked, candidate.matched, candidate.bm25, candidate.asked, len(memory.content))
    fused = relevance(words, candidate.semantic)
    factors = standing(memory, stand, candidate.heard)
    parts = {"lexical": round(words, 4), "semantic": round(candidate.semantic or 0.0, 4), **factors}
    return Scored(
        memory,
        _worth(fused, parts),
        fused,
        parts,
        matched_scope(memory, stand),
        candidate.matched,
        candidate.vector,
        sensed=candidate.semantic is not None,
    )


def floor_for(item: Scored, floor: float, other_floor: float, *, is_prompt: bool) -> float:
    """The relevance that an item must reach: more in another project; at a prompt more where only words speak or nothing speaks clearly.

    Who searches has asked, and would rather see a weak result than none; who only prompts an agent has not.
    """
    if item.matched_scope == "other project" and other_floor > floor:
        return other_floor
    if item.lifted_by is None and not item.sensed:
        return min(1.0, floor * _WORDS_ALONE) if is_prompt else floor
    is_clear = (
        item.lifted_by is not None
        or item.parts["lexical"] >= _CLEAR_WORDS
        or item.parts["semantic"] >= _CLEAR_SENSE
    )
    return floor if is_clear or not is_prompt else max(floor, _UNCLEAR_FLOOR)


def lifted(item: Scored, hit: Scored, relation: str) -> Scored:
    """An item risen with a strong hit that it is linked with, or with any that it supersedes; an item as relevant by itself stays."""
    raised = _LIFTS[relation] * hit.relevance
    if raised <= item.relevance or (relation in LIFTING and hit.relevance < STRONG):
        return item
    parts = {**item.parts, "linked": round(raised, 4)}
    return replace(
        item, relevance=raised, score=_worth(raised, parts), parts=parts, lifted_by=hit.memory.id
    )


def beside(
    items: Iterable[Scored], neighbours: Mapping[str, Iterable[str]], share: float
) -> list[Scored]:
    """The items with a share of the relevance of the best of their neighbours, which were said just before or after them."""
    known = list(items)
    reached = {item.memory.id: item.relevance for item in known}
    risen = []
    for item in known:
        near = max(
            (reached.get(other, 0.0) for other in neighbours.get(item.memory.id, ())), default=0.0
        )
        parts = {**item.parts, "beside": round(share * near, 4)} if near else item.parts
        raised = item.relevance + share * near
        risen.append(
            replace(item, relevance=raised, score=_worth(raised, parts), parts=parts)
            if near
            else item
        )
    return risen


def _worth(relevance_: float, parts: Mapping[str, float]) -> float:
    return round(min(1.0, relevance_ * math.prod(parts.get(name, 1.0) for name in FACTORS)), 4)


def standing(memory: Memory, stand: Stand, heard: FeedbackSignals = NO_SIGNALS) -> dict[str, float]:
    """The factors that do not depend on what is asked."""
    left = decay.fade(memory, stand.now, stand.rates, stand.used.get(memory.id))
    said = (
        1.0 if heard is NO_SIGNALS else round(decay.verdict(heard, memory.trust, _TRUST_FACTORS), 4)
    )
    return {
        "scope": _SCOPE_FACTORS[matched_scope(memory, stand)],
        "freshness": round(_LEAST_FRESHNESS + (1 - _LEAST_FRESHNESS) * left, 4),
        "confidence": round(
            _LEAST_CONFIDENCE
            + (1 - _LEAST_CONFIDENCE) * memory.confidence * decay.kept(heard.missing_share),
            4,
        ),
        "trust": _TRUST_FACTORS[memory.trust],
        **({"outcomes": said} if said != 1.0 else {}),
    }


def strength(memory: Memory, stand: Stand, heard: FeedbackSignals = NO_SIGNALS) -> float:
    """How much a record deserves to be said when nothing is asked."""
    kind = _KIND_FACTORS.get(memory.kind, _OTHER_KIND)
    chosen = 1.0 if memory.always_load or memory.protected else 0.9
    return round(math.prod(standing(memory, stand, heard).values()) * kind * chosen, 4)


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
