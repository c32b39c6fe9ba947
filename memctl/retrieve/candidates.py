"""Which records may answer a question: asked of both indexes, by word and by sense, within the caller's place; then fetched once.

Whatever index named a record, one fetch brings it and one rule (`_stood`) decides whether it may be returned at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate

from memctl.core.frozen import dataclass, replace
from memctl.core.model import NO_SIGNALS, STATUSES, Memory, Query
from memctl.records import as_of as asof
from memctl.retrieve import query_embedding, score
from memctl.retrieve.query_embedding import Sense
from memctl.retrieve.score import Candidate, Question, Stand
from memctl.settings.config import Config
from memctl.store import context_records, feedback_signals, lexical, projects, records, semantic
from memctl.store.database import Db
from memctl.text import tokens

_FEWEST, _FEWEST_AT_PROMPT, _PER_RESULT, _ELSEWHERE = 24, 16, 3, 10
# Of the nearest vectors; more where a filter will drop most of them.
_FEWEST_NEAR, _NEAR_PER_RESULT, _NEAR_FILTERED = 16, 2, 200
# In all other projects, words that stand in more records than this together are not looked for: it would cost more than the rest.
_WIDEST = 5000
_ASKED_OUTRIGHT = 0.7


@dataclass(frozen=True, slots=True)
class Asked:
    """A query made ready: its terms with their worth, what the place may see, and the relevance that records must reach."""

    question: Question
    terms: tuple[str, ...]
    terms_elsewhere: tuple[str, ...]
    scope: lexical.Scope
    stand: Stand
    floor: float
    other_floor: float
    as_of: str | None
    sense: Sense | None = None
    flags: tuple[str, ...] = ()
    is_prompt: bool = False

    def is_known(self, at: str) -> bool:
        """Whether something of that time was there at the time asked for."""
        return self.as_of is None or at <= self.as_of


def prepare(
    db: Db,
    config: Config,
    query: Query,
    now: str,
    *,
    is_prompt: bool = False,
    used: Mapping[str, str] | None = None,
) -> Asked:
    """Terms, filters and thresholds of a query. Raises UsageError for what is no time. `used` says when some were last used by `now`."""
    as_of = asof.moment(query.as_of, end_of_day=True)
    where = query.place
    linked = projects.linked(db, where.project_id) if where.project_id else []
    rates = {
        type_: rate
        for type_, rate in config["decay.rates"].items()
        if type_ in config["decay.in_ranking"]
    }
    stand = Stand(where, frozenset(linked), as_of or now, rates, used or {})
    terms = tokens.query_terms(query.text)
    if is_prompt and all(map(tokens.is_common, terms)):
        terms, query = [], replace(query, text="")  # "Yes, go ahead" asks for nothing.
    size, frequencies = (lexical.size(db), lexical.frequencies(db, terms)) if terms else (0, {})
    common = [term for term in terms if is_prompt and tokens.is_common(term)]
    wholes = tokens.wholes(terms)
    question = score.question(terms, frequencies, size, common, is_prompt=is_prompt, wholes=wholes)
    floor = float(config["search.floor"]) * (1.0 if is_prompt else _ASKED_OUTRIGHT)
    other_floor = (
        floor if query.all_projects else max(floor, float(config["search.other_project_floor"]))
    )
    choosing = score.choosing_terms(question, frequencies, size, wholes)
    rare = _narrow(score.needed_terms(question, choosing, other_floor), frequencies)
    meant, flags = query_embedding.of(db, config, query.text, in_haste=is_prompt)
    return Asked(
        question,
        choosing,
        rare,
        _scope(query, linked, now, as_of),
        stand,
        floor,
        other_floor,
        as_of,
        meant,
        flags,
        is_prompt,
    )


def _narrow(rarest_first: tuple[str, ...], frequencies: Mapping[str, int]) -> tuple[str, ...]:
    sums = accumulate(frequencies[term] for term in rarest_first)
    return tuple(term for term, sum_ in zip(rarest_first, sums, strict=True) if sum_ <= _WIDEST)


def gather(db: Db, query: Query, asked: Asked) -> tuple[list[Candidate], list[Candidate]]:
    """The candidates of a query, in no order, at a past time as they were then; and those that match but were superseded."""
    terms = list(asked.terms)
    near = _near(db, query, asked)
    found: dict[int, tuple[float | None, tuple[str, ...]]] = dict.fromkeys(near, (None, ()))
    scope = replace(asked.scope, statuses=tuple({*asked.scope.statuses, "superseded"}))
    found |= {
        n: (bm25, asked.terms)
        for n, bm25 in lexical.here(db, terms, scope, most(query, asked)).items()
    }
    others = lexical.elsewhere(db, list(asked.terms_elsewhere), asked.scope, _ELSEWHERE)
    found |= {n: (bm25, asked.terms_elsewhere) for n, bm25 in others.items()}
    now = _made(db, asked, found, near)
    if asked.as_of is not None:
        return _then(db, query, asked, now), []
    standing = [c for c in now if _stood(c.memory, query, asked)]
    known = {c.memory.id for c in standing}
    return standing, [
        c
        for c in now
        if c.memory.status == "superseded"
        and c.memory.id not in known
        and asked.scope.sees(c.memory)
    ]


def _near(db: Db, query: Query, asked: Asked) -> dict[int, float]:
    """The cosines of the records nearest in sense, by index number: of the caller's own place, as in no other could sense alone suffice."""
    meant = asked.sense
    if meant is None or not meant.has_table:
        return {}
    narrow = query.types or query.kinds or query.scopes or query.since or query.min_confidence
    limit = _NEAR_FILTERED if narrow else max(_FEWEST_NEAR, _NEAR_PER_RESULT * query.limit)
    found = semantic.nearest(
        db, meant.vector, None if query.all_projects else asked.scope.words(), limit
    )
    least = score.least_sense(asked.floor)
    return {n: cosine for n, cosine in found.items() if score.semantic(cosine) >= least}


