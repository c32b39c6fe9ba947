"""What an old store needs that takes long, made in short transactions before it is upgraded.

From schema 3 on, what records mention is kept with the name that was used. The table of that grows
as a draft beside the old one, while others go on writing; triggers let it follow them, whatever
their version. A kill leaves the draft, and the next opener goes on with it.
"""

from __future__ import annotations

from memctl.core import clock
from memctl.store import chunks
from memctl.store.database import Database

# The first schema that keeps the names that were used.
SCHEMA = 3
TABLE = "mentions"
# The table in whose place the draft comes, and the name of its index, in the draft and there.
REPLACED = "memory_entities"
DRAFT_INDEX = "mentions_entity"
INDEX = "memory_entities_entity"
# What a store of an earlier schema may hold beside its own parts: an upgrade that was cut off.
PARTS = frozenset(
    {
        TABLE,
        DRAFT_INDEX,
        "memory_events_at",
        "mentions_inserted",
        "mentions_deleted",
        "mentions_updated",
        "mentions_renamed",
    }
)
_FOLLOWING = ("draft_inserts", "draft_deletes", "draft_updates", "draft_names")
# Mentions copied before the clock is read again; about a millisecond of work. Chosen by hand.
_PIECE = 250


def prepare(db: Database, table_text: str) -> None:
    """Make the draft, and the index that takes longest, of a store that has neither.

    `table_text` is how the migration makes the table. Raises StoreLocked.
    """
    with db.write():
        if is_needed(db):
            db.run("upgrade.events_by_time")
    with db.write():
        if is_needed(db) and not is_there(db, TABLE):
            db.define("upgrade.step", {"SELECT 0": table_text})
            for name in ("draft_index", *_FOLLOWING):
                db.run(f"upgrade.{name}")
    while _copy_chunk(db):
        chunks.pause_between_chunks()


def is_needed(db: Database) -> bool:
    """Whether nobody has upgraded the store yet."""
    return int(db.pragma("user_version")) < SCHEMA


def is_there(db: Database, name: str) -> bool:
    """Whether a table or index exists."""
    return db.value("upgrade.definition", name=name) is not None


def settle(db: Database) -> None:
    """Forget what only the draft needs, in the transaction that puts it in its place."""
    db.run("upgrade.drop_draft_names")
    db.run("upgrade.drop_position")


def _copy_chunk(db: Database) -> bool:
    """Copy mentions for the length of a chunk; whether there are more."""
    with db.write():
        if not is_needed(db):
            return False
        at = tuple((db.value("upgrade.position") or " ").split(" "))
        until = clock.read_monotonic() + chunks.CHUNK_SECONDS
        while True:
            end = db.one("upgrade.end_of_piece", memory_id=at[0], entity_id=at[1], many=_PIECE)
            if end is None:
                return False
            last = end["memory_id"], end["entity_id"]
            # Not `run`: the tables of that schema have no checksums.
            db.define(
                "upgrade.copy_piece",
                {},
                memory_id=at[0],
                entity_id=at[1],
                last_memory_id=last[0],
                last_entity_id=last[1],
            )
            at = last
            if clock.read_monotonic() >= until:
                break
        db.define("upgrade.note_position", {}, value=" ".join(at))
        return True
