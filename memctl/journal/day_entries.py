"""What one day did to memory, by project, from the events of that day. Pure.

A record is told by what became of it between the day's first and last moment, so that ten edits are
one line. What is private to an agent or a session, was never in force, or waits in the inbox is not
told; candidates are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memctl.core.frozen import dataclass, field, replace
from memctl.core.model import Event
from memctl.core.typing_lite import Any

# The sections of a day, in order.
WORKED = "worked"
DECIDED = "decided"
RECORDED = "recorded"
CHANGED = "changed"
QUESTIONED = "questioned"
SETTLED = "settled"
RETIRED = "retired"
SECTIONS = (WORKED, DECIDED, RECORDED, CHANGED, QUESTIONED, SETTLED, RETIRED)

IN_FORCE = ("active", "contradicted")
# Scopes that are nobody else's business.
PRIVATE_SCOPES = ("agent", "session")
# Fields whose change is told, and how it is called.
_TOLD_FIELDS: Mapping[str, str] = {
    "content": "words",
    "rationale": "reason",
    "kind": "kind",
    "type": "type",
    "valid_from": "time",
    "valid_until": "time",
    "always_load": "pin",
}

# Events that rewrite the words of a record without changing what it is.
_REWRITING_VERBS = ("redacted", "purged")

State = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DayEntry:
    """One line: its section, the ids of the records whose words it has, and the words' sources.

    `states` are the records as they stood at the end of the day (or before they went), `how` says
    what became of them, by whom and why.
    """

    section: str
    project_id: str | None
    ids: tuple[str, ...]
    states: tuple[State, ...]
    how: str = ""


@dataclass(frozen=True, slots=True)
class ProjectDay:
    """What a day did in one project (None: in none), and how many candidates came and went."""

    project_id: str | None
    entries: tuple[DayEntry, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecordDay:
    """One record over a day: before it (None: it was not there) and at its end, and its events."""

    id: str
    before: State | None
    after: State
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class LinkDay:
    """A contradiction that a day found or settled, or a record that took another's place."""

    relation: str
    from_id: str
    to_id: str
    is_settled: bool
    actor: str


def list_record_days(events: Iterable[Event], ends: Mapping[str, State]) -> list[RecordDay]:
    """The records of a day, those that it changed first; `ends` are their states at its last
    moment.
    """
    grouped: dict[str, list[Event]] = {}
    for event in events:
        is_change = event.topic == "record" and event.verb not in _REWRITING_VERBS
        if is_change and event.memory_id in ends:
            grouped.setdefault(event.memory_id, []).append(event)
    for memory_id in ends:
        grouped.setdefault(memory_id, [])
    return [
        RecordDay(memory_id, _step_back(ends[memory_id], found), ends[memory_id], tuple(found))
        for memory_id, found in grouped.items()
    ]


def _step_back(end: State, events: Sequence[Event]) -> State | None:
    """The state before the day; None if the record began in it."""
    state: dict[str, Any] | None = dict(end)
    for event in reversed(events):
        if event.before is None:
            state = None
        elif state is not None:
            state.update(event.before)
    return state


def sort_by_project(
    days: Sequence[RecordDay], links: Sequence[LinkDay], present: frozenset[str]
) -> list[ProjectDay]:
    """What the day did, by project, those without one first; `present` are the records that may be
    told today.
    """
    shown = [day for day in days if day.id in present and _is_shared(day)]
    known = {day.id: day for day in shown}
    replaced = _find_replaced(links, known)
    entries = [
        entry
        for day in shown
        for entry in _tell_record(day, replaced, known)
        if entry.section in SECTIONS
    ]
    entries += _tell_links(links, known)
    counts = _count_candidates(days)
    places = {entry.project_id for entry in entries} | counts.keys()
    return [
        ProjectDay(
            place,
            tuple(sorted((each for each in entries if each.project_id == place), key=_rank)),
            dict(counts.get(place, {})),
        )
        for place in sorted(places, key=lambda each: each or "")
    ]


def _rank(entry: DayEntry) -> tuple[int, str, str, tuple[str, ...]]:
    first = entry.states[0]
    told = str(first.get("observed_at")), str(first.get("content"))
    return SECTIONS.index(entry.section), *told, entry.ids


def _is_shared(day: RecordDay) -> bool:
    """Whether a record is nobody's private one, before the day and after it."""
    return not any(
        state is not None and state.get("scope") in PRIVATE_SCOPES
        for state in (day.before, day.after)
    )


def is_in_force(state: State | None) -> bool:
    """Whether agents are served a record in this state."""
    return state is not None and state.get("status") in IN_FORCE


def _tell_record(
    day: RecordDay, replaced: Mapping[str, str], known: Mapping[str, RecordDay]
) -> Iterable[DayEntry]:
    """What became of one record over the day: at most one entry."""
    was, stands = is_in_force(day.before), is_in_force(day.after)
    if stands and not was:
        yield _tell_new(day, replaced, known)
    elif was and stands:
        yield from _tell_changes(day)
    elif was:
        # What a new record of the day took the place of is told with that one.
        if day.id not in replaced.values():
            yield _make_entry(day, RETIRED, _describe_end(day), day.before)
    elif any(_comes_into_force(event) for event in day.events):
        yield _make_entry(day, RETIRED, f"{_describe_end(day)}, on the same day", day.after)


