"""How a pattern is put into words: a statement that does not change while it goes on, and the reason, which counts. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from memctl.patterns.mining import ASKED, FIX, STEPS, TOGETHER, Pattern

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
KINDS = {STEPS: "workflow", ASKED: "workflow", FIX: "fix", TOGETHER: "convention"}
_LONGEST_TITLE = 80


def content(pattern: Pattern) -> str:
    """What the pattern says."""
    if pattern.rule == FIX:
        return f"`{pattern.of}` failed with `{pattern.error}` until {_then(pattern.parts)} was run."
    if pattern.rule == TOGETHER:
        return f"Whoever changes `{pattern.parts[0]}` changes `{pattern.parts[1]}` too."
    if pattern.rule == ASKED:
        return f"What “{_flat(pattern.of)}” takes: {_takes(pattern)}."
    return f"Steps that belong together, in this order: {_then(pattern.parts)}."


def title(pattern: Pattern) -> str:
    """The pattern in a few words."""
    if pattern.rule == FIX:
        whole = f"{pattern.error}: {_then(pattern.parts)} helps"
    elif pattern.rule == TOGETHER:
        whole = f"{pattern.parts[0]} and {pattern.parts[1]} change together"
    elif pattern.rule == ASKED:
        whole = f"{_flat(pattern.of).rstrip('.!?')}: {_takes(pattern)}"
    else:
        whole = ", then ".join(pattern.parts)
    return (
        whole.replace("`", "")
        if len(whole) <= _LONGEST_TITLE
        else whole.replace("`", "")[: _LONGEST_TITLE - 1].rstrip() + "…"
    )


def reason(pattern: Pattern) -> str:
    """How often it was the same, and when."""
    times = [seen.session.at for seen in pattern.seen]
    return f"the same in {len(pattern.seen)} sessions {between(min(times), max(times))}"


def between(first: str, last: str) -> str:
    """Two days as a person says them: `between 3 and 20 March 2026`."""
    one, two = _day(first), _day(last)
    if one == two:
        return f"on {two[0]} {two[1]} {two[2]}"
    start = (
        str(one[0])
        if one[1:] == two[1:]
        else f"{one[0]} {one[1]}"
        if one[2] == two[2]
        else f"{one[0]} {one[1]} {one[2]}"
    )
    return f"between {start} and {two[0]} {two[1]} {two[2]}"


def _takes(pattern: Pattern) -> str:
    files = ", ".join(f"`{name}`" for name in pattern.files)
    if not pattern.parts:
        return f"changing {files}"
    return _then(pattern.parts) + (f"; it changes {files}" if files else "")


def _then(parts: Sequence[str]) -> str:
    return ", then ".join(f"`{part}`" for part in parts)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _day(at: str) -> tuple[int, str, int]:
    return int(at[8:10]), MONTHS[int(at[5:7]) - 1], int(at[:4])