def _made(
    db: Db,
    asked: Asked,
    found: Mapping[int, tuple[float | None, tuple[str, ...]]],
    near: Mapping[int, float],
) -> list[Candidate]:
    """The candidates of these index numbers, each with the words it holds and its part in sense."""
    if not found:
        return []
    memories, texts = records.by_numbers(db, found), lexical.texts(db, found)
    vectors = semantic.vectors(db, asked.sense.model.id, found) if asked.sense else {}
    angles = semantic.Angles()
    # What is said of a record now was not known at an earlier time.
    known = feedback_signals.find_signals(db, memories.values()) if asked.as_of is None else {}
    return [
        Candidate(
            memory,
            matched(asked, texts.get(n, {})),
            bm25,
            with_,
            _part(asked, memory, vectors.get(n), near.get(n), angles),
            vectors.get(n),
            known.get(memory.id, NO_SIGNALS),
        )
        for n, (bm25, with_) in found.items()
        if (memory := memories.get(n)) is not None
    ]


def _part(
    asked: Asked,
    memory: Memory,
    vector: bytes | None,
    cosine: float | None,
    angles: semantic.Angles,
) -> float | None:
    """How near a record is in sense, 0..1; None where the model knows nothing of one of the two."""
    if (
        asked.sense is None
        or vector is None
        or not query_embedding.is_readable(memory.content, asked.sense.model)
    ):
        return None
    return score.semantic(
        cosine if cosine is not None else angles.between(asked.sense.vector, vector) or 0.0
    )


def single(db: Db, asked: Asked, memory: Memory) -> Candidate:
    """One record as a candidate, whatever its place and status."""
    n = records.number_of(db, memory.id)
    (made,) = _made(db, asked, {n: (lexical.score_of(db, list(asked.terms), n), asked.terms)}, {})
    return replace(made, memory=memory)


def linked(db: Db, query: Query, asked: Asked, ids: Iterable[str]) -> list[Candidate]:
    """Records that something found is linked with, as candidates by their links alone; only what this place may be given."""
    memories = records.by_ids(db, ids).values()
    states = (
        memories
        if asked.as_of is None
        else filter(None, (asof.replayed(db, memory, asked.as_of) for memory in memories))
    )
    stood = [memory for memory in states if _stood(memory, query, asked)]
    known = feedback_signals.find_signals(db, stood) if stood and asked.as_of is None else {}
    return [
        Candidate(memory, (), None, (), heard=known.get(memory.id, NO_SIGNALS)) for memory in stood
    ]


def most(query: Query, asked: Asked) -> int:
    """How many candidates of the caller's own place are looked at."""
    return max(_FEWEST_AT_PROMPT if asked.is_prompt else _FEWEST, _PER_RESULT * query.limit)


def matched(asked: Asked, text: Mapping[str, str]) -> tuple[str, ...]:
    """The terms of a query that an analysed record holds."""
    return tuple(tokens.found(list(asked.question.terms), "\n".join(text.values())))


def wanted_statuses(query: Query) -> tuple[str, ...]:
    """The statuses that a query may return."""
    return ("active", "contradicted", *query.include)


def _scope(query: Query, linked: list[str], now: str, as_of: str | None) -> lexical.Scope:
    where = query.place
    return lexical.Scope(
        statuses=wanted_statuses(query) if as_of is None else STATUSES,
        types=query.types,
        kinds=query.kinds,
        scopes=query.scopes,
        projects=tuple(filter(None, (where.project_id, *linked))),
        agent_id=where.agent_id,
        session_id=where.session_id,
        since=asof.moment(query.since),
        min_confidence=query.min_confidence,
        now=now if as_of is None else None,
    )


def _then(db: Db, query: Query, asked: Asked, now: list[Candidate]) -> list[Candidate]:
    """The candidates as they were at the time asked for, with those whose words were others then."""
    at = asked.as_of or asked.stand.now
    known = {candidate.memory.id: candidate for candidate in now}
    changed = records.by_ids(
        db, [i for i in context_records.changed_after(db, at) if i not in known]
    )
    others = [Candidate(memory, (), None, ()) for memory in changed.values()]
    past = (_at(db, asked, candidate, at) for candidate in (*now, *others))
    return [
        candidate
        for candidate in past
        if candidate and candidate.matched and _stood(candidate.memory, query, asked)
    ]


def _at(db: Db, asked: Asked, candidate: Candidate, at: str) -> Candidate | None:
    before = asof.replayed(db, candidate.memory, at)
    if before is None:
        return None
    if candidate.matched and asof.same_words(before, candidate.memory):
        return replace(candidate, memory=before)
    text = lexical.document(before)
    del text["place"]
    return Candidate(before, matched(asked, text), None, ())


def _stood(memory: Memory, query: Query, asked: Asked) -> bool:
    """Whether a record, as it was, may be returned at all."""
    return (
        memory.status in wanted_statuses(query)
        and is_valid(memory, asked.stand.now)
        and asked.scope.admits(memory)
    )


def is_valid(memory: Memory, now: str) -> bool:
    """Whether a record is within its time of validity."""
    return (memory.valid_from is None or memory.valid_from <= now) and (
        memory.valid_until is None or memory.valid_until > now
    )
