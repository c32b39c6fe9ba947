"""The state of shared records at a hub: written with the change sets, read by searches."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence

from memctl.core.typing_lite import TYPE_CHECKING, Any
from memctl.sync import hub_statements
from memctl.sync.place import PURGED_STAMP, SearchableRow

if TYPE_CHECKING:
    from psycopg import Connection

# What of a record's state can be asked for, and has a column of its own.
_COLUMNS = (
    "type",
    "kind",
    "scope",
    "status",
    "confidence",
    "observed_at",
    "valid_from",
    "valid_until",
)
# Components of the vectors that a hub keeps: those of the built-in model.
DIMENSIONS = 384


def put_rows(
    connection: Connection, rows: Sequence[SearchableRow], replica: str, vectors: str | None
) -> None:
    """Write rows in a transaction; `vectors` is the schema of the extension, if there is one."""
    if not rows:
        return
    if vectors is None:
        statement = hub_statements.compose("hub_records.put")
    else:
        statement = hub_statements.compose("hub_records.put_with_vector", vectors=vectors)
    with connection.cursor() as cursor:
        cursor.executemany(statement, [_to_values(row, replica) for row in rows])


def blank_row(stream: str, record: str) -> SearchableRow:
    """What stays of a purged record: that it is gone for good."""
    return SearchableRow(stream, record, PURGED_STAMP, None)


def write_vector(packed: bytes | None) -> str | None:
    """A packed vector as the server reads it; None for one that a hub does not keep."""
    if packed is None or len(packed) != DIMENSIONS:
        return None
    return f"[{','.join(map(str, array('b', packed)))}]"


def _to_values(row: SearchableRow, replica: str) -> dict[str, Any]:
    body = row.body or {}
    vector = write_vector(row.vector)
    title, content, extra = row.words
    return {
        "stream": row.stream,
        "record": row.record,
        "replica": replica,
        "stamp": row.stamp,
        **{name: body.get(name) for name in _COLUMNS},
        "tags": list(row.tags),
        # The server's texts hold no NUL.
        "body": None if row.body is None else json.dumps(row.body).replace("\\u0000", ""),
        "title_words": title.replace("\0", " "),
        "content_words": content.replace("\0", " "),
        "extra_words": extra.replace("\0", " "),
        "model": row.model if vector else None,
        "vector": vector,
    }
