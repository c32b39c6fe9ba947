"""The bundle an agent starts from: who it works for, what holds in this project, what the task calls for. Fewer and stronger.

At a session's start: profile, project facts, decisions, hits for the task, recent work, open contradictions. At a prompt: only hits.
Nothing is written; the log line waits in the spool until the answer has been given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from memctl import clock, spool
from memctl.config import Config
from memctl.data import dataclass
from memctl.db import Db
from memctl.errors import UsageError
from memctl.model import Memory, Place, Query
from memctl.results import ContextReport, RecordView
from memctl.retrieve import asof, candidates, score, search
from memctl.retrieve.bundle import Bundle, Line, compose, forms
from memctl.retrieve.candidates import Asked
from memctl.retrieve.score import Scored
from memctl.retrieve.search import Outcome
from memctl.store import lexical, links, place, records
from memctl.views import contradicted_by, links_by_record, without_candidates

# Kinds that hold for every task come up however old they are; of the rest only the newest are looked at.
_STANDING_KINDS = ("constraint", "convention", "correction", "command")
_NEWEST_OF_KIND, _MOST_ALWAYS = 8, 40
_NEWEST: Mapping[str, int] = {"project": 24, "decision": 12, "episode": 6, "task_hint": 3}
_NEWEST_GLOBAL: Mapping[str, int] = {"project": 6, "decision": 4, "profile": 8}
_HITS, _PROMPT_HITS = 8, 5
_FACTS, _FACTS_BESIDE_TASK = 20, 10
_DECISIONS, _DECISIONS_BESIDE_TASK = 8, 5
# So many of the strongest facts and decisions come before the rest of either.
_AT_LEAST = 4
_PROFILE, _PROFILE_BESIDE_TASK = 8, 5
_HINTS, _DISPUTED = 2, 6
_RECENT_DAYS = 120
_LIVING = ("active", "contradicted")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for, with every default filled in."""

    place: Place
    task: str
    budget: int
    level: int
    since: str | None
    prompt_only: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """A record to be said: in which section, and its score where it was searched for."""

    section: str
    memory: Memory
    hit: Scored | None = None


def build(
    db: Db, config: Config, where: Place, *, actor: str, task: str | None = None, budget: int | None = None, level: int | None = None,
    since: str | None = None, prompt_only: bool = False,
) -> ContextReport:  # fmt: skip
    """The context for a place and task; its text is empty when nothing is worth saying. Raises UsageError."""
    started = clock.now()
    wanted = _wanted(config, where, task, budget, level, since, prompt_only)
    with db.snapshot():
        query = Query(wanted.task, where, limit=_PROMPT_HITS if prompt_only else _HITS)
        outcome = search.run(db, config, query, started, is_prompt=True)
        chosen = _hits(outcome, wanted)
        if not prompt_only:
            chosen = _bundle(db, config, wanted, outcome.asked, chosen)
        project = place.project_name(db, where.project_id)
        bundle = compose(_lines(db, chosen, wanted), wanted.budget, project)
    retrieval_id = clock.new_id()
    _note(db, retrieval_id, query, outcome, bundle, actor, started)
    return ContextReport(
        bundle.text,
        bundle.sections,
        bundle.tokens,
        wanted.budget,
        wanted.level,
        retrieval_id,
        project,
        bundle.left_out,
        (search.NO_VECTORS,),
    )


def _wanted(
    config: Config, where: Place, task: str | None, budget: int | None, level: int | None, since: str | None, prompt_only: bool
) -> Wanted:
    usual = config["context.prompt_budget" if prompt_only else "context.budget"]
    chosen_level = int(config["context.level"]) if level is None else level
    if chosen_level not in (0, 1, 2):
        raise UsageError(f"the level is 0, 1 or 2, not {chosen_level}")
    return Wanted(where, task or "", int(usual) if budget is None else budget, chosen_level, asof.moment(since), prompt_only)


def _hits(outcome: Outcome, wanted: Wanted) -> list[Choice]:
    """The task's hits; at a prompt without what the session was already told."""
    items = (item for item in outcome.returned if wanted.since is None or item.memory.updated_at >= wanted.since)
    return [Choice("task", item.memory, item) for item in items if not (wanted.prompt_only and item.memory.always_load)]


def _bundle(db: Db, config: Config, wanted: Wanted, asked: Asked, hits: list[Choice]) -> list[Choice]:
    """Everything that may be said, strongest first, each record once."""
    always = _admitted(place.always(db, wanted.place.project_id, _MOST_ALWAYS, wanted.since), asked)
    pool = _admitted(_pool(db, wanted), asked)
    disputed = [Choice("contradictions", memory) for memory in _disputed(db, [*always, *pool], asked)]
    apart = {choice.memory.id for choice in disputed} - {choice.memory.id for choice in hits}
    facts = _strongest(pool, "project", "project", asked, _FACTS_BESIDE_TASK if wanted.task else _FACTS)
    decisions = _strongest(pool, "decision", "decisions", asked, _DECISIONS_BESIDE_TASK if wanted.task else _DECISIONS)
    more = _strongest(pool, "profile", "profile", asked, _PROFILE_BESIDE_TASK if wanted.task else _PROFILE)
    first = [Choice("profile" if memory.type == "profile" else "project", memory) for memory in always]
    best = [*first, *hits, *more[:_AT_LEAST], *facts[:_AT_LEAST], *decisions[:_AT_LEAST]]
    told = [*best, *disputed, *facts, *decisions, *more, *_recent(config, pool, asked)]
    return _once(choice for choice in told if choice.section == "contradictions" or choice.memory.id not in apart)


