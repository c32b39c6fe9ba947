"""How time and space grow with the store: cold calls and index sizes at 1 k, 10 k, 100 k and 1 M
records over 50 projects.

    python benchmarks/scale.py --folder FOLDER [--sizes 1k,10k,100k,1m] [--vectors made] [--runs 20] [--json OUT]

Stores that the folder does not have yet are generated there (`10k.db`); those that it has are used
as they are.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import cold

SIZES: Mapping[str, int] = {"1k": 1000, "10k": 10_000, "100k": 100_000, "1m": 1_000_000}
# The parts of a store by the beginning of their tables' and indexes' names; the first that fits
# counts.
PARTS: Mapping[str, tuple[str, ...]] = {
    "full text": ("memories_fts",),
    "vector index": ("memories_vec",),
    "vectors": ("embeddings", "sqlite_autoindex_embeddings"),
    "records": ("memories", "sqlite_autoindex_memories"),
    "stream": ("memory_events",),
    "evidence": ("evidence", "sqlite_autoindex_evidence"),
}
# In a process of its own, by the standard library: not every SQLite has this table, and one process
# opens a store with one library.
_STATISTICS = """
import json, sqlite3, sys
store = sqlite3.connect(sys.argv[1])
pages = dict(store.execute("SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE"))
print(json.dumps([store.execute("SELECT count(*) FROM memories").fetchone()[0], pages]))
"""


class NoStatistics(Exception):
    """The standard library's SQLite was built without them."""


def sizes(db: Path) -> dict[str, int]:
    """Bytes of each part of a store, of all the rest, and of the file."""
    done = subprocess.run(
        [sys.executable, "-c", _STATISTICS, str(db)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NoStatistics(done.stderr.strip().splitlines()[-1])
    count, pages = json.loads(done.stdout)
    summed = dict.fromkeys((*PARTS, "all else"), 0)
    for name, size in pages.items():
        summed[
            next((part for part, heads in PARTS.items() if name.startswith(heads)), "all else")
        ] += size
    return {"count": count, **summed, "file": db.stat().st_size}


def latency(env: Mapping[str, str], runs: int) -> list[dict[str, Any]]:
    """Cold calls on one store, hybrid and by words alone."""
    asked = [*cold.asking(env, runs), *cold.asking({**env, **cold.WORDS_ONLY}, runs, ", words")]
    return cold.rows(cold.measure([cold.bare(env, runs), *asked]))


def latency_table(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Multiples of the bare interpreter, median and least, a column a store."""
    lines = [["command, x bare: median (least)", *found], ["---"] * (len(found) + 1)]
    for case in (row["case"] for row in next(iter(found.values()))):
        row = [next(row for row in made if row["case"] == case) for made in found.values()]
        bare = case == cold.BARE
        lines.append(
            [
                case,
                *(
                    f"{r['median_ms']} ms"
                    if bare
                    else f"{r['times_bare']} ({r['least_times_bare']})"
                    for r in row
                ),
            ]
        )
    return _markdown(lines)


def size_table(found: Mapping[str, Mapping[str, int]]) -> str:
    """Megabytes and bytes a record of each part, a column a store."""
    lines = [["MB (bytes a record)", *found], ["---"] * (len(found) + 1)]
    for part in (*PARTS, "all else", "file"):
        lines.append(
            [
                part,
                *(
                    f"{s[part] / cold.MB:.1f} ({s[part] // max(1, s['count'])})"
                    for s in found.values()
                ),
            ]
        )
    return _markdown(lines)


def _markdown(lines: Iterable[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    """Measure every store, print two Markdown tables, and write JSON where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--sizes", default=",".join(SIZES))
    parser.add_argument("--vectors", choices=("none", "made", "real"), default="made")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    times: dict[str, Any] = {}
    space: dict[str, Any] = {}
    without: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as home:
        for size in given.sizes.split(","):
            db = given.folder / f"{size}.db"
            env = cold.house(
                Path(home), db if db.exists() else cold.generated(db, SIZES[size], given.vectors)
            )
            times[size], space[size], without[size] = (
                latency(env, given.runs),
                sizes(db),
                cold.flags(env),
            )
    print(f"\n{cold.machine()}; flags: {without}\n\n{latency_table(times)}\n{size_table(space)}")
    if given.json:
        whole = {"latency": times, "bytes": space, "flags": without, "machine": cold.machine()}
        given.json.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
