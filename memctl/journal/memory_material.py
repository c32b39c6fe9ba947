"""Read what MEMORY.md of a place may say: records in force there that are nobody's private ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core import clock, timestamps
from memctl.core.model import Filter, Memory
from memctl.curate.marked_pairs import list_marked
from memctl.journal.day_text import NOTHING_DONE
from memctl.journal.local_days import Calendar
from memctl.journal.memory_choice import MemoryMaterial, OpenPair, word_record
from memctl.patterns import weekly_digests
from memctl.records.record_source import PresentRecords
from memctl.retrieve.visibility import OPERATOR
from memctl.settings.config import Config
from memctl.store import context_records, links, projects, records
from memctl.store.database import Database

# The place of what holds everywhere.
EVERYWHERE = ""
_IN_FORCE = ("active", "contradicted")
_SHARED_SCOPES = ("project", "repo")
_SECONDS_PER_DAY = 86400


def list_places(db: Database) -> list[str]:
    """List the places that have anything in force: everywhere first, then projects by id."""
    found = {
        memory.project_id or EVERYWHERE
        for memory in records.select_records(
            db, Filter(statuses=_IN_FORCE, scopes=("global", *_SHARED_SCOPES)), only_readable=True
        )
    }
    known = {project.id for project in projects.everything(db)}
    return sorted(place for place in found if place in known or place == EVERYWHERE)


def may_stand(memory: Memory, place: str, now: str) -> bool:
    """Whether MEMORY.md of a place may say a record now."""
    is_here = memory.scope == "global" if place == EVERYWHERE else memory.project_id == place
    return (
        is_here
        and memory.scope in ("global", *_SHARED_SCOPES)
        and memory.status in _IN_FORCE
        and memory.is_valid_at(now)
        and not memory.never_load
    )


def read_material(
    db: Database,
    config: Config,
    place: str,
    calendar: Calendar,
    days: int,
    gone: Mapping[str, str],
) -> MemoryMaterial:
    """Read what a document of a place may say; `days` is how far back sessions are told, `gone`
    what the person took out, by id: it stays out as long as it says the same.
    """
    now = clock.now()
    wanted = (
        Filter(statuses=_IN_FORCE, scopes=("global",))
        if place == EVERYWHERE
        else Filter(statuses=_IN_FORCE, scopes=_SHARED_SCOPES, project_id=place)
    )
    since = timestamps.add_seconds(now, seconds=-_SECONDS_PER_DAY * days)
    memories = [
        memory
        for memory in records.select_records(db, wanted, only_readable=True)
        if may_stand(memory, place, now)
        and gone.get(memory.id) != word_record(memory, calendar.format_day)
        and (memory.type != "episode" or _is_recent_session(memory, since))
    ]
    memories.sort(key=lambda memory: memory.id)
    known = {memory.id for memory in memories}
    pairs = _list_pairs(db, place, known)
    return MemoryMaterial(
        memories,
        pairs,
        _read_topics(db, place, known),
        context_records.shorten_ids(db, known),
        now,
        config["decay.rates"],
        calendar.format_day,
    )


def _is_recent_session(memory: Memory, since: str) -> bool:
    """Whether an episode is one session of which there is something to tell, and not long ago."""
    # Of a week's digest the sessions are told themselves.
    is_digest = memory.rule == weekly_digests.RULE
    is_told = not is_digest and not memory.content.startswith(NOTHING_DONE)
    return is_told and memory.observed_at >= since


def _list_pairs(db: Database, place: str, known: set[str]) -> list[OpenPair]:
    """The open contradictions and marks between records that may stand, each record in one."""
    pairs = _group_contradictions(
        {link.from_id, link.to_id}
        for link in links.list_open_contradictions(db)
        if {link.from_id, link.to_id} <= known
    )
    # A mark is named by the record that may be replaced.
    marks = [
        OpenPair(link.id, link.find_other_end(link.id), is_marked=True)
        for link, _ in list_marked(db, place or None, OPERATOR)
    ]
    taken = {end for pair in pairs for end in pair.ends}
    for pair in sorted(marks, key=lambda each: each.ends):
        if known >= {*pair.ends} and not taken & {*pair.ends}:
            taken |= {*pair.ends}
            pairs.append(pair)
    return pairs


def _group_contradictions(links_between: Iterable[set[str]]) -> list[OpenPair]:
    """One question of all records that contradict each other, over whichever of them: none of
    them may stand as if nobody spoke against it.
    """
    groups: list[set[str]] = []
    for ends in links_between:
        touched = [group for group in groups if group & ends]
        groups = [group for group in groups if not group & ends]
        groups.append(ends.union(*touched))
    sides = sorted(sorted(group) for group in groups)
    return [
        OpenPair(first, second, is_marked=False, others=(*others,))
        for first, second, *others in sides
    ]


def _read_topics(db: Database, place: str, known: set[str]) -> dict[str, list[str]]:
    """The names of things that each record mentions, but for the project's own."""
    own = {name.casefold() for name in projects.all_names(db, place)} if place else set()
    mentioned = PresentRecords(db).read_entities(sorted(known))
    return {
        memory_id: sorted(
            {each.name.removeprefix("#") for each in refs if each.name.casefold() not in own}
        )
        for memory_id, refs in mentioned.items()
    }
