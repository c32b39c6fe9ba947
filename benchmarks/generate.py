"""A store of invented but realistic records: `python benchmarks/generate.py --records N --projects
50 --db PATH [--vectors made|real]`.

The rows are those that the store's own functions would have written one by one (a test holds them
to it), but made in bulk. Vectors are `real` (every text is embedded, about 50 a second), or `made`:
unit vectors around one point for each topic. Those say nothing about quality, but finding the
nearest takes as long among them as among real ones.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import inventing, vectors
from benchmarks.inventing import Item
from memctl.core.frozen import asdict
from memctl.core.model import Project
from memctl.store import event_log, lexical, meta, records
from memctl.store.database import Database
from memctl.store.migrate import open_store
from memctl.store.rows import compute_sha256, to_canonical_json

BATCH = 20_000
ACTOR, CAUSE = "maintain", "benchmark"
# Hashes are inserted in random order: the pages of their indexes must stay in memory.
_CACHE_KIB = 1_000_000


def main() -> None:
    """Write the store that the arguments ask for and say what it took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--projects", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--vectors", choices=("none", "made", "real"), default="none")
    parser.add_argument("--db", type=Path, required=True)
    wanted = parser.parse_args()
    started = time.perf_counter()
    db = open_store(wanted.db, create=True)
    generate(db, wanted.records, wanted.projects, wanted.seed)
    said = f"{wanted.records} records in {wanted.projects} projects"
    if wanted.vectors != "none":
        said += f", {vectors.add(db, wanted.vectors, wanted.seed)} {wanted.vectors} vectors"
    db.close()
    print(f"{said}: {time.perf_counter() - started:.1f} s, {wanted.db.stat().st_size} bytes")


def generate(db: Database, records_wanted: int, projects: int, seed: int = 7) -> list[Project]:
    """Fill an empty store; the projects, in order (`project-0` is the first)."""
    db.pragma("cache_size", -_CACHE_KIB)
    known = inventing.projects(projects, seed)
    with db.write():
        for project in known:
            insert_project(db, project)
    made, number, chain = inventing.items(known, records_wanted, seed), 1, event_log.GENESIS
    while batch := list(islice(made, BATCH)):
        with db.write():
            chain = store(db, batch, number, chain)
        number += len(batch)
    return known


def insert_project(db: Database, project: Project) -> None:
    """Add a project that is known by its folder."""
    row = {
        "id": project.id,
        "name": project.name,
        "root_path": project.root_path,
        "adopted_into": None,
    }
    db.run("projects.insert", **row, created_at=project.created_at, updated_at=project.updated_at)
    path = {"kind": "path", "value": project.root_path, "project_id": project.id}
    db.run("projects.add_alias", **path, created_at=project.created_at)


def store(db: Database, batch: Sequence[Item], number: int, chain: str) -> str:
    """Write records, the first of which gets the index number `number`, after the stream's last
    chain value; the chain's new one.
    """
    histories = [records.extract_history_fields(item.memory) for item in batch]
    texts = [to_canonical_json(history) for history in histories]
    documents = (lexical.build_document(item.memory) for item in batch)
    changes = list(_changes(batch, texts, chain))
    for row in map(_columns, batch, histories, texts):
        db.run("records.insert", **row)
    db.run_many(
        "lexical.insert",
        ({"n": n, **document} for n, document in zip(count(number), documents, strict=False)),
    )
    db.run_many("event_log.append", changes)
    db.run_many(
        "evidence.insert",
        (
            {**asdict(item.evidence), "quote_hash": compute_sha256(item.evidence.quote)}
            for item in batch
        ),
    )
    db.run_many("links.insert", (asdict(item.link) for item in batch if item.link))
    # What hangs on the records is told to the stream by the first maintenance, as in any store that
    # was not made change by change.
    meta.put_note(db, "history_covers", "")
    return str(changes[-1]["chain"])


def _columns(item: Item, history: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The row of a record: its history, its counters and the hash over the former."""
    memory = item.memory
    return {
        **history,
        "alternatives": to_canonical_json(history["alternatives"]),
        "protected": int(memory.protected),
        "always_load": int(memory.always_load),
        "never_load": int(memory.never_load),
        "origin": memory.origin,
        "last_accessed_at": None,
        "access_count": 0,
        "good": 0,
        "bad": 0,
        "row_hash": records.compute_row_hash(memory),
    }


def _changes(batch: Sequence[Item], texts: Sequence[str], chain: str) -> Iterator[dict[str, Any]]:
    """The lines of the stream that say that the records were created, each chained to the one
    before.
    """
    for item, text in zip(batch, texts, strict=True):
        row = {
            "memory_id": item.memory.id,
            "verb": "created",
            "before": None,
            "after": text,
            "actor": ACTOR,
            "cause": CAUSE,
            "at": item.memory.updated_at,
            "topic": "record",
            "item": None,
            "operation": None,
        }
        chain = event_log.compute_chain_hash(chain, row)
        yield {**row, "chain": chain}


if __name__ == "__main__":
    main()
