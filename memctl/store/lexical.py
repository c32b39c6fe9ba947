"""The full-text index.

It is derived from the records and written in the same transaction; it may be emptied and rebuilt at
any time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from itertools import islice

from memctl.core.errors import StoreDamaged
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Memory
from memctl.core.typing_lite import TYPE_CHECKING, TypeVar
from memctl.store.database import Database, IntegrityError, Row
from memctl.store.rows import to_json_array
from memctl.text import tokens

if TYPE_CHECKING:
    from memctl.store.lexical_repair import IndexGuard

T = TypeVar("T")
# The words in which every episode is told; they say nothing of what was done in it.
_FRAME = r"\b(?:Asked|Then|Done|Files): |\bEnded: [^.]*\.?$"
_TEXT_COLUMNS = "{title summary content extra}"
# Counting a frequent word in all of a large store would cost more than the search; the newest
# records tell it well enough.
_SAMPLE = 6_000  # records; chosen by hand
_RARE_IN_SAMPLE = 30  # records; a word in fewer of them is counted exactly; chosen by hand
_MATCHES_PER_RESULT = 4
# Without an index: how many of the newest records are looked at, how many of those that may match
# are read, how much of the end of a word may differ, and how much must be left. By hand.
_SCANNED = 20_000
_READ = 300
_ENDING = 2
_SHORTEST_PART = 3
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
    until: str | None = None
    repo_id: str | None = None

    def parameters(self) -> dict[str, str | float | None]:
        """Return the scope as statement parameters."""
        return {
            "statuses": to_json_array(self.statuses),
            "types": to_json_array(self.types),
            "kinds": to_json_array(self.kinds),
            "scopes": to_json_array(self.scopes),
            "since": self.since,
            "until": self.until,
            "repo_id": self.repo_id,
            "min_confidence": self.min_confidence,
            "now": self.now,
        }

    def is_narrow(self) -> bool:
        """Whether more is asked for than a location and living records."""
        of_time = self.since or self.until
        of_place = self.scopes or self.repo_id
        return bool(self.types or self.kinds or of_place or of_time or self.min_confidence)

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

        `type`, `kind`, `scope`, `since`, `until`, `repo` or `confidence`.
        """
        failed = {
            "type": self.types and memory.type not in self.types,
            "kind": self.kinds and memory.kind not in self.kinds,
            "scope": self.scopes and memory.scope not in self.scopes,
            "since": self.since is not None and memory.observed_at < self.since,
            "until": self.until is not None and memory.observed_at >= self.until,
            "repo": self.repo_id is not None and memory.repo_id != self.repo_id,
            "confidence": self.min_confidence is not None
            and memory.confidence < self.min_confidence,
        }
        return next((name for name, is_so in failed.items() if is_so), None)


def drop_entry(db: Database, n: int) -> None:
    """Remove the index entry with a number."""
    _guard_index(db).change(lambda: _delete_entry(db, n))


def put_entry(
    db: Database, n: int, memory: Memory, names: Iterable[str] = (), *, is_new: bool = False
) -> None:
    """Index a record, replacing its entry; a new record hardly ever has one.

    The first change of a transaction looks for it all the same: that reads the index, and finds
    damage which SQLite would else tell of in whatever statement comes next.
    """
    document = build_document(memory, names)
    guard = _guard_index(db)

    def write() -> None:
        if is_new and guard.has_changed:
            with suppress(IntegrityError):
                db.run("lexical.insert", n=n, **document)
                return
        _delete_entry(db, n)
        db.run("lexical.insert", n=n, **document)

    guard.change(write)


def _delete_entry(db: Database, n: int) -> None:
    db.run("lexical.delete", n=n)


