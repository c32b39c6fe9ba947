"""Where pysqlite3 has no wheel, the standard library's SQLite serves: the same store, the same
answers.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
sys.modules["pysqlite3"] = None
from pathlib import Path
from memctl import MemoryEngine, NewMemory, Query
from memctl.store.database import sqlite_library
from memctl.readers.base import Input
folder = Path(sys.argv[1])
said = '{"role": "user", "content": "From now on, always run the kiln tests before a commit."}'
chat = f'[{said}, {{"role": "assistant", "content": "Noted."}}]'.encode()
with MemoryEngine.open(folder / "a.db", actor="operator") as engine:
    engine.ingest([NewMemory("project", "The kiln is fired with gas", scope="global")])
    engine.capture_conversation(Input(data=chat))
    report = engine.maintain()
    assert not report.problems, report
    found = [hit.record.memory.content for hit in engine.search(Query("kiln gas")).items]
    told = engine.context_for(task="fire the kiln with gas").text
    engine.export(folder / "a.jsonl")
    engine.upkeep.backup(folder / "b.db")
with MemoryEngine.open(folder / "c.db", actor="operator") as engine:
    engine.import_(folder / "a.jsonl", origin="mine")
    engine.export(folder / "c.jsonl")
    healthy = engine.upkeep.doctor().healthy
import json
found = {"library": sqlite_library().__name__, "found": found, "told": told}
print(json.dumps({**found, "healthy": healthy, "inbox": report.inbox}))
"""


def test_the_standard_librarys_sqlite_serves_the_whole_way(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["library"] == "sqlite3" and said["healthy"]
    assert said["found"][0] == "The kiln is fired with gas" and "fired with gas" in said["told"]
    assert said["inbox"] == 1
    (header, *rows), (other, *others) = (
        (tmp_path / name).read_bytes().splitlines() for name in ("a.jsonl", "c.jsonl")
    )
    assert rows == others
    # The mark says from which store an export is; these are two.
    assert {**json.loads(header), "mark": ""} == {**json.loads(other), "mark": ""}
