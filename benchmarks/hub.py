"""What a hub costs: searches among many records, a sync with nothing new, changes on the way.

    python benchmarks/hub.py --records 1m --streams 200 --folder FOLDER [--keep] [--queries 100]

Needs the extra `test` (a PostgreSQL server of the wheel `pgserver`). Rows are generated as
`benchmarks/generate.py` generates records, with `made` vectors, and brought in in bulk; FOLDER keeps
the server's files and its state, so that a second run measures without generating.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import inventing, vectors
from memctl.core.frozen import replace
from memctl.core.model import NewMemory
from memctl.embed import find_embedder
from memctl.engine.memory_engine import MemoryEngine
from memctl.settings.config import load_config
from memctl.store import semantic
from memctl.sync import addresses, hub_records, hub_rows, hub_statements
from memctl.sync.place import SearchableRow
from memctl.sync.postgres_place import PostgresPlace, open_postgres
from tests.sync.hub_group import User, make_set
from tests.sync.postgres_server import Server, run_server

SIZES = {"10k": 10_000, "100k": 100_000, "1m": 1_000_000}
BATCH = 5_000
GROUP = "benchmark"
MODEL = "made"
BODY_COLUMNS = "type kind scope status confidence observed_at valid_from valid_until".split()
SCRATCH = "hub_scratch"


def main() -> None:
    """Fill a hub and print what was measured as Markdown, and as JSON if asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", choices=sorted(SIZES), default="100k")
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--vectors", choices=("made", "real"), default="made")
    parser.add_argument("--json", type=Path)
    wanted = parser.parse_args()
    with run_server(
        wanted.folder, "-c shared_buffers=2GB -c maintenance_work_mem=4GB -c max_wal_size=8GB"
    ) as server:
        found = measure(server, wanted)
    print(json.dumps(found, indent=2))
    if wanted.json:
        wanted.json.write_text(json.dumps(found, indent=2) + "\n")


def measure(server: Server, wanted: argparse.Namespace) -> dict[str, Any]:
    address = server.replace_database("postgres")
    with tempfile.TemporaryDirectory() as folder:
        config = load_config(Path(folder) / "memory.db")
        user = User(GROUP, "anna", "A1")
        place = open_postgres(config, find_login(address), user, create=True)
        place.write_card("A1", b"card")
        found: dict[str, Any] = {"records": SIZES[wanted.records], "streams": wanted.streams}
        found |= fill(address, SIZES[wanted.records], wanted.streams, wanted.vectors)
        found |= sizes(address)
        found |= searches(place, address, wanted.queries, wanted.vectors)
        found["a row written, ms"] = write_rows(place)
        found["one poll"] = poll(place)
        place.close()
        found["sync"] = syncs(server.make_database(), Path(folder))
    return found


def find_login(address: str) -> str:
    """The address of the member whose hub was kept from an earlier run, with a password anew; else
    that of whoever may set one up.
    """
    import psycopg

    with psycopg.connect(address, autocommit=True) as raw:
        if raw.execute("SELECT to_regclass('memctl.members')").fetchone() == (None,):
            return address
        (role,) = raw.execute("SELECT role FROM memctl.members").fetchone()
        raw.execute(f"ALTER ROLE \"{role}\" PASSWORD 'benchmark'")
    return addresses.join_password(addresses.replace_user(address, role), "benchmark")


# -- filling -------------------------------------------------------------------------------------


