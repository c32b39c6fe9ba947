"""The full-text index.

It is derived from the records and written in the same transaction; it may be emptied and rebuilt at
any time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import islice

from memctl.core.frozen import dataclass, replace
from memctl.core.model import Memory
from memctl.store.database import Database, Row
from memctl.store.rows import to_json_array
from memctl.text import tokens

# The words in which every episode is told; they say nothing of what was done in it.
_FRAME = r"\b(?:Asked|Then|Done|Files): |\bEnded: [^.]*\.?$"
_TEXT_COLUMNS = "{title summary content extra}"
# Counting a frequent word in all of a large store would cost more than the search; the newest
# records tell it well enough.
_SAMPLE = 6_000  # records; chosen by hand
_RARE_IN_SAMPLE = 30  # records; a word in fewer of them is counted exactly; chosen by hand
_MATCHES_PER_RESULT = 4
# The fields of a record whose words are indexed.
INDEXED_FIELDS = (
    "title",
    "summary",
    "content",
    "rationale",
    "alternatives",
    "kind",
    "subject",
    "observed_at",
)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which records a lexical query may return.

    Empty sets and None mean no filter, except for `projects` and the private scopes. `projects` are
    the caller's own and those linked with it; records private to an agent or a session need
    `agent_id` or `session_id`. `now` leaves out what is not valid at that time.
    """

    statuses: tuple[str, ...] = ("active", "contradicted")
    types: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    agent_id: str | None = None
    session_id: str | None = None
    since: str | None = None
    min_confidence: float | None = None
    now: str | None = None

    def parameters(self) -> dict[str, str | float | None]:
        """Return the scope as statement parameters."""
        return {
            "statuses": to_json_array(self.statuses),
            "types": to_json_array(self.types),
            "kinds": to_json_array(self.kinds),
            "scopes": to_json_array(self.scopes),
            "since": self.since,
            "min_confidence": self.min_confidence,
            "now": self.now,
        }

    def is_narrow(self) -> bool:
        """Whether more is asked for than a location and living records."""
        return bool(self.types or self.kinds or self.scopes or self.since or self.min_confidence)

    def words(self) -> list[str]:
        """Return the scope keys of everything the caller may see."""
        words = [_GLOBAL, *map(_build_project_key, self.projects)]
        words += (
            [_build_private_key("a", self.agent_id, project) for project in ("", *self.projects)]
            if self.agent_id
            else []
        )
        return words + ([_build_private_key("s", self.session_id)] if self.session_id else [])

    def match(self) -> str:
        """Return the scope keys as an FTS5 column filter."""
        return f"place : ({' OR '.join(map(tokens.quote_term, self.words()))})"

    def sees(self, memory: Memory) -> bool:
        """Whether a record belongs to the caller's own location."""
        return compute_scope_key(memory) in self.words()

    def admits(self, memory: Memory) -> bool:
        """Whether a record passes the filters and is not private to others.

        Status and validity are not checked.
        """
        return self.refusal(memory) is None and (
            self.sees(memory) or memory.scope in ("project", "repo")
        )

    def refusal(self, memory: Memory) -> str | None:
        """Return the filter that a record fails, or None.

        `type`, `kind`, `scope`, `since` or `confidence`.
        """
        failed = {
            "type": self.types and memory.type not in self.types,
            "kind": self.kinds and memory.kind not in self.kinds,
            "scope": self.scopes and memory.scope not in self.scopes,
            "since": self.since is not None and memory.observed_at < self.since,
            "confidence": self.min_confidence is not None
            and memory.confidence < self.min_confidence,
        }
        return next((name for name, is_so in failed.items() if is_so), None)


def drop_entry(db: Database, n: int) -> None:
    """Remove the index entry with a number."""
    db.run("lexical.delete", n=n)


def put_entry(db: Database, n: int, memory: Memory, names: Iterable[str] = ()) -> None:
    """Index a record, replacing its entry."""
    db.run("lexical.delete", n=n)
    db.run("lexical.insert", n=n, **build_document(memory, names))


def build_document(memory: Memory, names: Iterable[str] = ()) -> dict[str, str]:
    """Return the analysed text of a record by index column.

    `extra` holds what is found by name, subject or date, `place` the scope key.
    """
    told = memory.type == "episode"
    about = () if told else (memory.kind, memory.subject)
    reasons = " ".join(filter(None, (memory.rationale, *memory.alternatives)))
    extra = " ".join(filter(None, (*about, memory.observed_at[:10], reasons, *names)))
    texts = {
        "title": memory.title,
        "summary": memory.summary,
        "content": memory.content,
        "extra": extra,
    }
    if told:
        texts = {column: strip_episode_frame(text) for column, text in texts.items()}
    return {
        **{column: tokens.build_index_text(text) for column, text in texts.items()},
        "place": compute_scope_key(memory),
    }


def has_same_words(a: Memory, b: Memory) -> bool:
    """Whether two states of a record are found by the same words."""
    return all(getattr(a, name) == getattr(b, name) for name in INDEXED_FIELDS)


