"""A page of the documentation as lines for a terminal: filled, its tables in the width. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import wrap

from memctl.core.lazy_pattern import compile_later

_LINK = compile_later(r"\[([^\]\[]+)\]\([^()\s]+\)")
_BOLD = compile_later(r"\*\*(.+?)\*\*")
_ITEM = compile_later(r"\s*(?:[-*]|\d+\.) +")
# A bar that is neither escaped nor within a piece of code.
_BAR = compile_later(r"(?<!\\)\|(?=(?:[^`]*`[^`]*`)*[^`]*$)")
_RULE = compile_later(r"[-: |]+")
_FENCE = "```"
_TABLE = "table"
_HEADING = "heading"
_BLANK = "blank"
_TEXT = "text"


def render_page(text: str, width: int) -> Iterator[str]:
    """Yield the lines of a Markdown page; only code is ever longer than `width` columns."""
    for number, part in enumerate(text.rstrip("\n").split(f"\n{_FENCE}")):
        # Every second part is code, after the rest of the line of its fence.
        head, _, rest = part.partition("\n")
        if number % 2:
            yield from (f"    {line}".rstrip() for line in rest.split("\n"))
        else:
            yield from _render_prose(rest if number else f"{head}\n{rest}", width)


def _render_prose(text: str, width: int) -> Iterator[str]:
    for kind, lines in groupby(text.split("\n"), _find_kind):
        if kind == _TABLE:
            yield from _render_table([_split_row(line) for line in lines], width)
        elif kind == _TEXT:
            for line in _join_paragraphs(lines):
                yield from _fill(line, width)
        else:
            yield from map(_strip_marks, lines)


def _find_kind(line: str) -> str:
    if line.startswith("|"):
        return _TABLE
    if line.startswith("#"):
        return _HEADING
    return _TEXT if line.strip() else _BLANK


def _join_paragraphs(lines: Iterator[str]) -> Iterator[str]:
    """Yield each paragraph and each item of a list as one line."""
    whole = ""
    for line in lines:
        if whole and not _ITEM.match(line):
            whole += f" {line.strip()}"
            continue
        if whole:
            yield whole
        whole = line
    yield whole


def _fill(line: str, width: int, indent: str | None = None) -> list[str]:
    item = _ITEM.match(line)
    after = indent if indent is not None else " " * (item.end() if item else 0)
    return wrap(
        _strip_marks(line),
        width,
        subsequent_indent=after,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _strip_marks(line: str) -> str:
    return _BOLD.sub(r"\1", _LINK.sub(r"\1", line))


def _split_row(line: str) -> list[str]:
    cells = _BAR.split(line.strip())[1:]
    return [_strip_marks(cell.strip()).replace("\\|", "|") for cell in cells if cell is not None]


def _render_table(rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield a table in columns where they fit, else each row as a name with what is said of it."""
    rows = [row[:-1] if row[-1:] == [""] else row for row in rows]
    header, *others = [row for row in rows if not _RULE.fullmatch("|".join(row))]
    count = max(map(len, [header, *others]))
    full = [[*row, *[""] * (count - len(row))] for row in (header, *others)]
    widths = [max(map(len, column)) for column in zip(*full, strict=True)]
    if sum(widths) + 2 * (count - 1) <= width:
        for row in full if any(header) else full[1:]:
            cells = (cell.ljust(size) for cell, size in zip(row, widths, strict=True))
            yield "  ".join(cells).rstrip()
        return
    for first, *rest in full[1:]:
        yield from _fill(first, width, "  ")
        for place, cell in enumerate(rest, 1):
            # The first column after the name explains it; the others need their names.
            name = f"{header[place]}: " if place > 1 and header[place:] else ""
            if cell:
                yield from _fill(f"    {name}{cell}", width, "    ")
