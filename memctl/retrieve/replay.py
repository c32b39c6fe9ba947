"""A past retrieval repeated: the same words at the same moment of the store as it is now, what
would differ, and why.

Kept true: nothing is written, neither a log line nor a count; on an unchanged store nothing
differs, down to the last digit of each score; every record that comes, goes or moves is named with
a reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memctl.core.frozen import replace
from memctl.core.model import Actor
from memctl.core.typing_lite import Any
from memctl.records.as_of import records_at
from memctl.records.record_source import RecordSource
from memctl.results.explanations import ReplayChange, ReplayReport, SettingChange
from memctl.retrieve import context, logged_query, replay_diff, search, search_outcome, visibility
from memctl.retrieve.logged_query import LoggedRetrieval
from memctl.retrieve.replay_diff import Comparison, RepeatedRetrieval
from memctl.retrieve.search_outcome import SearchOutcome
from memctl.settings.config import Config
from memctl.store import context_records
from memctl.store.database import Database

_COMPARED = ("score", "parts", "outcome")
_GONE_PROJECT = "The project that it was asked from is not there any more."


def compare_with_now(
    db: Database, config: Config, log: Mapping[str, Any], *, viewer: Actor = visibility.OPERATOR
) -> ReplayReport:
    """The differences between a log line and today's answer. Raises UsageError where the line
    asks for what cannot be asked.
    """
    then = logged_query.parse_log_line(log)
    source = records_at(db, then.query.as_of)
    with db.snapshot():
        if then.command == "context":
            now = _repeat_context(db, config, then)
        else:
            now = _repeat_search(source, config, then)
        comparison = Comparison(source, then, now, viewer)
        changes = tuple(
            _hide_private_change(comparison, change)
            for change in (
                *_list_missing(comparison),
                *_list_new(comparison),
                *_list_common(comparison, now),
            )
        )
        settings, unreturned = (
            tuple(_list_setting_changes(then, now)),
            _count_unreturned_changes(then, now),
        )
        notes = (*then.notes, *_list_lost_projects(db, then))
    return ReplayReport(
        then.id,
        then.command,
        then.query.text,
        then.now,
        not (changes or settings or unreturned),
        len(then.returned),
        len(now.returned),
        changes,
        settings,
        unreturned,
        notes,
    )


def _repeat_search(
    source: RecordSource, config: Config, then: LoggedRetrieval
) -> RepeatedRetrieval:
    outcome = search.run_search(
        source, config, then.query, then.now, last_uses=_read_texts(then.run.get("used"))
    )
    return RepeatedRetrieval(
        outcome,
        search_outcome.describe_run(config, outcome.prepared, then.now),
        tuple(item.memory.id for item in outcome.returned),
        _index_candidates(outcome),
    )


def _repeat_context(db: Database, config: Config, then: LoggedRetrieval) -> RepeatedRetrieval:
    caller, task = then.query.place, then.query.text
    built = context.rebuild_context(
        db,
        config,
        caller,
        task,
        then.chosen,
        then.now,
        then.id,
        _read_texts(then.run.get("used")),
        _read_texts(then.run.get("own")),
    )
    run = {
        **search_outcome.describe_run(config, built.outcome.prepared, then.now),
        **context.describe_context_run(config, built),
    }
    lines = [(section.name, item.id) for section in built.bundle.sections for item in section.items]
    return RepeatedRetrieval(
        built.outcome,
        run,
        tuple(memory_id for _, memory_id in lines),
        _index_candidates(built.outcome),
        tuple(name for name, _ in lines),
        tuple(run["texts"]),
        frozenset(choice.memory.id for choice in built.choices),
        frozenset(choice.memory.id for choice in built.fresh),
    )


def _read_texts(value: Any) -> dict[str, str]:
    """What the line says of some records, by id: when they had last been used by then, or in which
    file the agent read them.
    """
    return (
        {str(name): text for name, text in value.items() if isinstance(text, str)}
        if isinstance(value, Mapping)
        else {}
    )


def _index_candidates(outcome: SearchOutcome) -> dict[str, Mapping[str, Any]]:
    return {
        candidate["id"]: candidate for candidate in search_outcome.list_logged_candidates(outcome)
    }


def _hide_private_change(comparison: Comparison, change: ReplayChange) -> ReplayChange:
    """A change as the viewer may know it: of what is private to another only that there is one."""
    memory = comparison.find_memory(change.record_id)
    if memory is None or not visibility.is_hidden(memory, comparison.viewer, None):
        return change
    return replace(
        change, reason="private", sentence="It is private to another agent or session.", parts={}
    )


# -- what differs


def _list_missing(comparison: Comparison) -> Iterator[ReplayChange]:
    for rank, memory_id in enumerate(comparison.then.returned, 1):
        if memory_id not in comparison.now.returned:
            reason, sentence = replay_diff.explain_missing(comparison, memory_id)
            yield _build_change(comparison, "missing", memory_id, reason, sentence, rank, None)


def _list_new(comparison: Comparison) -> Iterator[ReplayChange]:
    for rank, memory_id in enumerate(comparison.now.returned, 1):
        if memory_id not in comparison.then.returned:
            reason, sentence = replay_diff.explain_new(comparison, memory_id)
            yield _build_change(comparison, "new", memory_id, reason, sentence, None, rank)


def _list_common(comparison: Comparison, now: RepeatedRetrieval) -> Iterator[ReplayChange]:
    """Records that are returned then and now, but with another rank, another score or other
    words.
    """
    then = comparison.then
    before = [memory_id for memory_id in then.returned if memory_id in now.returned]
    after = [memory_id for memory_id in now.returned if memory_id in then.returned]
    for memory_id in after:
        ranks = then.returned.index(memory_id) + 1, now.returned.index(memory_id) + 1
        section_then, section_now = (
            _get_at_rank(names, rank)
            for names, rank in zip((then.sections, now.sections), ranks, strict=True)
        )
        if section_then and section_then != section_now:
            yield _build_change(
                comparison,
                "moved",
                memory_id,
                "section",
                f"It stands under {section_now} now, then under {section_then}.",
                *ranks,
            )
        elif before.index(memory_id) != after.index(memory_id):
            yield _build_change(
                comparison,
                "moved",
                memory_id,
                *replay_diff.explain_moved(comparison, memory_id),
                *ranks,
            )
        elif (
            comparison.find_changed_parts(memory_id)
            or comparison.get_scores(memory_id)[0] != comparison.get_scores(memory_id)[1]
        ):
            yield _build_change(
                comparison,
                "rescored",
                memory_id,
                *replay_diff.explain_rescored(comparison, memory_id),
                *ranks,
            )
        elif then.texts and _get_at_rank(then.texts, ranks[0]) != _get_at_rank(now.texts, ranks[1]):
            yield _build_change(
                comparison,
                "reworded",
                memory_id,
                *replay_diff.explain_reworded(comparison, memory_id),
                *ranks,
            )


def _get_at_rank(names: Sequence[str], rank: int) -> str | None:
    return names[rank - 1] if rank <= len(names) else None


def _build_change(
    comparison: Comparison,
    what: str,
    memory_id: str,
    reason: str,
    sentence: str,
    rank_then: int | None,
    rank_now: int | None,
) -> ReplayChange:
    score_then, score_now = comparison.get_scores(memory_id)
    parts = comparison.find_changed_parts(memory_id)
    return ReplayChange(
        what, memory_id, reason, sentence, rank_then, rank_now, score_then, score_now, parts
    )


def _list_setting_changes(then: LoggedRetrieval, now: RepeatedRetrieval) -> Iterator[SettingChange]:
    """What else a retrieval depends on, where it is known and differs."""
    run = {
        name: value
        for name, value in then.run.items()
        if name not in ("now", "sections", "texts", "used", "own", "withdrawn")
    }
    for name, value in (*run.items(), ("flags", list(then.flags))):
        today = list(now.outcome.flags) if name == "flags" else now.run.get(name)
        if value != today:
            yield SettingChange(name, value, today)


def _count_unreturned_changes(then: LoggedRetrieval, now: RepeatedRetrieval) -> int:
    """How many candidates that were returned neither then nor now would come, go, or score
    otherwise.
    """
    ids = (then.candidates.keys() | now.candidates.keys()) - {*then.returned, *now.returned}
    return sum(
        _get_compared_fields(then.candidates.get(memory_id))
        != _get_compared_fields(now.candidates.get(memory_id))
        for memory_id in ids
    )


def _get_compared_fields(candidate: Mapping[str, Any] | None) -> list[Any] | None:
    return None if candidate is None else [candidate.get(name) for name in _COMPARED]


def _list_lost_projects(db: Database, then: LoggedRetrieval) -> list[str]:
    project = then.query.place.project_id
    return (
        [_GONE_PROJECT]
        if project and context_records.find_project_name(db, project) is None
        else []
    )
