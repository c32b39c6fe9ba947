"""The bundle an agent starts from: who it works for, what holds in this project, what the task
calls for. Fewer and stronger.

One way down: request, prepared query and hits (`search`), material (`context_material`), choice
(`context_choice`), lines, text (`bundle`). At a session's start all of it, or what the phase of the
work calls for (`phases`); at a prompt only hits. Nothing is written but the log line, once the
answer is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memctl.core import clock, timestamps
from memctl.core.frozen import dataclass, field
from memctl.core.model import Memory, Place, Query
from memctl.core.typing_lite import TYPE_CHECKING, Any
from memctl.records.as_of import records_at
from memctl.records.record_source import RecordSource
from memctl.records.views import (
    drop_links_with_candidates,
    find_opponents,
    group_links,
    read_predecessors,
)
from memctl.results.records import RecordView
from memctl.results.retrieval import ContextMark, ContextOmission, ContextReport
from memctl.retrieve import read_by_agent, search, search_outcome
from memctl.retrieve.bundle import Bundle, Line, compose_bundle, list_forms
from memctl.retrieve.context_choice import ContextChoice, choose_records, count_unchosen_rules
from memctl.retrieve.context_request import DEFAULT_OPTIONS, ContextRequest, build_request
from memctl.retrieve.search_outcome import SearchOutcome
from memctl.retrieve.session_news import NOTHING_TOLD, SessionNews, find_news
from memctl.settings.config import Config
from memctl.store import context_records, spool
from memctl.store.database import Database
from memctl.text.day_words import leans_on_a_day

if TYPE_CHECKING:
    from memctl.retrieve.context_material import ContextMaterial
    from memctl.retrieve.newer_beside import Newer
    from memctl.text.token_counts import Tokenizer

# A prime below 2**32: the checksum of a text is what is left of it modulo this.
_CHECKSUM_PRIME = 4294967291


@dataclass(frozen=True, slots=True)
class BuiltContext:
    """A context with all that went into it.

    `choices` is what could be said, `fresh` what of it was new to the session, `bundle` what found
    room; `unread` counts rules that were not even looked at. `own` has the records that the agent
    reads by itself, each with the file's path; `news` is what became of what the session was told;
    `material` is what was read beside the hits, at a prompt nothing. `newer` has the newer records
    that may replace some of `fresh`, by the ids of these.
    """

    request: ContextRequest
    outcome: SearchOutcome
    choices: Sequence[ContextChoice]
    fresh: Sequence[ContextChoice]
    bundle: Bundle
    project: str | None
    unread: int = 0
    own: Mapping[str, str] = field(default_factory=dict)
    news: SessionNews = NOTHING_TOLD
    material: ContextMaterial | None = None
    newer: Newer = field(default_factory=dict)


def build_context(
    db: Database,
    config: Config,
    caller: Place,
    *,
    actor: str,
    task: str | None = None,
    budget: int | None = None,
    level: int | None = None,
    since: str | None = None,
    phase: str | None = None,
    format: str = "markdown",
    fresh: bool = False,
    repeat: bool = False,
    prompt_only: bool = False,
    session_start: bool = False,
    as_of: str | None = None,
    notice: str | None = None,
    folder: Path | None = None,
    explain: bool = False,
    tokenizer: Tokenizer | None = None,
) -> ContextReport:
    """The context for a caller and task; its text is empty when nothing is worth saying. Raises
    UsageError. With a `tokenizer` the budget is in its tokens.

    What the session was told since it began is left out, unless it changed, or `repeat` or the
    settings say otherwise; `session_start` says that it begins now. What the agent reads by itself
    in `folder` is left out too. `notice` is a sentence that the context ends with; `explain` tells
    of every record that was left out.
    """
    started = clock.now()
    options = {
        "budget": budget,
        "level": level,
        "since": since,
        "phase": phase,
        "format": format,
        "fresh": fresh,
        "repeat": repeat,
        "as_of": as_of,
        "prompt_only": prompt_only,
        "session_start": session_start,
    }
    request = build_request(config, caller, task or "", options)
    source = records_at(db, request.as_of)
    with db.snapshot():
        built = _build(
            source, config, request, started, notice=notice, folder=folder, tokenizer=tokenizer
        )
        omissions = tuple(_list_omissions(source, built, folder)) if explain else ()
        marks = tuple(_list_marks(source, built)) if explain else ()
    retrieval_id = clock.new_id()
    _note_retrieval(db, config, retrieval_id, built, actor, started)
    return ContextReport(
        built.bundle.text,
        built.bundle.sections,
        built.bundle.tokens,
        built.request.budget,
        request.level,
        retrieval_id,
        built.project,
        built.bundle.left_out + built.unread,
        built.outcome.flags,
        phase,
        request.format,
        len(built.choices) - len(built.fresh) - len(built.own),
        built.bundle.unsaid,
        built.bundle.rules_unsaid,
        source.at,
        tuple(built.own),
        built.news.withdrawn,
        omissions,
        marks,
    )


def trace_context(
    source: RecordSource,
    config: Config,
    caller: Place,
    task: str,
    options: Mapping[str, Any],
    now: str,
    folder: Path | None = None,
) -> BuiltContext:
    """The context as it would be given out now, with all that went into it; nothing is logged."""
    request = build_request(config, caller, task, {**DEFAULT_OPTIONS, **options})
    return _build(source, config, request, now, folder=folder)


def rebuild_context(
    db: Database,
    config: Config,
    caller: Place,
    task: str,
    options: Mapping[str, Any],
    now: str,
    before: str,
    last_uses: Mapping[str, str] | None = None,
    own: Mapping[str, str] | None = None,
) -> BuiltContext:
    """The context for what was asked at a moment, as the store would have it now.

    What the session was given by the retrieval `before` is known to it; `last_uses` says when
    records had last been used by then, `own` what the agent read by itself.
    """
    request = build_request(config, caller, task, {**DEFAULT_OPTIONS, **options})
    source = records_at(db, request.as_of)
    return _build(source, config, request, now, before, last_uses, own=own or {})


def _build(
    source: RecordSource,
    config: Config,
    request: ContextRequest,
    now: str,
    before: str | None = None,
    last_uses: Mapping[str, str] | None = None,
    notice: str | None = None,
    folder: Path | None = None,
    own: Mapping[str, str] | None = None,
    tokenizer: Tokenizer | None = None,
) -> BuiltContext:
    kind = "prompt" if request.prompt_only else "task"
    most_hits = int(config[f"context.{kind}_hits"])
    query = Query(request.task, request.caller, limit=most_hits, as_of=request.as_of)
    outcome = search.run_search(
        source, config, query, now, prompt_setting=f"context.{kind}_threshold", last_uses=last_uses
    )
    choices, unread = _choose_hits(outcome, request), 0
    material: ContextMaterial | None = None
    if outcome.prepared.is_plain and request.task:
        from memctl.retrieve.plain_requests import find_plain_commands  # hardly a prompt needs it

        choices = [
            ContextChoice("task", memory, why="the command that was asked for")
            for memory in find_plain_commands(source, outcome.prepared)
        ] or choices
    if not request.prompt_only:
        from memctl.retrieve.context_material import read_material  # prompts have no use for it

        material = read_material(source, request, outcome.prepared)
        choices = choose_records(
            request, outcome.prepared.context, choices, material, int(config["context.episodes"])
        )
        unread = count_unchosen_rules(choices, material, request.phase)
    if own is None:
        own = _find_own(source, choices, request, folder)
    untold = [choice for choice in choices if choice.memory.id not in own]
    news = find_news(source, config, request, untold, outcome.prepared, now, before, own)
    newer = source.read_newer([choice.memory for choice in news.fresh], now)
    fresh, lines = _write_news(source, request, news, newer)
    if newer:
        lines += _write_beside(source, request, fresh, newer, {*own, *news.told}, now)
    project = context_records.find_project_name(source.db, request.caller.project_id)
    phase = news.add_section(request.phase)
    remark = news.describe_withdrawn(source) or notice

    def compose(budget: int) -> Bundle:
        return compose_bundle(
            lines, budget, project, phase=phase, format_=request.format, notice=remark
        )

    if tokenizer is None:
        bundle = compose(request.budget)
    else:
        from memctl.retrieve import tokenized  # only a program that brings a tokenizer needs it

        bundle, budget = tokenized.compose_counted(compose, request.budget, tokenizer)
        request = request.with_budget(budget)
    reachable = [*news.choices, *(choice for choice in choices if choice.memory.id in own)]
    own = {choice.memory.id: own[choice.memory.id] for choice in choices if choice.memory.id in own}
    return BuiltContext(
        request, outcome, reachable, fresh, bundle, project, unread, own, news, material, newer
    )


def _find_own(
    source: RecordSource,
    choices: Sequence[ContextChoice],
    request: ContextRequest,
    folder: Path | None,
) -> dict[str, str]:
    """What the asking agent reads by itself in this folder."""
    if source.at is not None or not request.caller.agent_id:
        return {}
    memories = [choice.memory for choice in choices]
    return read_by_agent.find_read_by_agent(source.db, request.caller.agent_id, folder, memories)


def _choose_hits(outcome: SearchOutcome, request: ContextRequest) -> list[ContextChoice]:
    """The task's hits; at a prompt without what the session began with."""
    return [
        ContextChoice("task", item.memory, item)
        for item in outcome.returned
        if (request.since is None or item.memory.updated_at >= request.since)
        and not (request.prompt_only and item.memory.always_load)
    ]


