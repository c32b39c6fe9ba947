"""What waits for the steps of maintenance, counted cheaply, and what turns a step off. Nothing here writes."""

from __future__ import annotations

from memctl.core import clock, timestamps
from memctl.settings.config import Config
from memctl.store import lexical, maintenance_steps, meta, records, semantic, spool
from memctl.store.database import Db
from memctl.text import tokens

ANALYSIS = "analysis"
CONSOLIDATED = "consolidated_until"
# How far `consolidate.recognise` came; said here again, because to import it loads all of extraction.
READ_FOR_NAMES, NAMES_READ = "entities_read_to", "entities_named_to"
_STEPS_DAYS = 90
_NO_VECTORS = "none"


def untold(db: Db, _config: Config) -> int:
    """Records of which the stream does not tell all yet, in a store that an older memctl made."""
    return 0 if meta.get(db, "history_covers") else len(records.select(db, records.Filter()))


def spooled(_db: Db, config: Config) -> int:
    """Files in the spool."""
    return len(spool.files(config))


def jobs(db: Db, _config: Config) -> int:
    """Ingestions that are due."""
    return int(db.value("steps.due_jobs", now=clock.now()))


def names(db: Db, _config: Config) -> int:
    """Records that were not read for known names yet, and names that were not looked for yet."""
    unread = int(db.value("entities.unread", n=int(meta.get(db, READ_FOR_NAMES) or 0)))
    return unread + int(db.value("entities.unnamed", seq=int(meta.get(db, NAMES_READ) or 0)))


def changed(db: Db, _config: Config) -> int:
    """Records that were changed since they were last compared with others."""
    at, memory_id = compared_until(db)
    return int(db.value("steps.changed_count", at=at, id=memory_id))


def compared_until(db: Db) -> tuple[str, str]:
    """Up to which change (its time, and the record's id) records were compared with others."""
    mark = meta.get(db, CONSOLIDATED)
    if mark is None:
        return meta.get(db, "last_maintained") or "", ""
    at, _, memory_id = mark.partition(" ")
    return at, memory_id


def expired(db: Db, _config: Config) -> int:
    """Living records whose validity has ended."""
    return len(records.expired(db, clock.now()))


def index(db: Db, _config: Config) -> int:
    """Records whose words were taken apart by a program that did it otherwise."""
    return 0 if meta.get(db, ANALYSIS) == str(tokens.VERSION) else lexical.size(db)


def vectors(db: Db, config: Config) -> int:
    """Records without a vector of the configured model, and vectors that are not in their index."""
    if config["embedding.model"] == _NO_VECTORS:
        return 0
    model = semantic.serving(db)
    if model is None or model.name != config["embedding.model"]:
        return semantic.wanting_count(db, -1)
    unindexed = (
        semantic.unindexed_count(db, model.id)
        if config["embedding.extension"] and semantic.has_table(db)
        else 0
    )
    return semantic.wanting_count(db, model.id) + unindexed


def old_logs(db: Db, config: Config) -> int:
    """Log lines that are older than they are kept."""
    logs = int(db.value("steps.old_logs", before=logs_before(config) or ""))
    return logs + int(db.value("steps.old", before=steps_before()))


def logs_before(config: Config) -> str | None:
    """Which retrievals are too old; None to keep them for ever."""
    days = config["logs.keep_days"]
    return timestamps.add_seconds(clock.now(), seconds=-86400 * days) if days else None


def steps_before() -> str:
    """Which steps of maintenance are too old."""
    return timestamps.add_seconds(clock.now(), seconds=-86400 * _STEPS_DAYS)


def unsaved(db: Db, config: Config) -> int:
    """1 if anything happened since the last automatic copy, or that copy is gone."""
    last = maintenance_steps.done(db, "backup")
    if last is None or not any(config.backups.glob("[0-9]*.db")):
        return 1
    return int(last.outcome.get("head") != db.value("steps.head"))


def no_model(config: Config) -> str | None:
    """Why no language model is asked."""
    return None if str(config["maintain.model"]).strip() else "maintain.model names none"


def no_rules(config: Config) -> str | None:
    """Why nothing is promoted without the operator."""
    return None if config["promotion.rules"] else "there are no promotion.rules"


def no_ageing(config: Config) -> str | None:
    """Why nothing is archived for its age."""
    return None if config["decay.archive_after_days"] else "decay.archive_after_days is 0"


def no_vectors(config: Config) -> str | None:
    """Why no vectors are made."""
    return "embedding.model is none" if config["embedding.model"] == _NO_VECTORS else None


def no_backup(config: Config) -> str | None:
    """Why no copies are made."""
    return None if config["backup.every_days"] > 0 else "backup.every_days is 0"
