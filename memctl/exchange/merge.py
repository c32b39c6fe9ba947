"""Merge rows of an export, section by section: new ones are inserted, newer ones may overwrite.

A row that the schema refuses is reported and stops nothing. Importing the same file twice changes
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from memctl.exchange import import_state as rules
from memctl.exchange.import_state import ImportState
from memctl.exchange.reading import ExportLine
from memctl.exchange.sections import BY_NAME
from memctl.store import exchange, projects, sources, succession, tombstones, tracked_rows

# Columns that refer to a row of the same table, which may come later in the file.
_POINTERS = {"projects": "adopted_into", "sources": "previous_id", "entities": "merged_into"}
# What the stream calls the rows of a section.
_TOPICS = {"links": "link", "entity_aliases": "alias", "outcomes": "outcome"}
_NEWER_WINS = frozenset(("projects", "repos", "ingestion_events", "saved_views"))


def merge_rows(state: ImportState, batch: Sequence[ExportLine]) -> None:
    """Merge rows of a section without rules of its own."""
    fresh = []
    for line in batch:
        row = adapt_row(state, line)
        here = None if row is None or state.restore else _find_here(state, line.section, row)
        if row is None or (here is None and _was_ended(state, line.section, row)):
            state.count(line.section, "skipped")
        elif here is None:
            fresh.append(ExportLine(line.number, line.section, row))
        else:
            _merge_row(state, line, row, here)
    insert_rows(state, [line for line in fresh if not _skip_barred_evidence(state, line)])


def _was_ended(state: ImportState, section: str, row: Mapping[str, Any]) -> bool:
    """Whether the row was removed here; an older file does not restore it."""
    topic = _TOPICS.get(section)
    return topic is not None and (topic, tracked_rows.compute_item(topic, row)) in state.ended


def insert_rows(state: ImportState, fresh: Sequence[ExportLine]) -> list[ExportLine]:
    """Insert new rows of one section, together if possible; return those that were inserted."""
    return (
        list(fresh)
        if insert_all(state, fresh)
        else [line for line in fresh if insert_row(state, line)]
    )


def insert_all(state: ImportState, fresh: Sequence[ExportLine]) -> bool:
    """Insert new rows of one section, all or none."""
    done = not fresh or exchange.insert_all(
        state.db, fresh[0].section, [_clear_pointer(line) for line in fresh]
    )
    for line in fresh if done else ():
        _note_inserted(state, line)
    return done


def insert_row(state: ImportState, line: ExportLine) -> bool:
    """Insert one new row, or report why not."""
    reason = exchange.insert_one(state.db, line.section, _clear_pointer(line))
    if reason:
        state.report_problem(line, reason)
    else:
        _note_inserted(state, line)
    return reason is None


def merge_source_parts(state: ImportState, batch: Sequence[ExportLine]) -> None:
    """Merge parts of sources; those of a grown source wait until all are read."""
    fresh = []
    for line in batch:
        source_id = line.row["source_id"]
        if line.row["turn_count"] != len(line.row["turns"]):
            state.report_problem(line, "counts other turns than it has")
        elif source_id in state.grown:
            state.grown_parts.setdefault(source_id, []).append(line)
        elif state.restore or source_id in state.new_sources:
            fresh.append(line)
        else:
            here = _find_here(state, "source_parts", line.row)
            state.count(
                "source_parts",
                "identical" if here == line.row else "skipped" if here is None else "conflict",
            )
    insert_rows(state, fresh)


def finish_rows(state: ImportState) -> None:
    """Do what needs every line: grown sources, references within a table, the index."""
    for source_id, line in state.grown.items():
        _grow_source(
            state,
            line,
            sorted(state.grown_parts.get(source_id, []), key=lambda part: int(part.row["part"])),
        )
    for section, row_id, target, number in state.pointers:
        reason = exchange.point_to(state.db, section, row_id, target)
        if reason:
            state.problems.add(f"{section}: {_POINTERS[section]} {reason}; left empty", number)
    _drop_circles(state)
    exchange.reindex_memories(state.db, sorted(state.to_index))


def _drop_circles(state: ImportState) -> None:
    """Drop imported links, last first, until no record supersedes itself through others."""
    circle = set(succession.find_cycles(state.db)) if state.superseding else set()
    for line in reversed(state.superseding):
        ends = {line.row["from_id"], line.row["to_id"]}
        if ends <= circle and exchange.drop_link(state.db, line.row):
            state.count("links", "inserted", -1)
            state.report_problem(
                line,
                f"supersession cycle: {line.row['from_id']} was itself superseded by "
                f"{line.row['to_id']} through others",
            )
            circle = set(succession.find_cycles(state.db))


def adapt_row(state: ImportState, line: ExportLine) -> dict[str, Any] | None:
    """A row with the ids of this store, and restricted if need be; None if it must not come."""
    row = rules.cap_row(line.section, line.row) if state.is_restricted else line.row
    adapt = None if state.restore else _ADAPTERS.get(line.section)
    return row if adapt is None else adapt(state, row)


def _find_here(state: ImportState, section: str, row: Mapping[str, Any]) -> dict[str, Any] | None:
    return exchange.find_row(
        state.db, section, {column: row[column] for column in BY_NAME[section].key}
    )


def _merge_row(
    state: ImportState, line: ExportLine, row: dict[str, Any], here: Mapping[str, Any]
) -> None:
    """Merge a row whose key exists here."""
    section = line.section
    newer = not state.is_restricted and row.get("updated_at", "") > here.get("updated_at", "")
    if here in (row, line.row):
        state.count(section, "identical")
    elif section == "sources" and newer:
        state.grown[row["id"]] = ExportLine(line.number, section, row)
    elif section in _NEWER_WINS and newer:
        _overwrite_row(state, line)
    else:
        state.count(section, "conflict")
        if section == "aliases":
            _report_same_project(state, line, row["project_id"], here["project_id"])


def _report_same_project(state: ImportState, line: ExportLine, there: str, here: str) -> None:
    """Two projects with one alias are probably one; only the operator joins them."""
    if there in state.new_projects:
        known_as = line.row["value"]
        state.report_problem(
            line,
            f"imported project {there} seems to be {here}: both are known as {known_as}; "
            f"`memctl project adopt {there} {here}` joins them",
        )


def _overwrite_row(state: ImportState, line: ExportLine) -> bool:
    reason = exchange.update_row(state.db, line.section, _clear_pointer(line))
    if reason:
        state.report_problem(line, reason)
        return False
    state.count(line.section, "updated")
    _note_pointer(state, line)
    return True


def _clear_pointer(line: ExportLine) -> dict[str, Any]:
    column = _POINTERS.get(line.section)
    return {**line.row, column: None} if column else line.row


def _note_pointer(state: ImportState, line: ExportLine) -> None:
    target = line.row[_POINTERS[line.section]] if line.section in _POINTERS else None
    if target is not None:
        state.pointers.append((line.section, line.row["id"], target, line.number))


def _note_inserted(state: ImportState, line: ExportLine) -> None:
    state.count(line.section, "inserted")
    _note_pointer(state, line)
    if line.section == "sources":
        state.new_sources.add(line.row["id"])
    elif line.section == "projects":
        state.new_projects.add(line.row["id"])
    elif line.section == "memory_entities":
        state.to_index.add(line.row["memory_id"])
    elif line.section == "links" and line.row["relation"] == "supersedes":
        state.superseding.append(line)


def _grow_source(state: ImportState, line: ExportLine, arrived: Sequence[ExportLine]) -> None:
    """Take a longer capture of a session, if it begins with exactly the turns that are here."""
    held = sources.read_parts(state.db, line.row["id"])
    known, more = arrived[: len(held)], arrived[len(held) :]
    whole = [part.row["part"] for part in arrived] == list(range(len(arrived)))
    if whole and [part.row["turns"] for part in known] == held and _overwrite_row(state, line):
        state.count("source_parts", "identical", len(known))
        insert_rows(state, more)
    else:
        state.count("sources", "conflict")
        state.count("source_parts", "skipped", len(arrived))


def _adapt_project_link(state: ImportState, row: dict[str, Any]) -> dict[str, Any] | None:
    """Only the operator links projects."""
    return None if state.is_restricted else row


def _adapt_source(state: ImportState, row: dict[str, Any]) -> dict[str, Any] | None:
    """A purged source does not come back."""
    return None if tombstones.find_of_memory(state.db, row["id"]) else row


def _adapt_evidence(state: ImportState, row: dict[str, Any]) -> dict[str, Any] | None:
    """Evidence with barred words removes its record too."""
    memory_id = row["memory_id"]
    if memory_id in state.new and tombstones.find_tombstone(state.db, "", [row["quote"]]):
        exchange.withdraw_record(state.db, memory_id)
        bar_inserted_record(state, memory_id)
    return None if _is_barred(state, [memory_id]) or memory_id in state.lost else row


def bar_inserted_record(state: ImportState, memory_id: str) -> None:
    """Bar a record that was just inserted and removed again."""
    state.barred.add(memory_id)
    state.new.discard(memory_id)
    state.to_index.discard(memory_id)
    state.tamed.pop(memory_id, None)
    state.count("memories", "inserted", -1)
    state.count("memories", "skipped")


def _skip_barred_evidence(state: ImportState, line: ExportLine) -> bool:
    """Skip evidence whose record was removed by a later line of the batch."""
    barred = line.section == "evidence" and line.row["memory_id"] in state.barred
    if barred:
        state.count("evidence", "skipped")
    return barred


def _adapt_link(state: ImportState, row: dict[str, Any]) -> dict[str, Any] | None:
    """The same link under another id is one link; a resolved contradiction stays resolved."""
    if _is_barred(state, (row["from_id"], row["to_id"])):
        return None
    here = exchange.find_link_between(state.db, row)
    if here is None:
        return row
    if row["resolved_at"] and not here["resolved_at"] and not state.is_restricted:
        exchange.settle_link(state.db, here["id"], row["resolved_at"])
    elif not row["resolved_at"] or state.is_restricted:
        row = {**row, "resolved_at": here["resolved_at"]}
    return row if here["id"] == row["id"] else None


def _adapt_entity(state: ImportState, row: dict[str, Any]) -> dict[str, Any] | None:
    """An entity known here by kind and name keeps its id here."""
    known = exchange.find_entity_named(state.db, row["kind"], row["name"])
    state.entities[row["id"]] = known or row["id"]
    return None if known and known != row["id"] else row


def _adapt_entity_alias(state: ImportState, row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "entity_id": state.entities.get(row["entity_id"], row["entity_id"])}


def _adapt_memory_entity(state: ImportState, row: dict[str, Any]) -> dict[str, Any] | None:
    if _is_barred(state, [row["memory_id"]]) or row["memory_id"] in state.lost:
        return None
    return _adapt_entity_alias(state, row)


def _adapt_outcome(state: ImportState, row: dict[str, Any]) -> dict[str, Any] | None:
    """Feedback on a barred record does not come."""
    return None if _is_barred(state, [row["memory_id"]]) else row


def _adapt_repo(state: ImportState, row: dict[str, Any]) -> dict[str, Any]:
    """A checkout that is known here under another id keeps its folder; the row comes without it.

    Sources and records that refer to the row come too; `memctl project adopt` unites the projects.
    """
    folder = row["git_common_dir"]
    known = None if folder is None else projects.repo_id(state.db, folder)
    return row if known in (None, row["id"]) else {**row, "git_common_dir": None}


def _adapt_decision(state: ImportState, row: dict[str, Any]) -> dict[str, Any] | None:
    """Only the operator imports decisions on maintenance proposals."""
    return None if state.is_restricted else row


def _is_barred(state: ImportState, memory_ids: Iterable[str]) -> bool:
    return any(memory_id in state.barred for memory_id in memory_ids)


_ADAPTERS: Mapping[str, Callable[[ImportState, dict[str, Any]], dict[str, Any] | None]] = {
    "project_links": _adapt_project_link,
    "repos": _adapt_repo,
    "sources": _adapt_source,
    "evidence": _adapt_evidence,
    "links": _adapt_link,
    "entities": _adapt_entity,
    "entity_aliases": _adapt_entity_alias,
    "memory_entities": _adapt_memory_entity,
    "outcomes": _adapt_outcome,
    "proposals": _adapt_decision,
    "muted_rules": _adapt_decision,
}