def _write_news(
    source: RecordSource, request: ContextRequest, news: SessionNews, newer: Newer
) -> tuple[list[ContextChoice], list[Line]]:
    """What is new to the session, with its lines; what changed since it was told says so."""
    doubtful = [choice for choice in news.choices if choice.memory.id in news.compared]
    if not doubtful:
        return list(news.fresh), _write_lines(source, news.fresh, request, newer)
    same = {
        line.id
        for line in _write_lines(source, doubtful, request, newer)
        if news.was_said(line.id, compute_checksum(line.texts[0]))
    }
    fresh = [choice for choice in news.fresh if choice.memory.id not in same]
    return fresh, _write_lines(source, fresh, request, newer, news.describe_changes(source))


def _write_beside(
    source: RecordSource,
    request: ContextRequest,
    fresh: Sequence[ContextChoice],
    newer: Newer,
    known: set[str],
    now: str,
) -> list[Line]:
    """The lines of newer records beside those that they may replace."""
    from memctl.retrieve import newer_beside  # hardly a context needs it

    choices = list(newer_beside.choose_beside(fresh, newer, known, is_prompt=request.prompt_only))
    still_newer = source.read_newer([choice.memory for choice in choices], now)
    return _write_lines(source, choices, request, still_newer)


# -- what is said of each record