def _guard_index(db: Database) -> IndexGuard:
    if db.index_guard is None:
        from memctl.store import lexical_repair  # here, because a search needs none of it

        db.index_guard = lexical_repair.IndexGuard(db)
    guard: IndexGuard = db.index_guard
    return guard


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
    # Title and summary of a short record are its content: one text is analysed once.
    analysed = {text: tokens.build_index_text(text) for text in {*texts.values()}}
    return {
        **{column: analysed[text] for column, text in texts.items()},
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


def score_standing(
    db: Database, terms: list[str], kinds: Iterable[str], scope: Scope, limit: int
) -> dict[int, float]:
    """Return BM25 by index number of the best matches visible from a location, of some kinds."""
    of_kind = " OR ".join(map(tokens.quote_term, kinds))
    place = f"AND extra : ({of_kind}) AND {scope.match()}"
    return _read_scores(db, terms, place, scope, limit, narrow=scope.is_narrow())


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
    match = _match_any(terms)
    return float(_ask(db, lambda: db.value("lexical.one", match=match, n=n), None) or 0.0)


def scan_words(db: Database, terms: list[str], scope: Scope, limit: int) -> dict[int, int]:
    """Return how many terms each record holds, by index number; the best of the newest records.

    It reads the records themselves, in place of an index that is damaged or not yet whole.
    """
    parts = [term.lower()[: max(_SHORTEST_PART, len(term) - _ENDING)] for term in terms]
    asked = {"parts": json.dumps(parts, ensure_ascii=False), "newest": _SCANNED, "most": _READ}
    found = dict[int, int]()
    for row in db.all("lexical.scan", **asked, **scope.parameters()) if terms else []:
        if compute_scope_key_of_row(row) in scope.words():
            text = tokens.build_index_text(row["text"])
            found[row["n"]] = len(tokens.find_matching_terms(terms, text))
    best = sorted((n for n in found if found[n]), key=lambda n: (-found[n], -n))
    return {n: found[n] for n in best[:limit]}


def read_texts(db: Database, numbers: Iterable[int]) -> dict[int, dict[str, str]]:
    """Return the analysed text of records by index number and column."""
    columns = ("title", "summary", "content", "extra")
    asked = to_json_array(numbers) or "[]"
    rows = _ask_rows(db, lambda: db.all("lexical.texts", numbers=asked))
    return {row["n"]: {column: row[column] for column in columns} for row in rows}


def list_similar(db: Database, terms: list[str], memory: Memory, limit: int) -> list[Row]:
    """List living records of the same scope and project that share words with a record."""
    if not terms:
        return []
    place = {"scope": memory.scope, "project_id": memory.project_id, "agent_id": memory.agent_id}
    match = f"({_match_any(terms)}) AND place : {tokens.quote_term(compute_scope_key(memory))}"
    return _ask_rows(db, lambda: db.all("lexical.similar", match=match, limit=limit, **place))


def list_holding(db: Database, term: str, scope_key: str, most: int) -> list[int]:
    """List the index numbers of living records of one scope key that hold a word, newest first.

    No more than `most`; episodes are left out.
    """
    match = f"({_match_any([term])}) AND place : {tokens.quote_term(scope_key)}"
    rows = _ask_rows(db, lambda: db.all("lexical.holding", match=match, most=most))
    return [row["n"] for row in rows]


def list_held_words(db: Database, stems: Iterable[str]) -> set[str] | None:
    """List those of some stems that any record holds; None where the index cannot say."""
    asked = to_json_array(stems)
    if asked is None:
        return set()
    from memctl.store import lexical_repair  # here, because a search needs none of it

    # Asked inside a write transaction, which a damaged index would take with it.
    if not lexical_repair.is_usable(db):
        db.damaged_indexes.add("text")
        return None
    try:
        db.run("lexical.open_words")
        return {row["term"] for row in db.all("lexical.held_words", stems=asked)}
    except StoreDamaged:
        db.damaged_indexes.add("text")
        return None


def count_frequencies(db: Database, terms: list[str]) -> dict[str, int]:
    """Count in how many records each term occurs.

    Exact for rare words; in a large store estimated from the newest records.
    """
    newest = _find_newest(db)
    after = max(0, newest - _SAMPLE)
    found = _count_term(db, terms, after)
    if not after:
        return found
    rare = [term for term, count in found.items() if count < _RARE_IN_SAMPLE]
    return {term: count * newest // _SAMPLE for term, count in found.items()} | _count_term(
        db, rare, 0
    )


def count_terms(db: Database, terms: list[str]) -> tuple[int, dict[str, int]]:
    """Count the indexed records, and in how many of them each term occurs.

    A damaged index may find more than it counts.
    """
    frequencies = count_frequencies(db, terms)
    if terms and not any(frequencies.values()):
        from memctl.store import lexical_repair  # here, because hardly a search needs it

        if not lexical_repair.is_usable(db):
            db.damaged_indexes.add("text")
    return max(count_indexed(db), *frequencies.values()), frequencies


def count_indexed(db: Database) -> int:
    """Count the indexed records; in a large store, all that ever were."""
    newest = _find_newest(db)
    return newest if newest > _SAMPLE else int(_ask(db, lambda: db.value("lexical.size"), 0))


def _find_newest(db: Database) -> int:
    """Return the highest number in the index; note if it is being made anew."""
    row = _ask(db, lambda: db.one("lexical.newest"), None)
    if row is None:
        return 0
    if row["incomplete"]:
        db.damaged_indexes.add("text")
    return int(row["newest"])


def _ask_rows(db: Database, read: Callable[[], list[Row]]) -> list[Row]:
    return _ask(db, read, list[Row]())


def _ask(db: Database, read: Callable[[], T], otherwise: T) -> T:
    """Read from the index; a damaged one is noted and says `otherwise`."""
    try:
        return read()
    except StoreDamaged:
        db.damaged_indexes.add("text")
        return otherwise


def _count_term(db: Database, terms: list[str], after: int) -> dict[str, int]:
    # In all columns: no word is also the word of a place, and looking where each stands takes
    # longer than counting.
    asked = [tokens.quote_term(term) for term in terms]
    matches = json.dumps(asked, ensure_ascii=False)
    rows = (
        _ask_rows(
            db,
            lambda: db.all("lexical.document_frequencies", matches=matches, after=after),
        )
        if terms
        else []
    )
    return dict.fromkeys(terms, 0) | {terms[row["place"]]: row["count"] for row in rows}


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
        rows = _ask_rows(db, partial(db.all, "lexical.best", match=match, most=most, **filters))
        fitting = {row["n"]: row["score"] for row in rows if row["fits"]}
        if len(fitting) >= limit or len(rows) != most:
            return dict(islice(fitting.items(), limit))
        most *= _MATCHES_PER_RESULT
