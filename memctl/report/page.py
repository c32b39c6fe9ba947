"""The page itself. Pure; whatever the store says is escaped, and nothing is loaded or run."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from html import escape

from memctl.report.charts import draw_bars, draw_days, draw_graph
from memctl.report.read import Material

_STYLE = """
:root{color-scheme:light dark;--back:#fbfaf8;--ink:#1f2328;--soft:#656d76;--line:#d8dee4;
--card:#fff;--one:#3b6fb6;--two:#d08b2c;--good:#3f8f4f;--bad:#c2473d}
@media(prefers-color-scheme:dark){:root{--back:#14171b;--ink:#e4e7eb;--soft:#9aa4af;
--line:#2f363d;--card:#1c2126;--one:#6ea3e8;--two:#e0a852;--good:#6cc07c;--bad:#ef7b72}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem 3rem;max-width:70rem;background:var(--back);
color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem;margin:0}h2{font-size:1.05rem;margin:0 0 .6rem}
p{margin:.3rem 0}.soft,.none,.axis,.keys,th{color:var(--soft)}
.sums{display:flex;flex-wrap:wrap;gap:.5rem 2rem;margin:1.2rem 0}
.sums b{display:block;font-size:1.5rem;line-height:1.2}
main{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr))}
section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:1rem;
min-width:0;overflow-x:auto}
section.wide{grid-column:1/-1}
svg{display:block;width:100%}svg.days{height:8rem;border-bottom:1px solid var(--line)}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th{font-weight:400;text-align:left;padding:.15rem .6rem .15rem 0;overflow-wrap:break-word}
td{padding:.15rem 0 .15rem .6rem;overflow-wrap:break-word}
td.bar{width:45%;padding:0}td.bar svg{height:.7rem}
td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
thead th{border-bottom:1px solid var(--line)}thead th+th{padding:.15rem 0 .15rem .6rem}
thead th.n{text-align:right}.day th:first-child{white-space:nowrap}
.axis{display:flex;justify-content:space-between;font-size:.8rem;gap:.5rem}
.keys{font-size:.85rem}.key{margin-right:1rem;white-space:nowrap}
.key::before{content:"";display:inline-block;width:.7rem;height:.7rem;margin-right:.35rem;
border-radius:2px;background:var(--k)}
.one{fill:var(--one);--k:var(--one)}.two{fill:var(--two);--k:var(--two)}
.good{fill:var(--good);--k:var(--good)}.bad{fill:var(--bad);--k:var(--bad)}
.record{fill:var(--one);--k:var(--one)}.entity{fill:var(--two);--k:var(--two)}
.graph text{font-size:11px;text-anchor:middle;fill:var(--ink);paint-order:stroke;
stroke:var(--card);stroke-width:3px}
line{stroke:var(--line);stroke-width:1.2}line.contradicts{stroke:var(--bad);stroke-width:2}
line.supersedes{stroke:var(--good);stroke-width:1.6}
.contradicts.key{--k:var(--bad)}.supersedes.key{--k:var(--good)}
code{font-size:.85em}
@media(max-width:600px){.scroll{overflow-x:auto}.scroll .graph{min-width:38rem}
.scroll .graph.few{min-width:0}.graph.few text{font-size:15px}}
.graph.few{max-width:34rem;margin:auto;overflow:visible}
"""


def write_page(material: Material) -> str:
    """Write the whole page."""
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>memctl report</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"{_write_head(material)}<main>\n{''.join(_write_sections(material))}</main>\n"
        "</body>\n</html>\n"
    )


def _write_head(material: Material) -> str:
    stats = material.stats
    sums: Mapping[str, int] = {
        "records in force": stats.records,
        "waiting for you": stats.statuses.get("inbox", 0),
        "open conflicts": material.open_conflicts,
        "quotes": stats.evidence,
        "entities": sum(stats.entities.values()),
        "turns read": stats.turns,
    }
    shown = "".join(f"<div><b>{value:,}</b>{escape(name)}</div>" for name, value in sums.items())
    at = f"{material.at[:10]} {material.at[11:16]} UTC"
    return (
        f"<header><h1>What your agents remember</h1>"
        f'<p class="soft">memctl report, {escape(at)}. This page is private: it holds titles of '
        f'records.</p><div class="sums">{shown}</div></header>\n'
    )


def _write_sections(material: Material) -> Iterable[str]:
    stats, days = material.stats, material.days
    decided = [made - left for made, left in zip(material.made, material.waiting, strict=True)]
    yield _frame(
        "Growth: records made",
        draw_days(
            days,
            [("one", "decided on since", decided), ("two", "still waiting", material.waiting)],
            "records made by day",
        ),
    )
    yield _frame(
        "Inbox: what you decided",
        draw_days(
            days,
            [("good", "approved", material.approved), ("bad", "turned down", material.rejected)],
            "decisions by day",
        ),
    )
    yield _frame("Types in force", draw_bars(stats.types))
    yield _frame("Scopes in force", draw_bars(stats.scopes))
    yield _frame("Freshness: last seen to be true", draw_bars(material.ages))
    yield _frame("Status of all records", draw_bars(stats.statuses))
    yield _frame("Links and entities", _write_graph(material), wide=True)
    yield _frame("Open conflicts", _write_conflicts(material), wide=bool(material.conflicts))
    yield _frame("Rules: what you keep of what they propose", _write_accounts(material))
    yield _frame("Retrieval: hits and times", _write_latencies(material))
    yield _frame("Told to whom", _write_told(material))


def _frame(title: str, body: str, *, wide: bool = False) -> str:
    kind = ' class="wide"' if wide else ""
    return f"<section{kind}><h2>{escape(title)}</h2>{body}</section>\n"


def _write_graph(material: Material) -> str:
    keys = "".join(
        f'<span class="key {kind}">{name}</span>'
        for kind, name in (
            ("record", "record"),
            ("entity", "person, project or tool"),
            ("contradicts", "contradicts"),
            ("supersedes", "replaces"),
        )
    )
    drawn = draw_graph(material.graph.nodes, material.graph.edges)
    return f'<div class="scroll">{drawn}</div><p class="keys">{keys}</p>'


def _write_conflicts(material: Material) -> str:
    rows = [
        (since, f"{one} {title}", f"{other} {against}")
        for since, one, title, other, against in material.conflicts
    ]
    if not rows:
        return _none("None.")
    return f'<div class="day">{_write_table(("since", "says", "against"), rows)}</div>'


def _write_accounts(material: Material) -> str:
    rows = [
        (each.name, f"{each.proposed:,}", f"{each.approved:,}", f"{each.rejected:,}")
        for each in material.accounts
    ]
    head = ("rule", "proposed", "approved", "rejected")
    return _write_table(head, rows, numbers=True) if rows else _none("Nothing was proposed yet.")


def _write_latencies(material: Material) -> str:
    rows = [
        (
            each.command,
            f"{each.calls:,}",
            f"{each.hits:,}",
            f"{each.median:.0f} ms",
            f"{each.slowest:.0f} ms",
        )
        for each in material.latencies
    ]
    head = ("command", "calls", "with an answer", "median", "95 of 100 within")
    return _write_table(head, rows, numbers=True) if rows else _none("Nothing was asked yet.")


def _write_told(material: Material) -> str:
    rows = [(each.actor, f"{each.calls:,}", f"{each.records:,}") for each in material.told]
    head = ("who", "asked", "records given")
    return _write_table(head, rows, numbers=True) if rows else _none("Nobody yet.")


def _none(text: str) -> str:
    return f'<p class="none">{text}</p>'


def _write_table(
    head: tuple[str, ...], rows: Iterable[tuple[str, ...]], *, numbers: bool = False
) -> str:
    """A table; `numbers`: all columns but the first are numbers."""
    kind = ' class="n"' if numbers else ""
    top = "".join(f"<th{kind if at else ''}>{escape(name)}</th>" for at, name in enumerate(head))
    lines = "".join(
        f"<tr><th>{escape(first)}</th>"
        f"{''.join(f'<td{kind}>{escape(each)}</td>' for each in rest)}</tr>"
        for first, *rest in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"
