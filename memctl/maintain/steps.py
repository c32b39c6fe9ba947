"""The table of maintenance steps, in the order in which they run: what each needs, when it is due.

To add a step:
1. Write the work where it belongs, with a `BoundedWork` argument: it asks `work.must_stop()`
   between short transactions, counts each commit, and finds by itself what is still to be done, so
   that it can be cut off anywhere and two runs at once do nothing twice.
2. Add a function to `step_actions` that calls it.
3. Add a row to `STEPS`; `plan.MaintenanceStep` explains the columns. If you can count cheaply what
   waits for it, add a function to `pending_work`.
4. Give the names that it counts words in `memctl/cli/text/maintenance.py`.
"""

from __future__ import annotations

from memctl.core.frozen import replace
from memctl.maintain import pending_work, step_actions
from memctl.maintain.plan import MaintenanceStep
from memctl.settings.config import Config

# A little less than a day: what runs at the same hour every night is then always due.
_DAILY_HOURS = 20.0
_BACKUP_SLACK_HOURS = 4

# Earlier names of steps, which `--step` still takes.
OLD_NAMES = {"tiers": "patterns"}

STEPS: tuple[MaintenanceStep, ...] = (
    MaintenanceStep(
        "finish",
        "finish what was cut off, such as a purge, an import or an undoing",
        step_actions.finish_abandoned,
        weight=8,
        count_waiting=pending_work.count_abandoned,
    ),
    MaintenanceStep(
        "history",
        "add events for records written by an older version",
        step_actions.record_history,
        count_waiting=pending_work.count_unrecorded,
    ),
    MaintenanceStep(
        "checksums",
        "give rows of an older version their checksums",
        step_actions.fill_checksums,
        count_waiting=pending_work.count_without_checksums,
    ),
    MaintenanceStep(
        "take_in",
        "take in what hooks left in the spool",
        step_actions.take_in_spool,
        weight=4,
        count_waiting=pending_work.count_spooled,
    ),
    MaintenanceStep(
        "notes",
        "read changed rules files and memories of other tools again",
        step_actions.read_changed_notes,
        weight=2,
        count_waiting=pending_work.count_changed_notes,
    ),
    MaintenanceStep(
        "extract",
        "propose memories from captured sessions",
        step_actions.extract_candidates,
        after=("take_in", "notes"),
        weight=10,
        is_shared=True,
        count_waiting=pending_work.count_due_jobs,
    ),
    MaintenanceStep(
        "retell",
        "tell episodes of an older version again, from the stored sessions",
        step_actions.retell_episodes,
        after=("extract",),
        weight=2,
        count_waiting=pending_work.count_retellable,
    ),
    MaintenanceStep(
        "entities",
        "find known names in new records, merge names of the same thing",
        step_actions.tidy_entities,
        after=("extract",),
        count_waiting=pending_work.count_unread_for_names,
    ),
    MaintenanceStep(
        "model",
        "ask the configured language model",
        step_actions.ask_model,
        needs=("extract",),
        weight=8,
        why_off=pending_work.why_no_model,
    ),
    MaintenanceStep(
        "index",
        "rebuild the full-text index where another version made it",
        step_actions.rebuild_text_index,
        weight=6,
        count_waiting=pending_work.count_outdated_index_entries,
    ),
    MaintenanceStep(
        "turns",
        "index the words of captured conversations",
        step_actions.index_turns,
        after=("take_in",),
        weight=4,
        count_waiting=pending_work.count_unindexed_conversations,
    ),
    MaintenanceStep(
        "embed",
        "compute missing vectors",
        step_actions.embed_records,
        after=("extract", "model", "index"),
        every_hours=_DAILY_HOURS,
        is_due_early=True,
        weight=10,
        count_waiting=pending_work.count_missing_vectors,
    ),
    MaintenanceStep(
        "consolidate",
        "merge duplicates, mark contradictions",
        step_actions.compare_records,
        needs=("extract",),
        after=("model", "embed"),
        weight=8,
        count_waiting=pending_work.count_uncompared,
    ),
    MaintenanceStep(
        "patterns",
        "propose what recurs in several sessions, write a digest of each week",
        step_actions.find_patterns,
        needs=("extract",),
        after=("consolidate",),
        every_hours=_DAILY_HOURS,
        weight=2,
    ),
    MaintenanceStep(
        "promote",
        "promote candidates that your rules cover",
        step_actions.promote_by_rules,
        needs=("consolidate",),
        why_off=pending_work.why_no_rules,
    ),
    MaintenanceStep(
        "expire",
        "archive records whose validity has ended",
        step_actions.archive_expired,
        count_waiting=pending_work.count_expired,
    ),
    MaintenanceStep(
        "age",
        "archive episodes and task hints that were not used for a long time",
        step_actions.archive_unused,
        every_hours=_DAILY_HOURS,
        why_off=pending_work.why_no_aging,
    ),
    MaintenanceStep(
        "citations",
        "check whether cited files and commands still exist",
        step_actions.check_citations,
        after=("consolidate", "promote"),
        every_hours=_DAILY_HOURS,
    ),
    MaintenanceStep(
        "cold",
        "propose to archive what was neither confirmed nor used for a long time",
        step_actions.propose_cold,
        after=("consolidate", "promote", "citations"),
        every_hours=_DAILY_HOURS,
    ),
    MaintenanceStep(
        "evict",
        "archive what exceeds limits.max_active",
        step_actions.evict_surplus,
        after=("consolidate", "promote", "age"),
        every_hours=_DAILY_HOURS,
    ),
    MaintenanceStep(
        "quality",
        "propose to mute rules whose candidates you reject",
        step_actions.propose_mutes,
        after=("consolidate",),
        every_hours=_DAILY_HOURS,
    ),
    MaintenanceStep(
        "pins",
        "choose what every context begins with",
        step_actions.choose_pins,
        after=("promote", "expire", "age", "evict"),
        every_hours=_DAILY_HOURS,
    ),
    MaintenanceStep(
        "embed_new",
        "compute vectors of records that the steps before created",
        step_actions.embed_records,
        needs=("embed",),
        after=("consolidate", "patterns", "promote"),
        weight=2,
        count_waiting=pending_work.count_missing_vectors,
        why_off=pending_work.why_no_vectors,
    ),
    MaintenanceStep(
        "marks",
        "mark records that a newer one may replace",
        step_actions.mark_overtaken,
        after=("consolidate", "promote", "expire", "age", "evict", "embed_new"),
        weight=4,
        count_waiting=pending_work.count_unmarked,
        why_off=pending_work.why_no_vectors,
    ),
    MaintenanceStep(
        "vault",
        "write what changed into the notes of vault.dir",
        step_actions.write_notes,
        after=("consolidate", "promote", "expire", "age", "evict", "pins"),
        why_off=pending_work.why_no_notes,
    ),
    MaintenanceStep(
        "sync",
        "send what changed to your other machines, take in what changed there",
        step_actions.sync_places,
        after=("consolidate", "promote", "expire", "age", "evict", "pins"),
        weight=4,
        why_off=pending_work.why_no_sync,
    ),
    MaintenanceStep(
        "digest",
        "count changes since you last read the digest",
        step_actions.count_changes,
        after=("promote", "evict"),
        every_hours=_DAILY_HOURS,
    ),
    MaintenanceStep(
        "journal",
        "write daily notes, stage new versions of MEMORY.md",
        step_actions.keep_journal,
        after=("promote", "expire", "evict", "marks"),
        every_hours=_DAILY_HOURS,
        weight=2,
        why_off=pending_work.why_no_journal,
    ),
    MaintenanceStep(
        "optimise",
        "merge pieces of the full-text index, fold the write-ahead log in",
        step_actions.merge_text_index,
        after=("embed_new",),
        every_hours=_DAILY_HOURS,
    ),
    MaintenanceStep(
        "retention",
        "drop logs that are past their retention",
        step_actions.drop_old_logs,
        count_waiting=pending_work.count_old_logs,
    ),
    MaintenanceStep(
        "backup",
        "copy the store and keep the newest copies",
        step_actions.back_up_store,
        after=("retention", "optimise"),
        weight=4,
        count_waiting=pending_work.count_unsaved,
        why_off=pending_work.why_no_backup,
    ),
)


def list_steps(config: Config) -> tuple[MaintenanceStep, ...]:
    """The steps with what the settings say of them: how often a backup is due."""
    backup_hours = 24.0 * config["backup.every_days"] - _BACKUP_SLACK_HOURS
    return tuple(
        replace(step, every_hours=backup_hours) if step.name == "backup" else step for step in STEPS
    )