def fill(address: str, records: int, streams: int, kind: str = "made") -> dict[str, Any]:
    """Bring the records in, unless they are there; then the indexes."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as raw:
        there = raw.execute("SELECT count(*) FROM memctl.records").fetchone()[0]
        if there >= records:
            return {}
        raw.execute("TRUNCATE memctl.records")
        raw.execute("DROP INDEX IF EXISTS memctl.records_words, memctl.records_vector")
        raw.execute(
            "INSERT INTO memctl.streams (stream, founder) "
            f"SELECT 'project:' || n, 'anna' FROM generate_series(0, {streams - 1}) n "
            "ON CONFLICT DO NOTHING"
        )
        started = time.perf_counter()
        with raw.cursor() as cursor:
            made = make_rows(records, streams, kind)
            while batch := list(islice(made, BATCH)):
                copy_rows(cursor, batch)
        took = {"filling_s": time.perf_counter() - started}
        for name, using in (
            ("words", "gin (words)"),
            ("vector", "hnsw (vector vector_cosine_ops)"),
        ):
            started = time.perf_counter()
            raw.execute("SET max_parallel_maintenance_workers = 2")
            raw.execute(f"CREATE INDEX records_{name} ON memctl.records USING {using}")
            took[f"index_{name}_s"] = time.perf_counter() - started
            print(name, took, file=sys.stderr, flush=True)
        raw.execute("VACUUM ANALYZE memctl.records")
    return took


def make_rows(records: int, streams: int, kind: str = "made") -> Iterator[SearchableRow]:
    """Rows of invented records; the stream of each is that of its project."""
    known = inventing.projects(streams, 7)
    stream_of = {project.id: f"project:{n}" for n, project in enumerate(known)}
    make = make_vectors(kind, 7)
    made = inventing.items(known, records, 7)
    while batch := [item.memory for item in islice(made, BATCH)]:
        for memory, vector in zip(batch, make(batch), strict=True):
            stream = stream_of.get(memory.project_id or "", hub_records.EVERYWHERE)
            yield hub_records.build_row(memory, stream, 1, vector=vector, model=MODEL)


def copy_rows(cursor: Any, rows: Sequence[SearchableRow]) -> None:
    """Bring rows in by COPY, through a scratch table, as the server makes the words' vectors."""
    cursor.execute(
        f"CREATE TEMP TABLE IF NOT EXISTS {SCRATCH} (stream text, record text, type text, kind text,"
        " scope text, status text, confidence real, observed_at text, valid_from text,"
        " valid_until text, body jsonb, title text, content text, extra text, vector vector(384))"
    )
    cursor.execute(f"TRUNCATE {SCRATCH}")
    with cursor.copy(f"COPY {SCRATCH} FROM STDIN") as copy:
        for row in rows:
            body = row.body or {}
            copy.write_row(
                (
                    row.stream,
                    row.record,
                    *(body[name] for name in BODY_COLUMNS),
                    json.dumps(body),
                    *row.words,
                    hub_rows.write_vector(row.vector),
                )
            )
    cursor.execute(
        "INSERT INTO memctl.records (stream, record, member, replica, stamp, type, kind, scope, status,"
        " confidence, observed_at, valid_from, valid_until, tags, body, words, model, vector)"
        " SELECT stream, record, 'anna', 'A1', 1, type, kind, scope, status, confidence, observed_at,"
        " valid_from, valid_until, ARRAY[]::text[], body, setweight(to_tsvector('simple', title), 'A')"
        " || setweight(to_tsvector('simple', content), 'C')"
        f" || setweight(to_tsvector('simple', extra), 'D'), '{MODEL}', vector FROM {SCRATCH}"
    )


