"""What each maintenance step does, as one function a step.

Each function gets the run, calls the code that does the work and lets it count in `run.work`. The
imports stand inside, so that a run in which nothing is due loads none of it.
"""

from __future__ import annotations

from memctl.maintain.run_state import MaintenanceRun


def finish_abandoned(run: MaintenanceRun) -> None:
    """Counts `finished`."""
    from memctl.maintain import finish_step

    finish_step.finish_abandoned(run)


def record_history(run: MaintenanceRun) -> None:
    """Counts `recorded`."""
    from memctl.history import rebuild

    run.count("recorded", rebuild.record_untracked(run.db, run.must_stop))


def fill_checksums(run: MaintenanceRun) -> None:
    """Counts `checksums`."""
    from memctl.maintain import checksum_step

    checksum_step.fill_checksums(run)


def take_in_spool(run: MaintenanceRun) -> None:
    """Counts `spool_taken` and `logs_taken`."""
    from memctl.maintain import intake_step

    intake_step.take_in_spool(run)


def read_changed_notes(run: MaintenanceRun) -> None:
    """Counts `files_read`, `files_missing`, and what became of their lines."""
    from memctl.maintain import notes_step

    notes_step.read_changed_notes(run)


def extract_candidates(run: MaintenanceRun) -> None:
    """Counts `jobs_done`, `jobs_failed`, and what was proposed."""
    from memctl.maintain import ingestion_jobs

    ingestion_jobs.extract_due_jobs(run)


def retell_episodes(run: MaintenanceRun) -> None:
    """Counts `retold`."""
    from memctl.maintain import retell_step

    retell_step.retell_episodes(run)


def tidy_entities(run: MaintenanceRun) -> None:
    """Counts `recognised`, `merged`, `proposed` and `withdrawn`."""
    from memctl.curate import entities

    entities.tidy_entities(run.db, run.config, run.work)


def ask_model(run: MaintenanceRun) -> None:
    """Counts `calls`, `tokens`, and what came of the answers; the cost is a detail."""
    from memctl.llm import maintenance

    time_left = run.compute_time_left()
    budget = None if time_left == float("inf") else time_left
    report = maintenance.ask_model(run.db, run.config, run.work, budget=budget)
    if report.cost:
        run.details["cost"] = report.cost
    if report.flag is not None:
        run.flags = (*run.flags, report.flag)
    if report.flag == maintenance.NO_TIME:
        run.stop()


def rebuild_text_index(run: MaintenanceRun) -> None:
    """Counts `reindexed`."""
    from memctl.maintain import index_step

    index_step.rebuild_text_index(run)


def index_turns(run: MaintenanceRun) -> None:
    """Counts `turns_indexed`."""
    from memctl.maintain import turns_step

    turns_step.index_turns(run)


def embed_records(run: MaintenanceRun) -> None:
    """Counts `embedded`, `vectors_indexed` and `slots_read`."""
    from memctl.maintain import index_step

    index_step.embed_records(run)


def compare_records(run: MaintenanceRun) -> None:
    """Counts `compared`, and each action taken."""
    from memctl.maintain import compare_step

    compare_step.compare_changed_records(run)


def find_patterns(run: MaintenanceRun) -> None:
    """Counts what was proposed, and the digests written."""
    from memctl.patterns import update

    update.update_patterns(run.db, run.config, run.work)


def promote_by_rules(run: MaintenanceRun) -> None:
    """Counts `promoted`."""
    from memctl.curate import approval

    approval.approve_by_rules(run.db, run.config, run.work)


def archive_expired(run: MaintenanceRun) -> None:
    """Counts `expired`."""
    from memctl.maintain import tidy_step

    tidy_step.archive_expired(run)


def archive_unused(run: MaintenanceRun) -> None:
    """Counts `archived`."""
    from memctl.maintain import tidy_step

    tidy_step.archive_unused(run)


def check_citations(run: MaintenanceRun) -> None:
    """Counts `looked_at`, `cited`, `missing` and `news`."""
    from memctl.records import citations

    citations.check_citations(run.db, run.config, run.work)


def propose_cold(run: MaintenanceRun) -> None:
    """Counts `cold`, `proposed` and `withdrawn`."""
    from memctl.retrieve import freshness

    freshness.propose_unused(run.db, run.config, run.work)


def evict_surplus(run: MaintenanceRun) -> None:
    """Counts `evicted` and `over_limit`."""
    from memctl.retrieve import freshness

    freshness.archive_over_limits(run.db, run.config, run.work)


def propose_mutes(run: MaintenanceRun) -> None:
    """Counts `mutes_proposed`."""
    from memctl.records import quality

    quality.propose_mutes(run.db, run.config, run.work)


def choose_pins(run: MaintenanceRun) -> None:
    """Counts `projects` and `loaded`."""
    from memctl.curate import pinning

    pinning.choose_loaded_records(run.db, run.config, run.work)


def mark_overtaken(run: MaintenanceRun) -> None:
    """Counts `marked`."""
    from memctl.maintain import marks_step

    marks_step.mark_overtaken(run)


def count_changes(run: MaintenanceRun) -> None:
    """Counts `changes`."""
    from memctl.curate import digest

    run.work.counts.update(digest.count_unread(run.db))


def keep_journal(run: MaintenanceRun) -> None:
    """Counts `days_written` and `documents_staged`."""
    from memctl.journal import memory_wording, nightly

    def make_wording() -> memory_wording.ModelWording | None:
        time_left = run.compute_time_left()
        seconds = None if time_left == float("inf") else time_left
        return memory_wording.make_wording(run.db, run.config, run.work, seconds)

    nightly.keep_journal(run.db, run.config, run.work, run.problems, make_wording)


def merge_text_index(run: MaintenanceRun) -> None:
    """Counts `merges`."""
    from memctl.maintain import index_step

    index_step.merge_text_index(run)


def drop_old_logs(run: MaintenanceRun) -> None:
    """Counts `logs_pruned`, `steps_pruned` and `drafts_removed`."""
    from memctl.maintain import tidy_step

    tidy_step.drop_old_logs(run)


def write_notes(run: MaintenanceRun) -> None:
    """Counts `notes_written` and `notes_waiting`."""
    from memctl.maintain import vault_step

    vault_step.write_notes(run)


def sync_places(run: MaintenanceRun) -> None:
    """Counts `sync_sent`, `sync_received` and `sync_unreachable`."""
    from memctl.maintain import sync_step

    sync_step.sync_places(run)


def back_up_store(run: MaintenanceRun) -> None:
    """Counts `backups`."""
    from memctl.maintain import backup_step

    backup_step.back_up_store(run)
