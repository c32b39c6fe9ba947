"""Records, tombstones and the stream of an export meet those that are here.

A record that both know and that differs: the later `updated_at` wins where the actor may change it, a tie stays as it is here, and the
state that lost is kept in the stream by an `imported` event. What was rejected, forgotten or purged here does not come back, by id,
content or quoted words; what was so there is archived here, unless that very verdict was known and lifted here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memctl.core.frozen import replace
from memctl.core.model import AGENT_CLAIMED, Memory
from memctl.exchange import import_state as rules
from memctl.exchange import merge
from memctl.exchange.import_state import Arrival
from memctl.exchange.reading import Line
from memctl.records import relations
from memctl.records.statement import compute_fingerprint
from memctl.store import event_log, exchange, records, tombstones
from memctl.store.database import Row
from memctl.store.rows import canonical, digest

_LIVING = ("inbox", "active", "contradicted", "superseded")
_HIGHEST_SEQ = 2**53


def memories(arrival: Arrival, batch: Sequence[Line]) -> None:
    """Take records in."""
    fresh = []
    for line in batch:
        memory = _memory(arrival, line)
        if memory is None:
            continue
        if memory.status != "archived":
            arrival.alive.add(memory.id)
        here = None if arrival.restore else records.find(arrival.db, memory.id)
        if here is not None:
            _meet(arrival, line, here, memory)
        elif arrival.restore or not _bar(arrival, memory, None):
            fresh.append(_new(arrival, line, memory))
    for line in merge.insert(arrival, fresh):
        arrival.new.add(line.row["id"])
        arrival.to_index.add(line.row["id"])


def entombed(arrival: Arrival, batch: Sequence[Line]) -> None:
    """Take tombstones in; records here that they speak of are archived."""
    if arrival.restore:
        merge.rows(arrival, batch)
        return
    for line in batch:
        row = line.row
        if exchange.get(
            arrival.db, "tombstones", {key: row[key] for key in ("fingerprint", "memory_id")}
        ):
            arrival.count("tombstones", "identical")
            continue
        victims = _victims(arrival, row)
        if _was_lifted(arrival, row) or (
            arrival.tame and any(_is_safe_from_agents(victim) for victim in victims)
        ):
            arrival.count("tombstones", "skipped")
        elif merge.insert(arrival, [line]):
            for victim in victims:
                _archive(arrival, victim, row)


def changes(arrival: Arrival, batch: Sequence[Line]) -> None:
    """Append to the stream what happened to the records that are new here, in the order in which it happened."""
    fresh = []
    for line in batch:
        _watch_chain(arrival, line)
        if not 0 < line.row["seq"] < _HIGHEST_SEQ:
            arrival.bad(line, "seq is out of range")
        elif arrival.restore or _is_missing(arrival, line.row):
            fresh.append(line)
    if merge.insert_all(arrival, _chained(arrival, fresh)):
        arrival.told.update(line.row["memory_id"] for line in fresh)
    else:
        arrival.told.update(
            line.row["memory_id"]
            for line in fresh
            if merge.insert(arrival, _chained(arrival, [line]))
        )


def finish(arrival: Arrival) -> None:
    """Every new record has a beginning in the stream, and what was taken from one stands there too."""
    who = {"actor": arrival.actor.name, "cause": arrival.cause, "at": arrival.at}
    for memory_id in sorted(arrival.new - arrival.told):
        whole = records.history_fields(records.get(arrival.db, memory_id))
        event_log.append(arrival.db, memory_id, "imported", None, whole, **who)
        arrival.tamed.pop(memory_id, None)
    for memory_id, (there, here) in sorted(arrival.tamed.items()):
        before, after = _differences(there, here)
        event_log.append(arrival.db, memory_id, "imported", before, after, **who)


def _memory(arrival: Arrival, line: Line) -> Memory | None:
    try:
        memory = records.from_row(line.row)
    except ValueError:
        memory = None
    if memory is None or not all(isinstance(item, str) for item in memory.alternatives):
        arrival.bad(line, "alternatives must be a list of texts")
        return None
    return memory


def _bar(arrival: Arrival, memory: Memory, here: Memory | None) -> bool:
    """Leave a record out, with all that belongs to it, if it must not come back."""
    barred = _is_barred(arrival, memory, here)
    if barred:
        arrival.barred.add(memory.id)
        arrival.count("memories", "skipped")
    return barred


def _is_barred(arrival: Arrival, memory: Memory, here: Memory | None) -> bool:
    """Whether this content was rejected, forgotten or purged here; a fingerprint in the file is not believed."""
    if tombstones.of_memory(arrival.db, memory.id):
        return True
    if here is not None and here.status != "archived":
        return False
    own = compute_fingerprint(memory)
    return any(tombstones.find(arrival.db, each, ()) for each in {own, memory.fingerprint})


def _new(arrival: Arrival, line: Line, memory: Memory) -> Line:
    if not arrival.tame:
        return line
    tame = rules.tamed(memory)
    if tame != memory:
        arrival.tamed[memory.id] = (memory, tame)
    changed = {
        "trust": tame.trust,
        "status": tame.status,
        "protected": int(tame.protected),
        "always_load": int(tame.always_load),
    }
    return Line(line.number, line.section, {**line.row, **changed})


def _meet(arrival: Arrival, line: Line, here: Memory, memory: Memory) -> None:
    """A record that is here already; when it was created is not argued about."""
    memory = replace(memory, created_at=here.created_at)
    if arrival.tame:
        memory = rules.tamed_change(here, memory)
    if records.history_fields(memory) == records.history_fields(here):
        _same(arrival, here, memory)
    elif _bar(arrival, memory, here):
        return
    elif memory.updated_at > here.updated_at and rules.may_change(arrival, here, memory):
        _win(arrival, line, here, memory)
    else:
        _lose(arrival, here, memory)


def _same(arrival: Arrival, here: Memory, memory: Memory) -> None:
    more = memory.access_count > here.access_count or (memory.last_accessed_at or "") > (
        here.last_accessed_at or ""
    )
    if more and not arrival.tame:
        exchange.count_accesses(arrival.db, memory)
    arrival.count("memories", "updated" if more and not arrival.tame else "identical")


def _win(arrival: Arrival, line: Line, here: Memory, memory: Memory) -> None:
    refused = exchange.replace(
        arrival.db, here, memory, actor=arrival.actor.name, cause=arrival.cause, at=arrival.at
    )
    if refused:
        arrival.bad(line, refused)
        return
    exchange.count_accesses(arrival.db, memory)
    arrival.to_index.add(memory.id)
    arrival.count("memories", "updated")


def _lose(arrival: Arrival, here: Memory, memory: Memory) -> None:
    """What is here prevails; a state that the stream does not know yet is kept there, as if it had been set and then set back."""
    arrival.lost.add(memory.id)
    there = records.history_fields(memory)
    if _knows(arrival, memory.id, there):
        arrival.count("memories", "skipped")
        return
    who = {"actor": arrival.actor.name, "cause": arrival.cause, "at": arrival.at}
    event_log.append(arrival.db, memory.id, "imported", there, records.history_fields(here), **who)
    arrival.count("memories", "conflict")


def _knows(arrival: Arrival, memory_id: str, wanted: Mapping[str, Any]) -> bool:
    """Whether a record once was in this state here, or an earlier import kept it."""
    state: dict[str, Any] = {}
    for event in event_log.of_memory(arrival.db, memory_id):
        state.update(event.after or {})
        if any(
            seen and all(seen.get(key) == value for key, value in wanted.items())
            for seen in (state, event.before)
        ):
            return True
    return False


def _victims(arrival: Arrival, row: Mapping[str, Any]) -> list[Memory]:
    """Living records here that a tombstone of the file speaks of, and that the file itself does not call alive."""
    here = records.find(arrival.db, row["memory_id"])
    found = [*([here] if here else []), *records.by_fingerprint(arrival.db, row["fingerprint"])]
    return list(
        {
            each.id: each
            for each in found
            if each.status in _LIVING and each.id not in arrival.alive | arrival.new
        }.values()
    )


def _is_safe_from_agents(memory: Memory) -> bool:
    return memory.protected or memory.trust > AGENT_CLAIMED or rules.is_operators(memory)


def _was_lifted(arrival: Arrival, row: Mapping[str, Any]) -> bool:
    """Whether the same verdict once stood here and the record lives again: then the operator let it come back."""
    here = records.find(arrival.db, row["memory_id"])
    if here is None or here.status == "archived":
        return False
    return any(
        event.verb == row["verdict"] and event.at >= row["created_at"]
        for event in event_log.of_memory(arrival.db, here.id)
    )


def _archive(arrival: Arrival, memory: Memory, row: Mapping[str, Any]) -> None:
    reason = f"{row['verdict']}: {row['reason']}" if row["reason"] else row["verdict"]
    who = {"actor": arrival.actor.name, "cause": arrival.cause}
    relations.set_status(arrival.db, memory, "archived", reason=reason, verb=row["verdict"], **who)
    relations.resolve_contradictions(arrival.db, memory.id, **who)
    arrival.count("memories", "updated")


def _watch_chain(arrival: Arrival, line: Line) -> None:
    """Tell once where the chain of the file breaks."""
    row = line.row
    if arrival.file_chain != "broken" and row["chain"] != event_log.link(
        arrival.file_chain or event_log.GENESIS, row
    ):
        arrival.bad(
            line, "the chain breaks here: the history was changed, or a line before it is missing"
        )
        arrival.file_chain = "broken"
    elif arrival.file_chain != "broken":
        arrival.file_chain = row["chain"]


def _is_missing(arrival: Arrival, row: Row) -> bool:
    """Whether a change belongs to a record that is new here and is not in the stream yet; counts it where not."""
    fields = {key: row[key] for key in row if key not in ("seq", "chain", "section")}
    mark = digest(canonical(fields))
    arrival.changes[mark] += 1
    if exchange.copies_of_change(arrival.db, fields) >= arrival.changes[mark]:
        arrival.count("stream", "identical")
    elif row["memory_id"] in arrival.new:
        return True
    else:
        arrival.count("stream", "skipped")
    return False


def _chained(arrival: Arrival, lines: Sequence[Line]) -> list[Line]:
    """Changes as the next links of the chain here; only a restore keeps their numbers."""
    head = event_log.read_head_hash(arrival.db)
    chained = []
    for line in lines:
        head = event_log.link(head, line.row)
        row = {**line.row, "seq": line.row["seq"] if arrival.restore else None, "chain": head}
        chained.append(Line(line.number, line.section, row))
    return chained


def _differences(there: Memory, here: Memory) -> tuple[dict[str, Any], dict[str, Any]]:
    before, after = (
        json.loads(canonical(records.history_fields(there))),
        json.loads(canonical(records.history_fields(here))),
    )
    keys = [key for key in after if before[key] != after[key]]
    return {key: before[key] for key in keys}, {key: after[key] for key in keys}
