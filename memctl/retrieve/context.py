"""The bundle an agent starts from: who it works for, what holds in this project, what the task calls for. Fewer and stronger.

At a session's start: profile, project facts, decisions, hits for the task, recent work, open contradictions, or what the phase of the work
calls for instead (`retrieve.phases`). At a prompt: only hits. Nothing is written; the log line is, once the answer has been given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from memctl.core import clock, timestamps
from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass
from memctl.core.model import NO_SIGNALS, FeedbackSignals, Link, Memory, Place, Query
from memctl.core.typing_lite import Any
from memctl.records import as_of as asof
from memctl.records.views import (
    changes_of,
    contradicted_by,
    links_by_record,
    links_then,
    without_candidates,
)
from memctl.results.records import RecordView
from memctl.results.retrieval import ContextReport
from memctl.retrieve import already_served, candidates, score, search
from memctl.retrieve.bundle import Bundle, Line, compose, forms
from memctl.retrieve.candidates import Asked
from memctl.retrieve.layout import FORMATS
from memctl.retrieve.phases import PHASES, USUAL, Part, Phase
from memctl.retrieve.score import Scored
from memctl.retrieve.search import Outcome
from memctl.settings.config import Config
from memctl.store import context_records, feedback_signals, lexical, links, records, spool
from memctl.store.database import Db

# Kinds that hold for every task come up however old they are; of the rest only the newest are looked at.
_STANDING_KINDS = ("constraint", "convention", "correction", "command")
_NEWEST_OF_KIND, _NEWEST_OF_PHASE, _NEWEST_DISPUTED, _MOST_ALWAYS = 8, 24, 12, 200
_NEWEST: Mapping[str, int] = {"project": 24, "decision": 12, "episode": 6, "task_hint": 3}
_NEWEST_GLOBAL: Mapping[str, int] = {"project": 6, "decision": 4, "profile": 8}
_HITS, _PROMPT_HITS = 8, 5
_HINTS, _DISPUTED = 2, 6
_RECENT_DAYS, _LAST_DAYS = 120, 3
# The rule by which digests of a week are known.
WEEKLY = "tiers.week"
_LIVING = ("active", "contradicted")
_PINNED = "pinned: every context here begins with it"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for, with every default filled in; `chosen` holds what was asked for beside the task, as the log keeps it."""

    place: Place
    task: str
    budget: int
    level: int
    since: str | None
    phase: Phase
    format: str
    prompt_only: bool
    fresh: bool
    chosen: Mapping[str, Any]
    as_of: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A record to be said: in which section, its score where it was searched for, else why it comes up."""

    section: str
    memory: Memory
    hit: Scored | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """A context with all that went into it: what was found, what could be said, what of it was new to the session, what found room."""

    wanted: Wanted
    query: Query
    outcome: Outcome
    told: Sequence[Choice]
    fresh: Sequence[Choice]
    bundle: Bundle
    project: str | None


def build(
    db: Db,
    config: Config,
    where: Place,
    *,
    actor: str,
    task: str | None = None,
    budget: int | None = None,
    level: int | None = None,
    since: str | None = None,
    phase: str | None = None,
    format: str = "markdown",
    fresh: bool = False,
    prompt_only: bool = False,
    session_start: bool = False,
    as_of: str | None = None,
) -> ContextReport:
    """The context for a place and task; its text is empty when nothing is worth saying. Raises UsageError.

    `fresh` leaves out what the session was given since it began, unless it changed; `session_start` says that it begins now.
    """
    started = clock.now()
    chosen = {
        "budget": budget,
        "level": level,
        "since": since,
        "phase": phase,
        "format": format,
        "fresh": fresh,
        "as_of": as_of,
    }
    wanted = _wanted(
        config,
        where,
        task or "",
        {**chosen, "prompt_only": prompt_only, "session_start": session_start},
    )
    with db.snapshot():
        made = _made(db, config, wanted, started)
    retrieval_id = clock.new_id()
    _note(db, config, retrieval_id, made, actor, started)
    return ContextReport(
        made.bundle.text,
        made.bundle.sections,
        made.bundle.tokens,
        wanted.budget,
        wanted.level,
        retrieval_id,
        made.project,
        made.bundle.left_out,
        made.outcome.flags,
        phase,
        wanted.format,
        len(made.told) - len(made.fresh),
        made.bundle.unsaid,
        wanted.as_of,
    )


def again(
    db: Db,
    config: Config,
    where: Place,
    task: str,
    chosen: Mapping[str, Any],
    now: str,
    before: str,
    used: Mapping[str, str] | None = None,
) -> Made:
    """The context for what was asked at a moment, as the store would have it now; what the session was told by `before` is known to it.

    `used` says when records had last been used by then.
    """
    names = (
        "budget",
        "level",
        "since",
        "phase",
        "format",
        "fresh",
        "prompt_only",
        "session_start",
        "as_of",
    )
    given = {
        **dict.fromkeys(names),
        "format": "markdown",
        "fresh": False,
        "prompt_only": False,
        **chosen,
    }
    return _made(db, config, _wanted(config, where, task, given), now, before, used)


def _made(
    db: Db,
    config: Config,
    wanted: Wanted,
    now: str,
    before: str | None = None,
    used: Mapping[str, str] | None = None,
) -> Made:
    query = Query(
        wanted.task,
        wanted.place,
        limit=_PROMPT_HITS if wanted.prompt_only else _HITS,
        as_of=wanted.as_of,
    )
    outcome = search.run(db, config, query, now, is_prompt=True, used=used)
    told = (
        _hits(outcome, wanted)
        if wanted.prompt_only
        else _bundle(db, config, wanted, outcome.asked, _hits(outcome, wanted))
    )
    fresh = _not_known(db, config, told, wanted, before)
    project = context_records.project_name(db, wanted.place.project_id)
    bundle = compose(
        _lines(db, fresh, wanted), wanted.budget, project, phase=wanted.phase, format_=wanted.format
    )
    return Made(wanted, query, outcome, told, fresh, bundle, project)


def _wanted(config: Config, where: Place, task: str, given: Mapping[str, Any]) -> Wanted:
    is_prompt = given["prompt_only"]
    level = int(config["context.level"]) if given["level"] is None else given["level"]
    budget = (
        int(config["context.prompt_budget" if is_prompt else "context.budget"])
        if given["budget"] is None
        else int(given["budget"])
    )
    _demand("level", level, (0, 1, 2))
    _demand("phase", given["phase"], (None, *PHASES))
    _demand("format", given["format"], FORMATS)
    if given["fresh"] and not where.session_id:
        raise UsageError(
            "what is fresh depends on the session", hint="name it: --session ID --fresh"
        )
    fresh = bool(where.session_id) and (
        given["fresh"] or (is_prompt and bool(config["context.fresh_prompts"]))
    )
    chosen = {name: value for name, value in given.items() if value not in (None, False)} | {
        "budget": budget,
        "level": level,
    }
    phase = USUAL if given["phase"] is None else PHASES[given["phase"]]
    since, as_of = asof.moment(given["since"]), asof.moment(given["as_of"], end_of_day=True)
    return Wanted(
        where, task, budget, level, since, phase, given["format"], is_prompt, fresh, chosen, as_of
    )


def _demand(name: str, value: object, known: Sequence[object]) -> None:
    if value not in known:
        raise UsageError(
            f"the {name} is {', '.join(str(word) for word in known if word is not None)}; not {value}"
        )


def _hits(outcome: Outcome, wanted: Wanted) -> list[Choice]:
    """The task's hits; at a prompt without what the session was already told."""
    items = (
        item
        for item in outcome.returned
        if wanted.since is None or item.memory.updated_at >= wanted.since
    )
    return [
        Choice("task", item.memory, item)
        for item in items
        if not (wanted.prompt_only and item.memory.always_load)
    ]