def strip_episode_frame(text: str) -> str:
    """Return the text of an episode without the words that every episode contains."""
    return re.sub(_FRAME, " ", text)


def compute_scope_key(memory: Memory) -> str:
    """Return the one index word that says who may see a record.

    Its last digit keeps the stemmer away.
    """
    return _build_scope_key(memory.scope, memory.project_id, memory.agent_id, memory.session_id)


def compute_scope_key_of_row(row: Row) -> str:
    """Return the scope key of a row that has these four columns."""
    return _build_scope_key(row["scope"], row["project_id"], row["agent_id"], row["session_id"])


def _build_scope_key(
    scope: str, project_id: str | None, agent_id: str | None, session_id: str | None
) -> str:
    if scope == "agent":
        return _build_private_key("a", agent_id or "", project_id or "")
    if scope == "session":
        return _build_private_key("s", session_id or "")
    return _build_project_key(project_id) if project_id and scope != "global" else _GLOBAL


def score_visible(db: Database, terms: list[str], scope: Scope, limit: int) -> dict[int, float]:
    """Return BM25 by index number (higher is better) of the best matches visible from a
    location.
    """
    return _read_scores(db, terms, f"AND {scope.match()}", scope, limit, narrow=scope.is_narrow())


def score_other_projects(
    db: Database, terms: list[str], scope: Scope, limit: int
) -> dict[int, float]:
    """Return BM25 by index number of the best matches in projects outside the scope."""
    shared = tuple(name for name in ("project", "repo") if not scope.scopes or name in scope.scopes)
    wanted = replace(scope, scopes=shared)
    return (
        _read_scores(db, terms, f"NOT {scope.match()}", wanted, limit, narrow=scope.is_narrow())
        if shared
        else {}
    )


def score_record(db: Database, terms: list[str], n: int) -> float:
    """Return the BM25 of one record; 0 if it matches no term."""
    if not terms:
        return 0.0
    return float(db.value("lexical.one", match=_match_any(terms), n=n) or 0.0)


def read_texts(db: Database, numbers: Iterable[int]) -> dict[int, dict[str, str]]:
    """Return the analysed text of records by index number and column."""
    columns = ("title", "summary", "content", "extra")
    rows = db.all("lexical.texts", numbers=to_json_array(numbers) or "[]")
    return {row["n"]: {column: row[column] for column in columns} for row in rows}


def list_similar(db: Database, terms: list[str], memory: Memory, limit: int) -> list[Row]:
    """List living records of the same scope and project that share words with a record."""
    if not terms:
        return []
    place = {"scope": memory.scope, "project_id": memory.project_id, "agent_id": memory.agent_id}
    match = f"({_match_any(terms)}) AND place : {tokens.quote_term(compute_scope_key(memory))}"
    return db.all("lexical.similar", match=match, limit=limit, **place)


def count_frequencies(db: Database, terms: list[str]) -> dict[str, int]:
    """Count in how many records each term occurs.

    Exact for rare words; in a large store estimated from the newest records.
    """
    newest = int(db.value("lexical.newest"))
    after = max(0, newest - _SAMPLE)
    found = _count_term(db, terms, after)
    if not after:
        return found
    rare = [term for term, count in found.items() if count < _RARE_IN_SAMPLE]
    return {term: count * newest // _SAMPLE for term, count in found.items()} | _count_term(
        db, rare, 0
    )


def count_indexed(db: Database) -> int:
    """Count the indexed records; in a large store, all that ever were."""
    newest = int(db.value("lexical.newest"))
    return newest if newest > _SAMPLE else int(db.value("lexical.size"))


def _count_term(db: Database, terms: list[str], after: int) -> dict[str, int]:
    # In all columns: no word is also the word of a place, and looking where each stands takes
    # longer than counting.
    asked = [tokens.quote_term(term) for term in terms]
    rows = (
        db.all(
            "lexical.document_frequencies",
            matches=json.dumps(asked, ensure_ascii=False),
            after=after,
        )
        if terms
        else []
    )
    return {terms[row["place"]]: row["count"] for row in rows}


_GLOBAL = "g0"


def _build_project_key(project_id: str) -> str:
    return f"p{project_id.encode().hex()}0"


def _build_private_key(kind: str, *names: str) -> str:
    return f"{kind}{'x'.join(name.encode().hex() for name in names)}0"


def _match_any(terms: list[str]) -> str:
    return f"{_TEXT_COLUMNS} : ({tokens.build_match_expression(terms)})"


def _read_scores(
    db: Database, terms: list[str], place: str, scope: Scope, limit: int, *, narrow: bool
) -> dict[int, float]:
    if not terms:
        return {}
    match, filters = f"({_match_any(terms)}) {place}", scope.parameters()
    # Nearly every match passes the usual filters; of others nobody knows.
    most = -1 if narrow else _MATCHES_PER_RESULT * limit
    while True:
        rows = db.all("lexical.best", match=match, most=most, **filters)
        fitting = {row["n"]: row["score"] for row in rows if row["fits"]}
        if len(fitting) >= limit or len(rows) != most:
            return dict(islice(fitting.items(), limit))
        most *= _MATCHES_PER_RESULT
