"""Captured conversations to read: which there are, their redacted turns, what quotes each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from memctl.core.errors import NotFound, RefusedByPolicy
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Actor, Place, Turn
from memctl.results.conversations import (
    ConversationItem,
    ConversationList,
    ConversationTurn,
    ConversationView,
    TurnQuote,
)
from memctl.retrieve import turn_search, turn_visibility
from memctl.store import context_records, projects, queue, sources, turn_index
from memctl.store.database import Database, Row

# Characters of what a tool was given or printed, unless the whole text is asked for. By hand.
_TOOL_TEXT = 400
# Characters of a quote beside its turn. By hand.
_QUOTE = 120


@dataclass(frozen=True, slots=True)
class TurnRange:
    """Which turns: those around one, or so many from an offset; `is_whole` leaves no text out."""

    turn: int | None = None
    around: int = 2
    offset: int = 0
    limit: int = 100
    is_whole: bool = False


def list_conversations(
    db: Database,
    viewer: Actor,
    place: Place,
    *,
    all_projects: bool,
    agent: str | None = None,
    since: str | None = None,
    limit: int = 20,
    offset: int = 0,
) -> ConversationList:
    """List the captured conversations that the viewer may read, newest first."""
    query = turn_search.TurnQuery(
        "", place, all_projects=all_projects, sessions_of=agent, since=since
    )
    with db.snapshot():
        rows = [*turn_search.list_readable(db, query, viewer).values()]
        shown = rows[offset:] if limit < 0 else rows[offset : offset + limit]
        return ConversationList(tuple(build_items(db, shown)), len(rows))


def build_items(db: Database, rows: Sequence[Row]) -> list[ConversationItem]:
    """Describe conversations, rows of `turn_index.list_conversations`."""
    ids = [row["id"] for row in rows]
    shorts = turn_search.shorten_conversations(db, ids)
    quoting, names = turn_index.count_quoting(db, ids), projects.names(db)
    return [
        ConversationItem(
            row["id"],
            shorts.get(row["id"]) or str(row["id"]),
            row["agent"],
            row["session_id"],
            row["kind"],
            row["format"],
            names.get(row["project_id"] or ""),
            row["title"],
            row["turn_count"],
            quoting.get(row["id"], 0),
            row["started_at"],
            row["ended_at"],
            row["observed_at"],
        )
        for row in rows
    ]


def show_conversation(
    db: Database, some_id: str, viewer: Actor, place: Place, wanted: TurnRange
) -> ConversationView:
    """Show turns of one conversation, by its id, that of its capture, or its session.

    Raises NotFound, also for a turn that it does not have; RefusedByPolicy for what is private to
    somebody else.
    """
    with db.snapshot():
        source_id = find_source_id(db, some_id)
        row = turn_index.find_conversation(db, source_id)
        assert row is not None
        if not turn_visibility.may_read(row, viewer, place):
            raise RefusedByPolicy(f"the conversation {source_id} is private to somebody else")
        (item,) = build_items(db, [row])
        turns = sources.read_turns(db, source_id)
        quotes = _read_quotes(db, source_id, viewer, place)
    chosen, next_turn = _choose_turns(item, turns, wanted)
    return ConversationView(
        item,
        tuple(_build_turn(turn, quotes.get(turn.seq, ()), wanted) for turn in chosen),
        damaged=max(0, item.turns - len(turns)),
        next_turn=next_turn,
    )


def find_source_id(db: Database, some_id: str) -> str:
    """Find a conversation by its id or a prefix, by its capture's, or by its session.

    Raises NotFound.
    """
    try:
        return sources.resolve_source(db, some_id).id
    except NotFound as error:
        job = queue.find_by_prefix(db, some_id)
        if job is not None and job.source_id is not None:
            return job.source_id
        found = turn_index.list_of_session(db, some_id.strip())
        if len(found) == 1 or (found and len({row["agent"] for row in found}) == 1):
            return str(found[0]["id"])
        if found:
            named = ", ".join(row["id"] for row in found)
            raise NotFound(f"several agents have a session {some_id!r}: {named}") from error
        raise


def _choose_turns(
    item: ConversationItem, turns: Sequence[Turn], wanted: TurnRange
) -> tuple[list[Turn], int | None]:
    if wanted.turn is not None:
        if not 0 <= wanted.turn < item.turns:
            raise NotFound(
                f"{item.short} has no turn {wanted.turn}: its turns are 0 to {item.turns - 1}"
            )
        return [turn for turn in turns if abs(turn.seq - wanted.turn) <= wanted.around], None
    rest = turns[wanted.offset :]
    chosen = [*rest[: wanted.limit]] if wanted.limit >= 0 else [*rest]
    next_turn = rest[len(chosen)].seq if len(chosen) < len(rest) else None
    return chosen, next_turn


def _build_turn(turn: Turn, quotes: Sequence[TurnQuote], wanted: TurnRange) -> ConversationTurn:
    is_tool = turn.kind in ("tool_call", "tool_result")
    is_cut = is_tool and not wanted.is_whole and len(turn.text) > _TOOL_TEXT
    text = turn.text[:_TOOL_TEXT] if is_cut else turn.text
    return ConversationTurn(
        turn.seq,
        turn.role,
        turn.kind,
        text,
        turn.ts,
        turn.speaker,
        turn.tool,
        tuple(quotes),
        is_cut=is_cut,
    )


def _read_quotes(
    db: Database, source_id: str, viewer: Actor, place: Place
) -> Mapping[int, list[TurnQuote]]:
    """What quotes each turn, by its number."""
    rows = [row for row in turn_index.list_quotes(db, source_id) if row["turn"] is not None]
    shorts = context_records.shorten_ids(db, {row["id"] for row in rows})
    found: dict[int, list[TurnQuote]] = defaultdict(list)
    for row in rows:
        quote = TurnQuote(
            row["id"],
            shorts.get(row["id"]) or str(row["id"]),
            row["title"],
            row["status"],
            row["quote"][:_QUOTE],
        )
        if _is_private(row, viewer, place):
            quote = replace(quote, title="(private)", quote="")
        found[row["turn"]].append(quote)
    return found


def _is_private(row: Row, viewer: Actor, place: Place) -> bool:
    if viewer.is_operator or row["scope"] not in ("agent", "session"):
        return False
    if row["scope"] == "session":
        return row["session_id"] is None or row["session_id"] != place.session_id
    return viewer.name != f"agent:{row['agent_id']}"
