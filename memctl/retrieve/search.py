"""A search: candidates, scores, floor, near-duplicates folded, limit; then each result with its reasons, and one line for the log.

Everything is read from one snapshot; nothing is written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memctl import analyse, clock, spool
from memctl.config import Config
from memctl.data import asdict, dataclass
from memctl.db import Db
from memctl.model import Query
from memctl.results import Hit, RecordView, SearchReport
from memctl.retrieve import candidates, score
from memctl.retrieve.candidates import Asked
from memctl.retrieve.score import Scored
from memctl.views import by_id

NO_VECTORS = "no_vectors"
_LOGGED = 50
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


def search(db: Db, config: Config, query: Query, *, actor: str) -> SearchReport:
    """The best records for a query, each explained. Raises UsageError for a time that is none."""
    started = clock.now()
    with db.snapshot():
        outcome = run(db, config, query, started)
        served = "inbox" not in query.include
        found = hits(outcome, by_id(db, [item.memory for item in outcome.returned], at=outcome.asked.as_of, served=served))
    retrieval_id = clock.new_id()
    entry = log_entry(retrieval_id, "search", query, outcome, actor, started)
    spool.note_retrieval(db, entry, [hit.record.memory.id for hit in found])
    return SearchReport(query.text, retrieval_id, found, (NO_VECTORS,), outcome.asked.as_of)


def run(db: Db, config: Config, query: Query, now: str, *, is_prompt: bool = False) -> Outcome:
    """What a search finds and what it leaves, with scores; a prompt is held to say more than its words ask for."""
    asked = candidates.prepare(db, config, query, now, is_prompt=is_prompt)
    items = score.ordered(score.scored(candidate, asked.question, asked.stand) for candidate in candidates.gather(db, query, asked))
    reasons = {item.memory.id: "below_floor" for item in items if item.relevance < floor_of(item, asked)}
    kept, folded = score.folded([item for item in items if item.memory.id not in reasons])
    reasons |= dict.fromkeys(folded, "folded") | {item.memory.id: "beyond_limit" for item in kept[query.limit :]}
    return Outcome(asked, tuple(kept[: query.limit]), tuple(item for item in items if item.memory.id in reasons), reasons, folded)


def floor_of(item: Scored, asked: Asked) -> float:
    """The relevance that a record must reach: more, if it belongs to a project without a link to ours."""
    return asked.other_floor if item.matched_scope == "other project" else asked.floor


def hits(outcome: Outcome, seen: dict[str, RecordView]) -> tuple[Hit, ...]:
    """The returned records with their reasons."""
    return tuple(
        Hit(view, item.score, dict(item.parts), item.matched_scope, why(item, view))
        for item in outcome.returned
        for view in (seen[item.memory.id],)
    )


def why(item: Scored, view: RecordView) -> str:
    """One sentence on which words matched and where, whose record it is, how far it can be trusted and from when it is."""
    memory = item.memory
    home = f"another project ({view.project})" if item.matched_scope == "other project" and view.project else _WHOSE[item.matched_scope]
    quoted = ", ".join(f"'{word}'" for word in item.matched)
    doubts = f"; contradicted by {', '.join(view.contradicted_by)}" if view.contradicted_by else ""
    doubts += f"; {memory.status}" if memory.status not in ("active", "contradicted") else ""
    said = _SAID_BY[memory.trust]
    return f"matches {quoted} in its {_in_words(_places(item))}; from {home}; {said}, observed {memory.observed_at[:10]}{doubts}"


def log_entry(retrieval_id: str, command: str, query: Query, outcome: Outcome | None, actor: str, started: str) -> dict[str, Any]:
    """One line of the retrieval log; its keys are the table's columns."""
    ended = clock.now()
    filters = {key: value for key, value in asdict(query).items() if key != "text" and value not in (None, (), False)}
    considered = [*outcome.returned, *outcome.others][:_LOGGED] if outcome else []
    reasons = outcome.reasons if outcome else {}
    return {
        "id": retrieval_id, "command": command, "query": query.text, "filters": filters,
        "candidates": [_logged(item, reasons) for item in considered],
        "returned": [item.memory.id for item in outcome.returned] if outcome else [],
        "actor": actor, "flags": [NO_VECTORS], "duration_ms": max(0.0, (clock.parse(ended) - clock.parse(started)) * 1000), "at": ended,
    }  # fmt: skip


def _logged(item: Scored, reasons: dict[str, str]) -> dict[str, Any]:
    outcome = reasons.get(item.memory.id, "returned")
    return {"id": item.memory.id, "score": item.score, "parts": dict(item.parts), "scope": item.matched_scope, "outcome": outcome}


def _places(item: Scored) -> list[str]:
    """The fields that hold a matched word."""
    memory, terms = item.memory, list(item.matched)
    texts = {"title": memory.title, "summary": memory.summary, "content": memory.content, "reasons": memory.rationale or ""}
    held = [name for name, text in texts.items() if text and analyse.found(terms, analyse.index_text(text))]
    return held or ["kind, subject, date or names"]


def _in_words(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
