"""`memctl stats --plot` draws what the numbers say, within 80 columns."""

from __future__ import annotations

from memctl.cli.text.plots import render_plots
from memctl.results.store import StatsReport

NONE: dict[str, int] = {}


def report(**numbers: dict[str, int]) -> StatsReport:
    return StatsReport(
        records=0,
        **{
            name: numbers.get(name, NONE)
            for name in ("statuses", "types", "scopes", "kinds", "trust", "projects", "links")
        },
        evidence=0,
        sources=0,
        entities=NONE,
        sessions=NONE,
        turns=0,
        changes=(0, 0),
        captures=(0, 0),
        retrievals=(0, 0),
        never_served=0,
        good=0,
        bad=0,
        months=numbers.get("months", NONE),
    )


def test_a_bar_is_as_long_as_its_number_is_large() -> None:
    lines = list(render_plots(report(statuses={"active": 100, "inbox": 50, "archived": 1})))
    bars = {line.split()[0]: line.count("█") for line in lines if "█" in line or "▏" in line}
    assert bars["active"] == 2 * bars["inbox"] > 0
    assert next(line for line in lines if "archived" in line).endswith(" 1")


def test_every_line_fits_eighty_columns_whatever_a_project_is_called() -> None:
    lines = render_plots(report(statuses={"active": 9_999_999}, projects={"x" * 300: 9_999_999}))
    assert max(map(len, lines)) <= 80


def test_what_is_beyond_the_bars_is_summed_up() -> None:
    kinds = {f"kind-{number}": 10 for number in range(20)}
    assert any(
        line.startswith("  others") and line.endswith(" 80")
        for line in render_plots(report(kinds=kinds))
    )


def test_months_stand_in_order() -> None:
    lines = list(render_plots(report(statuses={"active": 3}, months={"2026-03": 1, "2026-01": 2})))
    shown = [line.split()[0] for line in lines if line.strip().startswith("2026")]
    assert shown == ["2026-01", "2026-03"]


def test_an_empty_store_is_said_to_be_empty() -> None:
    assert list(render_plots(report())) == ["The store is empty."]
