"""What a sync costs: the first one of a whole store, one of 100 changes, one with nothing new.

    python benchmarks/sync.py [--records 10000] [--folder FOLDER] [--plain] [--json OUT]

Two stores meet in a folder; one holds invented records (benchmarks/generate.py), the other is empty
and belongs to the same person, or, with `--other`, to somebody else, whose inbox they reach. Times
are processor seconds of this process; `collecting` reads the event log and builds changes, `writing`
makes change sets, `reading` reads and verifies them, `settling` takes them in. The longest
transaction is in milliseconds of processor time. `nothing new` is the real command, in starts of a
bare interpreter.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import generate, transactions
from memctl.core.model import NewMemory
from memctl.engine.memory_engine import MemoryEngine
from memctl.store.migrate import open_store
from memctl.sync import applying, collecting, incoming, outgoing, run

PHASES = {
    "collecting": (collecting.Collector, "collect_all"),
    "writing": (outgoing, "write_changes"),
    "reading": (incoming, "_read_set"),
    "settling": (applying, "take_changes"),
    "compacting": (run, "_tidy"),
}
PROJECTS = 50


class House:
    """Two stores and the folder between them."""

    def __init__(self, folder: Path, records: int, *, is_plain: bool, is_other: bool) -> None:
        self.folder = folder
        self.place = folder / "shared"
        settings = folder / "config.yaml"
        settings.write_text(
            "operator:\n  require_terminal: false\nembedding:\n  model: none\n"
            f"sync:\n  encrypt: {str(not is_plain).lower()}\n"
        )
        os.environ["MEMCTL_CONFIG"] = str(settings)
        self.full, self.empty = (folder / name / "memory.db" for name in ("full", "empty"))
        db = open_store(self.full, create=True)
        generate.generate(db, records, PROJECTS)
        db.close()
        open_store(self.empty, create=True).close()
        self.is_other = is_other

    def engine(self, store: Path) -> MemoryEngine:
        """The operator at a store."""
        return MemoryEngine.open(store, actor="operator")

    def share_all(self) -> None:
        """Let everything go to the other person."""
        with self.engine(self.full) as engine:
            for item in engine.projects.list().items:
                engine.sync.share(item.project.id)
            engine.sync.share(None)

    def sync(self, store: Path, member: str | None = None) -> dict[str, Any]:
        """One sync; what it took and moved."""
        with self.engine(store) as engine, take_times() as times:
            report = engine.sync.run(str(self.place), member=member)
        (place,) = report.places
        moved = {
            "sent": place.sent,
            "received": place.received,
            "bytes": place.bytes_out + place.bytes_in,
            **place.counts,
        }
        return {"seconds": {name: round(spent, 2) for name, spent in times.items()}, **moved}

    def measure_transactions(self) -> dict[str, float]:
        """The longest transactions of first syncs by the real command, on copies."""
        sender, reader, place = (self.folder / name for name in ("a.db", "b.db", "there"))
        shutil.copy(self.full, sender)
        shutil.copy(self.empty, reader)
        sending = self._watch("sender", "--db", sender, "sync", place, "--as", "Vera", "--yes")
        with self.engine(sender) as engine:
            code = engine.sync.invite().code
        with self.engine(reader) as engine:
            engine.sync.join(str(place), code)
        with self.engine(sender) as engine:
            engine.sync.run(str(place))
        receiving = self._watch("reader", "--db", reader, "sync")
        for path in (sender, reader):
            path.unlink()
        shutil.rmtree(place)
        return {"sending": sending, "receiving": receiving}

    def _watch(self, name: str, *words: object) -> float:
        notes = self.folder / f"{name}.notes"
        program = str(Path(transactions.__file__))
        done = subprocess.run(
            [sys.executable, program, str(notes), *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)
        return float(transactions.read_notes(notes)[0]["cpu_ms"])

    def join(self) -> None:
        """Let the empty store join."""
        with self.engine(self.full) as engine:
            code = engine.sync.invite("Ines" if self.is_other else None).code
        with self.engine(self.empty) as engine:
            engine.sync.join(str(self.place), code)


@contextmanager
def take_times() -> Iterator[Counter[str]]:
    """Count the processor seconds of the phases of what happens inside."""
    times = Counter[str]()
    kept = {name: getattr(*where) for name, where in PHASES.items()}

    def wrap(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **words: Any) -> Any:
            began = sum(os.times()[:2])
            try:
                return function(*args, **words)
            finally:
                times[name] += sum(os.times()[:2]) - began

        return timed

    for name, (owner, word) in PHASES.items():
        setattr(owner, word, wrap(name, kept[name]))
    began = sum(os.times()[:2])
    try:
        yield times
    finally:
        times["all"] = sum(os.times()[:2]) - began
        for name, (owner, word) in PHASES.items():
            setattr(owner, word, kept[name])


def write_records(house: House, many: int) -> None:
    """Write some records by hand, as one operation each."""
    with house.engine(house.full) as engine:
        for number in range(many):
            engine.ingest(
                [
                    NewMemory(
                        type="project",
                        kind="fact",
                        scope="global",
                        content=f"Berth {number} was dredged in week {number % 52}",
                    )
                ]
            )


def measure_command(house: House, runs: int = 5) -> float:
    """Processor time of `memctl sync` with nothing new, in starts of a bare interpreter."""
    words = [sys.executable, "-m", "memctl", "--db", str(house.full), "sync"]
    bare = min(_spend([sys.executable, "-c", ""]) for _ in range(runs))
    return min(_spend(words) for _ in range(runs)) / bare


def _spend(words: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class _Told(dict[str, Any]):
    """Figures, each printed as soon as it is known: a long run may not come to its end."""

    def __setitem__(self, name: str, value: Any) -> None:
        print(f"{name}: {value}", flush=True)
        super().__setitem__(name, value)


def measure(
    folder: Path, records: int, *, is_plain: bool, is_other: bool, has_transactions: bool
) -> dict[str, Any]:
    """Everything, by name."""
    house = House(folder, records, is_plain=is_plain, is_other=is_other)
    found = _Told({"records": records})
    if has_transactions:
        found["longest transaction, ms"] = house.measure_transactions()
    if is_other:
        house.share_all()
    found["first sync, sending"] = house.sync(house.full, "Vera")
    found["files"] = len(list(house.place.rglob("*.mcs")))
    found["bytes a change"] = round(
        found["first sync, sending"]["bytes"] / max(1, found["first sync, sending"]["sent"]), 1
    )
    house.join()
    if not is_plain:
        found["encrypting for who joined"] = house.sync(house.full)
    found["first sync, receiving"] = house.sync(house.empty)
    write_records(house, 100)
    found["100 changes, sending"] = house.sync(house.full)
    found["100 changes, receiving"] = house.sync(house.empty)
    found["nothing new, in process"] = house.sync(house.full)
    found["nothing new, bare starts"] = round(measure_command(house), 1)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--plain", action="store_true", help="a folder that is not encrypted")
    parser.add_argument("--other", action="store_true", help="the other store is somebody else's")
    parser.add_argument("--no-transactions", action="store_true", help="in half the time")
    parser.add_argument("--json", type=Path)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=wanted.folder) as folder:
        found = measure(
            Path(folder),
            wanted.records,
            is_plain=wanted.plain,
            is_other=wanted.other,
            has_transactions=not wanted.no_transactions,
        )
    if wanted.json:
        wanted.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
