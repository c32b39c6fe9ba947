"""Rows of an export meet what is here, section by section: new ones are inserted, equal ones left, newer ones win where they may.

Kept true: a line that the schema refuses leaves nothing behind and stops nothing; taking the same file in twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from memctl.exchange import import_state as rules
from memctl.exchange.import_state import Arrival
from memctl.exchange.reading import Line
from memctl.exchange.sections import BY_NAME
from memctl.store import exchange, sources, succession, tombstones, tracked_rows

# Columns that refer to a row of the same table, which may come later in the file.
_POINTERS = {"projects": "adopted_into", "sources": "previous_id", "entities": "merged_into"}
# What the stream calls the rows of a section.
_TOPICS = {"links": "link", "entity_aliases": "alias", "outcomes": "outcome"}
_NEWER_WINS = frozenset(("projects", "repos", "ingestion_events", "saved_views"))


def rows(arrival: Arrival, batch: Sequence[Line]) -> None:
    """Take in rows of any section that has no rules of its own."""
    fresh = []
    for line in batch:
        row = adapted(arrival, line)
        here = None if row is None or arrival.restore else _here(arrival, line.section, row)
        if row is None or (here is None and _was_ended(arrival, line.section, row)):
            arrival.count(line.section, "skipped")
        elif here is None:
            fresh.append(Line(line.number, line.section, row))
        else:
            _meet(arrival, line, row, here)
    insert(arrival, [line for line in fresh if not _came_to_be_barred(arrival, line)])


def _was_ended(arrival: Arrival, section: str, row: Mapping[str, Any]) -> bool:
    """Whether the row was here and was taken away, which an older file does not take back."""
    topic = _TOPICS.get(section)
    return topic is not None and (topic, tracked_rows.item_of(topic, row)) in arrival.ended


def insert(arrival: Arrival, fresh: Sequence[Line]) -> list[Line]:
    """Store new rows of one section, all at once where all are good; those that the schema took."""
    return (
        list(fresh)
        if insert_all(arrival, fresh)
        else [line for line in fresh if insert_one(arrival, line)]
    )


def insert_all(arrival: Arrival, fresh: Sequence[Line]) -> bool:
    """Store new rows of one section, all or none."""
    done = not fresh or exchange.insert_all(
        arrival.db, fresh[0].section, [_without_pointer(line) for line in fresh]
    )
    for line in fresh if done else ():
        _after_insert(arrival, line)
    return done


def insert_one(arrival: Arrival, line: Line) -> bool:
    """Store one new row, or say why not."""
    reason = exchange.insert_one(arrival.db, line.section, _without_pointer(line))
    if reason:
        arrival.bad(line, reason)
    else:
        _after_insert(arrival, line)
    return reason is None


def parts(arrival: Arrival, batch: Sequence[Line]) -> None:
    """Take in parts of sources; those of a source that has grown wait until all are known."""
    fresh = []
    for line in batch:
        source_id = line.row["source_id"]
        if line.row["turn_count"] != len(line.row["turns"]):
            arrival.bad(line, "counts other turns than it has")
        elif source_id in arrival.grown:
            arrival.grown_parts.setdefault(source_id, []).append(line)
        elif arrival.restore or source_id in arrival.new_sources:
            fresh.append(line)
        else:
            here = _here(arrival, "source_parts", line.row)
            arrival.count(
                "source_parts",
                "identical" if here == line.row else "skipped" if here is None else "conflict",
            )
    insert(arrival, fresh)


def finish(arrival: Arrival) -> None:
    """What can only be done when every line was seen: growing sources, references within a table, the index."""
    for source_id, line in arrival.grown.items():
        _grow(
            arrival,
            line,
            sorted(arrival.grown_parts.get(source_id, []), key=lambda part: int(part.row["part"])),
        )
    for section, row_id, target, number in arrival.pointers:
        reason = exchange.point(arrival.db, section, row_id, target)
        if reason:
            arrival.problems.add(f"{section}: {_POINTERS[section]} {reason}; left empty", number)
    _refuse_circles(arrival)
    exchange.index(arrival.db, sorted(arrival.to_index))


def _refuse_circles(arrival: Arrival) -> None:
    """No record supersedes itself by way of others: of the links that came, those that would let it are left out, the last ones first."""
    circle = set(succession.circling(arrival.db)) if arrival.superseding else set()
    for line in reversed(arrival.superseding):
        ends = {line.row["from_id"], line.row["to_id"]}
        if ends <= circle and exchange.drop_link(arrival.db, line.row):
            arrival.count("links", "inserted", -1)
            arrival.bad(
                line,
                f"would be a circle: {line.row['from_id']} was itself superseded by {line.row['to_id']}, by way of others",
            )
            circle = set(succession.circling(arrival.db))


def adapted(arrival: Arrival, line: Line) -> dict[str, Any] | None:
    """A row as this import may bring it, with the ids of here; None where it must not come."""
    row = rules.tamed_row(line.section, line.row) if arrival.tame else line.row
    adapt = None if arrival.restore else _ADAPT.get(line.section)
    return row if adapt is None else adapt(arrival, row)


def _here(arrival: Arrival, section: str, row: Mapping[str, Any]) -> dict[str, Any] | None:
    return exchange.get(
        arrival.db, section, {column: row[column] for column in BY_NAME[section].key}
    )


def _meet(arrival: Arrival, line: Line, row: dict[str, Any], here: Mapping[str, Any]) -> None:
    """A row whose key is here already."""
    section = line.section
    newer = not arrival.tame and row.get("updated_at", "") > here.get("updated_at", "")
    if here in (row, line.row):
        arrival.count(section, "identical")
    elif section == "sources" and newer:
        arrival.grown[row["id"]] = Line(line.number, section, row)
    elif section in _NEWER_WINS and newer:
        _overwrite(arrival, line)
    else:
        arrival.count(section, "conflict")
        if section == "aliases":
            _tell_of_twin(arrival, line, row["project_id"], here["project_id"])


def _tell_of_twin(arrival: Arrival, line: Line, there: str, here: str) -> None:
    """Two projects with one alias are most likely one; only the operator says so."""
    if there in arrival.new_projects:
        advice = f"`memctl project adopt {there} {here}` makes them one"
        arrival.bad(
            line,
            f"the project that came as {there} seems to be {here}: both are known as {line.row['value']}; {advice}",
        )


def _overwrite(arrival: Arrival, line: Line) -> bool:
    reason = exchange.update(arrival.db, line.section, _without_pointer(line))
    if reason:
        arrival.bad(line, reason)
        return False
    arrival.count(line.section, "updated")
    _note_pointer(arrival, line)
    return True


def _without_pointer(line: Line) -> dict[str, Any]:
    column = _POINTERS.get(line.section)
    return {**line.row, column: None} if column else line.row


def _note_pointer(arrival: Arrival, line: Line) -> None:
    target = line.row[_POINTERS[line.section]] if line.section in _POINTERS else None
    if target is not None:
        arrival.pointers.append((line.section, line.row["id"], target, line.number))


def _after_insert(arrival: Arrival, line: Line) -> None:
    arrival.count(line.section, "inserted")
    _note_pointer(arrival, line)
    if line.section == "sources":
        arrival.new_sources.add(line.row["id"])
    elif line.section == "projects":
        arrival.new_projects.add(line.row["id"])
    elif line.section == "memory_entities":
        arrival.to_index.add(line.row["memory_id"])
    elif line.section == "links" and line.row["relation"] == "supersedes":
        arrival.superseding.append(line)


def _grow(arrival: Arrival, line: Line, arrived: Sequence[Line]) -> None:
    """A longer capture of a session that is here: it wins only if it begins with exactly the turns that are here."""
    held = sources.read_parts(arrival.db, line.row["id"])
    known, more = arrived[: len(held)], arrived[len(held) :]
    whole = [part.row["part"] for part in arrived] == list(range(len(arrived)))
    if whole and [part.row["turns"] for part in known] == held and _overwrite(arrival, line):
        arrival.count("source_parts", "identical", len(known))
        insert(arrival, more)
    else:
        arrival.count("sources", "conflict")
        arrival.count("source_parts", "skipped", len(arrived))


def _project_link(arrival: Arrival, row: dict[str, Any]) -> dict[str, Any] | None:
    """Only the operator lets two projects use each other's memories."""
    return None if arrival.tame else row