def _bundle(
    db: Db, config: Config, wanted: Wanted, asked: Asked, hits: list[Choice]
) -> list[Choice]:
    """Everything that may be said, strongest first, each record once."""
    look = context_records if wanted.as_of is None else _shelf_then(db, wanted.as_of)
    always = _admitted(look.always(db, wanted.place.project_id, _MOST_ALWAYS, wanted.since), asked)
    loaded = _loaded(db, wanted, asked) if wanted.as_of is None else []
    pool = _admitted(_pool(db, wanted, look), asked)
    disputed = _disputed(db, [*always, *pool], asked) if "contradictions" in wanted.phase else []
    apart = {memory.id for memory in disputed} - {choice.memory.id for choice in hits}
    known = feedback_signals.find_signals(db, pool) if wanted.as_of is None else {}
    ranked = {
        name: _ranked(config, name, part, pool, known, wanted, asked)
        for name, part in wanted.phase.items()
        if part.types
    }
    told = [_first(memory, _PINNED) for memory in always] + [
        _first(memory, why) for memory, why in loaded
    ]
    told += [
        *hits,
        *chain.from_iterable(
            choices[: wanted.phase[name].first] for name, choices in ranked.items()
        ),
    ]
    told += [Choice("contradictions", memory, why="an open contradiction") for memory in disputed]
    # What is known of the operator has had its say, and what was done last is the first to go without.
    told += chain.from_iterable(
        ranked[name] for name in sorted(ranked, key=("profile", "episodes").__contains__)
    )
    return _once(
        choice
        for choice in told
        if choice.section == "contradictions" or choice.memory.id not in apart
    )


