"""Count what waits for each maintenance step, cheaply, and say what turns a step off.

Nothing here writes. `count_...` functions are for `MaintenanceStep.count_waiting`, `why_no_...`
functions for `MaintenanceStep.why_off`.
"""

from __future__ import annotations

from memctl.capture import known_memory_files
from memctl.core import clock, timestamps
from memctl.core.model import Filter, Memory
from memctl.history import rebuild
from memctl.maintain import retell_position
from memctl.retrieve import slot_vectors, vectors
from memctl.settings.config import Config
from memctl.store import (
    backup,
    derived_tables,
    entities,
    file_register,
    files,
    lexical,
    lexical_repair,
    maintenance_steps,
    marks,
    meta,
    records,
    row_checks,
    semantic,
    spool,
    turn_index,
    unfinished,
    vector_index,
)
from memctl.store.database import Database
from memctl.text import tokens

# Keys in the store's `meta` table: the version of the word analysis that made the full-text index,
# and the change (time, record id) up to which records were compared with others.
ANALYSIS = "analysis"
COMPARED_UNTIL = "consolidated_until"
_AGING_TYPES = ("task_hint", "episode")
_DAY_SECONDS = 86400
# How long the accounts of maintenance steps are kept. Chosen by hand.
_STEPS_KEPT_DAYS = 90
_VECTORS_OFF = "none"


def count_unrecorded(db: Database, _config: Config) -> int:
    """Records whose links and evidence are missing in the event log of an older version."""
    return 0 if rebuild.is_covered(db) else len(records.select_records(db, Filter()))


def count_spooled(_db: Database, config: Config) -> int:
    """Files in the spool."""
    return len(spool.list_files(config))


def count_changed_notes(db: Database, _config: Config) -> int:
    """Files of notes that were changed since they were imported."""
    known = known_memory_files.list_known_files(db)
    return sum(1 for _ in known_memory_files.find_changed(known))


def count_due_jobs(db: Database, _config: Config) -> int:
    """Ingestions that are due."""
    return maintenance_steps.count_due_jobs(db, clock.now())


def count_retellable(db: Database, _config: Config) -> int:
    """Episodes that an older version of the extraction told."""
    return retell_position.count_retellable(db)


def count_unread_for_names(db: Database, _config: Config) -> int:
    """Records that were not read for known names yet, and names that were not looked for yet."""
    return entities.count_unread(db)


def count_uncompared(db: Database, _config: Config) -> int:
    """Records that were changed since they were last compared with others."""
    return maintenance_steps.count_changed(db, *read_compared_until(db))


def count_unmarked(db: Database, _config: Config) -> int:
    """Records of which nobody has looked yet whether a newer one may replace them."""
    return marks.count_waiting(db) or int(marks.are_outdated(db))


def count_abandoned(db: Database, _config: Config) -> int:
    """Operations of several transactions that a kill cut off."""
    return len(unfinished.list_abandoned(db))


def read_compared_until(db: Database) -> tuple[str, str]:
    """Up to which change records were compared with others: its time, and the record's id."""
    at, _, memory_id = (meta.get_note(db, COMPARED_UNTIL) or "").partition(" ")
    if not meta.is_time(at):
        return meta.get_time(db, "last_maintained") or "", ""
    return at, memory_id


def count_expired(db: Database, _config: Config) -> int:
    """Living records whose validity has ended."""
    return len(records.list_expired(db, clock.now()))


def list_unused(db: Database, config: Config) -> list[Memory]:
    """Task hints and episodes that nobody used for `decay.archive_after_days`."""
    days = config["decay.archive_after_days"]
    if not days:
        return []
    before = timestamps.add_seconds(clock.now(), seconds=-_DAY_SECONDS * days)
    return records.list_unused(db, _AGING_TYPES, before)


def count_outdated_index_entries(db: Database, _config: Config) -> int:
    """Entries of the full-text index, if another version of the word analysis made them, or if
    it is damaged or not whole.
    """
    if not lexical_repair.is_whole(db) or lexical_repair.is_incomplete(db):
        return max(1, lexical_repair.count_records(db))
    return 0 if meta.get_note(db, ANALYSIS) == str(tokens.VERSION) else lexical.count_indexed(db)