def _source(arrival: Arrival, row: dict[str, Any]) -> dict[str, Any] | None:
    """A captured original that was purged here does not come back."""
    return None if tombstones.of_memory(arrival.db, row["id"]) else row


def _evidence(arrival: Arrival, row: dict[str, Any]) -> dict[str, Any] | None:
    """Words that must not come back take their record with them."""
    memory_id = row["memory_id"]
    if memory_id in arrival.new and tombstones.find(arrival.db, "", [row["quote"]]):
        exchange.withdraw(arrival.db, memory_id)
        forget_arrival(arrival, memory_id)
    return None if _is_left_out(arrival, [memory_id]) or memory_id in arrival.lost else row


def forget_arrival(arrival: Arrival, memory_id: str) -> None:
    """A record that was just inserted is gone again and must not come back."""
    arrival.barred.add(memory_id)
    arrival.new.discard(memory_id)
    arrival.to_index.discard(memory_id)
    arrival.tamed.pop(memory_id, None)
    arrival.count("memories", "inserted", -1)
    arrival.count("memories", "skipped")


def _came_to_be_barred(arrival: Arrival, line: Line) -> bool:
    """Evidence whose record was withdrawn by a later line of the same batch goes with it."""
    barred = line.section == "evidence" and line.row["memory_id"] in arrival.barred
    if barred:
        arrival.count("evidence", "skipped")
    return barred


