"""Erasing and rewriting rows, history included; used by `purge` and `redact --apply`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from memctl.core.frozen import dataclass
from memctl.core.model import Evidence, Memory, Source
from memctl.store import (
    chunks,
    event_log,
    exchange,
    lexical,
    links,
    maintenance_steps,
    marks,
    memory_documents,
    records,
    semantic,
    sources,
    sync_appending,
    sync_changes,
    sync_group,
    turn_index,
)
from memctl.store.database import Database, Row
from memctl.store.rows import build_from_row, compute_sha256, copy_row, to_canonical_json

# Pages of the full-text index that are merged in one transaction; chosen by hand.
_MERGED_PAGES = 256
# Changes that travel which are read at once; chosen by hand.
_CHANGES_AT_ONCE = 500
# What is said of a row before and after: the columns that changed.
Change = Callable[[Mapping[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose rows are rewritten one by one: its statements, text columns and JSON
    columns.
    """

    name: str
    place: str
    texts: tuple[str, ...]
    nested: tuple[str, ...] = ()


TABLES = (
    Table("jobs", "ingestion", ("trigger", "actor", "requested_scope", "error"), ("outcome",)),
    Table("links", "link", ("reason", "actor")),
    Table("entities", "entity", ("name",)),
    Table("entity_aliases", "entity", ("alias", "source_ref")),
    Table("mentions", "entity", ("name",)),
    Table("projects", "project", ("name", "root_path")),
    Table("project_aliases", "project", ("value",)),
    Table("project_links", "project", ("reason",)),
    Table("repos", "project", ("name", "root_path", "git_common_dir", "remote_url")),
    Table("tombstones", "tombstone", ("reason", "actor")),
    Table("outcomes", "outcome", ("reason", "actor")),
    Table("proposals", "proposal", ("reason", "actor"), ("data",)),
    Table("mutes", "rule", ("reason", "actor")),
    Table(
        "logs",
        "retrieval",
        ("query", "actor", "session_id"),
        ("filters", "candidates", "returned", "flags"),
    ),
    Table("views", "view", ("name",), ("definition",)),
    Table("vaults", "vault", ("path",)),
    Table("documents", "MEMORY.md", ("actor",), ("lines", "diary")),
    Table("model_calls", "model call", ("output", "error")),
)
SOURCE_TEXTS = ("agent", "session_id", "parent_session_id", "path", "title", "cwd", "git_branch")


def rows(db: Database, table: Table) -> list[Row]:
    """Return all rows of a table."""
    return db.all(f"erase.read_{table.name}")


def is_same(db: Database, table: Table, row: Row) -> bool:
    """Whether a row of `rows` is there as it was read."""
    told = copy_row(row)
    now = db.one(f"erase.one_{table.name}", **told)
    return now is not None and copy_row(now) == told


def list_mentioning(db: Database, entity_id: str) -> list[str]:
    """Return the records that mention an entity."""
    return [row["memory_id"] for row in db.all("erase.records_of_entity", id=entity_id)]


def update(db: Database, table: Table, row: Mapping[str, Any]) -> None:
    """Rewrite one row; an entity or repository whose new name is taken gets its id added to it."""
    if not db.run(f"erase.update_{table.name}", **row) and table.name in ("entities", "repos"):
        db.run(f"erase.update_{table.name}", **{**row, "name": f"{row['name']} {row['id']}"})


def reindex_memory(db: Database, memory_id: str) -> None:
    """Write the index entry of a record anew."""
    exchange.reindex_memories(db, [memory_id])


@contextmanager
def lift_guard(db: Database) -> Iterator[None]:
    """Lift the guard of the event log inside a transaction; `rebuild_chain` must follow later."""
    db.run("erase.allow_rewriting")
    yield
    db.run("erase.guard_again")


def read_event_log(db: Database) -> list[Row]:
    """Every row of the event log, oldest first."""
    return db.all("erase.read_stream")


def set_event_words(db: Database, row: Mapping[str, Any], changes: Mapping[str, Any]) -> None:
    """Rewrite the words of one change, inside `rewrite_history`."""
    told = {
        name: row[name] for name in ("seq", "before", "after", "actor", "cause", "item", "chain")
    }
    db.run("erase.update_stream", **told | dict(changes))


def empty_history(db: Database, memory_id: str) -> None:
    """Remove the words from the history of a record, inside `rewrite_history`."""
    db.run("erase.empty_history", memory_id=memory_id)


