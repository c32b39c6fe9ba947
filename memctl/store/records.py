"""Records of durable memory.

Each change writes the row, its index entry and its event in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from memctl.core.errors import NotFound, StoreDamaged, UsageError
from memctl.core.frozen import asdict, fields
from memctl.core.model import NAMELESS_AGENT, Filter, Memory
from memctl.core.typing_lite import Any
from memctl.store import event_log, lexical, semantic
from memctl.store.database import Database, Row
from memctl.store.rows import (
    build_from_row,
    compute_changes,
    compute_sha256,
    parse_json_column,
    read_readable,
    resolve_id,
    to_canonical_json,
    to_json_array,
)

# Counted on reading; neither history nor content.
_COUNTERS = ("last_accessed_at", "access_count", "good", "bad")
# Columns that older stores did not have, and what they mean there: hashes made before know nothing
# of them.
LATER: Mapping[str, Any] = {
    "rule": None,
    "confirmed_at": None,
    "never_load": False,
    "origin": None,
}
# What may change without another record taking this one's place, or giving it back.
_LEAVE_MARKS = frozenset({"updated_at", "confidence", "decay_rate", "summary", "evidence_ref"})
_FLAGS = ("protected", "always_load", "never_load")
_FIELDS = tuple(each.name for each in fields(Memory))
_HISTORY_FIELDS = tuple(each.name for each in fields(Memory) if each.name not in _COUNTERS)


def insert_record(
    db: Database,
    memory: Memory,
    *,
    actor: str,
    cause: str,
    verb: str = "created",
    names: Iterable[str] = (),
) -> int:
    """Store a new record with its index entry and event; return its index number."""
    told = extract_history_fields(memory)
    n = int(db.value("records.insert", **_add_columns(memory, told)))
    lexical.put_entry(db, n, memory, names, is_new=True)
    from memctl.store import marks  # here and below, because who only reads has no need of it

    if memory.status in marks.MARKED_STATUSES:
        marks.request_mark(db, memory.id)
    event_log.append_change(
        db,
        memory.id,
        verb,
        None,
        told,
        actor=actor,
        cause=cause,
        at=memory.updated_at,
    )
    return n


def replace_record(
    db: Database,
    old: Memory,
    new: Memory,
    *,
    verb: str,
    actor: str,
    cause: str,
    beside: tuple[Mapping[str, Any], Mapping[str, Any]] = ({}, {}),
) -> None:
    """Set a record to its present state; `new.updated_at` is the time of the change.

    `beside` is what the event tells that stands in other tables, before and after. Nothing is
    written if nothing changed.
    """
    before, after = compute_changes(extract_history_fields(old), extract_history_fields(new))
    before, after = {**before, **beside[0]}, {**after, **beside[1]}
    if not set(after) - {"updated_at"}:
        return
    write_changes(db, old, new, after)
    event_log.append_change(
        db, new.id, verb, before, after, actor=actor, cause=cause, at=new.updated_at
    )


def write_changes(db: Database, old: Memory, new: Memory, changed: Iterable[str]) -> None:
    """Set a record to another state, with its index entry and what follows from it; without an
    event. `changed` are the names of the fields that differ.
    """
    n = int(
        db.value(
            "records.update",
            **{k: v for k, v in to_columns(new).items() if k not in (*_COUNTERS, "created_at")},
        )
    )
    is_moved = lexical.compute_scope_key(old) != lexical.compute_scope_key(new)
    if is_moved or not lexical.has_same_words(old, new) or old.type != new.type:
        lexical.put_entry(db, n, new, _list_entity_names(db, new.id))
    if is_moved or semantic.compose_text(old) != semantic.compose_text(new):
        semantic.drop_vector(db, n)
    if {*changed} - _LEAVE_MARKS:
        from memctl.store import marks

        marks.renew_marks_of(db, new.id, new.status)


def get_record(db: Database, memory_id: str) -> Memory:
    """Return one record by its full id. Raises NotFound."""
    row = db.one("records.get", id=memory_id)
    if row is None:
        raise NotFound(f"no record has the id {memory_id}")
    return from_row(row)


def resolve_record(db: Database, text: str) -> Memory:
    """Return one record by its id or a unique prefix of it. Raises NotFound.

    To an agent there is no private record of another one.
    """
    memory = get_record(db, resolve_id(db, "records.by_prefix", text, "record"))
    if is_private_to_another(memory, db.acting[0]):
        raise NotFound(f"no record begins with {text!r}")
    return memory


def is_private_to_another(memory: Memory, actor: str) -> bool:
    """Whether a record is private to another agent than the acting one, or to the session that it
    was taken from.

    A script that names no agent may look at what waits in the inbox.
    """
    if not actor.startswith("agent:"):
        return False
    if memory.scope == "session":
        is_waiting = memory.status == "inbox" and actor == f"agent:{NAMELESS_AGENT}"
        return memory.source_kind != "manual" and not is_waiting
    return memory.scope == "agent" and actor != f"agent:{memory.agent_id}"


def resolve_all(db: Database, ids: Iterable[str]) -> list[Memory]:
    """Read the records of ids or unique prefixes, each once, in their order.

    Raises UsageError without ids, NotFound for one that is unknown.
    """
    found = [resolve_record(db, text) for text in ids]
    if not found:
        raise UsageError("name at least one record")
    return list({memory.id: memory for memory in found}.values())


def find_record(db: Database, memory_id: str) -> Memory | None:
    """Return one record by its full id, or None."""
    row = db.one("records.get", id=memory_id)
    return None if row is None else from_row(row)


def read_all_history_fields(db: Database) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Yield id and history fields of every record; None for a row that cannot be read."""
    for row in db.each("records.everything"):
        try:
            fields = extract_history_fields(from_row(row))
        except StoreDamaged:
            fields = None
        yield row["id"], fields


