"""Care of the store file: copies, and checks for everything that can be wrong with a store.

Nothing here changes content; only `mend_index` writes at all, and only what is derived.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from memctl.core.errors import StoreDamaged
from memctl.core.typing_lite import Any
from memctl.store import (
    chunks,
    derived_tables,
    entity_lookup,
    lexical,
    lexical_repair,
    readable_rows,
    records,
    statements,
    upgrade_draft,
)
from memctl.store.database import Database, Row
from memctl.store.rows import compute_sha256, to_json_array
from memctl.text import tokens

# The full-text indexes, of records and of captured turns.
_INDEXES = ("memories_fts", "turns_fts")
# Tables that hold nothing but what is derived from the records, or logs (see `lost_tables`).
REPLACEABLE_TABLES = (
    "embedding_models",
    "embeddings",
    "maintenance_steps",
    "unfinished_operations",
    "retrieval_logs",
    "model_calls",
    "newer_marks",
    "turn_sources",
    "vaults",
    "vault_notes",
    "memory_documents",
)
# What stands in the statement for the definition of an object.
_OBJECT = "SELECT 0"
# Index entries written in one transaction; chosen by hand.
_MENDED = 25
_COLUMNS = ("title", "summary", "content", "place")


def copy_into(db: Database, path: Path) -> None:
    """Write a complete copy of the store into an empty file, even while others write."""
    db.run("upkeep.vacuum_into", path=str(path))


def count_rows(db: Database) -> dict[str, int]:
    """Count the rows of everything durable in the store."""
    row = db.one("upkeep.counts")
    assert row is not None
    return {name: row[name] for name in ("memories", "sources", "stream", "projects")}


def find_structure_faults(db: Database) -> list[str]:
    """Return what SQLite finds wrong with the file; empty if it is sound.

    The full-text indexes are derived and have checks of their own.
    """
    return [
        text
        for row in db.all("upkeep.integrity")
        for text in row
        if text != "ok" and not any(index in text for index in _INDEXES)
    ]


def find_dangling(db: Database) -> list[str]:
    """Return rows that refer to something that does not exist."""
    return [
        f"{row['table']} row {row['rowid']} refers to missing {row['parent']}"
        for row in db.all("upkeep.foreign_keys")
    ]


def find_strange_objects(db: Database, version: int) -> list[str]:
    """Return how the schema differs from that of a version, and unknown tables, triggers, views.

    A virtual table runs the code of its module, and no table of others belongs in a store.
    """
    wanted, found = _read_schemas(db, version)
    names = {name for _, name, _ in wanted}
    foreign = [
        f"has a foreign {kind} {name}"
        for kind, name, _ in found - wanted
        if kind in ("table", "trigger", "view")
        and name not in names
        and not (version < upgrade_draft.SCHEMA and name in upgrade_draft.PARTS)
    ]
    return sorted(
        foreign
        + [f"lacks the {kind} {name} as memctl makes it" for kind, name, _ in wanted - found]
    )


def list_lost_helpers(db: Database, version: int) -> list[str]:
    """Return what the store lacks and can be given anew: indexes, guards, replaceable tables."""
    wanted, found = _read_schemas(db, version)
    there = {name for _, name, _ in found}
    lost = sorted(wanted - found)
    return [
        name
        for kind, name, _ in lost
        if (kind in ("index", "trigger") or name in REPLACEABLE_TABLES) and name not in there
    ]


def make_helpers(db: Database, version: int, names: Iterable[str]) -> None:
    """Make lost indexes and guards anew, each in a transaction of its own."""
    there = {row["name"] for row in db.all("upkeep.objects")}
    wanted = set(names) - there
    for row in build_expected_objects(version):
        if row["name"] in wanted:
            with db.write():
                make_object(db, row)


def make_object(db: Database, expected: Row) -> None:
    """Make a part of the schema as a fresh store has it; inside `write()`."""
    db.define("upkeep.make_object", {_OBJECT: expected["sql"]})


def _read_schemas(
    db: Database, version: int
) -> tuple[set[tuple[str, str, str]], set[tuple[str, str, str]]]:
    """Read which objects a store of that version has, and which this one has."""
    return (
        {_read_object(row) for row in build_expected_objects(version)},
        {_read_object(row) for row in db.all("upkeep.objects")},
    )


def build_expected_objects(version: int) -> list[Row]:
    """Return the objects of a fresh store of that version."""
    fresh = Database(Path(":memory:"))
    try:
        for number, script in statements.list_migrations():
            if number <= version:
                fresh.script(script.read_text(encoding="utf-8"))
        return fresh.all("upkeep.objects")
    finally:
        fresh.close()


def read_schema_text(version: int) -> str:
    """Return the present schema as one script: the result of all migrations up to a version."""
    head = (
        "-- Generated from sql/migrations by scripts/schema: what a store looks like now. "
        "Do not edit.\n"
    )
    return head + "".join(f"\n{row['sql']};\n" for row in build_expected_objects(version))


def find_damaged_records(db: Database) -> list[str]:
    """Return the ids of records that do not match their hash or cannot be read."""
    try:
        return [row["id"] for row in db.each("records.everything") if _is_damaged(row)]
    except StoreDamaged:
        return [
            row["id"] for row in db.all("upkeep.record_numbers") if _is_unreadable(db, row["n"])
        ]


def find_damaged_quotes(db: Database) -> list[str]:
    """Return the evidence that does not match its hash, each as `evidence of record`."""
    return [
        f"{row['id']} of {row['memory_id']}"
        for row in db.each("upkeep.quotes")
        if compute_sha256(row["quote"]) != row["quote_hash"]
    ]


def index_is_sound(db: Database) -> bool:
    """Whether the full-text index agrees with the texts it holds."""
    return lexical_repair.is_sound(db)


def find_unindexed(db: Database) -> list[str]:
    """Return the ids of records that the index lacks."""
    return [row["id"] for row in db.all("lexical.missing")]


def find_surplus(db: Database) -> list[int]:
    """Return the numbers of index entries without a record."""
    return [row["n"] for row in db.all("lexical.surplus")]


def drop_surplus(db: Database) -> int:
    """Drop the index entries without a record, in short transactions; return how many there
    were.
    """

    def drop(n: int) -> None:
        if not records.list_by_numbers(db, [n]):
            lexical.drop_entry(db, n)

    return chunks.change_in_chunks(db, find_surplus(db), drop)


def find_drifted(db: Database) -> tuple[list[str], list[str]]:
    """Return the ids of records that differ from their index entry, and those where only entity
    names do.
    """
    names: dict[str, list[str]] = defaultdict(list)
    found: dict[str | None, list[str]] = {"text": [], "names": [], None: []}
    with db.snapshot():
        known = {
            word
            for row in readable_rows.read_each(db, "entities.everything")
            for word in _count_words(tokens.build_index_text(row["name"]))
        }
        known |= {
            word
            for row in readable_rows.read_each(db, "entities.all_aliases")
            for word in _count_words(tokens.build_index_text(row["alias"]))
        }
        for row in readable_rows.read_each(db, "upkeep.entity_names"):
            names[row["memory_id"]].append(row["name"])
        for row in readable_rows.read_each(db, "upkeep.indexed"):
            found[_find_drift(row, names.get(row["id"], ()), known)].append(row["id"])
    return found["text"], found["names"]


def mend_index(db: Database) -> int:
    """Rewrite entries that are missing or differ, delete those without a record; return how
    many.
    """
    if not lexical_repair.is_sound(db):
        with db.write():
            lexical_repair.replace_index(db)
    texts, names = find_drifted(db)
    extra, wanting = drop_surplus(db), [*find_unindexed(db), *texts, *names]
    for start in range(0, len(wanting), _MENDED):
        with db.write():
            rewrite_entries(db, wanting[start : start + _MENDED])
    with db.write():
        lexical_repair.note_complete(db)
    derived_tables.drop_replaced(db)
    return extra + len(wanting)


def rewrite_entries(db: Database, ids: Iterable[str]) -> None:
    """Write the index entries of some records anew; their vectors stay, as their words do."""
    part = list(ids)
    with readable_rows.read_on(db):
        names = entity_lookup.list_names_by_memory(db, part)
        memories = records.list_by_ids(db, part)
    for row in db.all("exchange.numbered", ids=to_json_array(part)):
        lexical.put_entry(db, row["n"], memories[row["id"]], names.get(row["id"], []))


def _read_object(row: Row) -> tuple[str, str, str]:
    return row["type"], row["name"], " ".join(row["sql"].split())


def _is_damaged(row: Row) -> bool:
    try:
        return bool(row["row_hash"] != records.compute_row_hash(records.from_row(row)))
    except (ValueError, RecursionError):
        return True


def _is_unreadable(db: Database, n: int) -> bool:
    try:
        return any(map(_is_damaged, db.all("records.by_numbers", numbers=f"[{n}]")))
    except StoreDamaged:
        return True


def _find_drift(row: Mapping[str, Any], names: Iterable[str], known: set[str]) -> str | None:
    """Return how an index entry differs from its record: `text`, only `names`, or None.

    A merged entity leaves its old names in old entries.
    """
    try:
        wanted = lexical.build_document(records.from_row(row), names)
    except (ValueError, RecursionError):
        return None
    held, due = _count_words(row["extra_indexed"]), _count_words(wanted["extra"])
    if any(row[f"{column}_indexed"] != wanted[column] for column in _COLUMNS):
        return "text"
    if sorted(held) == sorted(due):
        return None
    return "names" if {word.casefold() for word in {*held} ^ {*due}} <= known else "text"


def _count_words(text: str) -> list[str]:
    return text.casefold().split()


def list_unplaced(db: Database) -> list[str]:
    """List the ids of candidates of which nobody knows the project."""
    return [row["id"] for row in db.all("upkeep.unplaced")]


def list_assumed_global(db: Database) -> list[str]:
    """List the ids of records that hold everywhere, though their session had no project."""
    return [row["id"] for row in db.all("upkeep.assumed_global")]
