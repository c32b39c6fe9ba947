"""The words of past conversations, found turn by turn. What is found is never told by itself.

The index says which turns hold a word; what it lacks is read from the turns. The words of a hit are
then looked for in its text, so a compound is found only as it is written, and what stands in
quotation marks only literally. Rare words count for more, as does a turn that holds more of the
words; among equals the newer one comes first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from math import log

from memctl.core import timestamps
from memctl.core.errors import StoreDamaged, UsageError
from memctl.core.frozen import dataclass, replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Actor, Place, Turn
from memctl.results.conversations import TurnHit, TurnSearchReport
from memctl.retrieve import asked_time, turn_visibility
from memctl.store import projects, turn_index
from memctl.store.context_records import shorten_among
from memctl.store.database import Database, Row
from memctl.text import tokens

# What was not searched, as flags of the report.
UNREAD = "turns_unread"
DAMAGED = "turn_index_damaged"
# Turns of conversations without an entry that one search reads at most: about a second. By hand.
_MOST_SCANNED = 20_000
# Turns of which the text is read for each result that is wanted, and at least. By hand.
_READ_PER_RESULT = 6
_LEAST_READ = 60
# What a tool printed, and what the system added, say less of what was discussed. By hand.
_WEIGHTS = {"tool": 0.6, "system": 0.6}
# How much a long text holds by chance: a turn of so many characters counts a half more or less.
_USUAL_LENGTH = 600
# Characters of a snippet, and how many of them stand before the first word. By hand.
_SNIPPET = 240
_BEFORE = 60
_LITERAL = compile_later(r'"([^"]{1,200})"|“([^”]{1,200})”|„([^“”]{1,200})[“”]')
# What may differ at the end of a word that is shown.
_ENDING = 3
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class TurnQuery:
    """What to look for and where; empty `roles` are all, `sessions_of` is an agent.

    `beside` is the share of its score that a turn gives to the turns just before and after it.
    """

    text: str
    place: Place
    all_projects: bool = False
    sessions_of: str | None = None
    since: str | None = None
    until: str | None = None
    roles: tuple[str, ...] = ()
    limit: int = 10
    beside: float = 0.0


@dataclass(frozen=True, slots=True)
class _Found:
    """A turn that may be a hit: its conversation, number, role, and what it holds, if known."""

    source_id: str
    turn: int
    role: str
    weight: float


def search_turns(
    db: Database, query: TurnQuery, viewer: Actor, *, period: str | None = None
) -> TurnSearchReport:
    """Find the turns that hold the words of a query, best first. Raises UsageError without words.

    Without words but with a `period` that the query named, its turns by people are listed.
    """
    literals = [next(filter(None, each)).casefold() for each in _LITERAL.findall(query.text)]
    terms = tokens.extract_query_terms(query.text) if query.text.strip() else []
    if not terms and not (query.since or query.until):
        raise UsageError("say which words to look for, or when: --since, --until")
    with db.snapshot():
        rows = list_readable(db, query, viewer)
        flags: list[str] = []
        if terms:
            found = _find_turns(db, query, rows, terms, flags)
            hits = _build_hits(db, query, rows, found, terms, literals)
        else:
            hits = _list_newest(db, query, rows)
        shorts = shorten_conversations(db, {hit.source_id for hit in hits})
        names = projects.names(db)
    told = tuple(_name_hit(hit, rows[hit.source_id], shorts, names) for hit in hits)
    return TurnSearchReport(
        query.text,
        told,
        len(rows),
        since=query.since,
        until=query.until,
        period=period,
        flags=tuple(flags),
    )


def search_in_time(db: Database, query: TurnQuery, viewer: Actor) -> TurnSearchReport:
    """Find turns, after the time in the question, if it names one, became a filter."""
    is_bound = query.since or query.until
    period = None if is_bound else asked_time.find_period(query.text)
    if period is None:
        return search_turns(db, query, viewer)
    text = "" if period.is_frame else period.rest
    bound = replace(query, text=text, since=period.since, until=period.until)
    return replace(search_turns(db, bound, viewer, period=period.words), query=query.text)


def shorten_conversations(db: Database, ids: Iterable[str]) -> dict[str, str]:
    """Return for each id of a conversation the shortest prefix that no other one shares."""
    return shorten_among(turn_index.list_neighbours(db, ids))


def list_readable(db: Database, query: TurnQuery, viewer: Actor) -> dict[str, Row]:
    """The conversations that may be searched, by id, newest first."""
    own = query.place.project_id
    # No turn holds everywhere: outside of a project the operator means all of them.
    is_everywhere = query.all_projects or (own is None and viewer.is_operator)
    reached = [own, *projects.linked(db, own)] if own else []
    rows = turn_index.list_conversations(
        db,
        projects=None if is_everywhere else reached,
        agent=query.sessions_of,
        since=query.since,
        until=query.until,
    )
    return {row["id"]: row for row in rows if turn_visibility.may_read(row, viewer, query.place)}


def _find_turns(
    db: Database,
    query: TurnQuery,
    rows: Mapping[str, Row],
    terms: Sequence[str],
    flags: list[str],
) -> list[_Found]:
    """The turns that may hold one of the terms, best first by the rarity of what they hold."""
    holding: dict[tuple[str, int, str], set[str]] = defaultdict(set)
    is_sound, indexed = not turn_index.is_outdated(db), dict[str, int]()
    if is_sound:
        try:
            entries = turn_index.read_entries(db)
            by_number = {n: source_id for source_id, (n, _) in entries.items() if source_id in rows}
            indexed = {source_id: many for source_id, (_, many) in entries.items()}
            for term in terms:
                for number in turn_index.list_holding(db, term):
                    place = turn_index.read_number(number)
                    if place.n in by_number:
                        key = (by_number[place.n], place.turn, place.role)
                        holding[key].add(term)
        except StoreDamaged:
            is_sound = False
            holding.clear()
            indexed.clear()
    if not is_sound:
        flags.append(DAMAGED)
    _scan_unindexed(db, rows, terms, holding, flags, indexed)
    counts: dict[str, int] = defaultdict(int)
    for held in holding.values():
        for term in held:
            counts[term] += 1
    total = sum(row["turn_count"] for row in rows.values()) or 1
    rarity = {term: log(1 + total / counts[term]) for term in counts}
    wanted = [
        _Found(source_id, turn, role, sum(rarity[term] for term in held) * _WEIGHTS.get(role, 1.0))
        for (source_id, turn, role), held in holding.items()
        if not query.roles or role in query.roles
    ]
    newest = {source_id: -place for place, source_id in enumerate(rows)}
    wanted.sort(key=lambda each: (each.weight, newest[each.source_id], each.turn), reverse=True)
    return wanted


def _scan_unindexed(
    db: Database,
    rows: Mapping[str, Row],
    terms: Sequence[str],
    holding: dict[tuple[str, int, str], set[str]],
    flags: list[str],
    indexed: Mapping[str, int],
) -> None:
    """Look through the turns that the index lacks, newest conversations first."""
    left = _MOST_SCANNED
    for source_id, row in rows.items():
        first = indexed.get(source_id, 0)
        if first >= row["turn_count"]:
            continue
        if left <= 0:
            flags.append(UNREAD)
            return
        for turn in turn_index.read_turns_after(db, source_id, first):
            left -= 1
            document = turn_index.build_document(turn)
            for term in tokens.find_matching_terms([*terms], document):
                holding[source_id, turn.seq, turn.role].add(term)


def _build_hits(
    db: Database,
    query: TurnQuery,
    rows: Mapping[str, Row],
    found: Sequence[_Found],
    terms: Sequence[str],
    literals: Sequence[str],
) -> list[TurnHit]:
    """The best of what was found, after a look at the texts."""
    most = (
        -1
        if literals or query.since or query.until
        else max(_LEAST_READ, _READ_PER_RESULT * query.limit)
    )
    read = found if most < 0 else found[:most]
    rarest = max((each.weight for each in read), default=1.0) or 1.0
    wanted: dict[str, list[_Found]] = defaultdict(list)
    for each in read:
        wanted[each.source_id].append(each)
    hits = []
    for source_id, group in wanted.items():
        turns = turn_index.read_some_turns(db, source_id, [each.turn for each in group])
        for each in group:
            turn = turns.get(each.turn)
            if turn is None or not _is_within(turn, rows[source_id], query):
                continue
            matched = tokens.find_matching_terms([*terms], turn_index.build_document(turn))
            if not matched or any(text not in turn.text.casefold() for text in literals):
                continue
            weight = each.weight / rarest * len(matched) / max(1, len(terms))
            score = weight / (1 + log(1 + len(turn.text) / _USUAL_LENGTH) / 2)
            hits.append(_build_hit(turn, rows[source_id], matched, round(score, 4)))
    hits = _raise_by_neighbours(hits, query.beside)
    newest = {source_id: -place for place, source_id in enumerate(rows)}
    hits.sort(key=lambda hit: (hit.score, newest[hit.source_id], hit.turn), reverse=True)
    return hits[: query.limit]


def _raise_by_neighbours(hits: Sequence[TurnHit], share: float) -> list[TurnHit]:
    """The hits with a share of the score of the better one of the turns beside them."""
    scores = {(hit.source_id, hit.turn): hit.score for hit in hits}
    return [
        replace(
            hit,
            score=round(
                hit.score
                + share
                * max(scores.get((hit.source_id, hit.turn + step), 0.0) for step in (-1, 1)),
                4,
            ),
        )
        for hit in hits
    ]


def _list_newest(db: Database, query: TurnQuery, rows: Mapping[str, Row]) -> list[TurnHit]:
    """What people said within the period, newest first."""
    roles = query.roles or ("human",)
    hits: list[TurnHit] = []
    for source_id, row in rows.items():
        said = [
            _build_hit(turn, row, [], 0.0)
            for turn in turn_index.read_turns_after(db, source_id, 0)
            if turn.role in roles and turn.text.strip() and _is_within(turn, row, query)
        ]
        hits.extend(reversed(said))
        if len(hits) >= query.limit:
            break
    return hits[: query.limit]


def _is_within(turn: Turn, row: Row, query: TurnQuery) -> bool:
    at = _find_time(turn, row)
    return (query.since is None or at >= query.since) and (query.until is None or at < query.until)


def _find_time(turn: Turn, row: Row) -> str:
    """When a turn was said, or its conversation began, in ISO 8601 UTC."""
    for text in filter(None, (turn.ts, row["began"], row["observed_at"])):
        with suppress(ValueError, OverflowError):
            return timestamps.format_iso(timestamps.parse_iso(text))
    return str(row["observed_at"])


def _build_hit(turn: Turn, row: Row, matched: Sequence[str], score: float) -> TurnHit:
    return TurnHit(
        row["id"],
        row["id"],
        turn.seq,
        turn.role,
        turn.kind,
        turn.speaker,
        row["agent"],
        row["session_id"],
        row["project_id"],
        _find_time(turn, row),
        cut_snippet(turn.text, matched),
        tuple(matched),
        score,
    )


def _name_hit(
    hit: TurnHit, row: Row, shorts: Mapping[str, str], names: Mapping[str, str]
) -> TurnHit:
    project = names.get(row["project_id"] or "")
    return replace(hit, short=shorts.get(hit.source_id, hit.source_id), project=project)


def cut_snippet(text: str, matched: Sequence[str]) -> str:
    """The piece of a text that holds most of some terms, on one line."""
    flat = " ".join(text.split())
    if len(flat) <= _SNIPPET:
        return flat
    places = sorted(
        place.start()
        for term in matched
        for word in tokens.split_term(term)[0]
        for place in re.finditer(
            re.escape(word[: max(_SHORTEST, len(word) - _ENDING)]), flat, re.IGNORECASE
        )
    )
    best = max(
        places,
        key=lambda start: sum(start <= other < start + _SNIPPET - _BEFORE for other in places),
        default=0,
    )
    start = max(0, min(best - _BEFORE, len(flat) - _SNIPPET))
    if start:
        start = flat.find(" ", start, start + _BEFORE) + 1 or start
    end = start + _SNIPPET
    return ("… " if start else "") + flat[start:end].strip() + (" …" if end < len(flat) else "")
