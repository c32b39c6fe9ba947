"""How long each command that writes keeps others from writing.

    python benchmarks/locks.py [--records 10000 | --store STORE] [--only TEXT]... [--memctl PROGRAM]
        [--json OUT] [--list]

Each command runs on its own copy of a store of invented records. Meanwhile a second process asks
for the write lock every half millisecond with no patience, and notes for how long it was refused in
a row. A refusal that it did not watch to its end (the machine left it no time) counts as two. Beside
it stands how long the command ran, in starts of a bare interpreter measured just before, and the
processor time of the longest transaction (see transactions.py), which other processes do not
lengthen; another program given by --memctl is not looked into for it.

`--only "ingest --file"` runs the commands whose names hold that text.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import cold, generate, inventing, transactions
from benchmarks.inventing import Item
from memctl.core import clock
from memctl.core.frozen import replace
from memctl.core.model import EntityRef, Filter, Memory
from memctl.store import entities, event_log, evidence, meta, records, statements
from memctl.store.database import Database, sqlite_library
from memctl.store.migrate import open_store

# Seconds between two questions for the lock.
_PAUSE = 0.0005
# Seconds. Refusals further apart than this were not watched in between.
_UNWATCHED = 0.05
_LONG, _VERY_LONG = 0.25, 1.0
# Records changed by the commands about many records.
_MANY, _VERY_MANY = 1000, 10_000
_ACTOR = "agent:bench"


class House(NamedTuple):
    """Where a command runs: an empty home with a copy of the store."""

    folder: Path
    store: Path
    env: dict[str, str]


class Command(NamedTuple):
    """A command to measure, and what makes its house ready and says its words."""

    name: str
    prepare: Callable[[House, Database], Sequence[str]]
    given: Callable[[House], bytes] = lambda _house: b""


class Watched(NamedTuple):
    """What the second process saw: every hold in seconds, longest first."""

    holds: Sequence[float]
    refused_seconds: float
    questions: int


# What the commands work on.


def _list_invented(count: int, seed: int, db: Database) -> list[Item]:
    """Records that the store does not hold yet, in its own projects."""
    known = inventing.projects(50, 7)
    present = {row["id"] for row in db.all("projects.everything")}
    known = [each for each in known if each.id in present]
    return list(islice(inventing.items(known, count, seed), count))


def _write_statements(count: int) -> Callable[[House, Database], Sequence[str]]:
    def prepare(house: House, db: Database) -> Sequence[str]:
        path = house.folder / "statements.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for item in _list_invented(count, 11, db):
                line = {"content": item.memory.content, "type": "project", "kind": "fact"}
                file.write(json.dumps({**line, "project": "project-0"}) + "\n")
        return ("ingest", "--file", str(path))

    return prepare


def _insert(db: Database, count: int, *, cause: str, seed: int = 13) -> list[Memory]:
    """Insert records of one operation, as an agent that wrote them in one go."""
    items = _list_invented(count, seed, db)
    made = [replace(item.memory, status="active") for item in items]
    with db.write(), event_log.group_changes(db, actor=_ACTOR, cause=cause):
        for memory, item in zip(made, items, strict=True):
            records.insert_record(db, memory, actor=_ACTOR, cause=cause)
            evidence.insert_evidence(db, [item.evidence])
    return made


def _undo_operation(count: int) -> Callable[[House, Database], Sequence[str]]:
    def prepare(_house: House, db: Database) -> Sequence[str]:
        made = _insert(db, count, cause="ingest")
        return ("revert", str(event_log.list_of_memory(db, made[0].id)[0].seq), "--yes")

    return prepare


def _undo_actor(count: int) -> Callable[[House, Database], Sequence[str]]:
    def prepare(_house: House, db: Database) -> Sequence[str]:
        for start in range(0, count, _MANY):
            _insert(db, min(_MANY, count - start), cause=f"ingest {start}", seed=1000 + start)
        return ("revert", "--actor", _ACTOR, "--yes")

    return prepare


def _find(db: Database, status: str = "active", offset: int = 100) -> str:
    found = records.select_records(db, Filter(statuses=(status,)), limit=offset + 1)
    return found[min(offset, len(found) - 1)].id


def _about_one(*words: str) -> Callable[[House, Database], Sequence[str]]:
    """Words in which ID stands for an active record, INBOX for a candidate."""

    def prepare(_house: House, db: Database) -> Sequence[str]:
        found = {"ID": "active", "INBOX": "inbox"}
        return [_find(db, found[word]) if word in found else word for word in words]

    return prepare


def _export_other(house: House, db: Database) -> Path:
    """An export of another store with as many records, at most 10,000."""
    other, path = house.folder / "other.db", house.folder / "other.jsonl"
    count = min(len(records.select_records(db, Filter())), _VERY_MANY)
    made = open_store(other, create=True)
    generate.generate(made, count, 20, seed=23)
    made.close()
    _run(house, "export", str(path), "--db", str(other))
    return path


def _import(*options: str) -> Callable[[House, Database], Sequence[str]]:
    return lambda house, db: ("import", str(_export_other(house, db)), *options)


def _write_session(turns: int) -> Callable[[House, Database], Sequence[str]]:
    """A session of a coding agent with so many turns, most of them worth a candidate."""

    def prepare(house: House, db: Database) -> Sequence[str]:
        path = house.folder / "session.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for number, item in enumerate(_list_invented(turns, 17, db)):
                text = f"Always {item.memory.content[0].lower()}{item.memory.content[1:]}"
                message = {"role": "user", "content": text}
                line = {"type": "user", "message": message, "sessionId": "bench-session"}
                at = f"2026-01-02T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}Z"
                line |= {"uuid": f"turn-{number}", "timestamp": at, "cwd": str(house.folder)}
                file.write(json.dumps(line) + "\n")
        return ("capture-session", str(path), "--agent", "claude-code")

    return prepare


def _extract_session(turns: int) -> Callable[[House, Database], Sequence[str]]:
    def prepare(house: House, db: Database) -> Sequence[str]:
        _run(house, *_write_session(turns)(house, db))
        return ("maintain", "--step", "extract")

    return prepare


def _plant_secrets(_house: House, db: Database) -> Sequence[str]:
    # Put in behind redaction's back, as an older version without the rule would have stored them.
    key = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    for number, item in enumerate(_list_invented(_MANY, 19, db)):
        memory = item.memory
        if number % 20 == 0:
            memory = replace(memory, content=f"{memory.content} The token is {key}.")
        with db.write():
            records.insert_record(db, memory, actor=_ACTOR, cause="ingest")
    return ("redact", "--scan", "--apply", "--yes")


def _break_records(_house: House, db: Database) -> Sequence[str]:
    """Rows that differ from the event log, which rebuilding mends."""
    _run(_house, "maintain", "--step", "history")
    made = _insert(db, _MANY, cause="ingest")
    with db.write():
        for memory in made:
            db.run("erase.forget_entities", memory_id=memory.id)
            n = records.find_number(db, memory.id)
            db.run("lexical.delete", n=n)
            db.run("evidence.delete_of_memory", memory_id=memory.id)
            db.run("erase.forget_record", memory_id=memory.id)
    return ("maintain", "--rebuild-from-history")


def _name_entities(_house: House, db: Database) -> Sequence[str]:
    """Two entities that stand in many records."""
    at, names = clock.now(), ("Sixta Ellern", "Sixta Elern")
    made = _insert(db, _MANY, cause="ingest")
    with db.write():
        for number, memory in enumerate(made):
            ref = EntityRef("person", names[number % 2])
            entities.attach_entities(db, memory.id, [ref], at)
    return ("entity", "merge", *names)


def _merge_first(house: House, db: Database) -> Sequence[str]:
    _run(house, *_name_entities(house, db))
    return ("entity", "split", "Sixta Ellern", "--undo-merge")


def _damage_text_index(_house: House, db: Database) -> Sequence[str]:
    connection = sqlite_library().connect(str(db.path), isolation_level=None)
    connection.execute("DELETE FROM memories_fts_data WHERE id > 10")
    connection.close()
    return ("maintain", "--step", "index")


def _lose_vector_index(house: House, db: Database) -> Sequence[str]:
    """Vectors of all records, and a table of them that another version made."""
    _run(house, "maintain", "--step", "embed")
    with db.write():
        meta.put_note(db, "vector_table_model", "")
    return ("maintain", "--step", "embed")


def _go_back_to_schema(version: int) -> Callable[[House, Database], Sequence[str]]:
    """A store as an earlier version left it, with entities in many records."""
    return lambda house, db: _make_old(house, db, version)


def _make_old(house: House, db: Database, version: int) -> Sequence[str]:
    db.close()
    newer = house.folder / "newer.db"
    house.store.rename(newer)
    old = sqlite_library().connect(str(house.store), isolation_level=None)
    for number, script in statements.list_migrations():
        if number <= version:
            old.executescript(script.read_text(encoding="utf-8"))
    old.execute("PRAGMA journal_mode = WAL")
    old.execute("ATTACH ? AS newer", (str(newer),))
    old.execute("PRAGMA foreign_keys = OFF")
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'memories_%'"
    for (table,) in old.execute(tables).fetchall():
        shared = ", ".join(
            name
            for (name,) in old.execute(f"SELECT name FROM pragma_table_info('{table}')")
            if old.execute(
                "SELECT 1 FROM pragma_table_info(?, 'newer') WHERE name = ?", (table, name)
            ).fetchone()
        )
        if shared and not table.startswith("sqlite_"):
            words = f"INSERT OR IGNORE INTO main.{table} ({shared}) SELECT {shared}"
            old.execute(f"{words} FROM newer.{table}")
    for number in range(20):
        old.execute(
            "INSERT INTO entities (id, kind, name, created_at) VALUES (?, 'person', ?, ?)",
            (clock.new_id(), f"Name {number}", clock.now()),
        )
    names = (", name", ", e.name") if version > 2 else ("", "")
    old.execute(
        f"INSERT INTO memory_entities (memory_id, entity_id{names[0]}) SELECT m.id, e.id{names[1]} "
        "FROM memories AS m, entities AS e WHERE (m.n + e.rowid) % 7 = 0"
    )
    old.close()
    return ("status",)


def _backup_first(house: House, _db: Database) -> Sequence[str]:
    copy = house.folder / "copy.db"
    _run(house, "backup", str(copy))
    return ("restore", str(copy), "--yes")


def _words(*words: str) -> Callable[[House, Database], Sequence[str]]:
    return lambda _house, _db: words


COMMANDS: tuple[Command, ...] = (
    Command("ingest", _words("ingest", "Tests run with pytest -q", "--project", "project-0")),
    Command("ingest --file, 250", _write_statements(250)),
    Command("ingest --file, 1000", _write_statements(1000)),
    Command("ingest --file, 10000", _write_statements(10_000)),
    Command("profile set", _words("profile", "set", "editor", "emacs")),
    Command("edit", _about_one("edit", "ID", "--title", "Another title")),
    Command("correct", _about_one("correct", "ID", "The opposite holds since Monday.")),
    Command("confirm", _about_one("confirm", "ID")),
    Command("feedback", _about_one("feedback", "good", "ID")),
    Command("pin", _about_one("pin", "ID")),
    Command("forget", _about_one("forget", "ID")),
    Command("promote", _about_one("promote", "INBOX")),
    Command("inbox --approve", _about_one("inbox", "--approve", "INBOX")),
    Command("inbox --approve-all", _words("inbox", "--approve-all")),
    Command("inbox --reject-all", _words("inbox", "--reject-all", "--reason", "not about us")),
    Command("link", lambda h, db: ("link", _find(db), "supports", _find(db, offset=200))),
    Command("entity merge, 1000 records", _name_entities),
    Command("entity split, 1000 records", _merge_first),
    Command("project adopt", _words("project", "adopt", "project-1", "project-0")),
    Command("project link", _words("project", "link", "project-1", "project-0")),
    Command("view save", _words("view", "save", "rules", "--kind", "constraint")),
    Command("capture-session, 5000 turns", _write_session(5000)),
    Command("maintain --step extract, 500 candidates", _extract_session(500)),
    Command("maintain --step extract, 5000 candidates", _extract_session(5000)),
    Command("consolidate", _words("consolidate", "--project", "project-0")),
    Command("revert, 1000 records", _undo_operation(_MANY)),
    Command("revert --actor, 10000 records", _undo_actor(_VERY_MANY)),
    Command("purge ID", _about_one("purge", "ID", "--yes")),
    Command("purge --project", _words("purge", "--project", "project-3", "--yes")),
    Command("purge --match", _words("purge", "--match", "the ledger of project-7", "--yes")),
    Command("redact --scan --apply", _plant_secrets),
    Command("import, 10000 records", _import()),
    Command("import --dry-run", _import("--dry-run")),
    Command("export", lambda house, _db: ("export", str(house.folder / "out.jsonl"))),
    Command("backup", lambda house, _db: ("backup", str(house.folder / "copy.db"))),
    Command("restore", _backup_first),
    Command("maintain --step history, first", _words("maintain", "--step", "history")),
    Command("maintain, first night, 90 s", _words("maintain", "--budget", "90s")),
    Command("maintain --reindex", _words("maintain", "--reindex", "--step", "index")),
    Command("maintain --rebuild-from-history", _break_records),
    Command("maintain --step index, damaged index", _damage_text_index),
    Command("maintain --step embed, lost table", _lose_vector_index),
    Command("upgrade from schema 2", _go_back_to_schema(2)),
    Command("upgrade from schema 3", _go_back_to_schema(3)),
    Command("doctor --repair", _words("doctor", "--repair")),
)


# Measuring.


def watch(store: Path) -> None:
    """Ask for the write lock until standard input ends; print every refusal in a row as JSON."""
    connection = sqlite_library().connect(str(store), timeout=0, isolation_level=None)
    busy = sqlite_library().OperationalError
    refusals: list[tuple[float, bool]] = []
    print("ready", flush=True)
    while not select.select([sys.stdin], [], [], _PAUSE)[0]:
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
            refusals.append((time.monotonic(), False))
        except busy:
            refusals.append((time.monotonic(), True))
    print(json.dumps({"holds": list(_find_holds(refusals)), "questions": len(refusals)}))


def _find_holds(answers: Sequence[tuple[float, bool]]) -> Iterator[float]:
    """Seconds from the first to the last refusal of each row of them."""
    first = last = None
    for at, is_refused in answers:
        ends = last is not None and (not is_refused or at - last > _UNWATCHED)
        if ends and first is not None and last is not None:
            yield last - first
        if ends:
            first = None
        if is_refused:
            first = at if first is None else first
        last = at if is_refused else None
    if first is not None and last is not None:
        yield last - first


def _run(house: House, *words: str, program: Sequence[str] = (), given: bytes = b"") -> str:
    """Run one command to its end. Raises CalledProcessError."""
    command = [*(program or (sys.executable, "-m", "memctl")), *words]
    done = subprocess.run(
        command, input=given, env=house.env, capture_output=True, check=False, cwd=house.folder
    )
    if done.returncode not in (0, 1) or b"Traceback" in done.stderr:
        raise subprocess.CalledProcessError(done.returncode, words, done.stdout, done.stderr)
    return done.stdout.decode(errors="replace")


def measure(command: Command, source: Path, program: Sequence[str]) -> dict[str, Any]:
    """Run a command on a copy of a store; how long it took, and what the second process saw."""
    with tempfile.TemporaryDirectory(prefix="locks-") as folder:
        house = _furnish(Path(folder), source)
        db = open_store(house.store, create=False)
        words = list(command.prepare(house, db))
        db.close()
        bare = statistics.median(_time_bare(house) for _ in range(5))
        notes = house.folder / "transactions.jsonl"
        observed = (sys.executable, transactions.__file__, str(notes))
        watcher = subprocess.Popen(
            [sys.executable, __file__, "--watch", str(house.store)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            preexec_fn=_be_first,
        )
        assert watcher.stdout is not None
        watcher.stdout.readline()
        started, error = time.perf_counter(), ""
        try:
            _run(house, *words, program=program or observed, given=command.given(house))
        except subprocess.CalledProcessError as failed:
            error = failed.stderr.decode(errors="replace").strip().splitlines()[-1]
        seconds = time.perf_counter() - started
        seen = json.loads(watcher.communicate()[0])
        longest = (transactions.read_notes(notes) or [{"cpu_ms": None, "by": []}])[0]
    holds = sorted(seen["holds"], reverse=True)
    return {
        "command": command.name,
        "bare_starts": round(seconds / bare),
        "longest_ms": round(holds[0] * 1000) if holds else 0,
        "longest_bare_starts": round(holds[0] / bare, 1) if holds else 0,
        "longest_cpu_ms": longest["cpu_ms"],
        "longest_cpu_by": longest["by"],
        "over_250_ms": sum(hold > _LONG for hold in holds),
        "over_1_s": sum(hold > _VERY_LONG for hold in holds),
        "refused_seconds": round(sum(holds), 2),
        "seconds": round(seconds, 2),
        "bare_ms": round(bare * 1000, 1),
        "error": error,
    }


def _furnish(folder: Path, source: Path) -> House:
    store = folder / "memory.db"
    shutil.copyfile(source, store)
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "MEMCTL_DB": str(store)}
    # The tree in which this file stands is measured, whatever is installed.
    env["PYTHONPATH"] = str(Path(__file__).resolve().parent.parent)
    settings = folder / ".config" / "memctl" / "config.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text("operator:\n  require_terminal: false\n", encoding="utf-8")
    return House(folder, store, env)


def _time_bare(house: House) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], env=house.env, check=True)
    return time.perf_counter() - started


def _be_first() -> None:
    """Let the second process ask in time, where we may."""
    with suppress(OSError):
        os.nice(-10)


def list_rows(found: Sequence[dict[str, Any]]) -> str:
    """A Markdown table."""
    lines = [
        "| command | run, bare starts | longest hold, ms | in bare starts | processor, ms "
        "| > 250 ms | > 1 s |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in found:
        longest = f"failed: {row['error']}" if row["error"] else row["longest_ms"]
        lines.append(
            f"| {row['command']} | {row['bare_starts']} | {longest} | {row['longest_bare_starts']} "
            f"| {row['longest_cpu_ms']} | {row['over_250_ms']} | {row['over_1_s']} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure the commands that the arguments name and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--store", type=Path, help="a store to copy instead of generated records")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--memctl", help="another program to measure")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--watch", type=Path, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.watch:
        watch(wanted.watch)
        return
    chosen = [
        each for each in COMMANDS if not wanted.only or any(o in each.name for o in wanted.only)
    ]
    if wanted.list:
        print("\n".join(each.name for each in chosen))
        return
    program = wanted.memctl.split() if wanted.memctl else ()
    with tempfile.TemporaryDirectory() as folder:
        store = wanted.store
        if store is None:
            store = cold.generated(Path(folder) / "store.db", wanted.records, "made")
        found = []
        for command in chosen:
            found.append(measure(command, store, program))
            print(json.dumps(found[-1]), file=sys.stderr, flush=True)
    print(f"{cold.machine()}\n\n{list_rows(found)}")
    if wanted.json:
        wanted.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
