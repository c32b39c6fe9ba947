"""Maintenance: everything that waits, in short steps, safe to run at any time and beside anything else.

Each ingestion is leased, read and extracted outside any transaction, and its results are stored with its end in one. A job that fails
is due again after a growing pause; after its last attempt it is dead, and kept.
"""

from __future__ import annotations

from typing import Any

from memctl import analyse, capture, clock, drafts, promote, relate, spool, unspool, vectors
from memctl.config import Config
from memctl.consolidate import run
from memctl.db import Db
from memctl.errors import MemctlError
from memctl.extract import extract, extract_version
from memctl.model import Job
from memctl.propose import Tally, propose, said_to_be_one
from memctl.results import MaintainReport
from memctl.store import lexical, logs, meta, queue, records, sources
from memctl.store.records import Filter

ACTOR = "maintain"
_ANALYSIS = "analysis"
_AGING = ("task_hint", "episode")


def maintain(
    db: Db, config: Config, *, reindex: bool = False, retry: bool = False, dry_run: bool = False, progress: vectors.Progress | None = None
) -> MaintainReport:
    """Do all that waits and report it in numbers; `dry_run` only counts what is due. `progress` is told of the vectors made."""
    if dry_run:
        return _due(db, config)
    problems: list[str] = []
    taken, troubles = unspool.take_in(db, config, requests=True)
    problems += troubles
    spool.take_in_logs(db, config)
    if retry:
        with db.write():
            queue.retry_all(db, clock.now())
    total, done, failed = _work_off(db, config, problems)
    # Noted before, so that what is written meanwhile is looked at by the next maintenance.
    looked_at = clock.now()
    changed = run.consolidate(db, config, since=meta.get(db, "last_maintained"))
    merged = sum(step.action == "merge" for step in changed.steps)
    promoted = promote.by_rules(db, config)
    expired, archived = _expire(db), _age(db, config)
    pruned = _prune_logs(db, config)
    reindexed = _reindex(db) if reindex else _analyse_anew(db)
    with db.write():
        meta.put(db, "last_maintained", looked_at)
    # Last, because it takes longest and any part of it may wait for the next run.
    embedded = vectors.embed_waiting(db, config, progress or (lambda done, total: None))
    states = queue.tally(db)
    return MaintainReport(
        spool_taken=taken, jobs_done=done, jobs_failed=failed, jobs_waiting=states.get("queued", 0) + states.get("failed", 0),
        proposed=total.proposed, duplicates=total.duplicates + merged, rejected_again=total.rejected_again, episodes=total.episodes,
        promoted=promoted, contradictions=total.contradictions + len(changed.steps) - merged, expired=expired, archived=archived,
        logs_pruned=pruned, reindexed=reindexed, embedded=embedded.made, vectors_indexed=embedded.indexed,
        inbox=len(records.select(db, Filter(statuses=("inbox",)))), problems=tuple(problems), flags=embedded.flags,
    )  # fmt: skip


def _work_off(db: Db, config: Config, problems: list[str]) -> tuple[Tally, int, int]:
    owner, total, done, failed = clock.new_id(), Tally(), 0, 0
    while True:
        with db.write():
            job = queue.lease(db, owner=owner, now=clock.now(), seconds=config["queue.lease_seconds"])
        if job is None:
            return total, done, failed
        try:
            _refuse_deadly(job, config)
            tally = _process(db, config, job, owner)
        except Exception as error:  # The one job is set aside for a retry; the others go on.
            failed += 1
            problems.append(_set_aside(db, config, job, owner, error))
            continue
        done += 1
        for name in Tally.__slots__:
            setattr(total, name, getattr(total, name) + getattr(tally, name))


def _refuse_deadly(job: Job, config: Config) -> None:
    """A job that took its process with it at every attempt never comes to fail by itself."""
    if job.attempts > config["queue.max_attempts"]:
        raise MemctlError(f"given up: none of {job.attempts - 1} attempts came to an end")