def _first(memory: Memory, why: str) -> Choice:
    return Choice("profile" if memory.type == "profile" else "project", memory, why=why)


def _loaded(db: Db, wanted: Wanted, asked: Asked) -> list[tuple[Memory, str]]:
    """What comes by rule and use, as maintenance last worked it out, as far as it still may."""
    chosen = context_records.loaded(db, wanted.place.project_id)
    found = records.by_ids(db, chosen) if chosen else {}
    living = [
        found[memory_id]
        for memory_id in chosen
        if memory_id in found and found[memory_id].status in _LIVING
    ]
    fitting = [
        m
        for m in living
        if not (m.always_load or m.never_load)
        and (wanted.since is None or m.updated_at >= wanted.since)
    ]
    return [(memory, chosen[memory.id]) for memory in _admitted(fitting, asked)]


def _once(choices: Iterable[Choice]) -> list[Choice]:
    """Each record where it came up first."""
    first: dict[str, Choice] = {}
    for choice in choices:
        first.setdefault(choice.memory.id, choice)
    return list(first.values())


def _shelf_then(db: Db, at: str) -> Any:
    """What answers as `place` does, of the records of a time; what came by rule and use is not kept for past times."""
    from memctl.retrieve import past_records  # contexts are hardly ever of the past

    return past_records.Then(db, at)


def _pool(db: Db, wanted: Wanted, look: Any) -> list[Memory]:
    """What is looked at beside the hits: the newest of each type and each kind of the phase, and what stands or is open, however old."""
    project, since = wanted.place.project_id, wanted.since
    asked_for = [(project, type_, most) for type_, most in _NEWEST.items()] if project else []
    found = [
        look.newest(db, of, type_, most, since)
        for of, type_, most in (*asked_for, *((None, *item) for item in _NEWEST_GLOBAL.items()))
    ]
    found += [
        look.newest_of_kind(db, project, kind, _NEWEST_OF_KIND, since)
        for kind in _STANDING_KINDS
        if project
    ]
    kinds = dict.fromkeys(chain.from_iterable(part.kinds for part in wanted.phase.values()))
    found += [
        look.newest_of_kind(db, of, kind, _NEWEST_OF_PHASE, since)
        for kind in kinds
        for of in dict.fromkeys((project, None))
    ]
    if "contradictions" in wanted.phase:
        found += [
            look.disputed(db, of, _NEWEST_DISPUTED, since) for of in dict.fromkeys((project, None))
        ]
    return list({memory.id: memory for memory in chain.from_iterable(found)}.values())


