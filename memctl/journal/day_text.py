"""One day as Markdown: projects, sections, lines with the ids of their records. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memctl.core.model import AGENT_CLAIMED
from memctl.journal import day_entries
from memctl.journal.day_entries import DayEntry, ProjectDay, State
from memctl.journal.inert_markdown import make_inert, make_inert_name
from memctl.journal.local_days import LocalDay
from memctl.journal.plain_words import tidy_statement
from memctl.patterns import weekly_digests
from memctl.text import sealed_notes

NOTES_HEADING = "## My notes"
_NOTES_HINT = (
    "<!-- Yours: what stands below this heading is kept, and so is any line that you add above. -->"
)
_TITLES: Mapping[str, str] = {
    day_entries.WORKED: "Worked on",
    day_entries.DECIDED: "Decided",
    day_entries.RECORDED: "Recorded",
    day_entries.CHANGED: "Changed",
    day_entries.QUESTIONED: "In question",
    day_entries.SETTLED: "Settled",
    day_entries.RETIRED: "Retired",
}
# Characters of a record, of its reason and of what it replaced in a line. Chosen by hand.
_CONTENT_LENGTH = 240
_REASON_LENGTH = 160
_OLD_LENGTH = 120
# Lines of one section; a day with an import has thousands. Chosen by hand.
_MOST_LINES = 60
# How the episode of a session begins of which nothing is known.
NOTHING_DONE = "A session of "


def compose_note(
    day: LocalDay,
    projects: Sequence[ProjectDay],
    captured: Mapping[str | None, str],
    names: Mapping[str, str],
    shorts: Mapping[str, str],
) -> str:
    """Compose the note of a day, seal included; `captured` says by project which sessions came."""
    known = {each.project_id: each for each in projects}
    places = sorted({*known, *captured}, key=lambda each: _rank_place(each, names))
    lines = [f"# {day.date}, {day.weekday} ({day.zone})"]
    for place in places:
        found = known.get(place, ProjectDay(place))
        counts = [f"- {text}" for text in _list_counts(found, captured.get(place))]
        lines += ["", f"## {_name_place(place, names)}", *([""] if counts else []), *counts]
        for section in day_entries.SECTIONS:
            lines += _render_section(section, found.entries, shorts)
    seal = sealed_notes.compose_seal(sealed_notes.DAILY, day.date, lines)
    return "\n".join([*lines, "", seal, ""])


def compose_blank_notes() -> str:
    """Compose what stands below a new note, for the person to write into."""
    return f"\n{NOTES_HEADING}\n{_NOTES_HINT}\n"


def _rank_place(place: str | None, names: Mapping[str, str]) -> tuple[bool, str, str]:
    return place is not None, names.get(place or "", "").casefold(), place or ""


def _name_place(place: str | None, names: Mapping[str, str]) -> str:
    return "Everywhere" if place is None else make_inert_name(names.get(place, place))


def _list_counts(found: ProjectDay, captured: str | None) -> Iterator[str]:
    if captured:
        yield captured
    counts = [
        f"{many} {name}"
        for name in ("proposed", "approved", "rejected")
        if (many := found.counts.get(name, 0))
    ]
    if counts:
        yield f"Candidates: {', '.join(counts)}."


def _render_section(
    section: str, entries: Iterable[DayEntry], shorts: Mapping[str, str]
) -> Iterator[str]:
    told = [entry for entry in entries if entry.section == section]
    idle = [entry for entry in told if _tells_nothing(entry)]
    told = [entry for entry in told if entry not in idle]
    if not told and not idle:
        return
    shared = _find_shared_how(told)
    yield from ("", f"### {_TITLES[section]}{f' ({shared})' if shared else ''}", "")
    yield from (f"- {_word_entry(entry, shorts, bool(shared))}" for entry in told[:_MOST_LINES])
    if len(told) > _MOST_LINES:
        yield f"- ... and {len(told) - _MOST_LINES} more (`memctl log changes`)"
    if idle:
        many = f"{len(idle)} session{'s' * (len(idle) != 1)}"
        yield f"- {'and ' if told else ''}{many} with nothing to tell"


def _tells_nothing(entry: DayEntry) -> bool:
    """Whether an episode only says that there was a session, or sums up others."""
    state = entry.states[0]
    is_digest = state.get("rule") == weekly_digests.RULE
    return entry.section == day_entries.WORKED and (
        is_digest or str(state.get("content") or "").startswith(NOTHING_DONE)
    )


def _find_shared_how(told: Sequence[DayEntry]) -> str:
    """What became of all records of a section, said once: `you approved them`."""
    if {entry.section for entry in told} == {day_entries.WORKED}:
        return ""
    hows = {entry.how for entry in told}
    only = hows.pop() if len(hows) == 1 and len(told) > 1 else ""
    is_plain = only.startswith("you ") and only.endswith(" it")
    return f"{only.removesuffix('it')}them" if is_plain else ""


def _word_entry(entry: DayEntry, shorts: Mapping[str, str], is_said: bool) -> str:
    """One line; `is_said` where the heading says what became of the record."""
    first = word_record(entry.states[0])
    ids = [f"`{shorts.get(each, each)}`" for each in entry.ids]
    how = make_inert(entry.how, _REASON_LENGTH)
    if entry.section in (day_entries.QUESTIONED, day_entries.SETTLED):
        return f"{first} {ids[0]}, or: {word_record(entry.states[1])} {ids[1]} ({how})"
    if len(entry.ids) > 1:
        return f"{first} {ids[0]} ({how}; it replaces: {_word_old(entry.states[1])} {ids[1]})"
    if len(entry.states) > 1:
        return f"{first} {ids[0]} ({how}; before: {_word_old(entry.states[1])})"
    is_told = is_said or entry.section == day_entries.WORKED
    return f"{first} {ids[0]}" if is_told else f"{first} {ids[0]} ({how})"


def word_record(state: State) -> str:
    """A record as a sentence: its content, the reason of a decision, and who says so."""
    parts = [make_inert(tidy_statement(str(state.get("content") or "")), _CONTENT_LENGTH)]
    reason = make_inert(str(state.get("rationale") or ""), _REASON_LENGTH)
    if reason and reason.casefold() not in parts[0].casefold():
        parts.append(
            f" Why: {reason}" if parts[0].endswith((".", "!", "?")) else f". Why: {reason}"
        )
    if int(state.get("trust") or AGENT_CLAIMED) <= AGENT_CLAIMED and state.get("type") != "episode":
        parts.append(" (an agent says)")
    return "".join(parts)


def _word_old(state: State) -> str:
    return make_inert(tidy_statement(str(state.get("content") or "")), _OLD_LENGTH)