def _process(db: Db, config: Config, job: Job, owner: str) -> Tally:
    if job.source_id is None:
        return _finish(db, job, owner, Tally(), {})
    source = sources.get(db, job.source_id)
    if source.turn_count == 0:
        transcripts = capture.retry_unread(db, config, source)
        capture.fill_in(db, config, source, transcripts)
        return _finish(db, job, owner, Tally(), {"read_again": len(transcripts)})
    transcript = capture.transcript_of(db, source)
    candidates, same = extract(transcript), said_to_be_one(transcript.turns)
    with db.write():
        tally = propose(db, config, source, transcript.turns, candidates, cause=f"ingestion {job.id}", same=same)
        return _finish(db, job, owner, tally, {name: getattr(tally, name) for name in Tally.__slots__})


def _finish(db: Db, job: Job, owner: str, tally: Tally, outcome: dict[str, Any]) -> Tally:
    with db.write():
        merged = {**job.outcome, **outcome}
        queue.finish(db, job, owner=owner, now=clock.now(), outcome=merged, processor="extract", version=extract_version)
    return tally


def _set_aside(db: Db, config: Config, job: Job, owner: str, error: Exception) -> str:
    text = drafts.clean(str(error) if isinstance(error, MemctlError) else f"{type(error).__name__}: {error}")
    with db.write():
        state = queue.fail(db, job, owner=owner, now=clock.now(), error=text, max_attempts=config["queue.max_attempts"])
    return f"ingestion {job.id} {'is dead' if state == 'dead' else 'failed and will be tried again'}: {text}"


def _expire(db: Db) -> int:
    """Archive what was only true until now."""
    with db.write():
        ended = records.expired(db, clock.now())
        for memory in ended:
            relate.set_status(db, memory, "archived", reason="expired", verb="expired", actor=ACTOR, cause="maintain")
            relate.settle(db, memory.id, actor=ACTOR, cause="maintain")
    return len(ended)


def _age(db: Db, config: Config) -> int:
    """Archive task hints and episodes that nobody asked for in a long time; archiving is not forgetting, they may be promoted again."""
    days = config["decay.archive_after_days"]
    if not days:
        return 0
    with db.write():
        unused = records.unused(db, _AGING, clock.later(clock.now(), seconds=-86400 * days))
        for memory in unused:
            relate.set_status(db, memory, "archived", reason=f"unused for {days} days", verb="aged", actor=ACTOR, cause="maintain")
            relate.settle(db, memory.id, actor=ACTOR, cause="maintain")
    return len(unused)


def _prune_logs(db: Db, config: Config) -> int:
    days = config["logs.keep_days"]
    if not days:
        return 0
    with db.write():
        return logs.prune(db, clock.later(clock.now(), seconds=-86400 * days))


def _reindex(db: Db) -> int:
    """Build the indexes anew from the records."""
    vectors.reindex(db)
    with db.write():
        return _reindex_words(db)


def _analyse_anew(db: Db) -> int:
    """Build the full-text index anew if it was made by a program that takes words apart in another way."""
    if meta.get(db, _ANALYSIS) == str(analyse.VERSION) or not lexical.size(db):
        return 0
    with db.write():
        return _reindex_words(db)


def _reindex_words(db: Db) -> int:
    meta.put(db, _ANALYSIS, str(analyse.VERSION))
    return records.reindex(db)


def _due(db: Db, config: Config) -> MaintainReport:
    states, now = queue.tally(db), clock.now()
    days = config["decay.archive_after_days"]
    unused = records.unused(db, _AGING, clock.later(now, seconds=-86400 * days)) if days else []
    return MaintainReport(
        spool_taken=len(spool.files(config)), jobs_waiting=states.get("queued", 0) + states.get("failed", 0),
        expired=len(records.expired(db, now)), archived=len(unused), embedded=vectors.waiting(db, config),
        inbox=len(records.select(db, Filter(statuses=("inbox",)))), dry_run=True,
    )  # fmt: skip
