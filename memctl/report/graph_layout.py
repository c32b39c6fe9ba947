"""Where the nodes of a graph stand: the same places for the same graph. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

_STEPS = 140
_Point = tuple[float, float]


def place_nodes(count: int, edges: Sequence[tuple[int, int]]) -> list[_Point]:
    """Return a place in the unit square for each node; linked ones stand near each other.

    Nodes push each other away and links pull, from a circle on (Fruchterman and Reingold 1991),
    without chance.
    """
    if count < 2:
        return [(0.5, 0.5)] * count
    x = [math.cos(2.4 * at) * (0.2 + 0.8 * at / count) for at in range(count)]
    y = [math.sin(2.4 * at) * (0.2 + 0.8 * at / count) for at in range(count)]
    ideal = 1.9 / math.sqrt(count)
    for step in range(_STEPS):
        _move(x, y, edges, ideal, 0.12 * (1 - step / _STEPS) + 0.001)
    return list(zip(_scale(x), _scale(y), strict=True))


def _move(
    x: list[float], y: list[float], edges: Sequence[tuple[int, int]], ideal: float, most: float
) -> None:
    count = len(x)
    # A weak pull to the middle keeps apart pieces on the page.
    dx, dy = [-0.35 * each for each in x], [-0.35 * each for each in y]
    for one in range(count):
        for other in range(one):
            away, up = x[one] - x[other], y[one] - y[other]
            force = ideal * ideal / max(away * away + up * up, 1e-6)
            dx[one] += away * force
            dy[one] += up * force
            dx[other] -= away * force
            dy[other] -= up * force
    for one, other in edges:
        away, up = x[one] - x[other], y[one] - y[other]
        force = math.hypot(away, up) / ideal
        dx[one] -= away * force
        dy[one] -= up * force
        dx[other] += away * force
        dy[other] += up * force
    for at in range(count):
        length = math.hypot(dx[at], dy[at]) or 1.0
        x[at] += dx[at] / length * min(length, most)
        y[at] += dy[at] / length * min(length, most)


def _scale(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(each - low) / (high - low or 1.0) for each in values]