def list_by_ids(
    db: Database, ids: Iterable[str], *, only_readable: bool = False
) -> dict[str, Memory]:
    """Return records by id; missing ones are left out, and unreadable ones if that is asked for."""
    rows = _read(db, "records.by_ids", only_readable, ids=to_json_array(ids) or "[]")
    return {row["id"]: from_row(row) for row in rows}


def list_by_numbers(
    db: Database, numbers: Iterable[int], *, only_readable: bool = False
) -> dict[int, Memory]:
    """Return records by index number; without unreadable ones if that is asked for."""
    wanted = to_json_array(numbers) or "[]"
    rows = _read(db, "records.by_numbers", only_readable, numbers=wanted)
    return {row["n"]: from_row(row) for row in rows}


def find_number(db: Database, memory_id: str) -> int:
    """Return the index number of a record."""
    return int(db.value("records.numbers", id=memory_id))


def select_records(
    db: Database,
    wanted: Filter,
    *,
    limit: int = -1,
    offset: int = 0,
    only_readable: bool = False,
) -> list[Memory]:
    """List the records that pass the filters, newest change first; a negative limit means all.

    Without unreadable ones if that is asked for.
    """
    rows = _read(
        db, "records.select", only_readable, limit=limit, offset=offset, **_to_parameters(wanted)
    )
    return [from_row(row) for row in rows]


def select_page(
    db: Database, wanted: Filter, *, limit: int, offset: int
) -> tuple[list[Memory], int]:
    """List some of the readable records that pass the filters, as `select_records` does, and count
    all of them. Rows beside the page are read, to know that they can be, and become no records.
    """
    rows = _read(db, "records.select", True, limit=-1, offset=0, **_to_parameters(wanted))
    shown = rows[offset:] if limit < 0 else rows[offset : offset + limit]
    return [from_row(row) for row in shown], len(rows)


def _to_parameters(wanted: Filter) -> dict[str, Any]:
    parameters: dict[str, Any] = asdict(wanted)
    for name in ("statuses", "types", "kinds", "scopes", "tags"):
        parameters[name] = to_json_array(parameters[name])
    return parameters


def _read(db: Database, name: str, only_readable: bool, /, **params: Any) -> list[Row]:
    return read_readable(db, name, **params) if only_readable else db.all(name, **params)


def list_by_fingerprint(db: Database, fingerprint: str) -> list[Memory]:
    """List records with the same normalised content in the same scope, oldest first."""
    return [from_row(row) for row in db.all("records.by_fingerprint", fingerprint=fingerprint)]


