"""What a hub would carry with many members: arithmetic on what `benchmarks/hub.py` measured.

    python benchmarks/hub_model.py [--measured hub.json]

Nothing is run here. MEASURED holds what one run found (docs/hub.md says on which machine); ASSUMED is
what a member is taken to do, and is there to be changed. Each line of the table says what it grows
with; the last part names the first thing that gives way.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

# Members and records of the whole group.
SIZES = ((10, 100_000), (100, 1_000_000), (1_000, 10_000_000), (10_000, 100_000_000))
DAY = 86_400
GB = 1e9


class Assumed(NamedTuple):
    """What a member is taken to do."""

    machines: int = 2
    projects_of_member: int = 8
    members_of_project: int = 40
    # Of all records, those that travel to others; the rest is for own machines.
    shared: float = 0.3
    changes_of_record: float = 2.5
    changes_a_day: float = 50
    searches_a_day: float = 20
    # How often `maintain` runs on a machine that is on, a third of the day.
    polls_a_day: float = 32
    # The busiest hour beside the mean.
    peak: float = 8


class Measured(NamedTuple):
    """What one hub with a million records took; milliseconds are of one core."""

    bytes_of_change: float
    row_bytes: float
    words_bytes: float
    vector_bytes: float
    poll_ms: float
    heads: float
    search_ms: float
    row_written_ms: float
    vector_index_s: float
    records: float


def main() -> None:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--measured", type=Path, default=Path(__file__).parent / "hub.json")
    wanted = parser.parse_args()
    told = read_measured(json.loads(wanted.measured.read_text()))
    for lines in (table(Assumed(), told), [""], first_limits(Assumed(), told)):
        print("\n".join(lines))


def read_measured(found: Mapping[str, object]) -> Measured:
    """The figures of `benchmarks/hub.py` that the model needs."""
    records = float(found["records"])  # type: ignore[arg-type]
    size: Mapping[str, float] = found["bytes"]  # type: ignore[assignment]
    polled: Mapping[str, float] = found["one poll"]  # type: ignore[assignment]
    searched: Mapping[str, Mapping[str, float]] = found["ms"]  # type: ignore[assignment]
    return Measured(
        bytes_of_change=float(found["sync"]["100 changes"]["bytes a change"]),  # type: ignore[index]
        row_bytes=(size["table"] + size["records_pkey"]) / records,
        words_bytes=size["records_words"] / records,
        vector_bytes=size["records_vector"] / records,
        poll_ms=polled["p50"],
        heads=polled["heads"],
        search_ms=searched["memctl, both, all"]["p50"],
        row_written_ms=float(found["a row written, ms"]),  # type: ignore[arg-type]
        vector_index_s=float(found["index_vector_s"]),  # type: ignore[arg-type]
        records=records,
    )


def compute(members: int, records: int, a: Assumed, m: Measured) -> dict[str, float]:
    """One column of the table."""
    machines = members * a.machines
    in_project = min(members, a.members_of_project)
    projects = math.ceil(members * a.projects_of_member / in_project)
    shared = records * a.shared
    changes = records * a.changes_of_record
    heads_seen = a.machines * (1 + a.projects_of_member * in_project)
    busy = a.peak / DAY
    return {
        "machines": machines,
        "projects": projects,
        "heads in all": a.machines * (members + projects * in_project),
        "heads that a machine polls, own projects": heads_seen,
        "heads that a machine polls, all projects open": a.machines * (1 + projects * in_project),
        "polls a second, busiest hour": machines * a.polls_a_day * busy,
        "cores for polls, own projects": (
            machines * a.polls_a_day * busy * m.poll_ms / 1000 * max(1, heads_seen / m.heads)
        ),
        "change sets, GB": changes * (1 + a.shared) * m.bytes_of_change / GB,
        "changes a second, busiest hour": members * a.changes_a_day * busy,
        "rows of shared records, GB": shared * m.row_bytes / GB,
        "index of words, GB": shared * m.words_bytes / GB,
        "index of vectors, GB": shared * m.vector_bytes / GB,
        "building the index of vectors anew, hours": (
            m.vector_index_s / 3600 * shared / m.records * growth(shared, m.records)
        ),
        "cores for rows that change": (
            members * a.changes_a_day * a.shared * busy * m.row_written_ms / 1000
        ),
        "searches a second, busiest hour": members * a.searches_a_day * busy,
        "cores for searches": (
            members * a.searches_a_day * busy * m.search_ms / 1000 * growth(shared, m.records)
        ),
        "records that a machine takes in, own projects": (
            records / members + shared / projects * a.projects_of_member
        ),
        "records that a machine takes in, all projects open": shared + records / members,
        "MB a machine receives a day, own projects": (
            min(members, in_project * a.projects_of_member)
            * a.changes_a_day
            * a.shared
            * m.bytes_of_change
            / 1e6
        ),
        "MB a machine receives a day, all projects open": (
            members * a.changes_a_day * a.shared * m.bytes_of_change / 1e6
        ),
    }


def growth(records: float, measured: float) -> float:
    """How much more a search in the graph of vectors costs: with the logarithm of its size."""
    return max(1.0, math.log(max(records, 2)) / math.log(measured))


def table(a: Assumed, m: Measured) -> Iterator[str]:
    """All sizes side by side."""
    columns = [compute(members, records, a, m) for members, records in SIZES]
    heads = [f"{members:,} members, {records / 1e6:g} million" for members, records in SIZES]
    yield f"| | {' | '.join(heads)} |"
    yield f"|---|{'---:|' * len(heads)}"
    for name in columns[0]:
        yield f"| {name} | {' | '.join(number(column[name]) for column in columns)} |"


def number(value: float) -> str:
    """Two digits that count, or a whole number."""
    if value >= 100:
        return f"{float(f'{value:.2g}'):,.0f}"
    return f"{value:.2g}"


# What one good server, and one laptop, can do: memory for an index that is walked at random, cores,
# records that a store is quick with, traffic that nobody minds, an evening for an index.
LIMITS = {
    "index of vectors, GB": 64.0,
    "cores for polls, own projects": 8.0,
    "cores for searches": 8.0,
    "cores for rows that change": 8.0,
    "building the index of vectors anew, hours": 12.0,
    "records that a machine takes in, own projects": 1_000_000.0,
    "records that a machine takes in, all projects open": 1_000_000.0,
    "MB a machine receives a day, all projects open": 100.0,
}


def first_limits(a: Assumed, m: Measured) -> Iterator[str]:
    """With how many members each limit is reached (10,000 records a member), the lowest first."""
    reached = sorted((reach(name, limit, a, m), name, limit) for name, limit in LIMITS.items())
    yield "| limit | reached with members |"
    yield "|---|---:|"
    for members, name, limit in reached:
        told = f"{members:,}" if members < 10**7 else "more than 10 million"
        yield f"| {name}: {limit:,.0f} | {told} |"


def reach(name: str, limit: float, a: Assumed, m: Measured) -> int:
    """The number of members (to two digits) from which something is above its limit."""
    low, high = 1, 10**7
    while low < high:
        middle = (low + high) // 2
        if compute(middle, middle * 10_000, a, m)[name] > limit:
            high = middle
        else:
            low = middle + 1
    return int(float(f"{low:.2g}"))


if __name__ == "__main__":
    main()
