"""Charts of the report as inline SVG and HTML. Pure; every word is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from memctl.report.graph_layout import place_nodes

# The drawing's own units; a page scales it.
_WIDTH = 720
_HEIGHT = 150
_GRAPH = 720
# Characters of a title beside a node, and the width of one.
_LABEL = 26
_LETTER = 6.2
_Box = tuple[float, float, float, float]


def draw_bars(rows: Mapping[str, int], *, unit: str = "") -> str:
    """Draw lying bars, one a name, as a table."""
    if not rows:
        return '<p class="none">Nothing yet.</p>'
    most = max(rows.values()) or 1
    lines = (
        f"<tr><th>{escape(name)}</th><td class=bar>"
        f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="one" width="{100 * value / most:.1f}" height="10"/></svg></td>'
        f"<td class=n>{value:,}{unit}</td></tr>"
        for name, value in rows.items()
    )
    return f"<table>{''.join(lines)}</table>"


def draw_days(
    days: Sequence[str], series: Sequence[tuple[str, str, Sequence[int]]], what: str
) -> str:
    """Draw standing bars by day, series stacked: each a class, a name and its values."""
    totals = [sum(values[at] for _, _, values in series) for at in range(len(days))]
    if not any(totals):
        return '<p class="none">Nothing yet.</p>'
    most, step = max(totals), _WIDTH / len(days)
    bars = []
    for at, day in enumerate(days):
        base = float(_HEIGHT)
        said = ", ".join(f"{values[at]} {name}" for _, name, values in series)
        for kind, _, values in series:
            height = _HEIGHT * values[at] / most
            base -= height
            if height:
                bars.append(
                    f'<rect class="{kind}" x="{at * step:.1f}" y="{base:.1f}" '
                    f'width="{max(step * 0.82, 0.5):.1f}" height="{height:.1f}">'
                    f"<title>{escape(day)}: {escape(said)}</title></rect>"
                )
    keys = "".join(
        f'<span class="key {kind}">{escape(name)}: {sum(values):,}</span>'
        for kind, name, values in series
    )
    return (
        f'<svg class="days" viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(what)}">{"".join(bars)}</svg>'
        f'<p class="axis"><span>{escape(days[0])}</span><span>most: {most:,}</span>'
        f'<span>{escape(days[-1])}</span></p><p class="keys">{keys}</p>'
    )


def _size(degree: int) -> int:
    return min(4 + degree, 11)


def _label_nodes(
    titles: Sequence[str], places: Sequence[tuple[float, float]], degree: Sequence[int]
) -> list[str]:
    """Write the titles that fit, the most linked nodes first: none over another or over a node."""
    taken = [(x - 11, x + 11, y - 11, y + 11) for x, y in places]
    texts = []
    for at in sorted(range(len(titles)), key=lambda at: (-degree[at], at)):
        title = titles[at]
        short = title if len(title) <= _LABEL else f"{title[: _LABEL - 1]}…"
        half = len(short) * _LETTER / 2
        x = min(max(places[at][0], half), _GRAPH - half)
        y = places[at][1] - _size(degree[at]) - 4
        box = (x - half, x + half, y - 11, y + 2)
        others = taken[:at] + taken[at + 1 :]
        if any(_overlaps(box, other) for other in others):
            continue
        taken.append(box)
        texts.append(f'<text x="{x:.1f}" y="{y:.1f}">{escape(short)}</text>')
    return texts


def _overlaps(one: _Box, other: _Box) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


# A graph of so few nodes is drawn small, and fits a narrow window. Chosen by eye.
_FEW_NODES = 12


def draw_graph(nodes: Sequence[tuple[str, str, str]], edges: Sequence[tuple[int, int, str]]) -> str:
    """Draw a graph: nodes are a class, a title and a note; edges name two of them and a class."""
    if not nodes:
        return '<p class="none">No links yet.</p>'
    margin, inside = 60, _GRAPH - 120
    places = [
        (margin + inside * x, 30 + (_GRAPH * 0.75 - 60) * y)
        for x, y in place_nodes(len(nodes), [(one, other) for one, other, _ in edges])
    ]
    lines = "".join(
        f'<line class="{kind}" x1="{places[one][0]:.1f}" y1="{places[one][1]:.1f}" '
        f'x2="{places[other][0]:.1f}" y2="{places[other][1]:.1f}"/>'
        for one, other, kind in edges
    )
    degree = [0] * len(nodes)
    for one, other, _ in edges:
        degree[one] += 1
        degree[other] += 1
    drawn = [
        f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{_size(degree[at])}">'
        f"<title>{escape(f'{title} ({note})')}</title></circle>"
        for at, ((kind, title, note), (x, y)) in enumerate(zip(nodes, places, strict=True))
    ]
    drawn += _label_nodes([title for _, title, _ in nodes], places, degree)
    few = " few" if len(nodes) <= _FEW_NODES else ""
    return (
        f'<svg class="graph{few}" viewBox="0 0 {_GRAPH} {int(_GRAPH * 0.75)}" role="img" '
        f'aria-label="links and entities">{lines}{"".join(drawn)}</svg>'
    )