def rebuild_chain(db: Database, note: Callable[[int], object]) -> None:
    """Compute the chain hashes of all changes anew, in short transactions.

    Until it ends they do not follow from each other. What others append meanwhile is done last.
    `note` is called in each transaction.
    """
    previous, last, changed = event_log.GENESIS, 0, list[dict[str, Any]]()
    with db.snapshot():
        for row in db.each("erase.read_stream"):
            previous, last = event_log.compute_chain_hash(previous, row), row["seq"]
            if previous != row["chain"]:
                changed.append({"seq": last, "chain": previous})
    chunks.change_in_chunks(
        db,
        changed,
        lambda row: db.run("erase.set_chain", **row),
        note=note,
        around=lambda: lift_guard(db),
    )
    with db.write(), lift_guard(db):
        for row in db.all("erase.stream_after", seq=last):
            previous = event_log.compute_chain_hash(previous, row)
            db.run("erase.set_chain", seq=row["seq"], chain=previous)


def erase_record(db: Database, memory_id: str) -> None:
    """Erase one record with all that belongs to it, except its history."""
    n = records.find_number(db, memory_id)
    for link in links.list_of_memory(db, memory_id):
        db.run("erase.empty_link_history", memory_id=link.from_id, item=link.id)
        if link.to_id == memory_id:
            sync_appending.scrub_naming(db, link.from_id, memory_id)
    sync_changes.scrub_subject(db, memory_id)
    for what in (
        "forget_links",
        "forget_entities",
        "forget_citations",
        "forget_vault_notes",
        "forget_outcomes",
        "forget_logs_naming",
    ):
        db.run(f"erase.{what}", memory_id=memory_id)
    marks.forget_record(db, memory_id)
    memory_documents.forget_record(db, memory_id)
    db.run("evidence.delete_of_memory", memory_id=memory_id)
    db.run("lexical.delete", n=n)
    semantic.drop_vector(db, n)
    db.run("erase.empty_model_calls", about=memory_id)
    db.run("erase.forget_record", memory_id=memory_id)


def list_mentioned(db: Database, memory_id: str) -> list[str]:
    """Return the entities that a record mentions."""
    return [row["entity_id"] for row in db.all("erase.mentioned_of", memory_id=memory_id)]


def is_idle(db: Database, entity_id: str) -> bool:
    """Whether no record mentions an entity."""
    return bool(db.value("erase.is_idle", id=entity_id))


def erase_entity(db: Database, entity_id: str) -> None:
    """Erase one entity that no record mentions, with what was merged into it, history included."""
    for row in db.all("entities.merged_of", id=entity_id):
        erase_entity(db, row["id"])
    empty_history(db, entity_id)
    db.run("erase.forget_entity_aliases", id=entity_id)
    db.run("erase.forget_entity", id=entity_id)


def erase_source(db: Database, gone: Source) -> None:
    """Erase one source with its turns, ingestions, quotes and the lookups of its session."""
    turn_index.forget_source(db, gone.id)
    sync_changes.scrub_subject(db, f"source:{gone.id}")
    quoted: dict[str, list[str]] = {}
    for proof in list_evidence_of_source(db, gone.id):
        quoted.setdefault(proof.memory_id, []).append(proof.id)
    for memory_id, ids in quoted.items():
        event_log.append_related(
            db, "evidence", memory_id, memory_id, {"ids": ids}, None, verb="purged"
        )
    for what in (
        "forget_evidence_of_source",
        "forget_jobs",
        "forget_parts",
        "part_with",
        "forget_source",
    ):
        db.run(f"erase.{what}", source_id=gone.id)
    db.run("erase.empty_model_calls", about=gone.id)
    db.run("erase.forget_logs_of_session", session_id=gone.session_id)


def erase_turns(db: Database, source_id: str) -> None:
    """Erase the turns of a source, to write them anew."""
    turn_index.forget_source(db, source_id)
    db.run("erase.forget_parts", source_id=source_id)


def erase_project(db: Database, project_id: str) -> None:
    """Erase one project that has neither records nor sources."""
    sync_changes.scrub_subject(db, f"project:{project_id}")
    sync_group.forget_project(db, project_id)
    for what in (
        "forget_project_links",
        "forget_project_aliases",
        "forget_repos",
        "orphan_projects",
        "forget_project",
    ):
        db.run(f"erase.{what}", project_id=project_id)
    memory_documents.forget_place(db, project_id)


def list_sources_of_session(db: Database, session_id: str) -> list[Source]:
    """List the captures of one session, whatever the agent."""
    return [
        sources.from_row(row) for row in db.all("erase.sources_of_session", session_id=session_id)
    ]


def list_sources_of_project(db: Database, project_id: str) -> list[Source]:
    """List the captures of one project."""
    return [
        sources.from_row(row) for row in db.all("erase.sources_of_project", project_id=project_id)
    ]