def sizes(address: str) -> dict[str, Any]:
    """Bytes of the table of records and of its indexes."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as raw:
        rows = raw.execute(
            "SELECT indexrelname, pg_relation_size(indexrelid) FROM pg_stat_user_indexes "
            "WHERE schemaname = 'memctl' AND relname = 'records'"
        ).fetchall()
        table = raw.execute("SELECT pg_table_size('memctl.records')").fetchone()
    return {"bytes": {"table": table[0], **dict(rows)}}


# -- searches ------------------------------------------------------------------------------------


def searches(
    place: PostgresPlace, address: str, queries: int, kind: str = "made"
) -> dict[str, Any]:
    """Searches as memctl makes them, with row-level security, beside plain SQL of the superuser."""
    import psycopg

    questions = list(islice(make_questions(kind), queries))
    found: dict[str, Any] = {}
    for name, streams in (("one project", ["project:3"]), ("all", None)):
        found[f"memctl, words, {name}"] = spread(
            lambda q, s=streams: ask(place, "hub_records.find_by_words", q, s), questions
        )
        found[f"memctl, both, {name}"] = spread(
            lambda q, s=streams: ask(place, "hub_records.find_by_both", q, s), questions
        )
    with psycopg.connect(address, autocommit=True) as raw:
        raw.execute("SET hnsw.ef_search = 200")
        found["plain SQL, words (all of them, ts_rank), all"] = spread(
            lambda q: raw.execute(
                "SELECT record FROM memctl.records, websearch_to_tsquery('simple', %(some_words)s) q "
                "WHERE words @@ q ORDER BY ts_rank(words, q) DESC LIMIT 50",
                q,
            ).fetchall(),
            questions[:20],
        )
        found["plain SQL, vector, all"] = spread(
            lambda q: raw.execute(
                "SELECT record FROM memctl.records ORDER BY vector <=> %(vector)s::vector LIMIT 50",
                q,
            ).fetchall(),
            questions,
        )
        found["plain SQL, one record by its key"] = spread(
            lambda q: raw.execute(
                "SELECT body FROM memctl.records WHERE stream = 'project:3' AND member = 'anna' "
                "AND record = %(all_words)s",
                q,
            ).fetchall(),
            questions,
        )
        found["recall of the vector index at 50"] = recall(raw, questions[:20])
    return {"ms": found}


def make_vectors(kind: str, seed: int) -> vectors.Maker:
    """What makes the vectors of records: around their topics, or the built-in model."""
    if kind == "made":
        return vectors.around({}, seed)
    embedder = find_embedder()
    return lambda memories: [
        semantic.pack_vector(vector)
        for vector in embedder.embed([semantic.compose_text(each) for each in memories])
    ]


def make_questions(kind: str) -> Iterator[dict[str, Any]]:
    """Words of records that a question of three would have, and the vector of such a record."""
    from memctl.text import tokens

    known = inventing.projects(200, 7)
    make = make_vectors(kind, 11)
    for item in inventing.items(known, 100_000, 99):
        terms = tokens.extract_query_terms(item.memory.title)[:4]
        if len(terms) < 3:
            continue
        quoted = [f'"{term}"' for term in terms]
        yield {
            "all_words": " ".join(quoted), "some_words": " or ".join(quoted),
            "statuses": ["active", "contradicted"], "types": None, "kinds": None, "scopes": None,
            "tags": None, "since": None, "until": None, "lowest": None,
            "moment": "2026-01-01T00:00:00.000Z", "looked": 5000, "compared": 20_000, "most": 50,
            "vector": hub_rows.write_vector(make([item.memory])[0]), "model": MODEL,
        }  # fmt: skip


def ask(place: PostgresPlace, name: str, question: dict[str, Any], streams: Any) -> None:
    statement = hub_statements.compose(name, vectors=place.state.vectors or "public")
    told = {**question, "streams": streams}
    place.ask(lambda connection: connection.execute(statement, told).fetchall())


def recall(raw: Any, questions: Sequence[dict[str, Any]]) -> float:
    """The share of the true 50 nearest that the index finds."""
    nearest = "SELECT record FROM memctl.records ORDER BY vector <=> %(vector)s::vector LIMIT 50"
    exact = (
        "SELECT record FROM memctl.records WHERE vector IS NOT NULL "
        "ORDER BY 1 - (vector <=> %(vector)s::vector) DESC LIMIT 50"
    )
    shares = []
    for question in questions:
        found = {row[0] for row in raw.execute(nearest, question).fetchall()}
        true = {row[0] for row in raw.execute(exact, question).fetchall()}
        shares.append(len(found & true) / len(true))
    return round(statistics.mean(shares), 3)


# -- syncs ---------------------------------------------------------------------------------------


def write_rows(place: PostgresPlace) -> float:
    """One row with its vector among all those that are there, in transactions of 50 (ms)."""
    rows = list(islice(make_rows(100_000, 200), 90_000, 90_500))
    some = [replace(row, stream="project:3", record=f"NEW{n}") for n, row in enumerate(rows)]
    started = time.perf_counter()
    for first in range(0, len(some), 50):
        place.write_rows(some[first : first + 50])
    return round(1000 * (time.perf_counter() - started) / len(some), 2)


def poll(place: PostgresPlace) -> dict[str, float]:
    """The question whether there is anything new, where there are 1,000 heads (ms)."""
    for number in range(1000 - len({each.stream for each in place.list_sets({})})):
        place.write_set(*make_set(f"project:poll-{number}", "A1", 1, 1))
    have = {(each.stream, each.replica): each.last for each in place.list_sets({})}
    return {"heads": len(have), **spread(lambda _: list(place.list_sets(have)), range(50))}


def syncs(address: str, folder: Path) -> dict[str, Any]:
    """Whole syncs of a real store (`engine.sync.run`), in milliseconds, and bytes a change."""
    known = inventing.projects(1, 7)
    texts = [item.memory.content for item in inventing.items(known, 1500, 7)]
    found: dict[str, Any] = {}
    with MemoryEngine.open(folder / "store" / "memory.db", actor="operator") as engine:
        engine.init()
        begin = 0
        for name, count in (
            ("founding, 1,000 records", 1000),
            ("100 changes", 100),
            ("1 change", 1),
        ):
            engine.ingest([written(each) for each in texts[begin : begin + count]])
            begin += count
            started = time.perf_counter()
            told = engine.sync.run(address, member="anna").places[0]
            took = 1000 * (time.perf_counter() - started)
            found[name] = {
                "ms": round(took),
                "changes": told.sent,
                "bytes a change": round(told.bytes_out / max(1, told.sent)),
            }
        found["nothing new, ms"] = spread(lambda _: engine.sync.run(), range(20))
    return found


def written(content: str) -> NewMemory:
    return NewMemory(type="project", content=content, scope="global")


def spread(work: Callable[[Any], Any], questions: Sequence[Any]) -> dict[str, float]:
    """p50 and p95 in milliseconds, after one round that warms up."""
    times = []
    for question in [*questions[:5], *questions]:
        started = time.perf_counter()
        work(question)
        times.append(1000 * (time.perf_counter() - started))
    times = sorted(times[5:])
    return {
        "p50": round(statistics.median(times), 1),
        "p95": round(times[int(0.95 * len(times))], 1),
    }


if __name__ == "__main__":
    main()
