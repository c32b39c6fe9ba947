"""A search: query prepared, candidates, scores, links, threshold, duplicates folded, order, limit;
then each result with its reasons.

Everything is read from one snapshot; nothing is written but the log line, once the answer is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memctl.core import clock, timestamps
from memctl.core.frozen import replace
from memctl.core.model import Query
from memctl.core.typing_lite import Any
from memctl.records.as_of import records_at
from memctl.records.record_source import RecordSource
from memctl.records.views import build_views
from memctl.results.records import RecordView
from memctl.results.retrieval import Hit, SearchReport
from memctl.retrieve import candidates, link_boosts, order, score
from memctl.retrieve.prepared_query import PreparedQuery, prepare_query
from memctl.retrieve.score import ScoredRecord, SearchCandidate
from memctl.retrieve.search_outcome import SearchOutcome, build_log_entry, find_threshold
from memctl.settings.config import Config
from memctl.store import evidence, semantic, spool
from memctl.store.database import Database
from memctl.text import questions, tokens

# So many beyond the limit take part in the final order; chosen by hand.
_SPARE = 5
# So many of the best change places by what they say of one another; chosen by hand.
_REORDERED = 10
# From this semantic part on, a result is said to be semantically similar; chosen by hand.
_SIMILAR = 0.5
# Where the work was done that a context may tell of.
_OWN = ("project", "repo", "session", "agent")
_TRUST_SENTENCES = {
    5: "the operator said it",
    4: "the operator implied it",
    3: "a tool showed it",
    2: "an agent claims it",
    1: "a fetched text claims it",
}
_SCOPE_NAMES = {
    "global": "everywhere",
    "project": "this project",
    "repo": "this repo",
    "other repo": "another repo of this project",
    "linked project": "a linked project",
    "other project": "another project",
    "agent": "this agent's own notes",
    "session": "this session",
}


def search(
    db: Database, config: Config, query: Query, *, actor: str, explain: bool = False
) -> SearchReport:
    """The best records for a query, each with its reasons, and with `explain` what just missed.
    Raises UsageError for what is no time.
    """
    started = clock.now()
    source = records_at(db, query.as_of)
    with db.snapshot():
        outcome = run_search(source, config, query, started)
        returned = [item.memory for item in outcome.returned]
        views = build_views(source, returned, is_served="inbox" not in query.include)
        hits = build_hits(outcome, views)
        more = _explain(source, config, outcome) if explain else {}
    retrieval_id = clock.new_id()
    entry = build_log_entry(config, retrieval_id, "search", outcome, actor, started)
    spool.note_retrieval(db, entry, [memory.id for memory in returned])
    return SearchReport(query.text, retrieval_id, hits, outcome.flags, source.at, **more)


def run_search(
    source: RecordSource,
    config: Config,
    query: Query,
    now: str,
    *,
    prompt_setting: str | None = None,
    last_uses: Mapping[str, str] | None = None,
) -> SearchOutcome:
    """Run a search and return hits, rejected candidates and scores.

    Where the text is a prompt or a task, `prompt_setting` names the setting with the certainty
    that it calls for a record. For a repeated search `last_uses` says when records had last been
    used by `now`.
    """
    prepared = prepare_query(
        source, config, query, now, prompt_setting=prompt_setting, last_uses=last_uses
    )
    is_prompt = prepared.is_prompt
    found, superseded = candidates.find_candidates(source, prepared)
    prepared = replace(prepared, context=score.join_crowd(found, prepared.context))
    scored, newer_of = link_boosts.apply_links(
        source, prepared, _score(found, prepared), _score(superseded, prepared)
    )
    reasons = {
        item.memory.id: "below_floor"
        for item in scored
        if item.relevance < find_threshold(item, prepared)
    }
    if is_prompt:
        reasons |= dict.fromkeys(_list_foreign(scored), "other_project")
        if not questions.asks_of_past_work(query.text):
            reasons |= dict.fromkeys(_list_past_work(scored), "past_work")
    relevant = [item for item in scored if item.memory.id not in reasons]
    if prepared.margin:
        reasons |= dict.fromkeys(_list_far_below(relevant, prepared.margin), "far_below_best")
        relevant = [item for item in relevant if item.memory.id not in reasons]
    relevant = _boost_by_neighbours(source.db, float(config["search.neighbour_boost"]), relevant)
    similarity = _build_similarity()
    kept, folded = order.fold_duplicates(relevant, similarity, query.limit + _SPARE)
    kept = _arrange(kept, query.limit, newer_of, similarity, questions.asks_of_now(query.text))
    if is_prompt:
        kept = order.put_reviewed_first(kept)
    reasons |= dict.fromkeys(folded, "folded")
    reasons |= {item.memory.id: "beyond_limit" for item in kept[query.limit :]}
    latest = {item.memory.id: item for item in (*scored, *relevant)}
    others = tuple(item for memory_id, item in latest.items() if memory_id in reasons)
    returned = tuple(kept[: query.limit])
    flags = _list_flags(source.db, prepared, found)
    return SearchOutcome(prepared, returned, others, reasons, folded, flags)


def build_hits(outcome: SearchOutcome, views: Mapping[str, RecordView]) -> tuple[Hit, ...]:
    """The returned records with their reasons."""
    hits = []
    for item in outcome.returned:
        view = views[item.memory.id]
        hits.append(
            Hit(
                view,
                item.score,
                dict(item.parts),
                item.matched_scope,
                describe_match(item, view),
                round(item.relevance, 4),
                item.matched,
                item.boosted_by,
            )
        )
    return tuple(hits)


def describe_match(item: ScoredRecord, view: RecordView) -> str:
    """One sentence on what speaks for a record, whose it is, how far it can be trusted and from
    when it is.
    """
    memory = item.memory
    home = _SCOPE_NAMES[item.matched_scope]
    if item.matched_scope == "other project" and view.project:
        home = f"another project ({view.project})"
    parts = [
        _describe_reasons(item),
        f"from {home}",
        f"{_TRUST_SENTENCES[memory.trust]}, observed {timestamps.to_local_day(memory.observed_at)}",
    ]
    if view.contradicted_by:
        parts.append(f"contradicted by {', '.join(view.contradicted_by)}")
    if memory.status not in ("active", "contradicted"):
        parts.append(memory.status)
    return "; ".join(parts)


def _explain(source: RecordSource, config: Config, outcome: SearchOutcome) -> dict[str, Any]:
    """What only a report that explains has: the thresholds, and the best of what was not
    returned.
    """
    from memctl.retrieve import near_misses

    return {
        "thresholds": near_misses.list_thresholds(config, outcome.prepared),
        "near_misses": near_misses.list_near_misses(source, outcome),
    }


def _score(found: Sequence[SearchCandidate], prepared: PreparedQuery) -> list[ScoredRecord]:
    """The candidates with their scores, best first."""
    return order.sort_by_score(score.score_candidates(found, prepared.terms, prepared.context))


def _list_foreign(items: Iterable[ScoredRecord]) -> Iterator[str]:
    """The ids of what no agent is told unasked: records of projects that are not linked with the
    caller's, and what was done anywhere but in its own.
    """
    for item in items:
        is_elsewhere = item.matched_scope == "other project"
        if is_elsewhere or (item.memory.type == "episode" and item.matched_scope not in _OWN):
            yield item.memory.id


def _list_past_work(items: Iterable[ScoredRecord]) -> Iterator[str]:
    """The ids of what was done in sessions: it answers no question but for past work, and its words
    are those of whatever was asked then.
    """
    return (item.memory.id for item in items if item.memory.type == "episode")


def _list_far_below(items: Sequence[ScoredRecord], margin: float) -> Iterator[str]:
    """The ids of those that reach not even this share of the best one's relevance; what a link
    brought in belongs to what brought it.
    """
    best = max((item.relevance for item in items), default=0.0)
    for item in items:
        if item.relevance < margin * best and item.boosted_by is None:
            yield item.memory.id


def _boost_by_neighbours(
    db: Database, share: float, items: list[ScoredRecord]
) -> list[ScoredRecord]:
    """The items with a share of the relevance of those that were said just before or after them,
    best first.
    """
    if not share or len(items) < 2:
        return items
    neighbours = order.find_neighbours(
        evidence.list_locations(db, [item.memory.id for item in items])
    )
    return order.sort_by_score(score.boost_by_neighbours(items, neighbours, share))


def _arrange(
    kept: list[ScoredRecord],
    limit: int,
    newer_of: dict[str, list[str]],
    similarity: order.Similarity,
    asks_of_now: bool,
) -> list[ScoredRecord]:
    """The final order: what says something else before what repeats, and of one matter the
    current before the old.
    """
    end = min(limit, _REORDERED) + _SPARE
    varied = order.diversify(kept[:end], similarity)
    first, more = varied[:_REORDERED], varied[_REORDERED:]
    latest_first = order.put_latest_first(first, similarity, asks_of_now=asks_of_now)
    return [*order.put_current_first([*latest_first, *more], newer_of), *kept[end:]]


def _build_similarity() -> order.Similarity:
    """How similar two records are by their vectors; pairs are remembered, because they are asked
    about more than once.
    """
    angles, known = semantic.CosineCache(), dict[tuple[int, int], float | None]()

    def compare(a: ScoredRecord, b: ScoredRecord) -> float | None:
        first, second = sorted((id(a.vector), id(b.vector)))
        if (first, second) not in known:
            known[first, second] = angles.between(a.vector, b.vector)
        return known[first, second]

    return compare


def _list_flags(
    db: Database, prepared: PreparedQuery, found: Sequence[SearchCandidate]
) -> tuple[str, ...]:
    """What was off, and whether some of what was looked at has no vector yet."""
    is_pending = prepared.vector is not None and any(each.vector is None for each in found)
    off = {
        "vectors_pending": is_pending,
        "text_index_damaged": "text" in db.damaged_indexes,
        "vector_index_damaged": "vectors" in db.damaged_indexes,
    }
    return (*prepared.flags, *(flag for flag, is_so in off.items() if is_so))


def _describe_reasons(item: ScoredRecord) -> str:
    """What speaks for a record: its words, its meaning, or what it is linked with."""
    is_similar = item.parts["semantic"] >= _SIMILAR
    reasons = []
    if item.matched:
        quoted = ", ".join(f"'{word}'" for word in item.matched)
        similar = " and is semantically similar" if is_similar else ""
        reasons.append(
            f"matches {quoted} in its {_join_words(_list_matched_fields(item))}{similar}"
        )
    elif is_similar:
        reasons.append("is semantically similar")
    if item.boosted_by:
        reasons.append(f"is linked with {item.boosted_by}, which matches")
    return ", ".join(reasons) or "is somewhat similar semantically"


def _list_matched_fields(item: ScoredRecord) -> list[str]:
    """The fields that hold a matched word."""
    memory, terms = item.memory, list(item.matched)
    texts = {
        "title": memory.title,
        "summary": memory.summary,
        "content": memory.content,
        "reasons": memory.rationale or "",
    }
    names = [
        name
        for name, text in texts.items()
        if text and tokens.find_matching_terms(terms, tokens.build_index_text(text))
    ]
    return names or ["kind, subject, date or names"]


def _join_words(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
