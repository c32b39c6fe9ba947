"""Merge rows of an export, section by section: new ones are inserted, newer ones may overwrite.

A row that the schema refuses is reported and stops nothing. Importing the same file twice changes
nothing. Each batch is complete in itself: what hangs on a record comes in its batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from memctl.core.typing_lite import Any
from memctl.exchange import import_state as rules
from memctl.exchange import merge_tags, untold_changes
from memctl.exchange.import_state import ImportState
from memctl.exchange.reading import ExportLine
from memctl.exchange.sections import BY_NAME
from memctl.records import drafts
from memctl.store import (
    event_log,
    exchange,
    projects,
    records,
    succession,
    tombstones,
    tracked_rows,
)

# Columns that refer to a row of the same table, which may come later in the file.
_POINTERS = {"projects": "adopted_into", "sources": "previous_id", "entities": "merged_into"}
# What was removed here does not come back by a file that still has it.
_ENDING = frozenset(("links", "entity_aliases", "outcomes"))
_ONE_SIDED = frozenset(("contradicts", "supersedes"))
_NEWER_WINS = frozenset(("projects", "repos", "ingestion_events", "saved_views"))


def merge_rows(state: ImportState, batch: Sequence[ExportLine]) -> None:
    """Merge rows of a section without rules of its own."""
    fresh = []
    for line in batch:
        row = adapt_row(state, line)
        here = None if row is None or state.alone else _find_here(state, line.section, row)
        if row is None or (here is None and _was_ended(state, line.section, row)):
            state.count(line.section, "skipped")
            untold_changes.note_skipped(state, line)
        elif here is None:
            fresh.append(line if row is line.row else line.replace_row(row))
        else:
            _merge_row(state, line, row, here)
    insert_rows(state, [line for line in fresh if not _skip_barred_evidence(state, line)])


def _was_ended(state: ImportState, section: str, row: Mapping[str, Any]) -> bool:
    """Whether the row was removed here; an older file does not restore it."""
    if merge_tags.is_tag_row(section, row):
        return merge_tags.was_taken_off(state, row)
    if state.alone or section not in _ENDING:
        return False
    topic = untold_changes.TOPICS[section]
    about, item = tracked_rows.find_subject(topic, row), tracked_rows.compute_item(topic, row)
    return event_log.was_ended(state.db, about, topic, item)


def insert_rows(state: ImportState, fresh: Sequence[ExportLine]) -> list[ExportLine]:
    """Insert new rows of one section, together if possible; return those that were inserted."""
    is_chain = any(line.row.get("relation") == "supersedes" for line in fresh)
    if not is_chain and insert_all(state, fresh):
        return list(fresh)
    return [line for line in fresh if insert_row(state, line)]


def insert_all(state: ImportState, fresh: Sequence[ExportLine]) -> bool:
    """Insert new rows of one section, all or none."""
    done = not fresh or exchange.insert_all(
        state.db, fresh[0].section, [_build_stored(line) for line in fresh]
    )
    for line in fresh if done else ():
        _note_inserted(state, line)
    return done


def insert_row(state: ImportState, line: ExportLine) -> bool:
    """Insert one new row, or report why not."""
    if line.row.get("relation") == "supersedes" and _closes_circle(state, line):
        return False
    reason = exchange.insert_one(state.db, line.section, _build_stored(line))
    if reason:
        state.report_problem(line, reason)
        untold_changes.note_skipped(state, line)
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
        elif state.alone or source_id in state.new_sources:
            fresh.append(line)
        else:
            state.count("source_parts", _compare_part(state, line))
    insert_rows(state, fresh)


def _compare_part(state: ImportState, line: ExportLine) -> str:
    """What becomes of a part of a source that is here; the packed bytes mostly tell."""
    key = {"source_id": line.row["source_id"], "part": line.row["part"]}
    if exchange.holds_part(state.db, _build_stored(line)):
        return "identical"
    here = exchange.find_row(state.db, "source_parts", key)
    return "identical" if here == line.row else "skipped" if here is None else "conflict"


def finish_batch(state: ImportState) -> None:
    """Do what needs every line of a batch: grown sources, references within a table, the index."""
    for source_id, line in state.grown.items():
        _grow_source(
            state,
            line,
            sorted(state.grown_parts.get(source_id, []), key=lambda part: int(part.row["part"])),
        )
    state.pointers = [each for each in state.pointers if not _point(state, *each)]
    exchange.reindex_memories(state.db, sorted(state.to_index))


def finish_pointers(state: ImportState) -> None:
    """Report the references within a table that lead nowhere."""
    for section, row_id, target, number in state.pointers:
        reason = exchange.point_to(state.db, section, row_id, target)
        if reason:
            state.problems.add(f"{section}: {_POINTERS[section]} {reason}; left empty", number)
    state.pointers = []


def note_missing_pointer(state: ImportState, line: ExportLine) -> None:
    """Note the reference of a row that came before a kill and still lacks it."""
    if line.section in _POINTERS and line.row[_POINTERS[line.section]] is not None:
        here = _find_here(state, line.section, line.row)
        if here == _clear_pointer(line):
            _note_pointer(state, line)


def _point(state: ImportState, section: str, row_id: str, target: str, _number: int) -> bool:
    """Set a reference within a table, if its target is here already."""
    here = exchange.find_row(state.db, section, {"id": target})
    return here is not None and exchange.point_to(state.db, section, row_id, target) is None


def _closes_circle(state: ImportState, line: ExportLine) -> bool:
    """Whether a record would supersede itself through others by this link; says so."""
    newer, older = line.row["from_id"], line.row["to_id"]
    if not succession.is_above(state.db, newer, older):
        return False
    untold_changes.note_skipped(state, line)
    state.report_problem(
        line, f"supersession cycle: {newer} was itself superseded by {older} through others"
    )
    return True


def adapt_row(state: ImportState, line: ExportLine) -> dict[str, Any] | None:
    """A row with the ids of this store, and restricted if need be; None if it must not come."""
    row = rules.cap_row(line.section, line.row) if state.is_restricted else line.row
    if row is not None and line.section == "projects":
        return _adapt_project(state, row)
    adapt = None if state.alone else _ADAPTERS.get(line.section)
    return row if adapt is None or row is None else adapt(state, row)


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
    elif not state.is_restricted and here == rules.cap_row(section, row):
        _raise_trust(state, line)
    elif section == "sources" and newer:
        state.grown[row["id"]] = ExportLine(line.number, section, row)
    elif section in _NEWER_WINS and newer:
        _overwrite_row(state, line.replace_row(row) if section == "projects" else line)
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


def _raise_trust(state: ImportState, line: ExportLine) -> None:
    """What came restricted before is the operator's own after all."""
    if line.section == "ingestion_events":  # What it queued was dealt with.
        state.count(line.section, "identical")
        return
    exchange.set_trust(state.db, line.section, line.row["id"], line.row["trust"])
    state.count(line.section, "updated")


