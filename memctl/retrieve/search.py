"""A search: candidates, scores, links, floor, near-duplicates folded, order, limit; then each result with its reasons, and a log line.

Everything is read from one snapshot; nothing is written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memctl.core import clock, timestamps
from memctl.core.frozen import asdict, dataclass
from memctl.core.model import Memory, Query
from memctl.core.typing_lite import Any
from memctl.records.views import by_id
from memctl.results.records import RecordView
from memctl.results.retrieval import Hit, SearchReport
from memctl.retrieve import candidates, decay, link_boosts, order, score
from memctl.retrieve.candidates import Asked
from memctl.retrieve.query_embedding import NO_VECTORS
from memctl.retrieve.score import Candidate, Scored
from memctl.settings.config import Config
from memctl.store import evidence, semantic, spool
from memctl.store.database import Db
from memctl.text import tokens

__all__ = ["NO_VECTORS"]
_LOGGED = 30
# So many beyond the limit take part in the final order.
_SPARE = 5
# So many of the best change places by what they say of one another.
_AT_STAKE = 10
_TELLING_SENSE = 0.5
_SAID_BY = {
    5: "the operator said it",
    4: "the operator implied it",
    3: "a tool showed it",
    2: "an agent claims it",
    1: "a fetched text claims it",
}
_WHOSE = {
    "global": "everywhere",
    "project": "this project",
    "repo": "this repo",
    "other repo": "another repo of this project",
    "linked project": "a linked project",
    "other project": "another project",
    "agent": "this agent's own notes",
    "session": "this session",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """Every candidate of a search and what became of it: returned, or by id why not (`below_floor`, `beyond_limit`, `folded`)."""

    asked: Asked
    returned: tuple[Scored, ...]
    others: tuple[Scored, ...]
    reasons: dict[str, str]
    folded: dict[str, str]
    flags: tuple[str, ...] = ()


def search(
    db: Db, config: Config, query: Query, *, actor: str, explain: bool = False
) -> SearchReport:
    """The best records for a query, each with its reasons, and with `explain` what just missed. Raises UsageError for no time."""
    started = clock.now()
    with db.snapshot():
        outcome = run(db, config, query, started)
        served = "inbox" not in query.include
        found = hits(
            outcome,
            by_id(
                db,
                [item.memory for item in outcome.returned],
                at=outcome.asked.as_of,
                served=served,
            ),
        )
        more = _explained(db, config, outcome) if explain else {}
    retrieval_id = clock.new_id()
    entry = log_entry(config, retrieval_id, "search", query, outcome, actor, started)
    spool.note_retrieval(db, entry, [hit.record.memory.id for hit in found])
    return SearchReport(query.text, retrieval_id, found, outcome.flags, outcome.asked.as_of, **more)


def _explained(db: Db, config: Config, outcome: Outcome) -> dict[str, Any]:
    """What a report has for the curious only: the thresholds, and the best of what was not returned."""
    from memctl.retrieve import near_misses

    return {
        "thresholds": near_misses.thresholds(config, outcome.asked),
        "near_misses": near_misses.near_misses(db, outcome),
    }


def run(
    db: Db,
    config: Config,
    query: Query,
    now: str,
    *,
    is_prompt: bool = False,
    used: Mapping[str, str] | None = None,
) -> Outcome:
    """What a search finds and what it leaves, with scores; a prompt is held to say more than its words ask for.

    Asked again later, `used` says when records had last been used by `now`.
    """
    asked = candidates.prepare(db, config, query, now, is_prompt=is_prompt, used=used)
    found, replaced = candidates.gather(db, query, asked)
    known, olds = (
        order.ordered(score.scored(each, asked.question, asked.stand) for each in some)
        for some in (found, replaced)
    )
    items, newer_of = link_boosts.followed(db, query, asked, known, olds)
    likeness = _likeness()
    reasons = {
        item.memory.id: "below_floor" for item in items if item.relevance < floor_of(item, asked)
    }
    above = _beside(
        db,
        float(config["search.neighbours"]),
        [item for item in items if item.memory.id not in reasons],
    )
    kept, folded = order.folded(above, likeness, query.limit + _SPARE)
    kept = _arranged(kept, query.limit, newer_of, likeness, tokens.asks_of_now(query.text))
    reasons |= dict.fromkeys(folded, "folded") | {
        item.memory.id: "beyond_limit" for item in kept[query.limit :]
    }
    now_known = {item.memory.id: item for item in (*items, *above)}
    others = tuple(item for memory_id, item in now_known.items() if memory_id in reasons)
    return Outcome(asked, tuple(kept[: query.limit]), others, reasons, folded, _flags(asked, found))


def _beside(db: Db, share: float, items: list[Scored]) -> list[Scored]:
    """The items with a share of the relevance of those that were said just before or after them, best first."""
    if not share or len(items) < 2:
        return items
    return order.ordered(
        score.beside(
            items, order.neighbours(evidence.places(db, [item.memory.id for item in items])), share
        )
    )


def _arranged(
    kept: list[Scored],
    limit: int,
    newer_of: dict[str, list[str]],
    likeness: order.Likeness,
    asks_of_now: bool,
) -> list[Scored]:
    """The final order: what says something else before what repeats, and in one matter the current before the old."""
    head, rest = kept[: min(limit, _AT_STAKE) + _SPARE], kept[min(limit, _AT_STAKE) + _SPARE :]
    varied = order.diverse(head, likeness)
    first, more = varied[:_AT_STAKE], varied[_AT_STAKE:]
    return [
        *order.current_first(
            [*order.latest_first(first, likeness, asks_of_now=asks_of_now), *more], newer_of
        ),
        *rest,
    ]


def _likeness() -> order.Likeness:
    """How alike two records are by their vectors; a pair is asked about more than once."""
    angles, known = semantic.Angles(), dict[tuple[int, int], float | None]()

    def likeness(a: Scored, b: Scored) -> float | None:
        pair = (
            (id(a.vector), id(b.vector))
            if id(a.vector) < id(b.vector)
            else (id(b.vector), id(a.vector))
        )
        if pair not in known:
            known[pair] = angles.between(a.vector, b.vector)
        return known[pair]

    return likeness


def _flags(asked: Asked, found: Sequence[Candidate]) -> tuple[str, ...]:
    """What was off, and whether some of what was looked at has no vector yet."""
    pending = asked.sense is not None and any(candidate.vector is None for candidate in found)
    return (*asked.flags, "vectors_pending") if pending else asked.flags


def floor_of(item: Scored, asked: Asked) -> float:
    """The relevance that a record must reach to be returned."""
    return score.floor_for(item, asked.floor, asked.other_floor, is_prompt=asked.is_prompt)


def hits(outcome: Outcome, seen: dict[str, RecordView]) -> tuple[Hit, ...]:
    """The returned records with their reasons."""
    return tuple(
        Hit(
            view,
            item.score,
            dict(item.parts),
            item.matched_scope,
            why(item, view),
            round(item.relevance, 4),
            item.matched,
            item.lifted_by,
        )
        for item in outcome.returned
        for view in (seen[item.memory.id],)
    )


def why(item: Scored, view: RecordView) -> str:
    """One sentence on which words matched and where, whose record it is, how far it can be trusted and from when it is."""
    memory = item.memory
    home = (
        f"another project ({view.project})"
        if item.matched_scope == "other project" and view.project
        else _WHOSE[item.matched_scope]
    )
    quoted = ", ".join(f"'{word}'" for word in item.matched)
    doubts = f"; contradicted by {', '.join(view.contradicted_by)}" if view.contradicted_by else ""
    doubts += f"; {memory.status}" if memory.status not in ("active", "contradicted") else ""
    said = _SAID_BY[memory.trust]
    return (
        f"{_reason(item, quoted)}; from {home}; {said}, observed {memory.observed_at[:10]}{doubts}"
    )


def _reason(item: Scored, quoted: str) -> str:
    """What speaks for a record: its words, its sense, or what it is linked with."""
    words = f"matches {quoted} in its {_in_words(_places(item))}" if quoted else ""
    meaning = item.parts["semantic"] >= _TELLING_SENSE
    sense = ("and means much the same" if words else "means much the same") if meaning else ""
    link = f"is linked with {item.lifted_by}, which matches" if item.lifted_by else ""
    return (
        ", ".join(filter(None, (" ".join(filter(None, (words, sense))), link)))
        or "is near in sense"
    )


def log_entry(
    config: Config,
    retrieval_id: str,
    command: str,
    query: Query,
    outcome: Outcome,
    actor: str,
    started: str,
) -> dict[str, Any]:
    """One line of the retrieval log; its keys are the table's columns. The filters hold under `run` what a replay needs besides."""
    ended = clock.now()
    returned = [item.memory for item in outcome.returned]
    filters = {
        key: value
        for key, value in asdict(query).items()
        if key != "text" and value not in ((), None) and value is not False
    }
    return {
        "id": retrieval_id,
        "command": command,
        "query": query.text,
        "filters": {
            **filters,
            "run": {**run_of(config, outcome.asked, started), **uses(returned, outcome.asked)},
        },
        "candidates": considered(outcome),
        "returned": [memory.id for memory in returned],
        "actor": actor,
        "session_id": query.place.session_id,
        "flags": list(outcome.flags),
        "duration_ms": max(
            0.0, (timestamps.parse_iso(ended) - timestamps.parse_iso(started)) * 1000
        ),
        "at": ended,
    }


