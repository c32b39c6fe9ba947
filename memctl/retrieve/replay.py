"""A past retrieval asked again: the same words at the same moment of the store as it is now, what would differ, and why.

Kept true: nothing is written, neither a log line nor a count; on an unchanged store nothing differs, down to the last digit of each
score; every record that comes, goes or moves is named with a reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memctl.core.frozen import dataclass, replace
from memctl.core.model import Actor, Query
from memctl.results.explanations import ReplayChange, ReplayReport, SettingChange
from memctl.retrieve import context, logged_query, replay_diff, search, visibility
from memctl.retrieve.logged_query import Past
from memctl.retrieve.replay_diff import Both
from memctl.retrieve.search import Outcome
from memctl.settings.config import Config
from memctl.store import context_records
from memctl.store.database import Db

_COMPARED = ("score", "parts", "outcome")
_GONE_PROJECT = "The project that it was asked from is not there any more."


@dataclass(frozen=True, slots=True)
class Now:
    """What the same retrieval answers now, in the terms of its log line."""

    query: Query
    outcome: Outcome
    run: Mapping[str, Any]
    returned: tuple[str, ...]
    candidates: Mapping[str, Mapping[str, Any]]
    sections: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    told: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()


def replay(
    db: Db, config: Config, log: Mapping[str, Any], *, viewer: Actor = visibility.OPERATOR
) -> ReplayReport:
    """The differences between a log line and the answer of today. Raises UsageError where the line asks for what cannot be asked."""
    then = logged_query.read(log)
    with db.snapshot():
        now = _context(db, config, then) if then.command == "context" else _search(db, config, then)
        both = Both(
            db,
            then,
            now.query,
            now.outcome,
            now.run,
            now.candidates,
            now.returned,
            now.told,
            now.fresh,
            viewer,
        )
        changes = tuple(
            _open(both, change) for change in (*_missing(both), *_new(both), *_common(both, now))
        )
        settings, unreturned = tuple(_settings(then, now)), _unreturned(then, now)
        notes = (*then.notes, *_lost(db, then))
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


def _search(db: Db, config: Config, then: Past) -> Now:
    outcome = search.run(db, config, then.query, then.now, used=_used(then))
    returned = tuple(item.memory.id for item in outcome.returned)
    return Now(
        then.query,
        outcome,
        search.run_of(config, outcome.asked, then.now),
        returned,
        _by_id(outcome),
    )


def _context(db: Db, config: Config, then: Past) -> Now:
    made = context.again(
        db, config, then.query.place, then.query.text, then.chosen, then.now, then.id, _used(then)
    )
    run = {
        **search.run_of(config, made.outcome.asked, then.now),
        **context.more_of_run(config, made),
    }
    lines = [(section.name, item.id) for section in made.bundle.sections for item in section.items]
    told, fresh = (
        frozenset(choice.memory.id for choice in choices) for choices in (made.told, made.fresh)
    )
    sections, returned = (
        tuple(name for name, _ in lines),
        tuple(memory_id for _, memory_id in lines),
    )
    return Now(
        made.query,
        made.outcome,
        run,
        returned,
        _by_id(made.outcome),
        sections,
        tuple(run["texts"]),
        told,
        fresh,
    )


def _used(then: Past) -> dict[str, str]:
    """When records had last been used by then, as far as they were used again and the line says it."""
    used = then.run.get("used")
    return (
        {str(name): at for name, at in used.items() if isinstance(at, str)}
        if isinstance(used, Mapping)
        else {}
    )


def _by_id(outcome: Outcome) -> dict[str, Mapping[str, Any]]:
    return {candidate["id"]: candidate for candidate in search.considered(outcome)}


def _open(both: Both, change: ReplayChange) -> ReplayChange:
    """A change as the viewer may know it: of what is private to another only that there is one."""
    memory = both.memory(change.record_id)
    if memory is None or not visibility.is_hidden(memory, both.viewer, None):
        return change
    return replace(
        change, reason="private", sentence="It is private to another agent or session.", parts={}
    )


# -- what differs -----------------------------------------------------------------------------------------------------


def _missing(both: Both) -> Iterator[ReplayChange]:
    for rank, memory_id in enumerate(both.then.returned, 1):
        if memory_id not in both.returned:
            reason, sentence = replay_diff.missing(both, memory_id)
            yield _change(both, "missing", memory_id, reason, sentence, rank, None)


def _new(both: Both) -> Iterator[ReplayChange]:
    for rank, memory_id in enumerate(both.returned, 1):
        if memory_id not in both.then.returned:
            reason, sentence = replay_diff.new(both, memory_id)
            yield _change(both, "new", memory_id, reason, sentence, None, rank)


def _common(both: Both, now: Now) -> Iterator[ReplayChange]:
    """Records that are returned then and now, but elsewhere in the order, with another score or in other words."""
    then = both.then
    before = [memory_id for memory_id in then.returned if memory_id in now.returned]
    after = [memory_id for memory_id in now.returned if memory_id in then.returned]
    for memory_id in after:
        ranks = then.returned.index(memory_id) + 1, now.returned.index(memory_id) + 1
        section_then, section_now = (
            _at(names, rank)
            for names, rank in zip((then.sections, now.sections), ranks, strict=True)
        )
        if section_then and section_then != section_now:
            yield _change(
                both,
                "moved",
                memory_id,
                "section",
                f"It stands under {section_now} now, then under {section_then}.",
                *ranks,
            )
        elif before.index(memory_id) != after.index(memory_id):
            yield _change(both, "moved", memory_id, *replay_diff.moved(both, memory_id), *ranks)
        elif both.parts(memory_id) or both.scores(memory_id)[0] != both.scores(memory_id)[1]:
            yield _change(
                both, "rescored", memory_id, *replay_diff.rescored(both, memory_id), *ranks
            )
        elif then.texts and _at(then.texts, ranks[0]) != _at(now.texts, ranks[1]):
            yield _change(
                both, "reworded", memory_id, *replay_diff.reworded(both, memory_id), *ranks
            )


def _at(names: Sequence[str], rank: int) -> str | None:
    return names[rank - 1] if rank <= len(names) else None


def _change(
    both: Both,
    what: str,
    memory_id: str,
    reason: str,
    sentence: str,
    rank_then: int | None,
    rank_now: int | None,
) -> ReplayChange:
    score_then, score_now = both.scores(memory_id)
    parts = both.parts(memory_id)
    return ReplayChange(
        what, memory_id, reason, sentence, rank_then, rank_now, score_then, score_now, parts
    )


def _settings(then: Past, now: Now) -> Iterator[SettingChange]:
    """What else a retrieval depends on, where it is known and differs."""
    run = {
        name: value
        for name, value in then.run.items()
        if name not in ("now", "sections", "texts", "used")
    }
    for name, value in (*run.items(), ("flags", list(then.flags))):
        today = list(now.outcome.flags) if name == "flags" else now.run.get(name)
        if value != today:
            yield SettingChange(name, value, today)


def _unreturned(then: Past, now: Now) -> int:
    """How many candidates that were returned neither then nor now would come, go, or score otherwise."""
    ids = (then.candidates.keys() | now.candidates.keys()) - {*then.returned, *now.returned}
    return sum(
        _seen(then.candidates.get(memory_id)) != _seen(now.candidates.get(memory_id))
        for memory_id in ids
    )


def _seen(candidate: Mapping[str, Any] | None) -> list[Any] | None:
    return None if candidate is None else [candidate.get(name) for name in _COMPARED]


def _lost(db: Db, then: Past) -> list[str]:
    project = then.query.place.project_id
    return [_GONE_PROJECT] if project and context_records.project_name(db, project) is None else []
