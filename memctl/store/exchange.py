"""Exact bulk reading and writing of everything durable, for export and import.

No rule is applied here, and nothing is counted or logged. Rows are mappings whose keys are the
columns of `exchange.sections`; JSON columns are text, blobs are compressed here.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from memctl.core.errors import ConversationDamaged
from memctl.core.model import Memory
from memctl.core.typing_lite import Any
from memctl.store import (
    entity_lookup,
    event_log,
    lexical,
    marks,
    readable_rows,
    records,
    semantic,
    sources,
)
from memctl.store.database import Database, IntegrityError, Row
from memctl.store.rows import compute_sha256, decompress, to_json_array

BATCH = 500


def is_empty(db: Database) -> bool:
    """Whether the store holds nothing durable yet."""
    return bool(db.value("exchange.is_empty"))


def list_rows(db: Database, section: str) -> Iterator[Row]:
    """Yield all readable rows of one section in export order; read them inside `snapshot()`."""
    return readable_rows.read_each(db, f"exchange.read_{section}")


def find_row(db: Database, section: str, key: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the row with a key, or None."""
    row = db.one(f"exchange.get_{section}", **key)
    return None if row is None else _unpack(section, dict(row))


def insert_all(db: Database, section: str, batch: Sequence[Mapping[str, Any]]) -> bool:
    """Insert rows, given as parameters, all of them or none; return whether it was all."""
    return _try(db, lambda: db.run_many(f"exchange.insert_{section}", batch)) is None


def insert_one(db: Database, section: str, row: Mapping[str, Any]) -> str | None:
    """Insert one row, given as parameters; return why that is impossible, or None."""
    return _try(db, lambda: db.run(f"exchange.insert_{section}", **row))


def update_row(db: Database, section: str, row: Mapping[str, Any]) -> str | None:
    """Update a row to a newer state; return why that is impossible, or None."""
    return _try(db, lambda: db.run(f"exchange.update_{section}", **to_parameters(section, row)))


def point_to(db: Database, section: str, row_id: str, target: str) -> str | None:
    """Let a project or source refer to another; return why that is impossible, or None."""
    return _try(db, lambda: db.run(f"exchange.point_{section}", id=row_id, target=target))


def find_entity_named(db: Database, kind: str, name: str) -> str | None:
    """Return the id of the entity with exactly that kind and name, or None."""
    found: str | None = db.value("exchange.entity_named", kind=kind, name=name)
    return found


def find_link_between(db: Database, row: Mapping[str, Any]) -> Row | None:
    """Return the link between the same two records, whatever its id."""
    return db.one(
        "exchange.link_between",
        from_id=row["from_id"],
        relation=row["relation"],
        to_id=row["to_id"],
    )


def settle_link(db: Database, link_id: str, at: str) -> None:
    """Mark a contradiction as settled."""
    db.run("exchange.settle_link", id=link_id, resolved_at=at)


def merge_access_counts(db: Database, memory: Memory) -> None:
    """Keep the higher access count and the later time of two states of one record."""
    values = {"access_count": memory.access_count, "last_accessed_at": memory.last_accessed_at}
    db.run("exchange.count_accesses", id=memory.id, **values)


def replace_record(
    db: Database, old: Memory, new: Memory, *, actor: str, cause: str, at: str
) -> str | None:
    """Set a record to another state with its own `updated_at`, logged at the present time.

    Returns why that is impossible, or None.
    """
    values = records.to_columns(new)
    changeable = {
        key: values[key]
        for key in values
        if key not in ("last_accessed_at", "access_count", "good", "bad", "created_at")
    }
    refused = _try(db, lambda: db.value("records.update", **changeable))
    if refused is None:
        _log_change(db, old, new, actor=actor, cause=cause, at=at)
    return refused


def _log_change(db: Database, old: Memory, new: Memory, *, actor: str, cause: str, at: str) -> None:
    before, after = records.extract_history_fields(old), records.extract_history_fields(new)
    keys = [key for key in after if before[key] != after[key] and key != "created_at"]
    states = {key: before[key] for key in keys}, {key: after[key] for key in keys}
    event_log.append_change(db, new.id, "imported", *states, actor=actor, cause=cause, at=at)


def count_copies_of_change(db: Database, row: Mapping[str, Any]) -> int:
    """Count how often exactly this change stands in the event log."""
    return int(
        db.value(
            "exchange.copies_of_change",
            **{key: row[key] for key in row if key not in ("seq", "chain")},
        )
    )