def list_records_of_project(db: Database, project_id: str) -> list[Memory]:
    """List the records of one project."""
    return [
        records.from_row(row) for row in db.all("erase.records_of_project", project_id=project_id)
    ]


def list_records(db: Database) -> list[Memory]:
    """List all records."""
    return [records.from_row(row) for row in db.all("records.everything")]


def list_evidence_of_source(db: Database, source_id: str) -> list[Evidence]:
    """List what was quoted from one source."""
    return [
        build_from_row(Evidence, row)
        for row in db.all("erase.evidence_of_source", source_id=source_id)
    ]


def list_evidence(db: Database) -> list[Row]:
    """List location, quote and speaker of all evidence."""
    return db.all("erase.read_evidence")


def set_evidence(db: Database, row: Mapping[str, Any]) -> None:
    """Rewrite one piece of evidence and its hash."""
    db.run("erase.update_evidence", quote_hash=compute_sha256(row["quote"]), **row)


def set_record(db: Database, new: Memory) -> None:
    """Rewrite a record, its hash and its index entry."""
    values = records.to_columns(new)
    kept = ("last_accessed_at", "access_count", "good", "bad", "created_at")
    n = int(
        db.value(
            "records.update", **{name: value for name, value in values.items() if name not in kept}
        )
    )
    lexical.put_entry(
        db,
        n,
        new,
        [row["name"] for row in db.all("entities.names_of_memories", ids=json.dumps([new.id]))],
    )
    semantic.drop_vector(db, n)
    marks.renew_marks_of(db, new.id, new.status)


def iterate_changes(db: Database) -> Iterator[sync_changes.StoredChange]:
    """Yield the changes that travel of which anything is left."""
    after = 0
    while found := sync_changes.list_after(db, after, _CHANGES_AT_ONCE):
        yield from (each for each in found if each.body is not None)
        after = found[-1].n


def scrub_change(db: Database, change: sync_changes.StoredChange) -> bool:
    """Leave nothing of what a change that travels says; what holds of its subject is said anew.

    False if nothing was left.
    """
    sync_appending.note_rewritten(db, change.subject)
    return sync_changes.scrub_changes(db, [change.id]) > 0


def list_sources(db: Database) -> list[Row]:
    """List all sources as they are stored."""
    return db.all("erase.read_sources")


def iterate_parts(db: Database, source_id: str) -> list[Row]:
    """Yield the turns of a source, part by part."""
    return db.all("erase.read_parts", source_id=source_id)


def set_part(db: Database, source_id: str, part: int, turns: Iterable[Any]) -> None:
    """Rewrite some turns of a source; `turn_index.forget_source` comes before."""
    db.run("erase.update_part", source_id=source_id, part=part, turns=sources.pack_turns(turns))


def set_source(db: Database, row: Mapping[str, Any]) -> None:
    """Rewrite the fields of a source; `turns_hash` is that of its rewritten turns."""
    db.run("erase.update_source", **row)


def is_same_source(db: Database, row: Row, parts: Iterable[Row], quoted: Iterable[Row]) -> bool:
    """Whether a source, its turns and what is quoted from it are there as they were read."""
    now = db.one("erase.one_source", id=row["id"])
    return (
        now is not None
        and copy_row(now) == copy_row(row)
        and list(map(copy_row, iterate_parts(db, row["id"]))) == list(map(copy_row, parts))
        and all(is_same_evidence(db, each) for each in quoted)
    )


def is_same_evidence(db: Database, row: Row) -> bool:
    """Whether a row of `list_evidence` is there as it was read."""
    now = db.one("erase.one_evidence", id=row["id"])
    return now is not None and copy_row(now) == copy_row(row)


def parse_json_column(value: Any) -> str:
    """Parse a JSON column."""
    return to_canonical_json(value)


def merge_index(db: Database) -> None:
    """Merge the full-text indexes, in short transactions, until no deleted text is left in them."""
    for merge_pages in (maintenance_steps.merge_index_pages, turn_index.merge_pages):
        # A negative number lets the whole index be merged, and not only what has grown.
        pages = -_MERGED_PAGES
        while merge_pages(db, pages):
            pages = _MERGED_PAGES
            chunks.pause_between_chunks()


def empty_log(db: Database) -> bool:
    """Fold the write-ahead log in and empty it; False if another process still reads from it."""
    row = db.one("erase.checkpoint")
    return row is not None and not next(iter(row))


def vacuum_file(db: Database) -> None:
    """Write the file anew without free pages."""
    db.run("erase.vacuum")