def format_change_note(predecessors: Sequence[Mapping[str, Any]]) -> str | None:
    """What is said of a record that superseded several others; what changed once may have done
    so for good.
    """
    if len(predecessors) < 2:
        return None
    first = min(row["observed_at"] for row in predecessors)
    return f"changed {len(predecessors)} times since {first[:7]}"


def _write_lines(
    source: RecordSource,
    choices: Sequence[ContextChoice],
    request: ContextRequest,
    newer: Newer,
    changes: Mapping[str, str] | None = None,
) -> list[Line]:
    """The lines of the choices; `changes` says of some records what changed for the session."""
    ids = [choice.memory.id for choice in choices]
    touching = group_links(drop_links_with_candidates(source, source.list_links(ids)))
    opponents = {memory_id: find_opponents(memory_id, touching) for memory_id in ids}
    named = {each for some in opponents.values() for each in some}
    named |= {memory.id for memory, _ in newer.values()} if newer else set()
    shorts = source.find_short_ids({*ids, *named})
    predecessors = read_predecessors(source, ids, touching)
    return [
        _write_line(
            source.db,
            choice,
            request,
            shorts,
            opponents[choice.memory.id],
            (changes or {}).get(choice.memory.id)
            or format_change_note(predecessors.get(choice.memory.id, ())),
            newer.get(choice.memory.id, (None, 0.0))[0],
        )
        for choice in choices
    ]


def _write_line(
    db: Database,
    choice: ContextChoice,
    request: ContextRequest,
    shorts: Mapping[str, str],
    opponents: Sequence[str],
    change_note: str | None,
    newer: Memory | None,
) -> Line:
    memory, hit, short = choice.memory, choice.hit, shorts[choice.memory.id]
    is_foreign = hit is not None and hit.matched_scope in ("linked project", "other project")
    project = context_records.find_project_name(db, memory.project_id) if is_foreign else None
    notes = [_describe_origin(choice, project), change_note]
    if newer is not None:
        from memctl.retrieve import newer_beside

        notes.append(newer_beside.format_remark(newer, shorts[newer.id]))
    newer_id = newer.id if newer else None
    note = "; ".join(part for part in notes if part) or None
    # What is newer is named with its day already.
    disputed_with = [shorts[each] for each in opponents if each in shorts and each != newer_id]
    forms = list_forms(memory, request.level, note, disputed_with)
    if hit is None:
        return Line(
            choice.section,
            memory.id,
            short,
            forms,
            why=choice.why,
            pinned=memory.always_load,
            rule=choice.is_rule,
            newer=newer_id,
            beside=choice.beside,
            memory=memory,
        )
    if request.prompt_only:
        # Only the text is given out, and the reasons would take a tenth of the whole
        # call; the log line can tell them later.
        return Line(
            choice.section, memory.id, short, forms, hit.score, newer=newer_id, memory=memory
        )
    view = RecordView(memory, short, project, contradicted_by=tuple(opponents))
    return Line(
        choice.section,
        memory.id,
        short,
        forms,
        hit.score,
        search.describe_match(hit, view),
        newer=newer_id,
        memory=memory,
    )


