"""A checksum in every row that holds content: what changes behind memctl's back is seen.

It is written in the transaction of its row, by temporary triggers of the connection. They are no
part of the file, so another program that changes a row leaves the old checksum. A connection
watches a table from its first change to it. Rows of an older version have none until maintenance
made them.

CRC-32 finds every flipped bit and burst; it is no proof against somebody who computes it anew (see
`witness`). It is computed by a function in C, because an interrupt inside one in Python would be
lost. `memories` has its own hash, `memory_events` its chain; indexes are compared with the records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from memctl.core.typing_lite import Any
from memctl.store import statements

COLUMN = "checksum"
# The tables whose rows carry a checksum over all their columns but those that `OPEN` names.
TABLES = (
    "meta",
    "projects",
    "project_aliases",
    "project_links",
    "repos",
    "sources",
    "source_parts",
    "ingestion_events",
    "evidence",
    "memory_links",
    "entities",
    "entity_aliases",
    "memory_entities",
    "tombstones",
    "retrieval_logs",
    "saved_views",
    "embedding_models",
    "embeddings",
    "citations",
    "outcomes",
    "proposals",
    "muted_rules",
    "maintenance_steps",
    "model_calls",
    "unfinished_operations",
    "newer_marks",
    "turn_sources",
    "vaults",
    "vault_notes",
    "memory_documents",
    "sync_replicas",
    "sync_places",
    "sync_shares",
    "sync_changes",
    "sync_numbers",
    "sync_vector",
    "sync_subjects",
    "sync_sets",
    "sync_projects",
    "sync_awaited",
    "sync_rewritten",
)
# Columns that nothing covers, on purpose.
OPEN: Mapping[str, tuple[str, ...]] = {
    # Whether the derived vector index has the vector; that is compared with the index itself.
    "embeddings": ("indexed",),
    # Counted at every search, and told by nothing else.
    "memories": ("last_accessed_at", "access_count"),
}
_WATCHED = frozenset(TABLES)
_WATCHES = ("checksums.watch_inserts", "checksums.watch_updates")
# How a value becomes text, by the type of its column. Numbers are covered to six decimals, because
# how SQLite prints one depends on its version.
_AS_TEXT = {
    "TEXT": "{}",
    "INTEGER": "{}",
    "REAL": "CAST({} * 1000000 AS INTEGER)",
    "BLOB": "crc32({})",
}


def add_function(connection: Any) -> None:
    """Let a connection compute checksums."""
    from binascii import crc32  # here, because a search needs none

    connection.create_function("crc32", 1, crc32, deterministic=True)


@cache
def list_watches(statement: str) -> tuple[tuple[str, str], ...]:
    """Return what a connection must watch before a statement: the table with checksums that it
    writes to, and the statement that watches it for what is inserted or changed.
    """
    words = _drop_comments(statement).split(None, 5)
    if words[0] in ("INSERT", "REPLACE") and "INTO" in words:
        table = words[words.index("INTO") + 1]
        watches = _WATCHES if "DO UPDATE" in statement else _WATCHES[:1]
    elif words[0] == "UPDATE":
        table = words[3] if words[1] == "OR" else words[1]
        watches = _WATCHES[1:]
    else:
        return ()
    return tuple((table, watch) for watch in watches) if table in _WATCHED else ()


@cache
def ends_watching(statement: str) -> bool:
    """Whether a statement takes back what was begun in its transaction, triggers included."""
    return _drop_comments(statement).startswith("ROLLBACK")


def watch_table(connection: Any, table: str, watch: str) -> None:
    """Let a connection set the checksum of every row that it inserts into a table, or changes."""
    read = statements.get_statement("checksums.columns")
    columns = list(connection.execute(read, {"table": table}))
    covered = ", ".join(f'"{column["name"]}"' for column in _list_covered(columns))
    words = {
        "crc32(CAST(NEW.name AS BLOB))": _compose_checksum(columns, "NEW."),
        "name = NEW.name": " AND ".join(f'"{key}" IS NEW."{key}"' for key in _list_keys(columns)),
        "OF definition": f"OF {covered}",
        "saved_views": table,
    }
    connection.execute(_replace_words(statements.get_statement(watch), words))


def build_statement(name: str, table: str, columns: Iterable[Mapping[str, Any]]) -> str:
    """Return a statement about `saved_views` as one about another table with checksums."""
    read = list(columns)
    keys = _list_keys(read)
    names = ", ".join(f'"{key}"' for key in keys)
    words = {
        "crc32(CAST(name AS BLOB))": _compose_checksum(read),
        "(name)": f"({names})",
        "(:after)": f"({', '.join(f':after_{n}' for n in range(len(keys)))})",
        "(:last)": f"({', '.join(f':last_{n}' for n in range(len(keys)))})",
        "name AS key_0": ", ".join(f'"{key}" AS key_{n}' for n, key in enumerate(keys)),
        "BY name": f"BY {names}",
        "saved_views": table,
    }
    return _replace_words(statements.get_statement(name), words)


def list_lowest(columns: Iterable[Mapping[str, Any]]) -> list[Any]:
    """Return a key that comes before every key of a table."""
    types = {column["name"]: column["type"] for column in columns}
    return [-1 if types[key] == "INTEGER" else "" for key in _list_keys(columns)]


def _list_keys(columns: Iterable[Mapping[str, Any]]) -> list[str]:
    keyed = sorted((column["pk"], column["name"]) for column in columns if column["pk"])
    return [name for _, name in keyed]


def _list_covered(columns: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for column in columns:
        if column["name"] not in (COLUMN, *OPEN.get(column["of_table"], ())):
            yield column


def _compose_checksum(columns: Iterable[Mapping[str, Any]], prefix: str = "") -> str:
    """Compose the checksum of a row: over the name and value of each column that is not NULL.

    A column that a later version adds empty therefore changes no checksum.
    """
    parts = []
    for column in _list_covered(columns):
        value = f'{prefix}"{column["name"]}"'
        told = f"'{column['name']}=' || {_AS_TEXT[column['type']].format(value)} || char(10)"
        parts.append(f"CASE WHEN {value} IS NULL THEN '' ELSE {told} END")
    return f"crc32(CAST({' || '.join(parts)} AS BLOB))"


def _drop_comments(statement: str) -> str:
    lines = (line for line in statement.splitlines() if not line.startswith("--"))
    return "\n".join(lines).lstrip()


def _replace_words(text: str, words: Mapping[str, str]) -> str:
    for old, new in words.items():
        text = text.replace(old, new)
    return text
