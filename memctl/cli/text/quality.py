"""The store in numbers and the accounts of quality, as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from memctl.cli.text.records import TRUST_WORDS, at, counts, flat, number
from memctl.results.quality import Account, MutedRule, MuteReport, QualityReport
from memctl.results.store import StatsReport

_HEAD = (
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
_MOST_NAMES = 8


def quality(data: QualityReport) -> Iterator[str]:
    """One table for each way to look at it; one that would say no more than another is left out."""
    if not data.total.proposed:
        yield (
            "Nothing was proposed yet."
            if data.since is None
            else f"Nothing was proposed since {at(data.since)}."
        )
        yield from _muted(data.muted)
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
        (title, *_HEAD[1:]) if accounts is None else _row(accounts)
        for title, accounts in _flat(told)
    ]
    yield from _table([*rows, _row(data.total)], {title for title, _ in told})
    yield ""
    yield from _legend(data)
    yield from _muted(data.muted)


def _flat(tables: Iterable[tuple[str, Sequence[Account]]]) -> Iterator[tuple[str, Account | None]]:
    for title, accounts in tables:
        yield title, None
        yield from ((title, account) for account in accounts)


def _row(account: Account) -> tuple[str, ...]:
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
        flat(account.name),
        *map(_shown, numbers),
        kept,
        _shown(wrong),
        _shown(account.unused),
        told,
    )


def _shown(many: int) -> str:
    return str(many) if many else "-"


def _table(rows: Sequence[tuple[str, ...]], titles: set[str]) -> Iterator[str]:
    """Columns of one width, the first to the left, the numbers to the right; an empty line before each title."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    for place, row in enumerate(rows):
        if place and (row[0] in titles or place == len(rows) - 1):
            yield ""
        cells = [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        yield "  ".join(cells).rstrip()


def _legend(data: QualityReport) -> Iterator[str]:
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
        yield f"Besides: {counts(rest)}."


def _muted(rules: Iterable[MutedRule]) -> Iterator[str]:
    for item in rules:
        why = f": {flat(item.reason)}" if item.reason else ""
        left = (
            f"; {number(item.waiting, 'candidate')} of it still in the inbox"
            if item.waiting
            else ""
        )
        yield f"Muted: {flat(item.rule)} since {item.created_at[:10]} by {flat(item.actor)}{left}{why}"
        yield f"    memctl stats quality --unmute {flat(item.rule)} lets it propose again."


def muted(data: MuteReport) -> Iterator[str]:
    """What became of one rule."""
    again = "" if data.changed else " already"
    if not data.muted:
        yield f"{flat(data.rule)} {'proposes again' if data.changed else 'was not muted'}."
        return
    yield f"{flat(data.rule)} is{again} muted: what it finds is not proposed any more."
    if data.waiting:
        yield f"{number(data.waiting, 'candidate')} of it still {'waits' if data.waiting == 1 else 'wait'} in the inbox."
    yield f"memctl stats quality --unmute {flat(data.rule)} takes this back."


def stats(data: StatsReport) -> Iterator[str]:
    """The store in numbers."""
    yield f"records in force: {data.records}; all: {counts(data.statuses)}"
    yield from _line("by type", data.types)
    yield from _line("by kind", data.kinds)
    yield from _line("by scope", data.scopes)
    yield from _line(
        "by trust", {TRUST_WORDS.get(word, word): many for word, many in data.trust.items()}, ": "
    )
    yield from _line("by project", data.projects)
    yield f"they rest on {number(data.evidence, 'quote')} from {number(data.origins, 'original')}"
    yield from _line("links", data.links)
    yield from _line("entities", data.entities)
    yield f"captured: {counts(data.sessions, 'nothing')}" + (
        f" ({number(data.turns, 'turn')})" if data.turns else ""
    )
    yield f"last 7 days: {_lately(data, 0)}; last 30: {_lately(data, 1)}"
    yield f"given to nobody yet: {data.unused}; said to have helped {number(data.good, 'time')}, to have misled {number(data.bad, 'time')}"
    if data.oldest_waiting:
        yield f"the oldest candidate waits since {data.oldest_waiting[:10]} (memctl inbox)"
    if data.proposals:
        yield f"{number(data.proposals, 'proposal')} of maintenance to decide on (memctl inbox)"
    if data.muted:
        yield f"muted rules: {', '.join(map(flat, data.muted))} (memctl stats quality)"


def _lately(data: StatsReport, which: int) -> str:
    told = (
        (data.changes[which], "change"),
        (data.captures[which], "capture"),
        (data.retrievals[which], "retrieval"),
    )
    return ", ".join(number(many, word) for many, word in told)


def _line(what: str, numbers: Any, between: str = " ") -> Iterator[str]:
    """Numbers by name on one line, those that count most first; what is beyond a few is summed up."""
    if numbers:
        names = list(numbers)
        shown = {name: numbers[name] for name in names[:_MOST_NAMES]}
        rest = sum(numbers[name] for name in names[_MOST_NAMES:])
        told = (
            counts(shown)
            if between == " "
            else ", ".join(f"{many} where {flat(name)}" for name, many in shown.items() if many)
        )
        yield f"{what}: {told}" + (f", {rest} of others" if rest else "")


MAKERS: dict[type, Callable[[Any], Iterator[str]]] = {
    QualityReport: quality,
    MuteReport: muted,
    StatsReport: stats,
}