def list_by_fingerprints(db: Database, fingerprints: Iterable[str]) -> list[Memory]:
    """List the records with any of some fingerprints, oldest first."""
    wanted = to_json_array(fingerprints) or "[]"
    return [from_row(row) for row in db.all("records.by_fingerprints", fingerprints=wanted)]


def list_by_subject(db: Database, subject: str) -> list[Memory]:
    """List living records about one subject, oldest first."""
    return [from_row(row) for row in db.all("records.by_subject", subject=subject)]


def list_by_source(db: Database, source_ref: str) -> list[Memory]:
    """List every record taken from one source."""
    return [from_row(row) for row in db.all("records.by_source", source_ref=source_ref)]


def list_similar(db: Database, terms: list[str], memory: Memory, limit: int = 20) -> list[Memory]:
    """List living records of the same scope that share words with a record, best first.

    The record itself may be among them.
    """
    return [from_row(row) for row in lexical.list_similar(db, terms, memory, limit)]


def count_access(db: Database, ids: Iterable[str], at: str) -> None:
    """Count one access of each record."""
    db.run("records.touch", ids=to_json_array(ids) or "[]", at=at)


def from_row(row: Row) -> Memory:
    """Build a record from a row."""
    flags = {name: bool(row[name]) for name in _FLAGS}
    others = row["alternatives"]
    alternatives = () if others == "[]" else tuple(parse_json_column(others))
    return build_from_row(Memory, row, alternatives=alternatives, **flags)


def to_columns(memory: Memory) -> dict[str, Any]:
    """Return a record as statement parameters, with its hash."""
    return _add_columns(memory, extract_history_fields(memory))


def _add_columns(memory: Memory, told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the event log sees of a record as statement parameters, with the rest."""
    return {
        **told,
        **{name: getattr(memory, name) for name in _COUNTERS},
        **{name: int(told[name]) for name in _FLAGS},
        "alternatives": to_canonical_json(told["alternatives"]) if told["alternatives"] else "[]",
        "row_hash": _hash_fields(told),
    }


def compute_row_hash(memory: Memory) -> str:
    """Compute the hash over everything but the access counters.

    A stored row that does not match its hash was damaged.
    """
    return _hash_fields(extract_history_fields(memory))


def _hash_fields(told: Mapping[str, Any]) -> str:
    return compute_sha256(
        to_canonical_json(
            {key: value for key, value in told.items() if key not in LATER or value != LATER[key]}
        )
    )


def extract_history_fields(memory: Memory) -> dict[str, Any]:
    """Return a record as the event log sees it: without the access counters."""
    values = {name: getattr(memory, name) for name in _HISTORY_FIELDS}
    values["alternatives"] = list(memory.alternatives)
    return values


def list_expired(db: Database, now: str) -> list[Memory]:
    """List living records whose validity has ended."""
    return [from_row(row) for row in db.all("records.expired", now=now)]


def list_unused(db: Database, types: Iterable[str], before: str) -> list[Memory]:
    """List active, unprotected records of some types neither read nor changed since a time."""
    return [
        from_row(row)
        for row in db.all("records.unused", types=to_json_array(types) or "[]", before=before)
    ]


def list_retellable(
    db: Database, rule: str, version: str, *, after: str, limit: int
) -> list[Memory]:
    """List the episodes after an id that a rule told in other versions of the extraction only."""
    rows = db.all("records.retellable", rule=rule, version=version, after=after, limit=limit)
    return [from_row(row) for row in rows]


def rebuild_index(db: Database) -> int:
    """Build the full-text index anew from the records; return how many there are."""
    db.run("lexical.clear")
    rows = db.all("records.everything")
    for row in rows:
        lexical.put_entry(db, row["n"], from_row(row), _list_entity_names(db, row["id"]))
    return len(rows)


def _list_entity_names(db: Database, memory_id: str) -> list[str]:
    """Return the names of the entities of a record, which its index entry holds too."""
    return [
        row["name"] for row in db.all("entities.names_of_memories", ids=to_json_array([memory_id]))
    ]
