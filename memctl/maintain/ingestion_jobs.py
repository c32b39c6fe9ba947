"""The ingestions that wait: each is leased, read and extracted outside any transaction, and its results are stored with its end in one.

A job that fails is due again after a growing pause; after its last attempt it is dead, and kept. Several runs share the work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from memctl.capture import session
from memctl.core import clock
from memctl.core.errors import MemctlError
from memctl.core.model import Job
from memctl.curate.propose import Tally, propose, said_to_be_one
from memctl.extract import extract, extract_version
from memctl.maintain import time_limit
from memctl.maintain.run_state import Run
from memctl.records import drafts
from memctl.store import maintenance_steps, queue, sources

# The rest of a lease is for storing what was found.
_OF_LEASE = 0.8


class _NoTime(MemctlError):
    """The time of the run ended in the middle of a job."""


class _Lost(MemctlError):
    """Another run has taken the job over meanwhile."""


def waiting(db: Any, _config: Any) -> int:
    """How many ingestions are due."""
    return int(db.value("steps.due_jobs", now=clock.now()))


def extract_waiting(run: Run) -> Mapping[str, int]:
    """Extract all that is due; candidates go to the inbox."""
    if run.retry:
        with run.db.write():
            queue.retry_all(run.db, clock.now())
    counts, total = Counter[str](), waiting(run.db, run.config)
    while not run.enough():
        with run.db.write():
            job = queue.lease(
                run.db, owner=run.id, now=clock.now(), seconds=run.config["queue.lease_seconds"]
            )
        if job is None:
            run.others_are_at_it(maintenance_steps.holders(run.db))
            break
        if not _work_off(run, job, counts):
            run.stop()
            break
        run.tell(counts["jobs_done"] + counts["jobs_failed"], total)
    return counts


def _work_off(run: Run, job: Job, counts: Counter[str]) -> bool:
    """One job, whatever becomes of it; False if the time ended in it."""
    try:
        _refuse_deadly(run, job)
        counts.update(_process(run, job, is_first=not counts))
    except _NoTime:
        with run.db.write():
            maintenance_steps.give_back(run.db, job.id, run.id, clock.now())
        return False
    except _Lost:
        return True
    except Exception as error:  # The one job is set aside for a retry; the others go on.
        counts["jobs_failed"] += 1
        run.problems.append(_set_aside(run, job, error))
        return True
    counts["jobs_done"] += 1
    return True


def _refuse_deadly(run: Run, job: Job) -> None:
    """A job that took its process with it at every attempt never comes to fail by itself."""
    if job.attempts > run.config["queue.max_attempts"]:
        raise MemctlError(f"given up: none of {job.attempts - 1} attempts came to an end")


def _process(run: Run, job: Job, *, is_first: bool) -> dict[str, int]:
    db, config = run.db, run.config
    if job.source_id is None:
        return _finish(run, job, Tally(), {})
    source = sources.get(db, job.source_id)
    if source.turn_count == 0:
        transcripts = session.retry_unread(db, config, source)
        session.fill_in(db, config, source, transcripts)
        return _finish(run, job, Tally(), {"read_again": len(transcripts)})
    transcript = session.transcript_of(db, source)
    candidates, same = _in_time(run, transcript, is_first=is_first)
    with db.write():
        tally = propose(
            db, config, source, transcript.turns, candidates, cause=f"ingestion {job.id}", same=same
        )
        return _finish(run, job, tally, {name: getattr(tally, name) for name in Tally.__slots__})


def _in_time(run: Run, transcript: Any, *, is_first: bool) -> tuple[Any, Any]:
    """What a transcript tells, unless that takes too long. One that all the time of a run was not enough for has failed."""
    own, left = _own_limit(run.config), run.left()
    try:
        with time_limit.limited(min(own, left)):
            return extract(transcript), said_to_be_one(transcript.turns)
    except time_limit.TooLong as error:
        if left >= own:
            raise
        if not is_first:
            raise _NoTime("the time of the run is over") from error
        raise time_limit.TooLong(
            f"{left:.3g} s, all that this run had for it, were not enough; without --budget it has {own:.3g} s"
        ) from error


def _own_limit(config: Any) -> float:
    """The seconds that one conversation may take: less than its lease, so that nobody takes it over meanwhile."""
    most = float(config["queue.lease_seconds"]) * _OF_LEASE
    own = float(config["maintain.source_seconds"])
    return min(own, most) if own > 0 else most


def _finish(run: Run, job: Job, tally: Tally, outcome: Mapping[str, Any]) -> dict[str, int]:
    """Note the end of a job. Raises _Lost, so that nothing of it is stored, where another holds it by now."""
    with run.db.write():
        merged = {**job.outcome, **outcome}
        owned = queue.finish(
            run.db,
            job,
            owner=run.id,
            now=clock.now(),
            outcome=merged,
            processor="extract",
            version=extract_version,
        )
        if not owned:
            raise _Lost("another run has taken it over")
    return {name: getattr(tally, name) for name in Tally.__slots__}


def _set_aside(run: Run, job: Job, error: Exception) -> str:
    text = drafts.clean(
        str(error) if isinstance(error, MemctlError) else f"{type(error).__name__}: {error}"
    )
    with run.db.write():
        state = queue.fail(
            run.db,
            job,
            owner=run.id,
            now=clock.now(),
            error=text,
            max_attempts=run.config["queue.max_attempts"],
        )
    return f"ingestion {job.id} {'is dead' if state == 'dead' else 'failed and will be tried again'}: {text}"