def _admitted(memories: Iterable[Memory], asked: Asked) -> list[Memory]:
    """Those that are valid now and that this place may see; another repo's are left to the search."""
    visible = asked.scope.words()
    seen = (
        memory
        for memory in memories
        if lexical.place_word(memory) in visible and candidates.is_valid(memory, asked.stand.now)
    )
    return [memory for memory in seen if score.matched_scope(memory, asked.stand) != "other repo"]


def _ranked(
    config: Config,
    name: str,
    part: Part,
    pool: Iterable[Memory],
    known: Mapping[str, FeedbackSignals],
    wanted: Wanted,
    asked: Asked,
) -> list[Choice]:
    """The records that come up in one section, strongest first."""
    fitting = [memory for memory in pool if _fits(memory, part) and not memory.never_load]
    if name == "episodes":
        return _recent(config, fitting, asked)
    strongest = sorted(
        fitting,
        key=lambda memory: (
            -score.strength(memory, asked.stand, known.get(memory.id, NO_SIGNALS)),
            memory.id,
        ),
    )
    return [
        Choice(name, memory, why="among the strongest here")
        for memory in strongest[: part.beside_task if wanted.task else part.most]
    ]


def _fits(memory: Memory, part: Part) -> bool:
    if memory.type not in part.types or (part.kinds and memory.kind not in part.kinds):
        return False
    return (
        part.words is None or re.search(part.words, f"{memory.title}\n{memory.content}") is not None
    )


def _disputed(db: Db, memories: Sequence[Memory], asked: Asked) -> list[Memory]:
    """Both sides of open contradictions, side by side; only where both may be shown."""
    known = {memory.id: memory for memory in memories}
    touching = links_by_record(
        _links(
            db, [memory.id for memory in memories if memory.status == "contradicted"], asked.as_of
        )
    )
    pairs = [(a, b) for a in sorted(known, reverse=True) for b in contradicted_by(a, touching)]
    known |= {
        m.id: m
        for m in _admitted(_states(db, {b for _, b in pairs} - known.keys(), asked.as_of), asked)
        if m.status in _LIVING
    }
    sides = dict.fromkeys(side for pair in pairs if known.keys() >= set(pair) for side in pair)
    return [known[side] for side in sides][:_DISPUTED]


def _links(db: Db, ids: Iterable[str], at: str | None) -> Sequence[Link]:
    return links.of_memories(db, ids) if at is None else links_then(db, ids, at)


def _states(db: Db, ids: Iterable[str], at: str | None) -> Iterable[Memory]:
    found = records.by_ids(db, ids).values()
    return found if at is None else asof.states(db, found, at)


def _recent(config: Config, memories: Iterable[Memory], asked: Asked) -> list[Choice]:
    """The last episodes and what was left to do, unless long past."""
    fresh = [
        memory
        for memory in memories
        if timestamps.days_between(memory.observed_at, asked.stand.now) <= _RECENT_DAYS
    ]
    newest = sorted(fresh, key=lambda memory: (memory.observed_at, memory.id), reverse=True)
    episodes = _by_weeks(
        [memory for memory in newest if memory.type == "episode"], asked.stand.now
    )[: int(config["context.episodes"])]
    hints = [memory for memory in newest if memory.type == "task_hint"][:_HINTS]
    return [Choice("episodes", memory, why="recent work") for memory in (*episodes, *hints)]


def _by_weeks(episodes: Sequence[Memory], now: str) -> list[Memory]:
    """The last days session by session; of weeks before this one the digest instead of its sessions, where there is one."""
    this = _week(now)
    told = {
        week
        for memory in episodes
        if memory.rule == WEEKLY and (week := _week(memory.observed_at)) < this
    }
    return [
        memory
        for memory in episodes
        if (
            _week(memory.observed_at) in told
            if memory.rule == WEEKLY
            else _week(memory.observed_at) not in told
            or timestamps.days_between(memory.observed_at, now) <= _LAST_DAYS
        )
    ]


