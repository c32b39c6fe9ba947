"""Tell the episodes of older versions of the extraction again, from the turns that are stored.

An episode is served without review, so a mend of how it is told must reach those that are there.
Stored turns hold no secrets and nothing that was purged. Archived and forgotten episodes stay as
they are, and so does what somebody edited or undid. All is one operation, however many runs it
takes: undone, it is not done again.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.capture import store_transcripts
from memctl.core.model import Candidate, Evidence, Memory, Source
from memctl.curate.propose import ACTOR, rewrite_episode
from memctl.extract import extract, extract_version
from memctl.maintain import ingestion_jobs, retell_position, time_limit
from memctl.maintain.retell_position import RULE
from memctl.maintain.run_state import MaintenanceRun
from memctl.records import drafts, quality
from memctl.redact.redactor import make_redactor
from memctl.store import event_log, records, sources, tombstones
from memctl.store.database import Database

_CAUSE = "told again"
# What was done by hand stays.
_BY_HAND = frozenset(("edited", "confirmed", "reverted", "restored"))
# Episodes that are listed at once. Chosen by hand.
_BATCH = 100


def retell_episodes(run: MaintenanceRun) -> None:
    """Tell episodes again, each in a short transaction. Counts `retold`."""
    after, operation = retell_position.read_position(run.db)
    muted = RULE in quality.list_muted(run.db)
    for old in _list_episodes(run.db, after):
        if run.must_stop():
            run.stop()
            return
        source = sources.find_source(run.db, old.source_ref or "")
        told = None if muted or source is None else _tell_again(run, source)
        if told is False:
            run.stop()
            return
        with (
            run.db.write(),
            event_log.group_changes(run.db, actor=ACTOR, cause=_CAUSE, operation=operation),
        ):
            if source is not None and isinstance(told, Candidate):
                run.count("retold", _rewrite(run, old, source, told))
            retell_position.note_position(run.db, old.id, operation)


def _list_episodes(db: Database, after: str) -> Iterator[Memory]:
    while batch := records.list_retellable(db, RULE, extract_version, after=after, limit=_BATCH):
        yield from batch
        after = batch[-1].id


def _tell_again(run: MaintenanceRun, source: Source) -> Candidate | bool | None:
    """The episode of a stored session; None if there is none, or reading it takes too long; False
    if the time of the run is over.
    """
    transcript = store_transcripts.read_stored(run.db, source)
    most, left = ingestion_jobs.compute_source_limit(run.config), run.compute_time_left()
    try:
        with time_limit.limit_time(min(most, left)):
            found = extract(transcript)
    except time_limit.TookTooLong:
        return None if left >= most else False
    return next((one for one in found if one.type == "episode"), None)


def _rewrite(run: MaintenanceRun, old: Memory, source: Source, told: Candidate) -> int:
    db = run.db
    present = records.find_record(db, old.id)
    if present is None or present.updated_at != old.updated_at:
        return 0
    if any(event.verb in _BY_HAND for event in event_log.list_of_memory(db, old.id)):
        return 0
    memory, proof = _build(run, source, told)
    if tombstones.find_tombstone(db, memory.fingerprint, []) is not None:
        return 0
    return rewrite_episode(db, present, source, memory, proof, _CAUSE)


def _build(run: MaintenanceRun, source: Source, told: Candidate) -> tuple[Memory, list[Evidence]]:
    turns = tuple(sources.read_turns(run.db, source.id))
    redactor = make_redactor(run.config)
    return drafts.build_from_candidate(told, source, turns, redactor, run.config["operator.names"])
