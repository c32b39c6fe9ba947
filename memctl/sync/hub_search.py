"""Searching hubs for what this store does not hold, with the same scores and the same reasons.

The hub finds candidates, by all words, by some, and by meaning; they are scored here as records of
this store are. Two things differ, which the answer says: how rare a word is, is taken from this
store, and the share of a word in its text (BM25) is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memctl.core import clock
from memctl.core.errors import MemctlError, PlaceUnreachable
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Actor, Memory, Query
from memctl.core.typing_lite import TYPE_CHECKING, Any
from memctl.records.as_of import records_at
from memctl.results.records import RecordView
from memctl.results.retrieval import Hit, HubAnswer, SearchReport
from memctl.retrieve import order, score
from memctl.retrieve.prepared_query import PreparedQuery, list_wanted_statuses, prepare_query
from memctl.retrieve.score import ScoredRecord, SearchCandidate
from memctl.retrieve.search import describe_match
from memctl.retrieve.search_outcome import find_threshold
from memctl.settings.config import Config
from memctl.store import lexical, projects, records, sync_group, tombstones
from memctl.store.database import Database
from memctl.sync import hub_records, hub_rows, hub_statements, key_file
from memctl.sync.postgres_place import PostgresPlace, open_postgres
from memctl.sync.project_identity import ProjectClasses
from memctl.text import tokens
from memctl.text.normalize import normalise

if TYPE_CHECKING:
    from psycopg import Connection

# Candidates of each kind (by words, by meaning) for each result that is wanted, and at least.
_PER_RESULT = 5
_FEWEST = 50
# Records with the words that are ranked by them: more take longer than they are worth.
_LOOKED_AT = 5000
# Up to so many records that a member may see, all are compared with the meaning of a query.
_COMPARED = 20_000
# Letters of an id that are shown of a record that this store has no short name for.
_SHORT = 10
DIFFERENCE = (
    "ranked by the words that they hold and by their meaning, with the rarity of words as in this "
    "store; how often a word stands in a text does not count there"
)


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A record that a hub found, as it stands there."""

    stream: str
    member: str
    record: str
    tags: Sequence[str]
    body: Any
    cosine: float | None


def search_hubs(
    db: Database, config: Config, query: Query, report: SearchReport, actor: Actor
) -> SearchReport:
    """A local report with what the hubs of this store hold beside it. A hub that is away costs one
    line. Raises MissingExtra.
    """
    hubs = [each.name for each in sync_group.list_places(db) if each.kind == "postgres"]
    if not hubs:
        raise MemctlError(
            "this store meets others at no hub", hint="memctl sync postgresql://USER@HOST/DATABASE"
        )
    keys = key_file.load_keys(config)
    if keys is None:
        raise MemctlError("this store belongs to no group", hint="memctl sync join CODE")
    if report.period:
        query = replace(query, since=report.since, until=report.until)
    with db.snapshot():
        prepared = prepare_query(records_at(db, None), config, query, clock.now())
    found, answers = list[tuple[str, FoundRow]](), []
    for name in hubs:
        try:
            place = open_postgres(config, name, keys)
            try:
                rows = find_rows(place, db, prepared)
            finally:
                place.close()
        except PlaceUnreachable as error:
            answers.append(HubAnswer(name, 0, str(error)))
            continue
        found += [(name, row) for row in rows]
        answers.append(HubAnswer(name, 0, ranking=DIFFERENCE))
    with db.snapshot():
        # What other people say reaches an agent only where the operator lets it.
        sees_others = actor.is_operator or config["sync.others"] == "active"
        hits = [*_build_hits(db, prepared, found, keys.member, sees_others=sees_others)]
    return _merge(report, hits, answers, query.limit)


def find_rows(place: PostgresPlace, db: Database, prepared: PreparedQuery) -> list[FoundRow]:
    """What a hub has for a query, in no order."""
    query, terms = prepared.query, list(prepared.terms.terms)
    rare = list(prepared.index_terms) or terms
    vector = prepared.vector
    known = vector is not None and len(vector.vector) == hub_rows.DIMENSIONS
    told = {
        "all_words": " ".join(map(_quote, terms)),
        "some_words": " or ".join(map(_quote, rare)),
        "statuses": list(list_wanted_statuses(query)),
        "types": list(query.types) or None,
        "kinds": list(query.kinds) or None,
        "scopes": list(query.scopes) or None,
        "tags": list(query.tags) or None,
        "since": prepared.scope.since,
        "until": prepared.scope.until,
        "lowest": query.min_confidence,
        "moment": prepared.context.now,
        "looked": _LOOKED_AT,
        "compared": _COMPARED,
        "most": max(_FEWEST, _PER_RESULT * query.limit),
        "vector": hub_rows.write_vector(vector.vector) if vector and known else None,
        "model": vector.model.fingerprint if vector else None,
    }
    if place.state.vectors and told["vector"]:
        statement = hub_statements.compose("hub_records.find_by_both", vectors=place.state.vectors)
    else:
        statement = hub_statements.compose("hub_records.find_by_words")

    def ask(connection: Connection) -> list[FoundRow]:
        return [
            FoundRow(*row)
            for streams in _choose_streams(db, prepared)
            for row in connection.execute(statement, {**told, "streams": streams}).fetchall()
        ]

    return place.ask(ask)