def withdraw_record(db: Database, memory_id: str) -> None:
    """Take back a record that this transaction imported, with all that belongs to it."""
    for what in ("links", "entities", "evidence", "record"):
        db.run(f"exchange.withdraw_{what}", memory_id=memory_id)


def holds_part(db: Database, row: Mapping[str, Any]) -> bool:
    """Whether a part of a source is here with exactly these packed turns."""
    return bool(db.value("exchange.holds_part", **row))


def count_parts(db: Database, source_id: str) -> int:
    """Count the parts of a source."""
    return int(db.value("exchange.count_parts", source_id=source_id))


def set_trust(db: Database, section: str, row_id: str, trust: int) -> None:
    """Set the trust of a source or of a piece of evidence."""
    db.run(f"exchange.trust_{section}", id=row_id, trust=trust)


def index_new_memories(
    db: Database, documents: Mapping[str, Mapping[str, str] | None]
) -> Iterator[str]:
    """Index records that were just inserted, by ids and texts; yield those without a text."""
    if documents:
        rows = db.all("exchange.numbered", ids=to_json_array(documents))
        ready = [{"n": row["n"], **(documents[row["id"]] or {})} for row in rows]
        db.run_many("lexical.insert", [each for each in ready if len(each) > 1])
        marks.request_marks(db, documents)
    yield from (memory_id for memory_id, document in documents.items() if document is None)


def reindex_memories(db: Database, ids: Iterable[str]) -> None:
    """Write the index entries of records anew, with the names of their entities."""
    waiting = list(ids)
    for start in range(0, len(waiting), BATCH):
        part = waiting[start : start + BATCH]
        names = entity_lookup.list_names_by_memory(db, part)
        memories = records.list_by_ids(db, part)
        for row in db.all("exchange.numbered", ids=to_json_array(part)):
            lexical.put_entry(db, row["n"], memories[row["id"]], names.get(row["id"], []))
            semantic.drop_vector(db, row["n"])
            marks.renew_marks_of(db, row["id"], memories[row["id"]].status)


def read_turns_json(packed: bytes) -> list[dict[str, Any]]:
    """Return the turns of one compressed part as written; NaN and infinities become null.

    Raises ConversationDamaged.
    """
    try:
        text = decompress(packed).decode("utf-8", "surrogatepass")
        lines = [line for line in text.split("\n") if line]
        return [json.loads(line, parse_constant=lambda _name: None) for line in lines]
    except (zlib.error, ValueError, TypeError, RecursionError) as error:
        raise ConversationDamaged(f"turns are damaged: {error}") from error


def unpack_original(packed: bytes) -> bytes:
    """Decompress a kept original. Raises ConversationDamaged."""
    return sources.unpack_original(packed)


def _unpack(section: str, row: dict[str, Any]) -> dict[str, Any]:
    if section == "sources" and row["raw"] is not None:
        return {**row, "raw": unpack_original(row["raw"])}
    return (
        {**row, "turns": tuple(sources.unpack_turns(row["turns"]))}
        if section == "source_parts"
        else row
    )


def to_parameters(section: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as statement parameters: blobs compressed, hashes computed."""
    if section == "sources":
        return {**row, "raw": None if row["raw"] is None else zlib.compress(row["raw"])}
    if section == "source_parts":
        return {**row, "turns": sources.pack_turns(row["turns"])}
    if section == "memories":
        return {**row, "row_hash": records.compute_row_hash(records.from_row(row))}
    if section == "evidence":
        return {**row, "quote_hash": compute_sha256(row["quote"])}
    return dict(row)


def _try(db: Database, action: Callable[[], object]) -> str | None:
    """Do something that the schema may refuse.

    Returns None if it worked; else the reason, and nothing of it is left.
    """
    db.run("exchange.savepoint")
    try:
        action()
    except IntegrityError as error:
        db.run("exchange.roll_back")
        return _describe_refusal(str(error))
    finally:
        db.run("exchange.release")
    return None


def _describe_refusal(text: str) -> str:
    known = {
        "FOREIGN KEY": "refers to something that is not there",
        "UNIQUE": "is there twice",
        "CHECK": f"has a value that is not allowed ({text.partition(': ')[2]})",
    }
    return next((reason for mark, reason in known.items() if text.startswith(mark)), text)
