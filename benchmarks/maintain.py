"""What a night costs: maintenance of a store in which nothing happened, and after one session, by
the size of the store.

    python benchmarks/maintain.py STORE... [--runs 5] [--json OUT]

Each STORE is copied and maintained once, as if all in it had been compared before. Times are
processor seconds of the whole process, since a machine is seldom quiet; `open` is a process that
opens the same store and says how it is.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memctl.core import clock
from memctl.store import meta
from memctl.store.migrate import open_store

SESSION = (
    (
        "user",
        "Why does the nightly export take so long? We decided to write it in batches because "
        "one transaction held the lock.",
    ),
    (
        "assistant",
        "The export ran in one transaction. I split it into batches of 500 rows; the tests pass "
        "and it takes 40 s now.",
    ),
    ("user", "Good. Always run make check before you push, and never touch the vendored folder."),
)


def environment(store: Path) -> dict[str, str]:
    """An empty house with that store."""
    return {"PATH": os.environ["PATH"], "HOME": str(store.parent), "MEMCTL_DB": str(store)}


def cost(store: Path, *words: str, given: bytes = b"") -> float:
    """The processor seconds of one command. Raises CalledProcessError."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "memctl", *words],
        input=given,
        env=environment(store),
        check=True,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def settled(source: Path | None, folder: Path) -> Path:
    """A copy of a store (or an empty one) in which nothing waits for maintenance."""
    store = folder / "memory.db"
    if source is not None:
        shutil.copyfile(source, store)
    db = open_store(store, create=True)
    with db.write():
        meta.put_note(db, "consolidated_until", clock.now())
    db.close()
    for _ in range(3):
        cost(store, "maintain")
    # What these runs themselves changed would be looked at once more within the minute.
    db = open_store(store, create=False)
    with db.write():
        meta.put_note(db, "consolidated_until", clock.now())
    db.close()
    return store


def session(number: int) -> bytes:
    """A session in the manner of Claude Code that no other equals."""
    told = [(role, f"{text} (round {number})") for role, text in SESSION]
    lines = [
        {
            "uuid": f"u{place}",
            "parentUuid": f"u{place - 1}" if place else None,
            "sessionId": f"5e551011-0000-4000-8000-{number:012d}",
            "isSidechain": False,
            "version": "2.1.0",
            "timestamp": f"2026-03-04T05:06:{place:02d}.000Z",
            "type": role,
            "message": {
                "role": role,
                "content": text if role == "user" else [{"type": "text", "text": text}],
            },
        }
        for place, (role, text) in enumerate(told)
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def measured(source: Path | None, runs: int) -> dict[str, Any]:
    """The medians for one store."""
    with tempfile.TemporaryDirectory() as folder:
        store = settled(source, Path(folder))
        db = open_store(store, create=False)
        records = int(db.value("upkeep.counts"))
        db.close()
        opened = [cost(store, "status") for _ in range(runs)]
        idle = [cost(store, "maintain") for _ in range(runs)]
        busy = []
        for number in range(runs):
            cost(store, "capture-session", "-", given=session(number))
            busy.append(cost(store, "maintain"))
    found = {
        "records": records,
        "open": statistics.median(opened),
        "idle": statistics.median(idle),
        "session": statistics.median(busy),
    }
    return {name: round(value, 3) for name, value in found.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the stores and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stores", nargs="+", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    rows = [measured(source, given.runs) for source in (None, *given.stores)]
    print(
        "| records | open | idle night | of an open | one session | of the same in an empty "
        "store |\n|---|---|---|---|---|---|"
    )
    for row in rows:
        cells = (
            row["open"],
            row["idle"],
            row["idle"] / row["open"],
            row["session"],
            row["session"] / rows[0]["session"],
        )
        print(f"| {row['records']:.0f} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
