"""Work off the ingestion queue: read and extract each captured source, propose its candidates.

A job is leased, read and extracted outside any transaction; its results are stored in short ones,
then its end. A job that fails is due again after a growing pause, and what it had stored is not
stored twice; after its last attempt it is dead, and kept. Several runs share the work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.capture import store_transcripts, unread_originals
from memctl.consolidate.entity_statements import AliasStatement
from memctl.core import clock
from memctl.core.errors import MemctlError
from memctl.core.frozen import dataclass
from memctl.core.model import Actor, Candidate, Job, Transcript
from memctl.curate import taken_back
from memctl.curate.known_statements import take_up_known
from memctl.curate.note_versions import find_new_notes, is_newest, is_notes
from memctl.curate.propose import (
    ACTOR,
    ProposalCounts,
    list_alias_statements,
    propose_candidates,
)
from memctl.curate.reconcile_notes import reconcile_notes
from memctl.extract import extract, extract_version, find_record_changes, list_passed_over
from memctl.maintain import time_limit
from memctl.maintain.run_state import MaintenanceRun, describe_error
from memctl.redact.redactor import make_redactor
from memctl.settings.config import Config
from memctl.store import maintenance_steps, queue, sources

# The part of a lease that extraction may take; the rest is for storing the results. By hand.
_LEASE_SHARE = 0.8


class _OutOfTime(MemctlError):
    """The time of the run ended in the middle of a job."""


class _JobTakenOver(MemctlError):
    """Another run has taken the job over meanwhile."""


def extract_due_jobs(run: MaintenanceRun) -> None:
    """Extract every source that is due; its candidates go to the inbox.

    Counts `jobs_done`, `jobs_failed`, `read_again`, and what became of the candidates
    (`ProposalCounts`).
    """
    if run.retry:
        with run.db.write():
            queue.retry_all(run.db, clock.now())
    total = maintenance_steps.count_due_jobs(run.db, clock.now())
    while not run.must_stop():
        job = _lease_job(run)
        if job is None:
            run.leave_to_other_holders(maintenance_steps.list_job_holders(run.db))
            return
        if not _work_off_job(run, job):
            run.stop()
            return
        run.report_progress(run.work.counts["jobs_done"] + run.work.counts["jobs_failed"], total)


def _lease_job(run: MaintenanceRun) -> Job | None:
    with run.db.write():
        seconds = run.config["queue.lease_seconds"]
        return queue.lease_job(run.db, owner=run.id, now=clock.now(), seconds=seconds)


def _work_off_job(run: MaintenanceRun, job: Job) -> bool:
    """Process one job, whatever becomes of it; False if the time of the run ended in it."""
    try:
        _refuse_after_last_attempt(run, job)
        counts = _process_job(run, job)
    except _OutOfTime:
        with run.db.write():
            maintenance_steps.release_job(run.db, job.id, run.id, clock.now())
        return False
    except _JobTakenOver:
        return True
    except Exception as error:  # The one job is set aside for a retry; the others go on.
        problem = _set_job_aside(run, job, error)
        run.problems.append(problem)
        run.count("jobs_failed")
        return True
    run.work.counts.update(counts)
    run.count("jobs_done")
    return True


def _refuse_after_last_attempt(run: MaintenanceRun, job: Job) -> None:
    """Fail a job that never ended: one that kills its process cannot fail by itself."""
    if job.attempts > run.config["queue.max_attempts"]:
        raise MemctlError(f"given up: none of {job.attempts - 1} attempts came to an end")


def _process_job(run: MaintenanceRun, job: Job) -> Mapping[str, int]:
    """Read, extract and propose what one job is for; the counts of what was stored."""
    db, config = run.db, run.config
    if job.source_id is None:
        return _finish_job(run, job, {})
    source = sources.get_source(db, job.source_id)
    if source.turn_count == 0:
        transcripts = unread_originals.read_again(db, config, source)
        unread_originals.store_after_retry(db, config, source, transcripts)
        return _finish_job(run, job, {"read_again": len(transcripts)})
    transcript = store_transcripts.read_stored(db, source)
    found = _extract_in_time(run, transcript)

    def check() -> None:
        if not queue.is_leased_to(db, job.id, run.id):
            raise _JobTakenOver("another run has taken it over")

    new = find_new_notes(db, source, transcript.turns, found.candidates)
    # An ingestion that is tried again goes on in the same operation.
    tally = propose_candidates(
        db,
        config,
        source,
        transcript.turns,
        new.candidates,
        cause=f"ingestion {job.id}",
        same=found.aliases,
        operation=job.id,
        check=check,
        apart=new.apart,
        changes=found.changes,
    )
    take_up_known(
        db,
        config,
        source,
        transcript.turns,
        found.passed_over,
        tally,
        cause=f"ingestion {job.id}",
        operation=job.id,
        check=check,
    )
    taken_back.withdraw_taken_back(db, source, transcript, operation=job.id, check=check)
    tally.duplicates += new.known
    if is_notes(source) and is_newest(db, source):
        reconcile_notes(
            db,
            source.agent,
            source.session_id,
            transcript.turns,
            actor=Actor(ACTOR),
            operation=job.id,
        )
    return _finish_job(run, job, {name: getattr(tally, name) for name in ProposalCounts.__slots__})


@dataclass(frozen=True, slots=True)
class _Extracted:
    """What one transcript says: candidates, changes of what records say, statements beside them,
    and aliases.
    """

    candidates: list[Candidate]
    changes: list[Candidate]
    passed_over: list[Candidate]
    aliases: Sequence[AliasStatement]


def _extract_in_time(run: MaintenanceRun, transcript: Transcript) -> _Extracted:
    """Read what one transcript says. Pure, so it may be interrupted.

    Raises TookTooLong for a transcript that takes longer than its own limit, or than all the time
    that this run had for its first job. Raises _OutOfTime when the time of the run ends in it.
    """
    own_limit = compute_source_limit(run.config)
    time_left = run.compute_time_left()
    is_first = not run.work.counts["jobs_done"] and not run.work.counts["jobs_failed"]
    try:
        with time_limit.limit_time(min(own_limit, time_left)):
            found = extract(transcript)
            changes = find_record_changes(transcript, found)
            beside = list_passed_over(transcript, found)
            return _Extracted(found, changes, beside, list_alias_statements(transcript.turns))
    except time_limit.TookTooLong as error:
        if time_left >= own_limit:
            raise
        if not is_first:
            raise _OutOfTime("the time of the run is over") from error
        raise time_limit.TookTooLong(
            f"{time_left:.3g} s, all that this run had for it, were not enough; "
            f"without --budget it has {own_limit:.3g} s"
        ) from error


def compute_source_limit(config: Config) -> float:
    """The seconds that one source may take: less than its lease, so that nobody takes it over."""
    most = float(config["queue.lease_seconds"]) * _LEASE_SHARE
    own = float(config["maintain.source_seconds"])
    return min(own, most) if own > 0 else most


def _finish_job(run: MaintenanceRun, job: Job, counts: Mapping[str, int]) -> Mapping[str, int]:
    """Store the end of a job; its counts.

    Raises _JobTakenOver where another run holds the job by now; what both found is stored once.
    """
    with run.db.write():
        is_owner = queue.finish_job(
            run.db,
            job,
            owner=run.id,
            now=clock.now(),
            outcome={**job.outcome, **counts},
            processor="extract",
            version=extract_version,
        )
        if not is_owner:
            raise _JobTakenOver("another run has taken it over")
    return counts


def _set_job_aside(run: MaintenanceRun, job: Job, error: Exception) -> str:
    """Note that a job failed, for a later attempt or for good; a sentence for the report."""
    text = describe_error(error, make_redactor(run.config))
    with run.db.write():
        state = queue.fail_job(
            run.db,
            job,
            owner=run.id,
            now=clock.now(),
            error=text,
            max_attempts=run.config["queue.max_attempts"],
        )
    outcome = "is dead" if state == "dead" else "failed and will be tried again"
    return f"ingestion {job.id} {outcome}: {text}"
