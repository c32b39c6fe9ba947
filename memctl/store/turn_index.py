"""The words of captured turns: a full-text index without the texts, made by maintenance.

It is derived from the turns and may be thrown away at any time. What it lacks is read from the
turns themselves (see `retrieve/turn_search`), so a session can be searched before anybody indexed
it, and a capture waits for nothing. A row's number tells conversation, turn and role. An entry can
be taken out only with the words that were put in: where these are not known for sure, the whole
index is put aside and begun anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence

from memctl.core.errors import ConversationDamaged, StoreDamaged
from memctl.core.frozen import dataclass
from memctl.core.model import ROLES, Turn
from memctl.store import derived_tables, meta, sources
from memctl.store.database import Database, Row
from memctl.store.rows import to_json_array
from memctl.text import tokens

_TABLE = "turns_fts"
# The note which version of the word analysis made the index, and that version: it changes whenever
# `build_document` gives something else than before.
_ANALYSIS = "turn_analysis"
_VERSION = "1"
# Bits of a row's number: turn and role; what is above them is the number of the conversation.
_TURN_BITS = 24
_ROLE_BITS = 3
_ROLE_CODES = {role: code for code, role in enumerate(ROLES)}
# Turns indexed in one transaction: about 6 ms.
_BATCH = 500


@dataclass(frozen=True, slots=True)
class IndexedTurn:
    """What the number of a row tells: the conversation's number there, the turn, the role."""

    n: int
    turn: int
    role: str


def number_turn(n: int, turn: Turn) -> int:
    """Return the number of a turn in the index."""
    return (((n << _TURN_BITS) | turn.seq) << _ROLE_BITS) | _ROLE_CODES[turn.role]


def read_number(number: int) -> IndexedTurn:
    """Return what the number of a turn in the index tells."""
    place = number >> _ROLE_BITS
    role = ROLES[number & ((1 << _ROLE_BITS) - 1)]
    return IndexedTurn(place >> _TURN_BITS, place & ((1 << _TURN_BITS) - 1), role)


def build_document(turn: Turn) -> str:
    """Return the words by which a turn is found: its own, and the name of its speaker."""
    return tokens.build_turn_text(f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text)


def is_usable(db: Database) -> bool:
    """Whether the index can be asked, as far as a glance and one question tell."""
    try:
        db.value("turn_index.holding", match='"a"*')
        return bool(db.value("turn_index.is_usable"))
    except StoreDamaged:
        return False


def is_outdated(db: Database) -> bool:
    """Whether another version of the word analysis made the index."""
    return meta.get_note(db, _ANALYSIS) not in (None, "", _VERSION)


def is_sound(db: Database) -> bool:
    """Whether the index agrees with itself, by SQLite's own check. Reads only."""
    try:
        found = db.pragma(f"integrity_check({_TABLE})")
        return bool(found == "ok" and is_usable(db))
    except StoreDamaged:
        return False


def is_whole(db: Database) -> bool:
    """Whether the index has as many turns as it should have."""
    try:
        row = db.one("turn_index.indexed_count")
        return row is not None and row["wanted"] == row["held"]
    except StoreDamaged:
        return False


def count_waiting(db: Database) -> int:
    """Count the conversations that are not wholly in the index."""
    try:
        return int(db.value("turn_index.waiting_count"))
    except StoreDamaged:
        return 1


def list_waiting(db: Database) -> list[str]:
    """List the conversations that are not wholly in the index, newest first."""
    return [row["id"] for row in db.all("turn_index.waiting")]


def read_entries(db: Database) -> dict[str, tuple[int, int]]:
    """Return the number of each conversation in the index, and how many of its turns it holds.

    Raises StoreDamaged.
    """
    return {row["source_id"]: (row["n"], row["indexed"]) for row in db.all("turn_index.entries")}


