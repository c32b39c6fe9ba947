"""`memctl stats --plot`: the numbers of a store as bars that fit 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.cli.text.formatting import flatten
from memctl.cli.text.record_parts import TRUST_WORDS
from memctl.results.store import StatsReport

# Columns of the names, and of the longest bar.
_NAME_WIDTH = 22
_BAR_WIDTH = 46
# Bars of one plot; what is beyond them is summed up.
_MOST_BARS = 12
_BLOCK = "\u2588"
# What stands for less than one block.
_SLIVER = "\u258f"


def render_plots(data: StatsReport) -> Iterator[str]:
    """Yield a bar for each month, status, type, kind, scope, trust and project."""
    months = dict(sorted(data.months.items())[-_MOST_BARS:])
    trust = {TRUST_WORDS.get(word, word): number for word, number in data.trust.items()}
    plots = {
        "records made": months,
        "all records": data.statuses,
        "by type": data.types,
        "by kind": data.kinds,
        "by scope": data.scopes,
        "by trust": trust,
        "by project": data.projects,
        "captured": data.sessions,
    }
    for title, numbers in plots.items():
        if any(numbers.values()):
            yield f"{title.capitalize()}:"
            yield from _draw_bars(numbers)
            yield ""
    if not data.statuses:
        yield "The store is empty."


def _draw_bars(numbers: Mapping[str, int]) -> Iterator[str]:
    shown = dict(list(numbers.items())[:_MOST_BARS])
    rest = sum(numbers.values()) - sum(shown.values())
    if rest:
        shown["others"] = rest
    most = max(shown.values())
    for name, number in shown.items():
        blocks = round(number / most * _BAR_WIDTH)
        bar = _BLOCK * blocks or (_SLIVER if number else "")
        yield f"  {flatten(name)[:_NAME_WIDTH]:<{_NAME_WIDTH}} {bar} {number}"