def _week(at: str) -> int:
    """The number of a week that begins on Monday."""
    return int(timestamps.parse_iso(at) // 86400 + 3) // 7


def _not_known(
    db: Db, config: Config, told: Sequence[Choice], wanted: Wanted, before: str | None
) -> list[Choice]:
    """What the session was not given yet, or not as it is now, or not as fully as it is asked for."""
    if not wanted.fresh or not told:
        return list(told)
    known = already_served.to_session(
        db, config, wanted.place.session_id or "", wanted.level, before
    )
    return [
        choice for choice in told if choice.memory.updated_at >= known.get(choice.memory.id, "")
    ]


def _lines(db: Db, chosen: Sequence[Choice], wanted: Wanted) -> list[Line]:
    ids = [choice.memory.id for choice in chosen]
    touching = links_by_record(without_candidates(db, _links(db, ids, wanted.as_of), wanted.as_of))
    disputes = {memory_id: contradicted_by(memory_id, touching) for memory_id in ids}
    shorts = context_records.short_ids(db, {*ids, *chain.from_iterable(disputes.values())})
    changes = {
        memory_id: changed(before)
        for memory_id, before in changes_of(db, ids, touching, wanted.as_of).items()
    }
    return [
        _line(db, choice, wanted, shorts, disputes[choice.memory.id], changes.get(choice.memory.id))
        for choice in chosen
    ]


def changed(before: Sequence[Mapping[str, Any]]) -> str | None:
    """What is to be said of a record that took the place of several others; what changed once may do so for good."""
    return (
        f"changed {len(before)} times since {min(row['observed_at'] for row in before)[:7]}"
        if len(before) > 1
        else None
    )


def _line(
    db: Db,
    choice: Choice,
    wanted: Wanted,
    shorts: Mapping[str, str],
    disputes: Sequence[str],
    changes: str | None,
) -> Line:
    memory, hit = choice.memory, choice.hit
    foreign = hit is not None and hit.matched_scope in ("linked project", "other project")
    project = context_records.project_name(db, memory.project_id) if foreign else None
    note = (
        f"from {project}"
        if project
        else memory.observed_at[:10]
        if choice.section == "episodes"
        else None
    )
    note = "; ".join(part for part in (note, changes) if part) or None
    texts = forms(
        memory, wanted.level, note, [shorts[other] for other in disputes if other in shorts]
    )
    if hit is None:
        return Line(
            choice.section,
            memory.id,
            shorts[memory.id],
            texts,
            why=choice.why,
            pinned=memory.always_load,
        )
    if wanted.prompt_only:
        # Only the text is given out, and the reasons would take a tenth of the whole call; the log line can tell them later.
        return Line(choice.section, memory.id, shorts[memory.id], texts, hit.score)
    view = RecordView(memory, shorts[memory.id], project, contradicted_by=tuple(disputes))
    return Line(
        choice.section, memory.id, shorts[memory.id], texts, hit.score, search.why(hit, view)
    )


def _note(db: Db, config: Config, retrieval_id: str, made: Made, actor: str, started: str) -> None:
    """The log line: what was asked for, which records the text holds, and what it takes to make it again."""
    said = [item.id for section in made.bundle.sections for item in section.items]
    entry = search.log_entry(
        config, retrieval_id, "context", made.query, made.outcome, actor, started
    )
    memories = [choice.memory for choice in made.fresh if choice.memory.id in {*said}]
    run = {
        **entry["filters"]["run"],
        **search.uses(memories, made.outcome.asked),
        **more_of_run(config, made),
    }
    asked = {
        "session_id": made.wanted.place.session_id,
        "filters": {**entry["filters"], **made.wanted.chosen, "run": run},
    }
    spool.note_retrieval(db, {**entry, **asked, "returned": said}, said)


def more_of_run(config: Config, made: Made) -> dict[str, Any]:
    """What a context depends on beside what a search does, and its lines: how many in each section, and a checksum of each text."""
    sections = made.bundle.sections
    return {
        "fresh": made.wanted.fresh,
        "episodes": int(config["context.episodes"]),
        "sections": [[section.name, len(section.items)] for section in sections],
        "texts": [_checksum(item.text) for section in sections for item in section.items],
    }


def _checksum(text: str) -> str:
    """A short mark by which a text is known again; a module that does better takes longer to load than all contexts take to mark."""
    return f"{int.from_bytes(text.encode(), 'big') % 4294967291:08x}"
