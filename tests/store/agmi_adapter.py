"""memctl as agmi sees it: records as rows of the file, and what doctor says of them.

agmi (Agent Memory Integrity) edits a store behind its back in nine ways and asks whether that is
noticed. The two contexts are two agents with records of their own. An attacker who holds the store
also computes the hash of a row anew, which no key protects.

`agmi-check --adapter tests.store.agmi_adapter:MemctlAdapter` prints one line for each edit.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from agmi.adapters.base import MemoryAdapter, Record

from memctl import MemoryEngine, NewMemory
from memctl.core import clock
from memctl.core.model import Actor, Place
from memctl.maintain import doctor
from memctl.settings.config import Config, load_config
from memctl.store import records
from memctl.store.database import sqlite_library

OWN, OTHER = "agent:own", "agent:other"
SAYINGS = ("The kiln", "The harbour", "The gate", "The bakery", "The tower", "The mill", "The well")
TEXT = ("title", "content", "summary")


class MemctlAdapter(MemoryAdapter):
    """A store in a temporary folder, with its witness outside it."""

    name = "memctl"
    detection_point = "audit"
    supports_replay = supports_metadata = supports_snapshot = True

    def setup(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="memctl-agmi-"))
        self._db = self._folder / "store" / "memory.db"
        self._db.parent.mkdir(mode=0o700)

    def teardown(self) -> None:
        shutil.rmtree(self._folder)

    def seed(self, n: int) -> None:
        self._write(OWN, n)

    def seed_other(self, n: int) -> None:
        self._write(OTHER, n)

    def append_genuine(self) -> None:
        self._write(OWN, 1, first=50)

    def read_all_raw(self) -> list[Record]:
        return self._read(OWN)

    def read_other_raw(self) -> list[Record]:
        return self._read(OTHER)

    def write_raw(self, record: Record) -> None:
        rows = self._read(OWN)
        if record.seq < len(rows):
            told = {name: record.fields[name] for name in TEXT}
            self._change(rows[record.seq].fields["id"], told)
        else:
            self._insert({**record.fields, "id": clock.new_id()})

    def delete_raw(self, seq: int) -> None:
        (gone,) = [row.fields["id"] for row in self._read(OWN) if row.seq == seq]
        with self._raw() as raw:
            raw.execute("DELETE FROM memories WHERE id = ?", (gone,))

    def replay_onto(self, victim_seq: int, donor: Record) -> None:
        victim = self._read(OWN)[victim_seq].fields["id"]
        self._change(victim, {name: donor.fields[name] for name in TEXT})

    def read_meta(self, seq: int) -> dict[str, Any]:
        return {"trust": self._read(OWN)[seq].fields["trust"]}

    def write_meta(self, seq: int, meta: dict[str, Any]) -> None:
        self._change(self._read(OWN)[seq].fields["id"], {"trust": 5})

    def mutate_payload(self, record: Record) -> Record:
        record.fields["content"] += " [TAMPERED]"
        return record

    def identity_of(self, record: Record) -> str:
        return str(record.fields["id"])

    def payload_of(self, record: Record) -> str:
        return str(record.fields["content"])

    def owner_of(self, record: Record) -> str:
        return str(record.fields["agent_id"])

    def snapshot_store(self) -> object:
        with self._raw() as raw:
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return self._copy_store(self._db)

    def restore_store(self, token: object) -> None:
        self._restore_store(str(token), self._db)

    def reload(self) -> None:
        """Every command opens the store anew."""

    def verify(self) -> bool:
        report = doctor.doctor(self._config, repair=False)
        found = [check.name for check in report.checks if check.state == "problem"]
        self.verify_detail = f"doctor: {', '.join(found)}" if found else None
        return not found

    @property
    def _config(self) -> Config:
        return load_config(self._db, env={"HOME": str(self._folder)})

    def _write(self, agent: str, n: int, first: int = 0) -> None:
        with MemoryEngine(self._config, Actor("operator")) as engine:
            engine.init()
        for number in range(first, first + n):
            text = f"{SAYINGS[number % len(SAYINGS)]} of {agent[6:]} opens at {number} past nine"
            place = Place(agent_id=agent[6:])
            with MemoryEngine(self._config, Actor(agent)) as engine:
                engine.ingest([NewMemory("project", text, scope="agent")], place=place)

    def _raw(self) -> Any:
        raw = sqlite_library().connect(str(self._db), isolation_level=None)
        raw.row_factory = sqlite_library().Row
        return raw

    def _read(self, agent: str) -> list[Record]:
        with self._raw() as raw:
            rows = raw.execute(
                "SELECT * FROM memories WHERE agent_id = ? ORDER BY n", (agent[6:],)
            ).fetchall()
        return [Record(seq, dict(row)) for seq, row in enumerate(rows)]

    def _change(self, memory_id: str, told: dict[str, Any]) -> None:
        """Change a row and compute its hash anew."""
        with self._raw() as raw:
            for name, value in told.items():
                raw.execute(f"UPDATE memories SET {name} = ? WHERE id = ?", (value, memory_id))
            row = raw.execute("SELECT * FROM memories WHERE id = ?", (memory_id,)).fetchone()
            hash_ = records.compute_row_hash(records.from_row(row))
            raw.execute("UPDATE memories SET row_hash = ? WHERE id = ?", (hash_, memory_id))

    def _insert(self, values: dict[str, Any]) -> None:
        values = {name: value for name, value in values.items() if name != "n"}
        values["row_hash"] = records.compute_row_hash(records.from_row(values))
        names, places = ", ".join(values), ", ".join(f":{name}" for name in values)
        with self._raw() as raw:
            raw.execute(f"INSERT INTO memories ({names}) VALUES ({places})", values)