def _link(arrival: Arrival, row: dict[str, Any]) -> dict[str, Any] | None:
    """The same link under another id is the same link; a settled contradiction stays settled."""
    if _is_left_out(arrival, (row["from_id"], row["to_id"])):
        return None
    here = exchange.link_between(arrival.db, row)
    if here is None:
        return row
    if row["resolved_at"] and not here["resolved_at"] and not arrival.tame:
        exchange.settle_link(arrival.db, here["id"], row["resolved_at"])
    elif not row["resolved_at"] or arrival.tame:
        row = {**row, "resolved_at": here["resolved_at"]}
    return row if here["id"] == row["id"] else None


def _entity(arrival: Arrival, row: dict[str, Any]) -> dict[str, Any] | None:
    """An entity known here by kind and name keeps its id here."""
    known = exchange.entity_named(arrival.db, row["kind"], row["name"])
    arrival.entities[row["id"]] = known or row["id"]
    return None if known and known != row["id"] else row


def _entity_alias(arrival: Arrival, row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "entity_id": arrival.entities.get(row["entity_id"], row["entity_id"])}


def _memory_entity(arrival: Arrival, row: dict[str, Any]) -> dict[str, Any] | None:
    if _is_left_out(arrival, [row["memory_id"]]) or row["memory_id"] in arrival.lost:
        return None
    return _entity_alias(arrival, row)


def _outcome(arrival: Arrival, row: dict[str, Any]) -> dict[str, Any] | None:
    """What was said of a record that must not come back does not come either."""
    return None if _is_left_out(arrival, [row["memory_id"]]) else row


def _by_the_operator(arrival: Arrival, row: dict[str, Any]) -> dict[str, Any] | None:
    """Only the operator's own hand brings decisions of maintenance along."""
    return None if arrival.tame else row


def _is_left_out(arrival: Arrival, memory_ids: Iterable[str]) -> bool:
    return any(memory_id in arrival.barred for memory_id in memory_ids)


_ADAPT: Mapping[str, Callable[[Arrival, dict[str, Any]], dict[str, Any] | None]] = {
    "project_links": _project_link,
    "sources": _source,
    "evidence": _evidence,
    "links": _link,
    "entities": _entity,
    "entity_aliases": _entity_alias,
    "memory_entities": _memory_entity,
    "outcomes": _outcome,
    "proposals": _by_the_operator,
    "muted_rules": _by_the_operator,
}