def list_holding(db: Database, term: str) -> set[int]:
    """Return the numbers of the turns that hold all words of a term; in any order."""
    words, begins = tokens.split_term(term)
    found: set[int] | None = None
    for place, word in enumerate(words, 1):
        ending = "*" if begins and place == len(words) else ""
        rows = db.all("turn_index.holding", match=f'"{word}"{ending}')
        numbers = {row["n"] for row in rows}
        found = numbers if found is None else found & numbers
    return found or set()


def list_conversations(
    db: Database,
    *,
    projects: Iterable[str] | None = None,
    agent: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> list[Row]:
    """List the captured conversations that may pass some filters, newest first.

    `projects` are ids; what belongs to none is always among them.
    """
    asked = None if projects is None else (to_json_array(projects) or "[]")
    return db.all("turn_index.conversations", projects=asked, agent=agent, since=since, until=until)


def find_conversation(db: Database, source_id: str) -> Row | None:
    """Return one conversation as `list_conversations` lists them, or None."""
    return db.one("turn_index.conversation", source_id=source_id)


def list_of_session(db: Database, session_id: str) -> list[Row]:
    """List the conversations of a session, whatever the agent, newest first."""
    return db.all("turn_index.of_session", session_id=session_id)


def count_quoting(db: Database, ids: Iterable[str]) -> dict[str, int]:
    """Count the records that quote each of some conversations."""
    rows = db.all("turn_index.quote_counts", ids=to_json_array(ids) or "[]")
    return {row["source_id"]: row["records"] for row in rows}


def list_quotes(db: Database, source_id: str) -> list[Row]:
    """List what records quote from a conversation, by turn."""
    return db.all("turn_index.quotes", source_id=source_id)


def list_neighbours(db: Database, ids: Iterable[str]) -> list[Row]:
    """List conversations with the ids that come before and after each, for short ids."""
    return db.all("turn_index.neighbours", ids=to_json_array(ids) or "[]")


def read_some_turns(db: Database, source_id: str, numbers: Iterable[int]) -> dict[int, Turn]:
    """Return some turns of a conversation by number; those of a damaged part are left out."""
    wanted = set(numbers)
    rows = db.all("turn_index.parts_holding", source_id=source_id, turns=json.dumps([*wanted]))
    return {
        turn.seq: turn
        for row in rows
        for turn in sources.unpack_part(db, source_id, row["turns"])
        if turn.seq in wanted
    }


def read_turns_after(db: Database, source_id: str, first: int) -> Iterator[Turn]:
    """Yield the turns of a conversation from a number on; those of a damaged part are left out."""
    for row in db.all("turn_index.parts_after", source_id=source_id, first=first):
        yield from (
            turn for turn in sources.unpack_part(db, source_id, row["turns"]) if turn.seq >= first
        )


def fill_source(db: Database, source_id: str, must_stop: Callable[[], bool]) -> int:
    """Index the turns of a conversation that are not yet, in short transactions; return how many.

    Raises StoreDamaged where the index is damaged, with nothing of the failed piece in it.
    """
    source = sources.find_source(db, source_id)
    entry = db.one("turn_index.entry", source_id=source_id)
    if source is None or source.turn_count == 0:
        return 0
    first = 0 if entry is None else int(entry["indexed"])
    if entry is not None and first >= source.turn_count:
        # Its turns are others than those that were indexed, whose words nobody knows any more.
        with db.write():
            replace_index(db)
        entry, first = None, 0
    added = 0
    turns = list(read_turns_after(db, source_id, first))
    rows = db.all("turn_index.parts_after", source_id=source_id, first=first)
    last = max((row["first_turn"] + row["turn_count"] for row in rows), default=first)
    for start in range(0, max(1, len(turns)), _BATCH):
        if must_stop():
            break
        batch = turns[start : start + _BATCH]
        is_last = start + _BATCH >= len(turns)
        until = last if is_last else batch[-1].seq + 1
        documents = [build_document(turn) for turn in batch]
        with db.write():
            if not _is_unchanged(db, source_id, source.turns_hash, first):
                break
            _add_batch(db, source_id, batch, documents, until, source.turns_hash, is_last=is_last)
        first, added = until, added + len(batch)
    return added


def _is_unchanged(db: Database, source_id: str, turns_hash: str, first: int) -> bool:
    """Whether a conversation, and what is indexed of it, is as it was read."""
    now = sources.find_source(db, source_id)
    entry = db.one("turn_index.entry", source_id=source_id)
    held = 0 if entry is None else entry["indexed"]
    return now is not None and now.turns_hash == turns_hash and held == first


def _add_batch(
    db: Database,
    source_id: str,
    turns: Sequence[Turn],
    documents: Sequence[str],
    until: int,
    turns_hash: str,
    *,
    is_last: bool,
) -> None:
    entry = db.one("turn_index.entry", source_id=source_id)
    n = int(db.value("turn_index.next_number") if entry is None else entry["n"])
    rows = [
        {"n": number_turn(n, turn), "text": text}
        for turn, text in zip(turns, documents, strict=True)
    ]
    db.run_many("turn_index.add", rows)
    told = turns_hash if is_last else ""
    db.run("turn_index.put_entry", n=n, source_id=source_id, indexed=until, turns_hash=told)
    if meta.get_note(db, _ANALYSIS) != _VERSION:
        meta.put_note(db, _ANALYSIS, _VERSION)


def forget_source(db: Database, source_id: str) -> None:
    """Take the words of a conversation out of the index, inside the `write()` that changes or
    erases its turns; before it does.
    """
    try:
        entry = db.one("turn_index.entry", source_id=source_id)
        if entry is None:
            return
        turns = _read_indexed(db, source_id, entry["indexed"])
        if turns is None or is_outdated(db) or not is_usable(db):
            replace_index(db)
            return
        rows = [
            {"n": number_turn(entry["n"], turn), "text": build_document(turn)} for turn in turns
        ]
        db.run_many("turn_index.remove", rows)
        db.run("turn_index.begin_flush")
        db.run("turn_index.end_flush")
        db.run("turn_index.forget_entry", source_id=source_id)
    except StoreDamaged:
        replace_index(db)


def _read_indexed(db: Database, source_id: str, indexed: int) -> list[Turn] | None:
    """The turns that were indexed; None if nobody knows whether these are they."""
    source = sources.find_source(db, source_id)
    rows = db.all("turn_index.parts_after", source_id=source_id, first=0)
    try:
        turns = [turn for row in rows for turn in sources.unpack_turns(row["turns"])]
    except ConversationDamaged:
        return None
    if source is None or sources.compute_turns_hash(turns) != source.turns_hash:
        return None
    return [turn for turn in turns if turn.seq < indexed]


def list_surplus(db: Database) -> list[str]:
    """List the conversations that are noted as indexed and are not there."""
    return [row["source_id"] for row in db.all("turn_index.surplus")]


def replace_index(db: Database) -> None:
    """Put the index aside, whatever its state, and make an empty one; inside `write()`."""
    derived_tables.put_aside(db, _TABLE)
    db.run("turn_index.create")
    db.run("turn_index.forget_entries")
    meta.put_note(db, _ANALYSIS, _VERSION)


def is_healthy(db: Database) -> bool:
    """Whether the index can be relied on, as far as numbers tell: what it lacks is only missing."""
    return is_usable(db) and is_whole(db) and not is_outdated(db) and not list_surplus(db)


def merge_pages(db: Database, pages: int) -> bool:
    """Merge about so many pages of the index; False if nothing was left, or it is damaged."""
    before = int(db.value("maintenance_steps.changes"))
    try:
        with db.write():
            db.run("turn_index.merge", pages=pages)
    except StoreDamaged:
        with db.write():
            replace_index(db)
        return False
    # One of the rows that are counted is the order itself.
    return int(db.value("maintenance_steps.changes")) - before >= 2
