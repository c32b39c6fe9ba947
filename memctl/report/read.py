"""Read all that the page shows, as plain values: no row of the store reaches the page."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence

from memctl.core import timestamps
from memctl.core.frozen import dataclass
from memctl.records import quality
from memctl.results.quality import Account
from memctl.results.store import StatsReport
from memctl.store import report, stats
from memctl.store.database import Database, Row

# Bars of a chart at most, the fewest, and seconds of a day.
_BARS = 90
_FEWEST_BARS = 14
_DAY_SECONDS = 86400.0
# Upper bounds of the ages that are told apart, in days.
_AGES = ((7, "up to a week"), (30, "up to a month"), (90, "up to 3 months"), (365, "up to a year"))


@dataclass(frozen=True, slots=True)
class Latency:
    """How one command answered: calls, calls that gave something, milliseconds."""

    command: str
    calls: int
    hits: int
    median: float
    slowest: float


@dataclass(frozen=True, slots=True)
class ToldActor:
    """What one caller was given: calls and records."""

    actor: str
    calls: int
    records: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """A graph: nodes are a class, a title and a note; edges two nodes and a class."""

    nodes: tuple[tuple[str, str, str], ...]
    edges: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True, slots=True)
class Material:
    """All that the page shows. Series by day have a value for each of `days`."""

    at: str
    stats: StatsReport
    days: tuple[str, ...]
    made: tuple[int, ...]
    waiting: tuple[int, ...]
    approved: tuple[int, ...]
    rejected: tuple[int, ...]
    ages: dict[str, int]
    graph: Drawn
    accounts: tuple[Account, ...]
    latencies: tuple[Latency, ...]
    told: tuple[ToldActor, ...]
    open_conflicts: int
    conflicts: tuple[tuple[str, str, str, str, str], ...]


def read_material(db: Database, at: str) -> Material:
    """Read what the page shows at a time."""
    now = timestamps.parse_iso(at)
    created, decided = report.read_days(db, "created"), report.read_decisions(db)
    days = _choose_bars([row["day"] for row in (*created, *decided)], now)
    retrievals = report.read_retrievals(db)
    return Material(
        at=at,
        stats=quality.read_stats(db),
        days=days,
        made=_fill(days, created, "count"),
        waiting=_fill(days, created, "waiting"),
        approved=_fill(days, decided, "approved"),
        rejected=_fill(days, decided, "rejected"),
        ages=_group_ages(report.read_days(db, "ages"), now),
        graph=_read_graph(db),
        accounts=quality.report_quality(db, quality.AccountFilter()).rules[:15],
        latencies=_measure(retrievals),
        told=_count_told(retrievals),
        open_conflicts=stats.count_waiting_work(db).conflicts,
        conflicts=tuple(
            (
                row["since"][:10],
                row["from_id"][:10],
                row["from_title"],
                row["to_id"][:10],
                row["to_title"],
            )
            for row in report.read_conflicts(db)
        ),
    )


def _choose_bars(days: Sequence[str], now: float) -> tuple[str, ...]:
    """The first day of each bar: all that happened fits, each as many whole days as needed."""
    first = min((timestamps.parse_iso(f"{day}T00:00:00Z") for day in days), default=now)
    span = int(max(now - first, 0) // _DAY_SECONDS) + 1
    each = -(-span // _BARS)
    bars = max(-(-span // each), _FEWEST_BARS)
    return tuple(
        timestamps.format_iso(now - _DAY_SECONDS * (each * back + each - 1))[:10]
        for back in range(bars - 1, -1, -1)
    )


def _fill(days: Sequence[str], rows: Iterable[Row], column: str) -> tuple[int, ...]:
    counts = [0] * len(days)
    for row in rows:
        counts[max(bisect_right(days, row["day"]) - 1, 0)] += row[column] or 0
    return tuple(counts)


def _group_ages(rows: Iterable[Row], now: float) -> dict[str, int]:
    grouped = {name: 0 for _, name in _AGES} | {"older": 0}
    for row in rows:
        age = (now - timestamps.parse_iso(f"{row['day']}T00:00:00Z")) / _DAY_SECONDS
        name = next((name for limit, name in _AGES if age <= limit), "older")
        grouped[name] += row["count"]
    return grouped


def _measure(rows: Iterable[Row]) -> tuple[Latency, ...]:
    by_command: dict[str, list[Row]] = {}
    for row in rows:
        by_command.setdefault(row["command"], []).append(row)
    found = []
    for command, calls in sorted(by_command.items(), key=lambda each: (-len(each[1]), each[0])):
        taken = sorted(row["duration_ms"] for row in calls)
        hits = sum(bool(row["given"]) for row in calls)
        slowest = taken[min(len(taken) * 95 // 100, len(taken) - 1)]
        found.append(Latency(command, len(calls), hits, taken[len(taken) // 2], slowest))
    return tuple(found)


def _count_told(rows: Iterable[Row]) -> tuple[ToldActor, ...]:
    calls: Counter[str] = Counter()
    given: Counter[str] = Counter()
    for row in rows:
        calls[row["actor"]] += 1
        given[row["actor"]] += row["given"] or 0
    ordered = sorted(calls, key=lambda actor: (-calls[actor], actor))
    return tuple(ToldActor(actor, calls[actor], given[actor]) for actor in ordered[:12])


def _read_graph(db: Database) -> Drawn:
    """Records by their links, and the most mentioned entities with some of their records."""
    nodes: dict[str, tuple[str, str, str]] = {}
    edges: dict[tuple[str, str], str] = {}
    for row in report.read_links(db):
        if len(nodes) > 60:
            break
        nodes.setdefault(row["from_id"], ("record", row["from_title"], row["from_id"][:10]))
        nodes.setdefault(row["to_id"], ("record", row["to_title"], row["to_id"][:10]))
        kind = row["relation"] if row["relation"] in ("contradicts", "supersedes") else "other"
        edges.setdefault((row["from_id"], row["to_id"]), kind)
    for row in report.read_mentions(db):
        nodes.setdefault(row["entity_id"], ("entity", row["name"], "mentioned"))
        nodes.setdefault(row["id"], ("record", row["title"], row["id"][:10]))
        edges.setdefault((row["id"], row["entity_id"]), "mention")
    order = {key: at for at, key in enumerate(nodes)}
    drawn = tuple((order[one], order[other], kind) for (one, other), kind in edges.items())
    return Drawn(tuple(nodes.values()), drawn)
