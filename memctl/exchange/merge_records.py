"""Merge records, tombstones and the event log of an export.

Where a record differs, the later `updated_at` wins if the actor may change it, and a tie keeps the
state here; the state that lost is logged by an `imported` event. What was rejected, forgotten or
purged here does not come back, by id, content or quote. What was so there is archived here, unless
that verdict was known and lifted here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from memctl.core.errors import StoreDamaged
from memctl.core.frozen import replace
from memctl.core.model import Memory
from memctl.core.typing_lite import Any
from memctl.exchange import import_state as rules
from memctl.exchange import merge
from memctl.exchange.import_state import ImportState
from memctl.exchange.reading import ExportLine
from memctl.records import relations
from memctl.records.statement import compute_fingerprint
from memctl.store import event_log, exchange, records, tombstones
from memctl.store.database import Row
from memctl.store.rows import compute_changes, compute_sha256, to_canonical_json

_LIVING = ("inbox", "active", "contradicted", "superseded")
HIGHEST_SEQ = 2**53


def merge_records(state: ImportState, batch: Sequence[ExportLine]) -> None:
    """Merge records."""
    fresh = []
    ids = () if state.alone else [line.row["id"] for line in batch]
    known = records.list_by_ids(state.db, ids)
    for line in batch:
        memory = line.memory or _parse_record(state, line)
        if memory is None:
            continue
        here = known.get(memory.id)
        if here is not None:
            _merge_record(state, line, here, memory)
        elif state.alone or not _skip_barred(state, memory, None):
            fresh.append(_cap_new_line(state, line, memory))
    inserted = merge.insert_rows(state, fresh)
    state.new.update(line.row["id"] for line in inserted)
    documents = {line.row["id"]: line.document for line in inserted}
    state.to_index.update(exchange.index_new_memories(state.db, documents))


def merge_tombstones(state: ImportState, batch: Sequence[ExportLine]) -> None:
    """Merge tombstones and archive the records here that they are about."""
    if state.alone:
        merge.merge_rows(state, batch)
        return
    for line in batch:
        row = line.row
        if exchange.find_row(
            state.db, "tombstones", {key: row[key] for key in ("fingerprint", "memory_id")}
        ):
            state.count("tombstones", "identical")
            continue
        victims = _find_buried(state, row)
        if _was_lifted(state, row) or (
            state.is_restricted and any(_is_safe_from_agents(victim) for victim in victims)
        ):
            state.count("tombstones", "skipped")
        elif merge.insert_rows(state, [line]):
            for victim in victims:
                _archive_record(state, victim, row)


def merge_event_log(state: ImportState, batch: Sequence[ExportLine]) -> None:
    """Append the events of the records that are new here, in their order."""
    fresh = []
    for line in batch:
        if not 0 < line.row["seq"] < HIGHEST_SEQ:
            state.report_problem(line, "seq is out of range")
        elif state.alone or _is_missing(state, line.row):
            fresh.append(line)
    if merge.insert_all(state, _chain_lines(state, fresh)):
        state.told.update(line.row["memory_id"] for line in fresh)
    else:
        state.told.update(
            line.row["memory_id"]
            for line in fresh
            if merge.insert_rows(state, _chain_lines(state, [line]))
        )


def finish_records(state: ImportState, ids: Iterable[str]) -> None:
    """Log a beginning for every new record without one, and what a restriction took from others.

    `ids` are the records of the batch.
    """
    who = {"actor": state.actor.name, "cause": state.cause, "at": state.at}
    for memory_id in sorted(state.new.intersection(ids) - state.told):
        whole = records.extract_history_fields(records.get_record(state.db, memory_id))
        event_log.append_change(state.db, memory_id, "imported", None, whole, **who)
        state.tamed.pop(memory_id, None)
    for memory_id, (there, here) in sorted(state.tamed.items()):
        before, after = _find_changed_fields(there, here)
        event_log.append_change(state.db, memory_id, "imported", before, after, **who)


def parse_record(line: ExportLine) -> Memory | None:
    """The record of a line; None if it is none."""
    try:
        memory = records.from_row(line.row)
    except (ValueError, StoreDamaged):
        return None
    return memory if all(isinstance(item, str) for item in memory.alternatives) else None


def _parse_record(state: ImportState, line: ExportLine) -> Memory | None:
    memory = parse_record(line)
    if memory is None:
        state.report_problem(line, "alternatives must be a list of texts")
    return memory


def _skip_barred(state: ImportState, memory: Memory, here: Memory | None) -> bool:
    """Skip a record, and all that belongs to it, if it must not come back."""
    barred = _is_barred(state, memory, here)
    if barred:
        state.barred.add(memory.id)
        state.count("memories", "skipped")
    return barred


def _is_barred(state: ImportState, memory: Memory, here: Memory | None) -> bool:
    """Whether this content was rejected, forgotten or purged here; its fingerprint is
    recomputed.
    """
    if not tombstones.are_any(state.db):
        return False
    if tombstones.find_of_memory(state.db, memory.id):
        return True
    if here is not None and here.status != "archived":
        return False
    own = compute_fingerprint(memory)
    return any(tombstones.find_tombstone(state.db, each, ()) for each in {own, memory.fingerprint})


def _cap_new_line(state: ImportState, line: ExportLine, memory: Memory) -> ExportLine:
    if not state.is_restricted:
        return line
    tame = rules.cap_new_record(memory, state.origin)
    if tame != memory:
        state.tamed[memory.id] = (memory, tame)
    changed = {
        "trust": tame.trust,
        "status": tame.status,
        "protected": int(tame.protected),
        "always_load": int(tame.always_load),
        "origin": tame.origin,
    }
    return line.replace_row({**line.row, **changed})


def _merge_record(state: ImportState, line: ExportLine, here: Memory, memory: Memory) -> None:
    """Merge a record that exists here; its creation time here stays."""
    memory = replace(memory, created_at=here.created_at)
    is_raised = rules.may_raise(state, here, memory)
    if state.origin is not None:
        memory = rules.cap_changed_record(here, memory, state.origin)
    if records.extract_history_fields(memory) == records.extract_history_fields(here):
        _merge_use(state, here, memory)
    elif _skip_barred(state, memory, here):
        return
    elif is_raised or (
        memory.updated_at > here.updated_at and rules.may_change(state, here, memory)
    ):
        _overwrite_record(state, line, here, memory)
    else:
        _keep_record(state, here, memory)


def _merge_use(state: ImportState, here: Memory, memory: Memory) -> None:
    more = memory.access_count > here.access_count or (memory.last_accessed_at or "") > (
        here.last_accessed_at or ""
    )
    if more and not state.is_restricted:
        exchange.merge_access_counts(state.db, memory)
    state.count("memories", "updated" if more and not state.is_restricted else "identical")


def _overwrite_record(state: ImportState, line: ExportLine, here: Memory, memory: Memory) -> None:
    refused = exchange.replace_record(
        state.db, here, memory, actor=state.actor.name, cause=state.cause, at=state.at
    )
    if refused:
        state.report_problem(line, refused)
        return
    exchange.merge_access_counts(state.db, memory)
    state.to_index.add(memory.id)
    state.count("memories", "updated")


def _keep_record(state: ImportState, here: Memory, memory: Memory) -> None:
    """Keep the state here; an unknown state of the file is logged as set and set back."""
    state.lost.add(memory.id)
    there = records.extract_history_fields(memory)
    if _was_in_state(state, memory.id, there):
        state.count("memories", "skipped")
        return
    who = {"actor": state.actor.name, "cause": state.cause, "at": state.at}
    event_log.append_change(
        state.db, memory.id, "imported", there, records.extract_history_fields(here), **who
    )
    state.count("memories", "conflict")


def _was_in_state(state: ImportState, memory_id: str, wanted: Mapping[str, Any]) -> bool:
    """Whether a record was once in this state here, or an earlier import logged the state."""
    fields: dict[str, Any] = {}
    for event in event_log.list_of_memory(state.db, memory_id):
        fields.update(event.after or {})
        if _includes(fields, wanted) or (event.before and _includes(event.before, wanted)):
            return True
    return False


def _includes(fields: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return bool(fields) and all(fields.get(key) == value for key, value in wanted.items())


def _find_buried(state: ImportState, row: Mapping[str, Any]) -> list[Memory]:
    """Living records here that a tombstone of the file is about, unless the file has them alive."""
    here = records.find_record(state.db, row["memory_id"])
    found = [*([here] if here else []), *records.list_by_fingerprint(state.db, row["fingerprint"])]
    return list(
        {
            each.id: each
            for each in found
            if each.status in _LIVING and each.id not in state.alive and each.id not in state.new
        }.values()
    )


def _is_safe_from_agents(memory: Memory) -> bool:
    return rules.is_vouched(memory) or rules.needs_decision(memory)


def _was_lifted(state: ImportState, row: Mapping[str, Any]) -> bool:
    """Whether the same verdict was given here and the operator lifted it."""
    here = records.find_record(state.db, row["memory_id"])
    if here is None or here.status == "archived":
        return False
    return any(
        event.verb == row["verdict"] and event.at >= row["created_at"]
        for event in event_log.list_of_memory(state.db, here.id)
    )


def _archive_record(state: ImportState, memory: Memory, row: Mapping[str, Any]) -> None:
    reason = f"{row['verdict']}: {row['reason']}" if row["reason"] else row["verdict"]
    who = {"actor": state.actor.name, "cause": state.cause}
    relations.set_status(state.db, memory, "archived", reason=reason, verb=row["verdict"], **who)
    relations.resolve_contradictions(state.db, memory.id, **who)
    state.count("memories", "updated")


def _is_missing(state: ImportState, row: Row) -> bool:
    """Whether an event belongs to a new record and is not logged yet; counts it otherwise."""
    fields = {key: row[key] for key in row if key not in ("seq", "chain", "section")}
    mark = compute_sha256(to_canonical_json(fields))
    state.changes[mark] += 1
    is_new = row["memory_id"] in state.new
    if not is_new and exchange.count_copies_of_change(state.db, fields) >= state.changes[mark]:
        state.count("stream", "identical")
    elif is_new or state.exact:
        return True
    else:
        state.count("stream", "skipped")
    return False


def _chain_lines(state: ImportState, lines: Sequence[ExportLine]) -> list[ExportLine]:
    """Chain events to the event log here; only a restore keeps their numbers."""
    head = event_log.read_head_hash(state.db)
    last = event_log.get_last_number(state.db) if state.exact else 0
    chained = []
    for line in lines:
        seq = line.row["seq"]
        head = event_log.compute_chain_hash(head, line.row)
        row = {**line.row, "seq": seq if state.exact and seq > last else None, "chain": head}
        last = max(last + 1, seq) if state.exact else 0
        chained.append(line.replace_row(row))
    return chained


def _find_changed_fields(there: Memory, here: Memory) -> tuple[dict[str, Any], dict[str, Any]]:
    before, after = compute_changes(
        records.extract_history_fields(there), records.extract_history_fields(here)
    )
    return json.loads(to_canonical_json(before)), json.loads(to_canonical_json(after))
