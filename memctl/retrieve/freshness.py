"""What time does to records: how sure each still is, in words; what is unused, proposed for the
archive; what is over a limit.

Kept true: the stored confidence is never touched. What is unused is only proposed, except agents'
episodes and task hints, which age by `decay.archive_after_days`. Only a limit that the operator set
archives by itself, and never what is protected, pinned or the operator's.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from memctl.core import clock, timestamps
from memctl.core.bounded_work import BoundedWork
from memctl.core.errors import ConfigError, RefusedByPolicy
from memctl.core.model import NO_SIGNALS, SCOPES, TYPES, Actor, Memory
from memctl.records import citations, proposals, relations
from memctl.records.record_source import RecordSource
from memctl.results.records import Proposal
from memctl.retrieve import decay
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import citations as cited
from memctl.store import event_log, feedback, feedback_signals, records
from memctl.store import freshness as store
from memctl.store.database import Database
from memctl.store.feedback import Outcome

ACTOR = "maintain"
# What is asked about at once; who has answered is asked about the next.
_MOST_OPEN = 50
# These go by themselves after `decay.archive_after_days`; they are asked about only where that is
# off.
_AGING = ("episode", "task_hint")
_COLD_TYPES = ("project", "artifact")
# In place of a type: all types of a scope together.
_ANY = "*"
_NAMES = {
    "profile": "profile facts",
    "project": "project facts",
    "decision": "decisions",
    "artifact": "artifacts",
    "episode": "episodes",
    "task_hint": "task hints",
}
# A difference in confidence that shows in the second digit.
_VISIBLE_DIFFERENCE = 0.005


def describe_confidence(memory: Memory, now: str, config: Config, gone: float = 0.0) -> str | None:
    """How sure a record still is, where that differs from what is stored: `confidence 0.90, now
    0.61: not confirmed for 210 days`.
    """
    sure = decay.compute_confidence(memory, now, config["decay.rates"], gone)
    if memory.confidence - sure < _VISIBLE_DIFFERENCE:
        return None
    reasons = []
    decayed = memory.confidence * (1 - decay.compute_decay(memory, now, config["decay.rates"]))
    if decayed >= _VISIBLE_DIFFERENCE:
        reasons.append(_describe_age(memory, now))
    if gone:
        reasons.append("what it cites is gone" if gone == 1 else "some of what it cites is gone")
    why = ", and ".join(reasons) or _describe_age(memory, now)
    return f"confidence {memory.confidence:.2f}, now {sure:.2f}: {why}"


def _describe_age(memory: Memory, now: str) -> str:
    last = decay.find_last_confirmation(memory, now)
    days = int(timestamps.days_between(last, now))
    what = "not used" if last == memory.last_accessed_at else "not confirmed"
    return f"{what} for {days} {'day' if days == 1 else 'days'}"


def describe_standing(source: RecordSource, config: Config, memory: Memory) -> tuple[str, ...]:
    """Notes on age, usage, votes and missing citations of a record; none where there is nothing
    to note, or nothing is known.
    """
    if not source.knows_usage:
        return ()
    db, now = source.db, clock.now()
    signals = source.find_signals([memory]).get(memory.id, NO_SIGNALS)
    notes = [describe_confidence(memory, now, config, signals.missing_share)]
    notes += [citations.describe_citation(each) for each in cited.list_of_memory(db, memory.id)]
    if memory.access_count and memory.last_accessed_at:
        times = "once" if memory.access_count == 1 else f"{memory.access_count} times"
        usage = decay.compute_usage(memory, now)
        day = timestamps.to_local_day(memory.last_accessed_at)
        notes.append(f"served {times}, last on {day}: usage {usage:.2f}")
    notes += [_describe_vote(each) for each in feedback.list_of_memory(db, memory.id)]
    reason = source.read_loading_reasons(memory.project_id).get(memory.id)
    if memory.never_load:
        notes.append("unpinned: contexts do not begin with it (memctl unpin)")
    elif reason is not None:
        notes.append(f"contexts begin with it {reason}")
    return tuple(note for note in notes if note)


def _describe_vote(one: Outcome) -> str:
    effect = "helped" if one.verdict == "good" else "misled"
    why = f": {one.reason}" if one.reason else ""
    return f"{one.actor} said on {timestamps.to_local_day(one.created_at)} that it {effect}{why}"


def propose_unused(db: Database, config: Config, work: BoundedWork | None = None) -> dict[str, int]:
    """Propose to archive what is unused, least sure first, so many at once; withdraw what no longer
    is.

    Counts `cold`, `proposed` and `withdrawn`.
    """
    work = work or BoundedWork()
    now = clock.now()
    cold = dict(_find_unused(db, config, now))
    work.counts.update(cold=len(cold), proposed=0, withdrawn=0)
    asked = {one.about: one for one in proposals.list_open(db, "archive")}
    warm = [one for one in asked.values() if one.actor == ACTOR and one.about not in cold]
    for one in warm:
        if work.must_stop():
            break
        proposals.withdraw_proposal(db, one, actor=ACTOR)
        work.count("withdrawn")
    room = _MOST_OPEN - len(asked) + len(warm)
    again = timestamps.add_seconds(now, seconds=-86400 * config["decay.ask_again_days"])
    for memory_id, reason in cold.items():
        if work.counts["proposed"] >= room or work.must_stop():
            break
        offered = proposals.offer_proposal(
            db, "archive", memory_id, reason=reason, actor=ACTOR, again_after=again
        )
        work.count("proposed", offered is not None)
    return dict(work.counts)


def _find_unused(db: Database, config: Config, now: str) -> Iterator[tuple[str, str]]:
    """The records that are unused, least sure first, each with the reason."""
    days = config["decay.cold_days"]
    if not days:
        return
    types = (*_COLD_TYPES, *(() if config["decay.archive_after_days"] else _AGING))
    old = store.list_untouched(db, types, timestamps.add_seconds(now, seconds=-86400 * days))
    known = feedback_signals.find_signals(db, old)
    found = []
    for memory in old:
        gone = known.get(memory.id, NO_SIGNALS).missing_share
        sure = decay.compute_confidence(memory, now, config["decay.rates"], gone)
        if (
            sure < config["decay.cold_confidence"]
            and decay.compute_usage(memory, now) < config["decay.cold_usage"]
        ):
            said = (
                describe_confidence(memory, now, config, gone)
                or f"confidence {memory.confidence:.2f}, {_describe_age(memory, now)}"
            )
            found.append((sure, memory.id, said))
    yield from ((memory_id, said) for _, memory_id, said in sorted(found))


def accept_archive(db: Database, config: Config, actor: Actor, asked: Proposal) -> tuple[str, ...]:
    """Archive the record that a proposal is about; call it inside an operation. Raises NotFound,
    RefusedByPolicy.
    """
    memory = records.get_record(db, asked.about)
    if not policy.is_in_force(memory):
        raise RefusedByPolicy(f"{memory.id} is {memory.status} already")
    _archive(
        db, memory, asked.reason, verb="archived", actor=actor.name, cause=f"proposal {asked.id}"
    )
    return (memory.id,)


def archive_over_limits(
    db: Database, config: Config, work: BoundedWork | None = None
) -> dict[str, int]:
    """Archive what is over the limits, each record as one operation.

    Counts `evicted` records, and those `over_limit` that may not go.
    """
    work = work or BoundedWork()
    work.counts.update(evicted=0, over_limit=0)
    for (type_, scope), most in read_limits(config).items():
        for crowd in store.list_crowded(db, type_, scope, most):
            if work.must_stop():
                return dict(work.counts)
            surplus = crowd.active - most
            going = _rank_lowest(db, config, crowd)[:surplus]
            reason = (
                f"over the limit of {most} active {_name_crowd(type_, scope)}: "
                f"lowest of {crowd.active} by freshness and use"
            )
            for memory_id in going:
                if work.must_stop():
                    return dict(work.counts)
                work.count("evicted", _archive_over_limit(db, memory_id, reason))
            work.count("over_limit", surplus - len(going))
    return dict(work.counts)


def read_limits(config: Config) -> dict[tuple[str | None, str | None], int]:
    """The limits that are set, by type and scope (None: any). Raises ConfigError for a name that
    is no type, `scope/type` or `scope/*`.
    """
    found: dict[tuple[str | None, str | None], int] = {}
    for name, most in config["limits.max_active"].items():
        scope, _, type_ = name.rpartition("/")
        is_whole_scope = bool(scope) and type_ == _ANY
        if (type_ not in TYPES and not is_whole_scope) or (scope and scope not in SCOPES):
            raise ConfigError(
                f"limits.max_active: {name!r} is no type, scope/type or scope/*; "
                f"types are {', '.join(TYPES)}"
            )
        found[None if is_whole_scope else type_, scope or None] = int(most)
    return found


def _name_crowd(type_: str | None, scope: str | None) -> str:
    return f"records of scope {scope}" if type_ is None else _NAMES[type_]


def _rank_lowest(db: Database, config: Config, crowd: store.Crowd) -> list[str]:
    """The ids of the records over a limit that may go, the least sure first, then the least
    used, then the least trusted.
    """
    now, members = clock.now(), store.list_removable(db, crowd)
    known = feedback_signals.find_signals(db, members)
    worth = [
        (
            decay.compute_confidence(
                memory,
                now,
                config["decay.rates"],
                known.get(memory.id, NO_SIGNALS).missing_share,
            ),
            decay.compute_usage(memory, now),
            memory.trust,
            memory.observed_at,
            memory.id,
        )
        for memory in members
    ]
    return list(map(itemgetter(4), sorted(worth)))


def _archive_over_limit(db: Database, memory_id: str, reason: str) -> bool:
    with db.write(), event_log.group_changes(db, actor=ACTOR, cause="limits.max_active"):
        memory = records.get_record(db, memory_id)
        if memory.status != "active":
            return False
        _archive(db, memory, reason, verb="evicted", actor=ACTOR, cause="limits.max_active")
        return True


def _archive(
    db: Database, memory: Memory, reason: str, *, verb: str, actor: str, cause: str
) -> None:
    relations.set_status(db, memory, "archived", reason=reason, verb=verb, actor=actor, cause=cause)
    relations.resolve_contradictions(db, memory.id, actor=actor, cause=cause)
