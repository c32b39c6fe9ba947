"""The full-text index: derived from the records, written in the same transaction, may be emptied and rebuilt at any time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memctl import analyse
from memctl.db import Db, Row
from memctl.model import Memory
from memctl.store.rows import array


@dataclass(frozen=True, slots=True)
class Scope:
    """Which records a lexical query may return; empty sets mean no filter."""

    statuses: tuple[str, ...] = ("active", "contradicted")
    types: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    agent_id: str | None = None
    session_id: str | None = None
    since: str | None = None

    def parameters(self) -> dict[str, str | None]:
        """The scope as statement parameters; no project at all is an empty list, not a missing filter."""
        return {
            "statuses": array(self.statuses),
            "types": array(self.types),
            "kinds": array(self.kinds),
            "projects": array(self.projects) or "[]",
            "agent_id": self.agent_id,
            "session_id": self.session_id,
            "since": self.since,
        }


def put(db: Db, n: int, memory: Memory, names: Iterable[str] = ()) -> None:
    """Index a record, replacing what the index held for it."""
    db.run("lexical.delete", n=n)
    db.run("lexical.insert", n=n, **document(memory, names))


def document(memory: Memory, names: Iterable[str] = ()) -> dict[str, str]:
    """The analysed text of a record by column; `extra` has what is asked for by name, subject or date."""
    reasons = " ".join(filter(None, (memory.rationale, *memory.alternatives)))
    extra = " ".join(filter(None, (memory.kind, memory.subject, memory.observed_at[:10], reasons, *names)))
    texts = {"title": memory.title, "summary": memory.summary, "content": memory.content, "extra": extra}
    return {column: analyse.index_text(text) for column, text in texts.items()}


def here(db: Db, terms: list[str], scope: Scope, limit: int) -> dict[int, float]:
    """BM25 by index number (higher is better) of the best matches that a place may see."""
    return _scores(db, "lexical.here", terms, scope, limit)


def elsewhere(db: Db, terms: list[str], scope: Scope, limit: int) -> dict[int, float]:
    """BM25 by index number of the best matches in all projects outside the scope."""
    return _scores(db, "lexical.elsewhere", terms, scope, limit)


def score_of(db: Db, terms: list[str], n: int) -> float:
    """BM25 of one record, 0 when it matches no term."""
    if not terms:
        return 0.0
    return float(db.value("lexical.one", match=analyse.match_expression(terms), n=n) or 0.0)


def similar_rows(db: Db, terms: list[str], memory: Memory, limit: int) -> list[Row]:
    """Living records of the same scope and project that share words with a record."""
    if not terms:
        return []
    place = {"scope": memory.scope, "project_id": memory.project_id, "agent_id": memory.agent_id}
    return db.all("lexical.similar", match=analyse.match_expression(terms), limit=limit, **place)


def frequencies(db: Db, terms: list[str]) -> dict[str, int]:
    """In how many records each term stands."""
    return {term: int(db.value("lexical.document_frequency", match=analyse.quoted(term))) for term in terms}


def size(db: Db) -> int:
    """How many records are indexed."""
    return int(db.value("lexical.size"))


def _scores(db: Db, statement: str, terms: list[str], scope: Scope, limit: int) -> dict[int, float]:
    if not terms:
        return {}
    rows = db.all(statement, match=analyse.match_expression(terms), limit=limit, **scope.parameters())
    return {row["n"]: row["score"] for row in rows}
