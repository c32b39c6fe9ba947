"""How much of what is proposed is kept, as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memctl.cli.text.formatting import flatten, format_count, format_counts, format_time
from memctl.core import timestamps
from memctl.results.quality import Account, MutedRule, MuteReport, QualityReport

_COLUMNS = (
    "",
    "proposed",
    "waiting",
    "kept",
    "rejected",
    "forgotten",
    "share kept",
    "later wrong",
    "never used",
    "good/bad",
)


def render_quality(data: QualityReport) -> Iterator[str]:
    """Yield one table for each way to group the proposals, and how to read it."""
    if not data.total.proposed:
        since = f"since {format_time(data.since)}" if data.since else "yet"
        yield f"Nothing was proposed {since}."
        yield from _render_muted_rules(data.muted)
        return
    tables = [("by agent", data.agents)]
    # A table of one row would say no more than the total.
    if len(data.formats) > 1:
        tables.append(("by format", data.formats))
    if len(data.extractors) > 1:
        tables.append(("by extractor", data.extractors))
    tables.append(("by rule", data.rules))
    rows: list[tuple[str, ...]] = []
    for title, accounts in tables:
        rows += [(title, *_COLUMNS[1:]), *map(_build_row, accounts)]
    rows.append(_build_row(data.total))
    yield from _render_table(rows, {title for title, _ in tables})
    yield ""
    yield from _render_legend(data.total)
    yield from _render_muted_rules(data.muted)


def _build_row(account: Account) -> tuple[str, ...]:
    share = "-"
    if account.rate is not None:
        interval = f"{account.low:.0%}-{account.high:.0%}".replace("%-", "-")
        share = f"{account.rate:.0%} ({interval})"
    numbers = (
        account.proposed,
        account.waiting,
        account.approved,
        account.rejected,
        account.forgotten,
    )
    return (
        flatten(account.name),
        *map(_format_cell, numbers),
        share,
        _format_cell(account.contradicted + account.superseded),
        _format_cell(account.unused),
        f"{account.good}/{account.bad}" if account.good or account.bad else "-",
    )


def _format_cell(number: int) -> str:
    return str(number) if number else "-"


def _render_table(rows: Sequence[tuple[str, ...]], titles: set[str]) -> Iterator[str]:
    """Yield rows in columns, with an empty line before each title and before the total."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    for number, row in enumerate(rows):
        if number and (row[0] in titles or number == len(rows) - 1):
            yield ""
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        yield "  ".join([row[0].ljust(widths[0]), *cells[1:]]).rstrip()


def _render_legend(total: Account) -> Iterator[str]:
    yield (
        "Share kept: of what was decided (kept, rejected, forgotten); in brackets its 95 %"
        " confidence interval."
    )
    yield (
        "Later wrong: kept, but contradicted or superseded since. Never used: kept for 30 days"
        " and more, but never served."
    )
    others = {
        "merged into others": total.merged,
        "active without approval": total.at_once,
        "lapsed": total.lapsed,
        "kept by a rule of the config, which is no decision": total.by_policy,
    }
    if any(others.values()):
        yield f"Besides: {format_counts(others)}."


def _render_muted_rules(rules: Iterable[MutedRule]) -> Iterator[str]:
    for item in rules:
        rule, why = flatten(item.rule), f": {flatten(item.reason)}" if item.reason else ""
        candidates = format_count(item.waiting, "candidate")
        waiting = f"; {candidates} of it still in the inbox" if item.waiting else ""
        origin = f"since {timestamps.to_local_day(item.created_at)} by {flatten(item.actor)}"
        yield f"Muted: {rule} {origin}{waiting}{why}"
        yield f"    memctl stats quality --unmute {rule} lets it propose again."


def render_mute(data: MuteReport) -> Iterator[str]:
    """Yield what became of one rule."""
    rule = flatten(data.rule)
    if not data.muted:
        yield f"{rule} {'proposes again' if data.changed else 'was not muted'}."
        return
    already = "" if data.changed else " already"
    yield f"{rule} is{already} muted: its candidates are not proposed any more."
    if data.waiting:
        yield f"{format_count(data.waiting, 'candidate')} of it still in the inbox."
    yield f"memctl stats quality --unmute {rule} undoes this."