def count_unindexed_conversations(db: Database, _config: Config) -> int:
    """Conversations that the index of turns lacks; at least 1 if it is damaged, or if tables of a
    former one are still to be dropped.
    """
    waiting = turn_index.count_waiting(db)
    return waiting or int(not turn_index.is_healthy(db) or bool(derived_tables.list_replaced(db)))


def count_without_checksums(db: Database, _config: Config) -> int:
    """1 while rows of an older version may lack their checksum; else 0."""
    return row_checks.count_unfilled(db)


def count_missing_vectors(db: Database, config: Config) -> int:
    """Records without a vector of the configured model or a slot vector, and vectors missing in
    their index.
    """
    if config["embedding.model"] == _VECTORS_OFF:
        return 0
    return _count_missing_of_model(db, config) + slot_vectors.count_waiting(db, config)


def _count_missing_of_model(db: Database, config: Config) -> int:
    model = semantic.find_serving_model(db)
    if model is None or model.name != config["embedding.model"]:
        return semantic.count_without_vector(db, -1)
    has_index = config["embedding.extension"] and vector_index.has_table(db)
    if config["embedding.extension"] and vectors.has_lost_index(db, model):
        return semantic.count_vectors(db, model.id)
    unindexed = vector_index.count_unindexed(db, model.id) if has_index else 0
    return semantic.count_without_vector(db, model.id) + unindexed


def count_old_logs(db: Database, config: Config) -> int:
    """Lines of the retrieval log, accounts of steps and files of killed processes that may go."""
    logs = maintenance_steps.count_old_logs(db, compute_logs_before(config) or "")
    steps = maintenance_steps.count_old_steps(db, compute_steps_before())
    return logs + steps + len(file_register.list_abandoned(config))


def compute_logs_before(config: Config) -> str | None:
    """The time before which retrieval logs are dropped; None: they are kept for ever."""
    days = config["logs.keep_days"]
    return timestamps.add_seconds(clock.now(), seconds=-_DAY_SECONDS * days) if days else None


def compute_steps_before() -> str:
    """The time before which accounts of maintenance steps are dropped."""
    return timestamps.add_seconds(clock.now(), seconds=-_DAY_SECONDS * _STEPS_KEPT_DAYS)


def count_unsaved(db: Database, config: Config) -> int:
    """1 if anything happened since the last automatic copy, or that copy is gone; else 0."""
    last = maintenance_steps.find_last_done(db, "backup")
    if last is None or not backup.list_automatic(config):
        return 1
    return int(last.outcome.get("head") != maintenance_steps.read_head(db))


def why_no_model(config: Config) -> str | None:
    """Why no language model is used."""
    return None if str(config["maintain.model"]).strip() else "maintain.model names none"


def why_no_rules(config: Config) -> str | None:
    """Return why the step `promote` is switched off, or None."""
    return None if config["promotion.rules"] else "there are no promotion.rules"


def why_no_journal(config: Config) -> str | None:
    """Why no daily notes are kept, or None."""
    return None if str(config["journal.dir"]).strip() else "journal.dir is not set"


def why_no_aging(config: Config) -> str | None:
    """Return why the step `age` is switched off, or None."""
    return None if config["decay.archive_after_days"] else "decay.archive_after_days is 0"


def why_no_vectors(config: Config) -> str | None:
    """Return why the step `embed` is switched off, or None."""
    return "embedding.model is none" if config["embedding.model"] == _VECTORS_OFF else None


def why_no_notes(config: Config) -> str | None:
    """Why no folder of notes is kept in line."""
    return None if config["vault.dir"] else "vault.dir is not set"


def why_no_sync(config: Config) -> str | None:
    """Why nothing is synced, or None."""
    return None if files.locate_sync_key(config.db).exists() else "this store follows no other"


def why_no_backup(config: Config) -> str | None:
    """Why no copies are made."""
    return None if config["backup.every_days"] > 0 else "backup.every_days is 0"