def _describe_origin(choice: ContextChoice, project: str | None) -> str | None:
    """From which other project a record is; from which day, where it tells of work or leans on a
    day (`tomorrow`).
    """
    memory = choice.memory
    day = None
    if memory.type == "episode" or choice.section == "episodes":
        day = timestamps.to_local_day(memory.observed_at)
    elif leans_on_a_day(memory.content):
        day = f"said on {timestamps.to_local_day(memory.observed_at)}"
    parts = [f"from {project}" if project else None, day]
    return "; ".join(part for part in parts if part) or None


# -- the log line


def describe_context_run(config: Config, built: BuiltContext) -> dict[str, Any]:
    """What a context depends on beside what a search does, and its lines: how many in each
    section, and a checksum of each text.
    """
    sections = built.bundle.sections
    return {
        "fresh": built.request.is_fresh,
        "episodes": int(config["context.episodes"]),
        "sections": [[section.name, len(section.items)] for section in sections],
        "texts": [compute_checksum(item.text) for section in sections for item in section.items],
        **({"own": dict(built.own)} if built.own else {}),
    }


def _note_retrieval(
    db: Database, config: Config, retrieval_id: str, built: BuiltContext, actor: str, started: str
) -> None:
    """Leave the log line: what was asked for, which records the text holds, and what it takes to
    build it again.
    """
    said = [item.id for section in built.bundle.sections for item in section.items]
    fresh = [choice.memory.id for choice in built.fresh]
    settled = built.news.list_settled(said, fresh) if built.bundle.text else []
    entry = search_outcome.build_log_entry(
        config, retrieval_id, "context", built.outcome, actor, started
    )
    memories: list[Memory] = [
        choice.memory for choice in built.fresh if choice.memory.id in {*said}
    ]
    run = {
        **entry["filters"]["run"],
        **search_outcome.list_last_uses(memories, built.outcome.prepared),
        **describe_context_run(config, built),
        **({"withdrawn": settled} if settled else {}),
    }
    filters = {**entry["filters"], **built.request.options, "run": run}
    session_id = built.request.caller.session_id
    entry |= {"session_id": session_id, "filters": filters, "returned": said}
    spool.note_retrieval(db, entry, said)


def _list_omissions(
    source: RecordSource, built: BuiltContext, folder: Path | None
) -> Iterator[ContextOmission]:
    """Every record that could have been said and was not, with the reason."""
    said = {item.id for section in built.bundle.sections for item in section.items}
    fresh = {choice.memory.id for choice in built.fresh}
    left = [choice.memory for choice in built.choices if choice.memory.id not in said]
    shorts = source.find_short_ids({memory.id for memory in left})
    for memory in {memory.id: memory for memory in left}.values():
        file = built.own.get(memory.id)
        if file is not None:
            reason = "read_by_agent"
        else:
            reason = "no_room" if memory.id in fresh else "told_before"
        told = built.news.told.get(memory.id)
        yield ContextOmission(
            memory.id,
            shorts[memory.id],
            memory.title or memory.summary,
            reason,
            read_by_agent.shorten_path(file, folder) if file else None,
            told.at if told and reason == "told_before" else None,
        )


def _list_marks(source: RecordSource, built: BuiltContext) -> Iterator[ContextMark]:
    """Every record that was said of which a newer one was named."""
    from memctl.retrieve import newer_beside

    said = {item.id for section in built.bundle.sections for item in section.items}
    return newer_beside.list_marks(source, built.fresh, built.newer, said)


def compute_checksum(text: str) -> str:
    """A short mark by which a text is known again; a hash module would take longer to load than
    all contexts take to mark.
    """
    return f"{int.from_bytes(text.encode(), 'big') % _CHECKSUM_PRIME:08x}"
