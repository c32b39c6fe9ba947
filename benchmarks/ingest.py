"""How fast `memctl ingest --file` is, and how long it keeps others from writing.

    python benchmarks/ingest.py [--records 10000] [--store 10000] [--only TEXT] [--json OUT]

The real command writes a file of short invented statements, like ones (a few templates, of which
many exclude each other or repeat) and unlike ones, into an empty store and into one that holds
invented records already. Time is told in starts of a bare interpreter per 1,000 lines, measured
just before and just after, so that it means the same on every machine: by the processor, which
other processes lengthen little, and by the clock. Meanwhile a second process
asks for the write lock every half millisecond and notes the longest time for which it was refused;
a stretch in which the machine left it no time for 50 ms or more ends there.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import generate
from benchmarks.run import write
from memctl.store.migrate import open_store

_STARTS = 7
# What the second process does: the longest time in a row for which it was refused, in seconds.
_PROBE = """
import select, sqlite3, sys, time
store = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
longest, since, last = 0.0, None, 0.0
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0.0005)[0]:
    now = time.perf_counter()
    try:
        store.execute("BEGIN IMMEDIATE")
        store.execute("ROLLBACK")
        since = None
    except sqlite3.OperationalError:
        # What happened while this process did not run is not known.
        since = now if since is None or now - last > 0.05 else since
        last = time.perf_counter()
        longest = max(longest, last - since)
print(longest)
"""


def main() -> None:
    """Measure each kind of statement into each store, and print a table."""
    given = _read_arguments()
    print("| statements | store | bare starts per 1,000 lines | by the clock | longest hold |")
    print("|---|---|---|---|---|")
    report = []
    for kind in ("unlike", "like"):
        for present in (0, given.store):
            name = f"{kind} into {present or 'an empty store'}"
            if given.only not in name:
                continue
            measured = _measure(kind, given.records, present)
            report.append({"name": name, **measured})
            print(
                f"| {kind} | {present or 'empty'} | {measured['starts']:.0f} "
                f"| {measured['by_clock']:.0f} | {1000 * measured['hold']:.0f} ms |",
                flush=True,
            )
    write(given.json, report)


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=10_000, help="lines of each file")
    parser.add_argument("--store", type=int, default=10_000, help="records of the full store")
    parser.add_argument("--only", default="", help="only what holds this text in its name")
    parser.add_argument("--json", type=Path, help="write every figure here")
    return parser.parse_args()


def _measure(kind: str, many: int, present: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        store = home / "memory.db"
        db = open_store(store, create=True)
        if present:
            generate.generate(db, present, 50)
        db.close()
        lines = home / "lines.jsonl"
        with lines.open("w", encoding="utf-8") as file:
            for text in invent(kind, many):
                file.write(json.dumps({"content": text, "scope": "global"}) + "\n")
        env = {
            **os.environ,
            "HOME": folder,
            "XDG_CONFIG_HOME": folder,
            "XDG_DATA_HOME": folder,
            "MEMCTL_DB": str(store),
        }
        command = [sys.executable, "-m", "memctl", "ingest", "--file", str(lines)]
        before = _time_bare_start()
        with _watch(store) as holds:
            spent = _time(lambda: _run(command, env, folder))
        bare = [statistics.mean(both) for both in zip(before, _time_bare_start(), strict=True)]
        shutil.rmtree(home / "spool", ignore_errors=True)
    return {
        "starts": spent[0] / bare[0] / many * 1000,
        "by_clock": spent[1] / bare[1] / many * 1000,
        "seconds": spent,
        "bare": bare,
        "hold": holds[0],
    }


def invent(kind: str, many: int, seed: int = 1) -> Iterator[str]:
    """Yield short statements: `like` ones differ in a name or a number, `unlike` ones in most
    words.
    """
    draw = random.Random(seed)
    words = [
        "".join(draw.choice("bdfgklmnprstvz") + draw.choice("aeiou") for _ in "123")
        for _ in range(2000)
    ]
    for n in range(many):
        pick = [draw.choice(words) for _ in range(4)]
        unlike = f"The {pick[0]} {pick[1]} uses {pick[2]} for {pick[3]} {n}"
        like = (
            f"The harbour service number {n} listens on port {n + 1000}",
            f"The retry limit of the {words[n % 200]} service is {n} seconds",
            f"We use {words[n % 300]} for {words[n * 7 % 50]}",
            f"Never deploy {words[n % 400]} on Fridays",
        )[n % 4]
        yield like if kind == "like" else unlike


def _run(command: list[str], env: dict[str, str], folder: str) -> None:
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL, cwd=folder)


def _time(action: Callable[[], object]) -> tuple[float, float]:
    """Processor seconds of the processes that an action runs and waits for, and its seconds."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    action()
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, seconds


def _time_bare_start() -> tuple[float, float]:
    command = [sys.executable, "-c", "pass"]
    times = [_time(lambda: subprocess.run(command, check=True)) for _ in range(_STARTS)]
    return statistics.median(t[0] for t in times), statistics.median(t[1] for t in times)


@contextmanager
def _watch(store: Path) -> Iterator[list[float]]:
    """Let a second process ask for the lock; the longest refusal stands in the list afterwards."""
    probe = subprocess.Popen(
        [sys.executable, "-c", _PROBE, str(store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert probe.stdout is not None
    probe.stdout.readline()
    holds: list[float] = []
    try:
        yield holds
    finally:
        told, _ = probe.communicate("end\n")
        holds.append(float(told))


if __name__ == "__main__":
    main()