def _overwrite_row(state: ImportState, line: ExportLine) -> bool:
    reason = exchange.update_row(state.db, line.section, _clear_pointer(line))
    if reason:
        state.report_problem(line, reason)
        return False
    state.count(line.section, "updated")
    _note_pointer(state, line)
    return True


def _build_stored(line: ExportLine) -> Mapping[str, Any]:
    """The parameters of a new row: those that were prepared, unless the row was changed since."""
    return line.stored or exchange.to_parameters(line.section, _clear_pointer(line))


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
    untold_changes.note_inserted(state, line)
    if line.section == "sources":
        state.new_sources.add(line.row["id"])
    elif line.section == "projects":
        state.new_projects.add(line.row["id"])
    elif line.section == "memory_entities":
        state.to_index.add(line.row["memory_id"])


def _grow_source(state: ImportState, line: ExportLine, arrived: Sequence[ExportLine]) -> None:
    """Take a longer capture of a session, if it begins with exactly the turns that are here."""
    held = exchange.count_parts(state.db, line.row["id"])
    known, more = arrived[:held], arrived[held:]
    whole = [part.row["part"] for part in arrived] == list(range(len(arrived)))
    is_longer = whole and len(known) == held
    is_longer = is_longer and all(_compare_part(state, part) == "identical" for part in known)
    if is_longer and _overwrite_row(state, line):
        state.count("source_parts", "identical", len(known))
        insert_rows(state, more)
    else:
        state.count("sources", "conflict")
        state.count("source_parts", "skipped", len(arrived))