def _tell_new(
    day: RecordDay, replaced: Mapping[str, str], known: Mapping[str, RecordDay]
) -> DayEntry:
    section = {"decision": DECIDED, "episode": WORKED}.get(str(day.after.get("type")), RECORDED)
    entry = _make_entry(day, section, _describe_beginning(day))
    old = known.get(replaced.get(day.id, ""))
    if old is None or old.before is None:
        return entry
    return replace(entry, ids=(*entry.ids, old.id), states=(*entry.states, old.before))


def _tell_changes(day: RecordDay) -> Iterable[DayEntry]:
    before = day.before or {}
    names = [
        name for name in _TOLD_FIELDS if (before.get(name) or None) != (day.after.get(name) or None)
    ]
    if "always_load" in names:
        names.remove("always_load")
        yield _make_entry(day, CHANGED, "pinned" if day.after.get("always_load") else "unpinned")
    if not names:
        return
    last = next(
        (event for event in reversed(day.events) if {*names} & {*(event.after or {})}),
        day.events[-1],
    )
    what = " and ".join(dict.fromkeys(_TOLD_FIELDS[name] for name in names))
    how = f"{what} changed {name_actor(last.actor)}"
    states = (day.after, before) if "content" in names else (day.after,)
    yield replace(_make_entry(day, CHANGED, f"{how}{give_reason(last)}"), states=states)


def _make_entry(day: RecordDay, section: str, how: str, state: State | None = None) -> DayEntry:
    told = state or day.after
    project = told.get("project_id")
    return DayEntry(section, None if project is None else str(project), (day.id,), (told,), how)


def _comes_into_force(event: Event) -> bool:
    return (event.after or {}).get("status") in IN_FORCE


def _describe_beginning(day: RecordDay) -> str:
    """How a record came into force: `you approved it`."""
    event = next(each for each in reversed(day.events) if _comes_into_force(each))
    if event.actor == "operator":
        was = (event.before or {}).get("status")
        done = "wrote" if event.before is None else "approved" if was == "inbox" else "restored"
        return f"you {done} it"
    who = name_actor(event.actor)
    return f"noted {who}" if event.before is None else f"taken up {who}"


def _describe_end(day: RecordDay) -> str:
    """Why a record is no longer in force: `superseded by you: ...`."""
    status = str(day.after.get("status"))
    event = next(
        (each for each in reversed(day.events) if "status" in (each.after or {})), day.events[-1]
    )
    word = {"archived": "archived", "superseded": "superseded"}.get(status, "taken back")
    word, why = split_end_reason(word, str(day.after.get("status_reason") or ""))
    return f"{word} {name_actor(event.actor)}{why or give_reason(event)}"


def split_end_reason(word: str, reason: str | None) -> tuple[str, str]:
    """What became of a record, and why: a reason that begins with `forgotten:` says both."""
    said = " ".join((reason or "").split())
    if said.split(":", 1)[0] == "forgotten":
        word, said = "forgotten", said[len("forgotten:") :].strip()
    return word, f": {said}" if said else ""


def name_actor(actor: str) -> str:
    """Who did something: `by you`, `by codex`, `by maintenance`."""
    if actor == "operator":
        return "by you"
    if actor == "policy":
        return "by a rule of yours"
    return f"by {actor.partition(':')[2] or 'maintenance'}"


def give_reason(event: Event) -> str:
    """The reason that was given for a change, if it is more than the name of a command."""
    cause = " ".join(event.cause.split())
    return f": {cause}" if " " in cause else ""


def _find_replaced(links: Iterable[LinkDay], known: Mapping[str, RecordDay]) -> dict[str, str]:
    """Which record took the place of which on this day: old ids by new ids; one each."""
    found: dict[str, str] = {}
    for link in links:
        new, old = known.get(link.from_id), known.get(link.to_id)
        if link.relation == "supersedes" and new and old and _took_over(new, old):
            found.setdefault(new.id, old.id)
    return found


def _took_over(new: RecordDay, old: RecordDay) -> bool:
    is_fresh = is_in_force(new.after) and not is_in_force(new.before)
    return is_fresh and is_in_force(old.before) and not is_in_force(old.after)


def _tell_links(links: Iterable[LinkDay], known: Mapping[str, RecordDay]) -> Iterable[DayEntry]:
    """The contradictions that were found, and those that were settled; only between what may be
    told anyway.
    """
    for link in links:
        sides = [known[end] for end in (link.from_id, link.to_id) if end in known]
        if link.relation != "contradicts" or len(sides) < 2 or not all(map(_was_ever_told, sides)):
            continue
        section, done = (SETTLED, "settled") if link.is_settled else (QUESTIONED, "found")
        entry = _make_entry(sides[0], section, f"{done} {name_actor(link.actor)}")
        states = tuple(
            side.after if is_in_force(side.after) else side.before or side.after for side in sides
        )
        yield replace(entry, ids=tuple(side.id for side in sides), states=states)


def _was_ever_told(day: RecordDay) -> bool:
    return is_in_force(day.before) or is_in_force(day.after)


def _count_candidates(days: Iterable[RecordDay]) -> dict[str | None, Counter[str]]:
    """How many candidates came, were approved and rejected, by project; none of their words."""
    counts: dict[str | None, Counter[str]] = {}
    for day in days:
        project = day.after.get("project_id")
        found: Counter[str] = Counter()
        for event in day.events:
            status = (event.after or {}).get("status")
            if event.before is None:
                found["proposed"] += status == "inbox"
            elif event.before.get("status") == "inbox":
                found["approved"] += status in IN_FORCE
                found["rejected"] += status == "archived"
        if +found:
            counts.setdefault(None if project is None else str(project), Counter()).update(+found)
    return counts
