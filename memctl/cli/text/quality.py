"""How much of what is proposed is kept, as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memctl.cli.text.formatting import flatten, format_count, format_counts, format_time
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
    """One table for each way to look at it; one that would say no more than another is left out."""
    if not data.total.proposed:
        yield (
            "Nothing was proposed yet."
            if data.since is None
            else f"Nothing was proposed since {format_time(data.since)}."
        )
        yield from _render_muted_rules(data.muted)
        return
    tables = [
        ("by agent", data.agents),
        ("by format", data.formats),
        ("by extractor", data.extractors),
        ("by rule", data.rules),
    ]
    told = [
        (title, accounts)
        for title, accounts in tables
        if title in ("by agent", "by rule") or len(accounts) > 1
    ]
    rows = [
        (title, *_COLUMNS[1:]) if accounts is None else _build_row(accounts)
        for title, accounts in _list_rows(told)
    ]
    yield from _render_table([*rows, _build_row(data.total)], {title for title, _ in told})
    yield ""
    yield from _render_legend(data)
    yield from _render_muted_rules(data.muted)


def _list_rows(
    tables: Iterable[tuple[str, Sequence[Account]]],
) -> Iterator[tuple[str, Account | None]]:
    for title, accounts in tables:
        yield title, None
        yield from ((title, account) for account in accounts)


def _build_row(account: Account) -> tuple[str, ...]:
    kept = (
        "-"
        if account.rate is None
        else f"{account.rate:.0%} ({account.low:.0%}-{account.high:.0%})".replace("%-", "-")
    )
    wrong = account.contradicted + account.superseded
    numbers = (
        account.proposed,
        account.waiting,
        account.approved,
        account.rejected,
        account.forgotten,
    )
    told = f"{account.good}/{account.bad}" if account.good or account.bad else "-"
    return (
        flatten(account.name),
        *map(_format_cell, numbers),
        kept,
        _format_cell(wrong),
        _format_cell(account.unused),
        told,
    )


def _format_cell(many: int) -> str:
    return str(many) if many else "-"


def _render_table(rows: Sequence[tuple[str, ...]], titles: set[str]) -> Iterator[str]:
    """Columns of one width, the first to the left, the numbers to the right; an empty line before each title."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    for place, row in enumerate(rows):
        if place and (row[0] in titles or place == len(rows) - 1):
            yield ""
        cells = [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        yield "  ".join(cells).rstrip()


def _render_legend(data: QualityReport) -> Iterator[str]:
    total = data.total
    yield "Share kept: of what was decided (kept, rejected, forgotten); in brackets where it surely lies (95 %)."
    yield "Later wrong: kept, but contradicted or superseded since. Never used: kept for 30 days and more, and given to nobody."
    rest = {
        "merged into others": total.merged,
        "active without being asked about": total.at_once,
        "lapsed": total.lapsed,
    }
    rest["kept by a rule of the config, which is no decision"] = total.by_policy
    if any(rest.values()):
        yield f"Besides: {format_counts(rest)}."


def _render_muted_rules(rules: Iterable[MutedRule]) -> Iterator[str]:
    for item in rules:
        why = f": {flatten(item.reason)}" if item.reason else ""
        left = (
            f"; {format_count(item.waiting, 'candidate')} of it still in the inbox"
            if item.waiting
            else ""
        )
        yield f"Muted: {flatten(item.rule)} since {item.created_at[:10]} by {flatten(item.actor)}{left}{why}"
        yield f"    memctl stats quality --unmute {flatten(item.rule)} lets it propose again."


def render_mute(data: MuteReport) -> Iterator[str]:
    """What became of one rule."""
    again = "" if data.changed else " already"
    if not data.muted:
        yield f"{flatten(data.rule)} {'proposes again' if data.changed else 'was not muted'}."
        return
    yield f"{flatten(data.rule)} is{again} muted: what it finds is not proposed any more."
    if data.waiting:
        yield f"{format_count(data.waiting, 'candidate')} of it still {'waits' if data.waiting == 1 else 'wait'} in the inbox."
    yield f"memctl stats quality --unmute {flatten(data.rule)} takes this back."
