"""What sync moves and writes: bytes a change in change sets of several sizes, plain and encrypted,
and how often a change is written anew as small sets become larger ones.

    python benchmarks/sync_traffic.py [--records 10000] [--replicas 2 16] [--syncs 10000]

The changes are those that `memctl sync` collects from a store of invented records
(benchmarks/generate.py). A `first sync` is all of them, in the sets that would be written. For
compaction each sync sends one change, as on a day on which one record at a time is written; `files`
is how many lie in the folder at the end, and at most.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.generate import generate
from memctl.core.bounded_work import BoundedWork
from memctl.settings.config import load_config
from memctl.store import sync_changes
from memctl.store.migrate import open_store
from memctl.sync import age_keys, change_set, keys, set_plans
from memctl.sync.collecting import Collector
from memctl.sync.key_file import Keys
from memctl.sync.place import SetName

FAN_OUTS = (2, 4, 8, 16)
SIZES = (1, 10, 100, 1000, 10_000)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--replicas", type=int, nargs="+", default=[2, 16])
    parser.add_argument("--syncs", type=int, default=10_000)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        own, stream, entries = collect(Path(folder), wanted.records)
    print_sizes(own, stream, entries, wanted.replicas)
    print_compaction(own, stream, entries[: wanted.syncs])


def collect(folder: Path, records: int) -> tuple[Keys, str, list[bytes]]:
    """The changes of a generated store in the stream that has most of them."""
    config = load_config(folder / "memory.db")
    db = open_store(config.db, create=True)
    generate(db, records, 50)
    own = keys.found_group(db, config, "anna")
    Collector(db, config, replica=own.replica, member="anna").collect_all(BoundedWork())
    stream, last = max(
        ((each, last) for (each, _), last in sync_changes.read_vector(db).items()),
        key=lambda each: each[1],
    )
    found = sync_changes.list_range(db, stream, own.replica, 1, last)
    db.close()
    return own, stream, [change_set.to_entry(each) for each in found]


def write(
    own: Keys, stream: str, first: int, entries: Sequence[bytes], recipients: Sequence[str] = ()
) -> tuple[SetName, int]:
    """A change set: its name and its bytes."""
    name, content = change_set.encode_set(own, stream, first, "", entries, recipients)
    return name, len(content)


def write_many(
    own: Keys, stream: str, entries: Sequence[bytes], recipients: Sequence[str] = ()
) -> tuple[int, int]:
    """Bytes and sets that some changes take at once."""
    runs = [*set_plans.split_entries([len(each) for each in entries])]
    sizes = [write(own, stream, 1 + at, entries[at:end], recipients)[1] for at, end in runs]
    return sum(sizes), len(sizes)


def print_sizes(own: Keys, stream: str, entries: Sequence[bytes], replicas: Sequence[int]) -> None:
    """Print bytes a change, for several changes in one sync."""
    plain = sum(map(len, entries)) / len(entries)
    print(f"{len(entries)} changes of {plain:.0f} bytes of JSON on average\n")
    heads = [f"for {each} replicas" for each in replicas]
    print(f"{'changes':>8} {'sets':>5} {'plain':>8}", *(f"{each:>16}" for each in heads))
    recipients = [age_keys.create_identity()[1] for _ in range(max(replicas))]
    for size in SIZES:
        if size > len(entries):
            continue
        part = entries[-size:]
        total, sets = write_many(own, stream, part)
        sealed = [write_many(own, stream, part, recipients[:each])[0] for each in replicas]
        row = "".join(f" {each / size:>16.0f}" for each in sealed)
        print(f"{size:>8} {sets:>5} {total / size:>8.0f}{row}")


def print_compaction(own: Keys, stream: str, entries: Sequence[bytes]) -> None:
    """Print what small sets becoming large ones costs, for several fan-outs."""
    print(f"\n{len(entries)} syncs of one change each")
    print(f"{'fan-out':>8} {'written':>9} {'at rest':>8} {'times':>6} {'files':>6} {'most':>5}")
    for fan_out in FAN_OUTS:
        written, resting, files, most = compact(own, stream, entries, fan_out)
        many = len(entries)
        print(
            f"{fan_out:>8} {written / many:>9.0f} {resting / many:>8.0f} "
            f"{written / resting:>6.1f} {files:>6} {most:>5}"
        )


def compact(
    own: Keys, stream: str, entries: Sequence[bytes], fan_out: int
) -> tuple[int, int, int, int]:
    """Send changes one by one; bytes written in all and at rest, files at the end and at most."""
    set_plans.FAN_OUT = fan_out
    sizes: dict[SetName, int] = {}
    written = most = 0
    for number, entry in enumerate(entries, 1):
        name, size = write(own, stream, number, [entry])
        sizes[name] = size
        written += size
        most = max(most, len(sizes))
        for old in set_plans.plan_compaction([*sizes]):
            first, last = old[0].first, max(each.last for each in old)
            for each in old:
                del sizes[each]
            name, size = write(own, stream, first, entries[first - 1 : last])
            sizes[name] = size
            written += size
    return written, sum(sizes.values()), len(sizes), most


if __name__ == "__main__":
    main()