def run_of(config: Config, asked: Asked, started: str) -> dict[str, Any]:
    """What a retrieval depended on beside the records and its own words: its moment, thresholds, settings of scores, and model."""
    model = asked.sense.model if asked.sense else None
    rates = {name: rate for name, rate in asked.stand.rates.items() if rate}
    return {
        "now": started,
        "floor": asked.floor,
        "other_project_floor": asked.other_floor,
        "rates": rates,
        "neighbours": config.values.get("search.neighbours"),
        "model": model.name if model else None,
        "fingerprint": model.fingerprint if model else None,
    }


def uses(memories: Iterable[Memory], asked: Asked) -> dict[str, dict[str, str]]:
    """When fading records that are about to be used again were last used: asked again later, nothing else could tell."""
    fading_ = (
        memory
        for memory in memories
        if memory.last_accessed_at and decay.rate_of(memory, asked.stand.rates)
    )
    used = {memory.id: memory.last_accessed_at for memory in fading_ if memory.last_accessed_at}
    return {"used": used} if used else {}


def considered(outcome: Outcome) -> list[dict[str, Any]]:
    """The candidates as a log line has them, best first."""
    return [_logged(item, outcome) for item in (*outcome.returned, *outcome.others)[:_LOGGED]]


def _logged(item: Scored, outcome: Outcome) -> dict[str, Any]:
    memory_id = item.memory.id
    became = outcome.reasons.get(memory_id, "returned")
    entry = {
        "id": memory_id,
        "score": item.score,
        "relevance": round(item.relevance, 4),
        "parts": dict(item.parts),
        "scope": item.matched_scope,
        "outcome": became,
    }
    # Most candidates are below the floor, and every prompt leaves a line: their words are not worth the room.
    matched = list(item.matched) if became != "below_floor" else None
    more = {"matched": matched, "lifted_by": item.lifted_by, "into": outcome.folded.get(memory_id)}
    return entry | {name: value for name, value in more.items() if value}


def _places(item: Scored) -> list[str]:
    """The fields that hold a matched word."""
    memory, terms = item.memory, list(item.matched)
    texts = {
        "title": memory.title,
        "summary": memory.summary,
        "content": memory.content,
        "reasons": memory.rationale or "",
    }
    held = [
        name
        for name, text in texts.items()
        if text and tokens.found(terms, tokens.index_text(text))
    ]
    return held or ["kind, subject, date or names"]


def _in_words(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
