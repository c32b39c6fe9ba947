"""Why an agent is not told a record at a prompt, or at the start of a session: the first reason
that holds, in the order in which the context comes to be.

The context is built as it would be given out now, and what became of the record is read from that.
Kept true: a record is `returned` here exactly when it has a line in that context.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memctl.core import clock
from memctl.core.errors import UsageError
from memctl.core.model import Actor, Memory, Query
from memctl.records import views
from memctl.records.as_of import records_at
from memctl.records.record_source import PresentRecords
from memctl.results.retrieval import WhyNot
from memctl.retrieve import context, context_choice, read_by_agent, visibility, why_not
from memctl.retrieve.context import BuiltContext
from memctl.retrieve.score import ScoredRecord
from memctl.retrieve.why_not import AbsenceCase, Reason
from memctl.settings.config import Config
from memctl.store import records
from memctl.store.database import Database

# What a record may be explained as: told at a prompt, told at a start, found by a search.
PROMPT = "prompt"
START = "start"


def explain_untold(
    db: Database,
    config: Config,
    query: Query,
    record_id: str,
    way: str,
    *,
    folder: Path | None = None,
    viewer: Actor = visibility.OPERATOR,
) -> WhyNot:
    """Why the context for a prompt (`way` is `prompt`) or for a start with this task does not tell
    a record. Raises NotFound, UsageError.
    """
    if way == PROMPT and not query.text:
        raise UsageError("a prompt has words", hint="memctl search PROMPT --why-not ID --as prompt")
    source, session_id = records_at(db, query.as_of), query.place.session_id
    options = {
        "prompt_only": way == PROMPT,
        "session_start": way == START,
        "since": query.since,
        "as_of": query.as_of,
    }
    with db.snapshot():
        memory = records.resolve_record(db, record_id)
        shown = views.build_view(PresentRecords(db), memory)
        if visibility.is_hidden(memory, viewer, session_id):
            hidden = visibility.hide_private(shown, viewer, session_id)
            return WhyNot(query.text, hidden, *why_not.describe_private(db, memory), way=way)
        now = clock.now()
        built = context.trace_context(source, config, query.place, query.text, options, now, folder)
        case = AbsenceCase(source, built.outcome, shown, viewer, session_id)
        item = why_not.score_record(case, memory)
        reason, sentence = find_reason(case, built, item, folder)
    return WhyNot(query.text, shown, reason, sentence, item.score, item.parts, way)


def find_reason(
    case: AbsenceCase, built: BuiltContext, item: ScoredRecord, folder: Path | None
) -> Reason:
    """Why the record has no line in a context, or `returned`."""
    memory = case.shown.memory
    for section in built.bundle.sections:
        if any(line.id == memory.id for line in section.items):
            return "returned", f"The agent is told it, in the section {section.name}."
    state = case.source.find_state(memory)
    if state is None:
        return "not_yet", f"It was created after {case.source.at}."
    return (
        why_not.find_exclusion(case, state)
        or _find_telling_reason(built, state, folder)
        or _find_pinned_reason(built, state)
        or _find_unchosen_reason(case, built, item, state)
    )


def _find_telling_reason(built: BuiltContext, memory: Memory, folder: Path | None) -> Reason | None:
    """Why a record that was chosen is not told all the same."""
    file = built.own.get(memory.id)
    if file is not None:
        path = read_by_agent.shorten_path(file, folder)
        return "read_by_agent", f"The agent reads it itself, in {path}."
    if memory.id not in {choice.memory.id for choice in built.choices}:
        return None
    if memory.id in {choice.memory.id for choice in built.fresh}:
        setting = "context.prompt_budget" if built.request.prompt_only else "context.budget"
        return "no_room", (
            f"It found no room: the budget is {built.request.budget} tokens ({setting}), "
            "and what stands before it fills it."
        )
    told = built.news.told.get(memory.id)
    when = f" at {told.at}" if told else ""
    return "told_before", (
        f"The session was told it{when}, and it has not changed since "
        "(context.omit_already_served)."
    )


def _find_pinned_reason(built: BuiltContext, memory: Memory) -> Reason | None:
    """Why a prompt leaves out a hit that sessions begin with."""
    is_hit = any(item.memory.id == memory.id for item in built.outcome.returned)
    if not (built.request.prompt_only and is_hit and memory.always_load):
        return None
    return "pinned", "It is pinned: the session began with it, so no prompt brings it again."


def _find_unchosen_reason(
    case: AbsenceCase, built: BuiltContext, item: ScoredRecord, memory: Memory
) -> Reason:
    """Why a record was not chosen: neither as a hit nor for what it is."""
    since = built.request.since
    if since is not None and memory.updated_at < since:
        return "unchanged", f"It has not changed since {since}."
    if built.request.prompt_only:
        return why_not.find_relevance_reason(case, item)
    reason, sentence = "not_chosen", " ".join(_describe_unchosen(built, memory))
    if not built.request.task:
        return reason, sentence
    reason, of_task = why_not.find_relevance_reason(case, item)
    return reason, f"{of_task} {sentence}"


def _describe_unchosen(built: BuiltContext, memory: Memory) -> Iterator[str]:
    """Why a start does not tell a record for what it is, whatever the task."""
    if memory.never_load:
        yield "It was unpinned: no start brings it by itself."
        return
    sections = [
        name
        for name, section in built.request.phase.items()
        if context_choice.is_of_section(memory, section)
    ]
    if not sections:
        yield f"No section of a start has records of type {memory.type} and kind {memory.kind}."
        return
    pool = built.material.pool if built.material else ()
    if all(other.id != memory.id for other in pool):
        yield (
            f"Of its type or kind only the newest {len(pool)} records of the project and of all "
            "projects were held against each other, and it is older, or of elsewhere."
        )
        return
    if memory.type == "episode":
        yield "Only the last episodes come up (context.episodes)."
        return
    section = built.request.phase[sections[0]]
    most = section.beside_task if built.request.task else section.most
    yield (
        f"Others are stronger: of what is no rule, the section {sections[0]} has at most {most} "
        "records."
    )
