"""Which change sets a replica writes: what a place lacks, in pieces, few files in time. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memctl.sync.place import SetName

# Bytes of changes, before they are compressed, in one change set: what is lost when a transfer is
# cut off. A single change may have more. Chosen by hand.
MOST_BYTES = 4 << 20
# Changes in one change set.
MOST_CHANGES = 5000
# So many change sets of about one size become one: few files to list, and each change is written
# anew once for each step. See benchmarks/sync_traffic.py.
FAN_OUT = 8


def find_gaps(names: Sequence[SetName], last: int) -> list[tuple[int, int]]:
    """Find the numbers from 1 to `last` that no change set holds, as first and last of each gap."""
    gaps, reached = [], 0
    for name in sorted(names, key=lambda each: (each.first, each.last)):
        if name.first > reached + 1:
            gaps.append((reached + 1, min(name.first - 1, last)))
        reached = max(reached, name.last)
        if reached >= last:
            break
    if reached < last:
        gaps.append((reached + 1, last))
    return [(first, end) for first, end in gaps if first <= end]


def split_entries(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Split changes of these sizes (bytes) into runs for one change set each: begin and end."""
    begin = total = 0
    for place, size in enumerate(sizes):
        if place > begin and (total + size > MOST_BYTES or place - begin >= MOST_CHANGES):
            yield begin, place
            begin, total = place, 0
        total += size
    if begin < len(sizes):
        yield begin, len(sizes)


def plan_compaction(
    names: Sequence[SetName], measure: Callable[[int, int], int] = lambda _first, _last: 0
) -> list[list[SetName]]:
    """Choose which change sets of one replica and stream become one.

    Sets are of one rank if they hold about as many changes (powers of the fan-out), and a small one
    that stands before larger ones is of their rank. As many of one rank as the fan-out become one,
    mostly of the next rank; and change sets that another holds altogether go. No set becomes larger
    than it may be: `measure` tells the bytes of the changes from one number to another.
    """
    rows = _join_contained(sorted(names, key=lambda each: (each.first, -each.last, each.digest)))
    while (run := _find_run(rows, measure)) is not None:
        begin, end = run
        rows[begin:end] = [[each for row in rows[begin:end] for each in row]]
    return [row for row in rows if len(row) > 1]


def _join_contained(names: Sequence[SetName]) -> list[list[SetName]]:
    """Put change sets that a kill left beside the one that replaces them together with it."""
    rows: list[list[SetName]] = []
    for name in names:
        if rows and name.first <= _get_last(rows[-1]):
            rows[-1].append(name)
        else:
            rows.append([name])
    return rows


def _find_run(
    rows: Sequence[Sequence[SetName]], measure: Callable[[int, int], int]
) -> tuple[int, int] | None:
    """Find the first rows that are to become one: begin and end."""
    ranks = _list_ranks(rows)
    begin = total = 0
    for place, row in enumerate(rows):
        count = _count(row)
        follows = place > begin and row[0].first == _get_last(rows[place - 1]) + 1
        if not follows or ranks[place] != ranks[begin] or total + count > MOST_CHANGES:
            begin, total = place, 0
        total += count
        if place - begin + 1 >= FAN_OUT:
            if measure(rows[begin][0].first, _get_last(row)) <= MOST_BYTES:
                return begin, place + 1
            total -= _count(rows[begin])
            begin += 1
    return None


def _list_ranks(rows: Sequence[Sequence[SetName]]) -> list[int]:
    """The rank of each row: its own, or that of a larger one which comes later."""
    ranks: list[int] = []
    for row in reversed(rows):
        ranks.append(max(_rank(_count(row)), *ranks[-1:], 0))
    return ranks[::-1]


def _count(row: Sequence[SetName]) -> int:
    return _get_last(row) - row[0].first + 1


def _get_last(row: Sequence[SetName]) -> int:
    return max(each.last for each in row)


def _rank(count: int) -> int:
    rank = 0
    while count >= FAN_OUT:
        count //= FAN_OUT
        rank += 1
    return rank
