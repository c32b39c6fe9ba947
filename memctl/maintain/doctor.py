"""Check a store and its surroundings, and repair what may be repaired.

Guarantees: content is never changed. `repair` only mends what is derived from it (index entries),
what is the store's own (file modes, journal mode) and jobs that gave up, and only after a backup.
A store that cannot be opened at all raises an error with its exit code and one next step;
in any other state every check that can be made is made, and the report names one next step.

To add a check, write a function in a module of `memctl/maintain/checks` and add it to `CHECKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from memctl.core.errors import StoreDamaged, StoreLocked, StoreRefused
from memctl.maintain.checks import (
    agents,
    files,
    maintenance,
    places,
    records,
    settings,
    store,
    surroundings,
    sync,
    unfinished,
)
from memctl.maintain.checks.finding import Finding, make_problem
from memctl.results.store import DoctorReport
from memctl.settings.config import Config
from memctl.store import backup
from memctl.store.database import Database
from memctl.store.migrate import open_store

# Every check, in the order of the report. The name is that of its (first) line there.
CHECKS: Mapping[str, Callable[[Database, Config], Iterator[Finding]]] = {
    "writing": surroundings.check_writing,
    "store": store.check_location,
    "schema": store.check_schema,
    "witness": store.check_witness,
    "key": store.check_keys,
    "permissions": store.check_permissions,
    "wal": store.check_wal,
    "integrity": store.check_integrity,
    "record_hashes": records.check_hashes,
    "rows": records.check_rows,
    "votes": records.check_votes,
    "event_log": records.check_event_log,
    "history": records.check_history,
    "index": records.check_index,
    "turns": records.check_turns,
    "queue": agents.check_queue,
    "muted_rules": records.check_muted_rules,
    "spool": agents.check_spool,
    "files": files.check_files,
    "kept_copies": files.check_kept_copies,
    "hooks": agents.check_hooks,
    "unfinished": unfinished.check_operations,
    "maintenance": maintenance.check_last_run,
    "steps": maintenance.check_steps,
    "projects": records.check_projects,
    "unplaced": places.check_unplaced,
    "notes": places.check_notes,
    "sync_group": sync.check_sync,
    "config": settings.check_config,
    "sqlite": surroundings.check_sqlite,
    "vectors": records.check_vectors,
    "model": settings.check_model,
    "extraction": settings.check_extraction,
    "file_system": surroundings.check_file_system,
    "network": settings.check_network,
    "citations": records.check_citations,
    "pins": records.check_pins,
}


def doctor(
    config: Config,
    *,
    repair: bool,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> DoctorReport:
    """Run every check; with `repair`, mend what may be mended and check again.

    `progress` is told after each check how many are done, and of how many.
    Raises NoStore, StoreTooNew, StoreDamaged, StoreLocked.
    """
    db = _open_to_check(config)
    try:
        findings = list(_run_checks(db, config, progress))
        repairable = [finding for finding in findings if finding.repair is not None]
        if not repair or not repairable:
            return _build_report(findings)
        copy = backup.copy_unchecked(db, config)
        repaired = tuple(finding.repaired for finding in repairable if _repair(finding))
        return _build_report(_run_checks(db, config, progress), repaired, copy)
    finally:
        db.close()


def _repair(finding: Finding) -> bool:
    """Repair what a check found; False if the state of the store does not allow it."""
    assert finding.repair is not None
    try:
        finding.repair()
    except StoreDamaged:
        return False
    return True


def _open_to_check(config: Config) -> Database:
    """Open the store as it is. An empty file is no store, and none is made of it."""
    try:
        if config.db.is_file() and not config.db.stat().st_size:
            raise StoreDamaged(f"{config.db} is empty: nothing of a store is left in it")
        return open_store(config.db, create=False)
    except StoreRefused:
        raise
    except StoreDamaged as error:
        raise StoreDamaged(str(error), hint=_describe_way_back(config)) from error


def _describe_way_back(config: Config) -> str:
    copies = backup.list_automatic(config)
    if copies:
        return f"keep the file; `memctl restore {copies[-1]}` brings the newest backup back"
    return f"keep the file and move it away; there is no backup in {config.backups}"


def _run_checks(
    db: Database, config: Config, progress: Callable[[int, int], None]
) -> Iterator[Finding]:
    """What every check finds; what cannot even be read is a finding too."""
    for number, (name, check) in enumerate(CHECKS.items()):
        progress(number, len(CHECKS))
        try:
            yield from check(db, config)
        except StoreLocked:
            raise
        except Exception as error:  # Whatever state a store is in, the other checks are made.
            detail = f"cannot be checked: {str(error) or type(error).__name__}"
            yield make_problem(name, detail, _describe_way_back(config))


def _build_report(
    findings: Iterable[Finding], repaired: tuple[str, ...] = (), copy: str | None = None
) -> DoctorReport:
    """Build the report; its next step is the cure of the first problem."""
    checks = tuple(finding.check for finding in findings)
    cures = [check.cure for check in checks if check.state == "problem" and check.cure]
    return DoctorReport(checks, repaired, copy, cures[0] if cures else None)
