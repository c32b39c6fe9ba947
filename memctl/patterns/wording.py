"""Put a pattern into words: a statement that stays the same while it recurs, and a reason that
counts. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from memctl.patterns.mining import ASKED, FIX, STEPS, TOGETHER, Pattern
from memctl.text.dates import ENGLISH_MONTHS

KINDS = {STEPS: "workflow", ASKED: "workflow", FIX: "fix", TOGETHER: "convention"}
_MAX_TITLE_LENGTH = 80


def write_content(pattern: Pattern) -> str:
    """What the pattern says."""
    if pattern.rule == FIX:
        fix = _join_in_order(pattern.parts)
        return f"`{pattern.of}` failed with `{pattern.error}` until {fix} was run."
    if pattern.rule == TOGETHER:
        return f"Whoever changes `{pattern.parts[0]}` changes `{pattern.parts[1]}` too."
    if pattern.rule == ASKED:
        return f"What “{_collapse_whitespace(pattern.of)}” takes: {_list_parts(pattern)}."
    return f"Steps that belong together, in this order: {_join_in_order(pattern.parts)}."


def write_title(pattern: Pattern) -> str:
    """The pattern in a few words."""
    if pattern.rule == FIX:
        whole = f"{pattern.error}: {_join_in_order(pattern.parts)} helps"
    elif pattern.rule == TOGETHER:
        whole = f"{pattern.parts[0]} and {pattern.parts[1]} change together"
    elif pattern.rule == ASKED:
        whole = f"{_collapse_whitespace(pattern.of).rstrip('.!?')}: {_list_parts(pattern)}"
    else:
        whole = ", then ".join(pattern.parts)
    title = whole.replace("`", "")
    if len(whole) <= _MAX_TITLE_LENGTH:
        return title
    return title[: _MAX_TITLE_LENGTH - 1].rstrip() + "…"


def write_reason(pattern: Pattern) -> str:
    """In how many sessions it was the same, and when."""
    times = [seen.session.at for seen in pattern.seen]
    return f"the same in {len(pattern.seen)} sessions {format_period(min(times), max(times))}"


def format_period(first: str, last: str) -> str:
    """Two days in words: `between 3 and 20 March 2026`."""
    one, two = _parse_day(first), _parse_day(last)
    if one == two:
        return f"on {two[0]} {two[1]} {two[2]}"
    start = f"{one[0]} {one[1]} {one[2]}"
    if one[1:] == two[1:]:
        start = str(one[0])
    elif one[2] == two[2]:
        start = f"{one[0]} {one[1]}"
    return f"between {start} and {two[0]} {two[1]} {two[2]}"


def _list_parts(pattern: Pattern) -> str:
    files = ", ".join(f"`{name}`" for name in pattern.files)
    if not pattern.parts:
        return f"changing {files}"
    return _join_in_order(pattern.parts) + (f"; it changes {files}" if files else "")


def _join_in_order(parts: Sequence[str]) -> str:
    return ", then ".join(f"`{part}`" for part in parts)


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


def _parse_day(at: str) -> tuple[int, str, int]:
    return int(at[8:10]), ENGLISH_MONTHS[int(at[5:7]) - 1], int(at[:4])