def _build_hits(
    db: Database,
    prepared: PreparedQuery,
    found: Iterable[tuple[str, FoundRow]],
    member: str,
    *,
    sees_others: bool,
) -> Iterator[Hit]:
    """What of the found rows is told, with its reasons, best first."""
    names = projects.names(db)
    rows = {(row.record, row.member): (hub, row) for hub, row in found}
    told: dict[int, tuple[str, FoundRow]] = {}
    candidates = []
    classes = ProjectClasses(db)
    for hub, row in _list_foreign(db, rows.values()):
        is_own = row.member == member
        memory = _read_memory(classes, row, is_own) if is_own or sees_others else None
        if memory is not None:
            candidates.append(_build_candidate(prepared, memory, row.cosine))
            told[id(memory)] = hub, row
    scored = score.score_candidates(candidates, prepared.terms, prepared.context)
    for item in order.sort_by_score(scored):
        if item.relevance >= find_threshold(item, prepared):
            hub, row = told[id(item.memory)]
            name = names.get(item.memory.project_id or "")
            yield _build_hit(item, hub, row, name or hub_records.read_project_name(row.body))


def _list_foreign(
    db: Database, found: Iterable[tuple[str, FoundRow]]
) -> Iterator[tuple[str, FoundRow]]:
    """What this store neither holds nor has purged: of the others its own search tells."""
    rows = [*found]
    here = records.list_by_ids(db, {row.record for _, row in rows}, only_readable=True)
    for hub, row in rows:
        if row.record not in here and tombstones.find_of_memory(db, row.record) is None:
            yield hub, row


def _read_memory(classes: ProjectClasses, row: FoundRow, is_own: bool) -> Memory | None:
    there = hub_records.name_project(row.stream)
    here = (classes.find_here(there) or there) if there else None
    memory = hub_records.read_memory(row.stream, row.body, is_own=is_own, project_id=here)
    return memory if memory is not None and memory.id == row.record else None


def _build_candidate(
    prepared: PreparedQuery, memory: Memory, cosine: float | None
) -> SearchCandidate:
    text = lexical.build_document(memory)
    del text["place"]
    terms = list(prepared.terms.terms)
    matched = tuple(tokens.find_matching_terms(terms, "\n".join(text.values())))
    semantic = None if cosine is None else score.compute_semantic_part(cosine)
    return SearchCandidate(memory, matched, None, (), semantic)


def _build_hit(item: ScoredRecord, hub: str, row: FoundRow, project: str | None) -> Hit:
    memory = item.memory
    view = RecordView(memory, memory.id[:_SHORT], project if memory.project_id else None)
    return Hit(
        replace(view, tags=tuple(row.tags)),
        item.score,
        dict(item.parts),
        item.matched_scope,
        describe_match(item, view),
        round(item.relevance, 4),
        item.matched,
        hub=hub,
        member=row.member,
    )


def _merge(
    report: SearchReport, hits: Sequence[Hit], answers: Sequence[HubAnswer], limit: int
) -> SearchReport:
    """Both answers by score; what says the same as a record of this store is shown once."""
    said = {normalise(hit.record.memory.content) for hit in report.items}
    new = []
    for hit in hits:
        words = normalise(hit.record.memory.content)
        if words not in said:
            said.add(words)
            new.append(hit)
    both = sorted([*report.items, *new], key=lambda hit: (-hit.score, hit.hub is not None))[:limit]
    told = tuple(
        replace(answer, found=sum(hit.hub == answer.name for hit in both)) for answer in answers
    )
    return replace(report, items=tuple(both), hubs=told)


def _choose_streams(db: Database, prepared: PreparedQuery) -> Iterator[list[str] | None]:
    """Where to look: in the caller's project and those linked with it, then anywhere (None)."""
    project = prepared.query.place.project_id
    if project and not prepared.query.all_projects:
        classes = ProjectClasses(db)
        wanted = (project, *prepared.context.linked_projects)
        known = sorted({each for here in wanted for each in classes.list_ids(here)})
        yield [hub_records.EVERYWHERE, *map(hub_records.name_stream, known)]
    yield None


def _quote(term: str) -> str:
    return '"' + term.replace('"', " ") + '"'
