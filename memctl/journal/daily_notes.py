"""Daily notes: one file a day with what was captured, decided, changed, settled and retired.

A note is made from the event log and says the same whenever it is made; what was erased or became
private since is not in it. What a person wrote into the file is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memctl.core.errors import UsageError
from memctl.core.model import Event, Memory
from memctl.journal import day_entries, day_text, journal_files
from memctl.journal.day_entries import LinkDay, ProjectDay
from memctl.journal.inert_markdown import make_inert_name
from memctl.journal.journal_files import ChangedMeanwhile, NoteFile
from memctl.journal.local_days import Calendar, LocalDay, step_days
from memctl.redact.redactor import make_redactor
from memctl.results.journal import DailyReport
from memctl.settings.config import Config
from memctl.store import context_records, event_log, links, projects, records, sources
from memctl.store.database import Database
from memctl.text import sealed_notes

# How often a note is made again because somebody saved it meanwhile. Chosen by hand.
_ATTEMPTS = 5
_LINK_RELATIONS = ("contradicts", "supersedes")


def keep_note(
    db: Database,
    config: Config,
    day: str | None = None,
    *,
    project: str | None = None,
    folder: Path | None = None,
) -> DailyReport:
    """Make the note of a day (default: today), and write it where a folder is named or set.

    Raises UsageError for a day or folder that is none, or a file that is not ours; NotFound.
    """
    calendar = Calendar(config)
    wanted = calendar.find_day(resolve_date(calendar, day))
    place = projects.named(db, project) if project else None
    text = compose_note(db, config, wanted, place.id if place else None)
    named = place.name if place else None
    goal = journal_files.find_folder(config, folder)
    if goal is None:
        state = "shown" if text else "nothing"
        return DailyReport(wanted.date, wanted.zone, state, text, named)
    slug = journal_files.name_project_folders(projects.names(db))[place.id] if place else None
    path = journal_files.locate_daily(goal, wanted.date, slug)
    state, whole, kept = _write(config, goal, path, text)
    return DailyReport(wanted.date, wanted.zone, state, whole, named, str(path), kept)


def resolve_date(calendar: Calendar, day: str | None) -> str:
    """Return the date that `today`, `yesterday` or a date names."""
    word = (day or "today").strip().casefold()
    if word in ("today", "yesterday"):
        return step_days(calendar.find_today(), -(word == "yesterday"))
    return (day or "").strip()


def compose_note(db: Database, config: Config, day: LocalDay, project_id: str | None) -> str:
    """Compose the note of a day, of one project or of all; empty if nothing happened."""
    with db.snapshot():
        found = _read_projects(db, day)
        captured = _describe_captured(db, day)
        if project_id is not None:
            found = [each for each in found if each.project_id == project_id]
            captured = {place: said for place, said in captured.items() if place == project_id}
        ids = {each for one in found for entry in one.entries for each in entry.ids}
        shorts = context_records.shorten_ids(db, ids)
        names = projects.names(db)
    if not captured and not any(each.entries or each.counts for each in found):
        return ""
    text = day_text.compose_note(day, found, captured, names, shorts)
    return sealed_notes.edit_lines(text, make_redactor(config).make_replacer().redact)


def _read_projects(db: Database, day: LocalDay) -> list[ProjectDay]:
    events = event_log.list_between(db, day.start, day.end)
    told_links = _read_links(db, events)
    ids = dict.fromkeys(event.memory_id for event in events if event.topic == "record")
    for link in told_links:
        ids |= dict.fromkeys((link.from_id, link.to_id))
    known = records.list_by_ids(db, ids)
    ends = {
        each: state
        for each in ids
        if each in known
        and (state := event_log.replay_fields(db, each, day.last_moment)) is not None
    }
    present = frozenset(each for each, memory in known.items() if _may_be_told(memory))
    days = day_entries.list_record_days(events, ends)
    return day_entries.sort_by_project(days, told_links, present)


def _may_be_told(memory: Memory) -> bool:
    """Whether a record may be told today, whatever it was on the day."""
    return memory.scope not in day_entries.PRIVATE_SCOPES and memory.status != "inbox"


def _read_links(db: Database, events: Iterable[Event]) -> list[LinkDay]:
    """What the day linked or settled, each once, as the links stand now."""
    changed = {
        str(event.item): event
        for event in events
        if event.topic == "link" and event.after is not None
    }
    known = {
        link.id: link
        for link in links.list_of_memories(db, {e.memory_id for e in changed.values()})
    }
    return [
        LinkDay(
            link.relation,
            link.from_id,
            link.to_id,
            bool((event.after or {}).get("resolved_at")),
            event.actor,
        )
        for item, event in changed.items()
        if (link := known.get(item)) is not None and link.relation in _LINK_RELATIONS
    ]


def _describe_captured(db: Database, day: LocalDay) -> dict[str | None, str]:
    """Which sessions were captured, by project: `Captured: codex 2 sessions (31 turns).`"""
    told: dict[str | None, list[str]] = {}
    for row in sources.count_captured(db, day.start, day.end):
        agent = make_inert_name(row["agent"])
        sessions = f"{row['sessions']} session{'s' * (row['sessions'] != 1)}"
        turns = f"{row['turns']} turn{'s' * (row['turns'] != 1)}"
        told.setdefault(row["project_id"], []).append(f"{agent} {sessions} ({turns})")
    return {place: f"Captured: {', '.join(parts)}." for place, parts in told.items()}


def _write(config: Config, folder: Path, path: Path, text: str) -> tuple[str, str, int]:
    """Write a note, with what is the person's in the file that is there: the state, the whole
    text, and how many lines were kept.
    """
    for _ in range(_ATTEMPTS):
        read = journal_files.read_note(path)
        if read.text is None and not text:
            return "nothing", "", 0
        own = _find_own_lines(read)
        whole = _join(text, own) if text else _join(_compose_empty(read), own)
        try:
            is_new = journal_files.replace_note(config, folder, read, whole)
        except ChangedMeanwhile:
            continue
        return "written" if is_new else "unchanged", whole, _count_words(own)
    raise journal_files.refuse_changing(path)


def _compose_empty(read: NoteFile) -> str:
    """What stays of a note whose day has nothing to tell any more."""
    title = (read.text or "").split("\n", 1)[0]
    seal = sealed_notes.find_seal(read.text or "", sealed_notes.DAILY)
    name = seal[2] if seal else ""
    return f"{title}\n\n{sealed_notes.compose_seal(sealed_notes.DAILY, name, [title])}\n"


def _find_own_lines(read: NoteFile) -> str:
    """What is the person's: all below the seal, and each line above it that was not made.

    Raises UsageError for a file without a seal.
    """
    if read.text is None:
        return day_text.compose_blank_notes()
    seal = sealed_notes.find_seal(read.text, sealed_notes.DAILY)
    if seal is None:
        raise UsageError(
            f"{read.path} is no daily note of memctl, so it is left alone",
            hint="name another folder with --dir",
        )
    hashes = set(seal[3].split())
    above = read.text[: seal.start()].split("\n")
    added = [line for line in above if line.strip() and sealed_notes.hash_line(line) not in hashes]
    below = read.text[seal.end() + 1 :] or day_text.compose_blank_notes()
    return below if not added else f"{below.rstrip()}\n\n" + "\n".join(added) + "\n"


def _join(made: str, own: str) -> str:
    return f"{made}{own}"


def _count_words(own: str) -> int:
    """How many lines of the person's own there are."""
    blank = set(day_text.compose_blank_notes().split("\n"))
    return sum(bool(line.strip()) and line not in blank for line in own.split("\n"))
