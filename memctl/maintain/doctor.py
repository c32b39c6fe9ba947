"""Check a store and its surroundings, and repair what may be repaired.

Guarantees: content is never changed. `repair` only mends what is derived from it (index entries),
what is the store's own (file modes, journal mode) and jobs that gave up, and only after a backup.
A store that cannot be opened at all raises an error with its exit code.

To add a check, write a function in a module of `memctl/maintain/checks` and add it to `CHECKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from memctl.core.errors import StoreDamaged
from memctl.maintain.checks import agents, maintenance, records, settings, store, surroundings
from memctl.maintain.checks.finding import RESTORE_CURE, Finding
from memctl.results.store import Check, DoctorReport
from memctl.settings.config import Config
from memctl.store import backup
from memctl.store.database import Database
from memctl.store.migrate import open_store

# Every check, in the order of the report. The name is that of its (first) line there.
CHECKS: Mapping[str, Callable[[Database, Config], Iterator[Finding]]] = {
    "store": store.check_location,
    "schema": store.check_schema,
    "permissions": store.check_permissions,
    "wal": store.check_wal,
    "integrity": store.check_integrity,
    "record_hashes": records.check_hashes,
    "event_log": records.check_event_log,
    "history": records.check_history,
    "index": records.check_index,
    "queue": agents.check_queue,
    "muted_rules": records.check_muted_rules,
    "spool": agents.check_spool,
    "hooks": agents.check_hooks,
    "maintenance": maintenance.check_last_run,
    "steps": maintenance.check_steps,
    "projects": records.check_projects,
    "config": settings.check_config,
    "sqlite": surroundings.check_sqlite,
    "vectors": records.check_vectors,
    "model": settings.check_model,
    "file_system": surroundings.check_file_system,
    "network": settings.check_network,
    "citations": records.check_citations,
    "pins": records.check_pins,
}


def doctor(config: Config, *, repair: bool) -> DoctorReport:
    """Run every check; with `repair`, mend what may be mended and check again.

    Raises NoStore, StoreTooNew, StoreDamaged, StoreLocked.
    """
    db = open_store(config.db, create=False)
    try:
        findings = list(_run_checks(db, config))
        repairable = [finding for finding in findings if finding.repair is not None]
        if not repair or not repairable:
            return DoctorReport(_list_checks(findings))
        copy = backup.make_backup(db, config, None).path
        for finding in repairable:
            assert finding.repair is not None
            finding.repair()
        repaired = tuple(finding.repaired for finding in repairable)
        return DoctorReport(_list_checks(_run_checks(db, config)), repaired, copy)
    finally:
        db.close()


def _run_checks(db: Database, config: Config) -> Iterator[Finding]:
    """What every check finds; what cannot even be read is a finding too."""
    for name, check in CHECKS.items():
        try:
            yield from check(db, config)
        except StoreDamaged as error:
            yield Finding(Check(name, "problem", f"cannot be checked: {error}", RESTORE_CURE))


def _list_checks(findings: Iterator[Finding] | list[Finding]) -> tuple[Check, ...]:
    return tuple(finding.check for finding in findings)