def _once(choices: Iterable[Choice]) -> list[Choice]:
    """Each record where it came up first."""
    first: dict[str, Choice] = {}
    for choice in choices:
        first.setdefault(choice.memory.id, choice)
    return list(first.values())


def _pool(db: Db, wanted: Wanted) -> list[Memory]:
    """What is looked at beside the hits: the newest of each type, and what stands however old it is."""
    project, since = wanted.place.project_id, wanted.since
    asked_for = [(project, type_, most) for type_, most in _NEWEST.items()] if project else []
    found = [
        place.newest(db, of, type_, most, since) for of, type_, most in (*asked_for, *((None, *item) for item in _NEWEST_GLOBAL.items()))
    ]
    found += [place.newest_of_kind(db, project, kind, _NEWEST_OF_KIND, since) for kind in _STANDING_KINDS if project]
    return list({memory.id: memory for memory in chain.from_iterable(found)}.values())


def _admitted(memories: Iterable[Memory], asked: Asked) -> list[Memory]:
    """Those that are valid now and that this place may see; another repo's are left to the search."""
    visible = asked.scope.words()
    seen = (memory for memory in memories if lexical.place_word(memory) in visible and candidates.is_valid(memory, asked.stand.now))
    return [memory for memory in seen if score.matched_scope(memory, asked.stand) != "other repo"]


def _strongest(pool: Iterable[Memory], type_: str, section: str, asked: Asked, most: int) -> list[Choice]:
    ranked = sorted((m for m in pool if m.type == type_), key=lambda m: (-score.strength(m, asked.stand), m.id))
    return [Choice(section, memory) for memory in ranked[:most]]


def _disputed(db: Db, memories: Sequence[Memory], asked: Asked) -> list[Memory]:
    """Both sides of open contradictions, side by side; only where both may be shown."""
    known = {memory.id: memory for memory in memories}
    touching = links_by_record(links.of_memories(db, [memory.id for memory in memories if memory.status == "contradicted"]))
    pairs = [(a, b) for a in sorted(known, reverse=True) for b in contradicted_by(a, touching)]
    known |= {m.id: m for m in _admitted(records.by_ids(db, {b for _, b in pairs} - known.keys()).values(), asked) if m.status in _LIVING}
    sides = dict.fromkeys(side for pair in pairs if known.keys() >= set(pair) for side in pair)
    return [known[side] for side in sides][:_DISPUTED]


def _recent(config: Config, pool: Iterable[Memory], asked: Asked) -> list[Choice]:
    """The last episodes and what was left to do, unless long past."""
    fresh = [memory for memory in pool if clock.days_between(memory.observed_at, asked.stand.now) <= _RECENT_DAYS]
    newest = sorted(fresh, key=lambda memory: (memory.observed_at, memory.id), reverse=True)
    episodes = [memory for memory in newest if memory.type == "episode"][: int(config["context.episodes"])]
    return [Choice("episodes", memory) for memory in (*episodes, *[m for m in newest if m.type == "task_hint"][:_HINTS])]


def _lines(db: Db, chosen: Sequence[Choice], wanted: Wanted) -> list[Line]:
    ids = [choice.memory.id for choice in chosen]
    touching = links_by_record(without_candidates(db, links.of_memories(db, ids)))
    disputes = {memory_id: contradicted_by(memory_id, touching) for memory_id in ids}
    shorts = place.short_ids(db, {*ids, *chain.from_iterable(disputes.values())})
    return [_line(db, choice, wanted, shorts, disputes[choice.memory.id]) for choice in chosen]


def _line(db: Db, choice: Choice, wanted: Wanted, shorts: Mapping[str, str], disputes: Sequence[str]) -> Line:
    memory, hit = choice.memory, choice.hit
    foreign = hit is not None and hit.matched_scope in ("linked project", "other project")
    project = place.project_name(db, memory.project_id) if foreign else None
    note = f"from {project}" if project else memory.observed_at[:10] if choice.section == "episodes" else None
    texts = forms(memory, wanted.level, note, [shorts[other] for other in disputes if other in shorts])
    if hit is None:
        return Line(choice.section, memory.id, shorts[memory.id], texts)
    view = RecordView(memory, shorts[memory.id], project, contradicted_by=tuple(disputes))
    return Line(choice.section, memory.id, shorts[memory.id], texts, hit.score, search.why(hit, view))


def _note(db: Db, retrieval_id: str, query: Query, outcome: Outcome, bundle: Bundle, actor: str, started: str) -> None:
    given = [item.id for section in bundle.sections for item in section.items]
    entry = search.log_entry(retrieval_id, "context", query, outcome, actor, started)
    spool.note_retrieval(db, {**entry, "returned": given}, given)
