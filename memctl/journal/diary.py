"""The diary of MEMORY.md: what a version changes against the one before, and why. Reasons are read
by `change_reasons`; which lines differ is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memctl.core.frozen import asdict
from memctl.core.typing_lite import Any
from memctl.journal import memory_lines
from memctl.journal.change_reasons import ReasonFinder
from memctl.journal.hand_edits import MergedLines
from memctl.journal.memory_lines import DocumentLine
from memctl.results.journal import DiaryEntry

ADDED = "added"
CHANGED = "changed"
DROPPED = "dropped"
CONFLICT = "conflict"
BEGUN = "begun"
# What a person must see comes first.
_ORDER = (CONFLICT, CHANGED, DROPPED, ADDED)
_RECORD_CHANGED = "you reworded it, and its record says something else by now; both stand here"
_RECORD_GONE = "this line is yours, and its record no longer holds"
_TAKEN_OUT = "you took it out of the file"


def write_diary(
    day: str,
    before: Sequence[DocumentLine],
    merged: MergedLines,
    removed: Iterable[DocumentLine],
    folded: Mapping[str, str],
    reasons: ReasonFinder,
) -> list[DiaryEntry]:
    """The entries of one version, what a person must see first."""
    after = list(merged.lines)
    if not memory_lines.pick(before, memory_lines.RECORD, memory_lines.PERSON):
        many = len(after)
        return [DiaryEntry(day, BEGUN, "", f"{many} line{'s' * (many != 1)}")] if many else []
    entries = [*_tell_conflicts(day, merged)]
    entries += _tell_departures(day, before, merged, removed, folded, reasons)
    entries += _tell_arrivals(day, memory_lines.pick(before, memory_lines.RECORD), after, reasons)
    return sorted(entries, key=lambda entry: (_ORDER.index(entry.change), entry.ids))


def _tell_conflicts(day: str, merged: MergedLines) -> Iterator[DiaryEntry]:
    for block, line in merged.clashes:
        why = _RECORD_CHANGED if line is not None else _RECORD_GONE
        ids = dict.fromkeys((*block.ids, *(line.ids if line else ())))
        yield DiaryEntry(day, CONFLICT, block.text, why, tuple(ids))


def _tell_departures(
    day: str,
    before: Sequence[DocumentLine],
    merged: MergedLines,
    removed: Iterable[DocumentLine],
    folded: Mapping[str, str],
    reasons: ReasonFinder,
) -> Iterator[DiaryEntry]:
    told = {each for line in (*merged.lines, *merged.blocks) for each in line.ids}
    by_hand = {line.ids for line in removed}
    for line in memory_lines.pick(before, memory_lines.RECORD):
        if line.ids in by_hand:
            yield DiaryEntry(day, DROPPED, line.plain, _TAKEN_OUT, line.ids)
        elif not told & {*line.ids}:
            why = reasons.explain_departure(line, folded.get(line.ids[0]))
            yield DiaryEntry(day, DROPPED, line.plain, why, line.ids)


def _tell_arrivals(
    day: str,
    before: Sequence[DocumentLine],
    after: Sequence[DocumentLine],
    reasons: ReasonFinder,
) -> Iterator[DiaryEntry]:
    known = {each: line for line in before for each in line.ids}
    for line in after:
        old = next((known[each] for each in line.ids if each in known), None)
        if old is None:
            yield DiaryEntry(day, ADDED, line.plain, reasons.explain_arrival(line), line.ids)
        elif (old.plain, old.section) != (line.plain, line.section):
            why = reasons.explain_change(old, line)
            yield DiaryEntry(day, CHANGED, line.plain, why, line.ids)
        elif old.ids != line.ids:
            yield DiaryEntry(day, CHANGED, line.plain, "more records say the same", line.ids)


def to_objects(entries: Iterable[DiaryEntry]) -> list[dict[str, Any]]:
    """Entries as they are stored."""
    return [{**asdict(entry), "ids": list(entry.ids)} for entry in entries]


def from_objects(objects: Iterable[Mapping[str, Any]]) -> tuple[DiaryEntry, ...]:
    """Entries as they were stored."""
    return tuple(
        DiaryEntry(
            str(each.get("day", "")),
            str(each.get("change", "")),
            str(each.get("text", "")),
            str(each.get("why", "")),
            tuple(str(one) for one in each.get("ids", ())),
        )
        for each in objects
    )