def _adapt_project(state: ImportState, row: dict[str, Any]) -> dict[str, Any]:
    """A project whose name another one has here gets a number, as a new folder's would.

    One that is here already keeps the name that it has here.
    """
    name, key = row["name"], {"id": row["id"]}
    holders = {
        state.project_names.get(name.casefold()),
        *(
            found.id
            for found in (
                projects.called(state.db, name),
                projects.by_alias(state.db, "name", name.casefold()),
            )
            if found is not None
        ),
    }
    if row["adopted_into"] is None and holders - {None, row["id"]}:
        here = exchange.find_row(state.db, "projects", key)
        if here is None:
            name = projects.find_free_name(state.db, name, besides=state.project_names)
            told = f"{row['name']!r} is another project here; this one is called {name!r}"
            state.problems.add(f"projects: {told}")
        else:
            name = here["name"]
    state.project_names[name.casefold()] = row["id"]
    return row if name == row["name"] else {**row, "name": name}


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
    if _is_barred(state, [memory_id]) or memory_id in state.lost:
        return None
    return None if _is_about_vouched(state, memory_id) else row


def _is_about_vouched(state: ImportState, memory_id: str) -> bool:
    """Whether a restricted import would touch a record that the operator stands behind."""
    if not state.is_restricted or memory_id in state.new:
        return False
    here = records.find_record(state.db, memory_id)
    return here is not None and rules.is_vouched(here)


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
    if state.is_restricted and row["reason"]:
        row = {**row, "reason": drafts.mark_as_said(row["reason"])}
    here = exchange.find_link_between(state.db, row)
    if here is None:
        is_unfit = row["relation"] in _ONE_SIDED and _is_about_vouched(state, row["to_id"])
        return None if is_unfit or _is_buried(state, row) else row
    if row["resolved_at"] and not here["resolved_at"] and not state.is_restricted:
        exchange.settle_link(state.db, here["id"], row["resolved_at"])
        state.untold["link", here["id"]] = row
    elif not row["resolved_at"] or state.is_restricted:
        row = {**row, "resolved_at": here["resolved_at"]}
    return row if here["id"] == row["id"] else None


def _adapt_entity(state: ImportState, row: dict[str, Any]) -> dict[str, Any] | None:
    """An entity known here by kind and name keeps its id here."""
    known = exchange.find_entity_named(state.db, row["kind"], row["name"])
    return None if known and known != row["id"] else row


def _adapt_entity_alias(state: ImportState, row: dict[str, Any]) -> dict[str, Any]:
    named = state.entities.get(row["entity_id"])
    known = exchange.find_entity_named(state.db, *named) if named else None
    return {**row, "entity_id": known} if known and known != row["entity_id"] else row


def _adapt_memory_entity(state: ImportState, row: dict[str, Any]) -> dict[str, Any] | None:
    memory_id, is_tag = row["memory_id"], merge_tags.is_tag_row("memory_entities", row)
    if _is_barred(state, [memory_id]) or (memory_id in state.lost and not is_tag):
        return None
    if is_tag and memory_id not in state.new and not merge_tags.may_tag(state, memory_id):
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


def _is_buried(state: ImportState, row: Mapping[str, Any]) -> bool:
    """Whether an end of a link must not come back and therefore is not here."""
    ends = (row["from_id"], row["to_id"])
    return any(
        end not in state.new
        and (
            tombstones.find_of_memory(state.db, end) is not None
            or records.find_record(state.db, end) is None
        )
        for end in ends
        if end in state.in_file
    )


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
