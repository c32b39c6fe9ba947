"""Checks of the store file: where it is, its schema, its permissions, its pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memctl.core.frozen import replace
from memctl.maintain.checks.finding import (
    RESTORE_CURE,
    Finding,
    find_faults,
    make_note,
    make_ok,
    make_problem,
    read_mode,
)
from memctl.redact import store_key
from memctl.settings.config import Config
from memctl.store import derived_tables, file_register, lost_tables, upkeep, witness
from memctl.store.database import APPLICATION_ID, Database
from memctl.store.migrate import get_latest_version, read_schema_version


def check_location(db: Database, _config: Config) -> Iterator[Finding]:
    """Tell where the store is, and the version of its schema."""
    yield make_ok("store", f"{db.path}, schema {read_schema_version(db)} of {get_latest_version()}")


def check_schema(db: Database, _config: Config) -> Iterator[Finding]:
    """The file is a memctl store and nothing else."""
    version = read_schema_version(db)
    faults = upkeep.find_strange_objects(db, version)
    lost = upkeep.list_lost_helpers(db, version)
    if faults and len(faults) == len(lost):
        yield _report_lost_helpers(db, version, lost)
        return
    if int(db.pragma("application_id")) != APPLICATION_ID:
        faults.insert(0, "has another program's application id")
    yield find_faults(
        "schema",
        faults,
        ok="the schema is as expected",
        label="unexpected things in the schema",
        cure="restore a backup; something else changed this file",
    )


def _report_lost_helpers(db: Database, version: int, lost: list[str]) -> Finding:
    """Report that nothing is missing but what holds no content, or only what is derived."""
    has_tables = bool(lost_tables.list_lost(db))
    label = (
        "missing tables of what is derived, or their indexes"
        if has_tables
        else ("missing indexes or guards")
    )
    cure = f"`memctl doctor --repair` makes {len(lost)} anew"
    finding = find_faults("schema", lost, ok="", label=label, cure=cure)

    def repair() -> None:
        lost_tables.make_anew(db)
        upkeep.make_helpers(db, version, lost)
        derived_tables.drop_replaced(db)

    return replace(finding, repaired=f"made anew: {', '.join(lost)}", repair=repair)


def check_witness(db: Database, config: Config) -> Iterator[Finding]:
    """The store holds all that was noted of it outside, and nothing else took its place."""
    fault = witness.find_fault(db, config)
    if fault is None:
        seen = witness.describe_witness(config)
        if seen is None and witness.was_witnessed(db):
            detail = "there is no witness of this store here; it may have been moved or copied"
            yield make_note("witness", detail, "the next change begins one")
        else:
            yield make_ok("witness", seen or "nothing was noted of this store outside it yet")
        return
    cure = (
        "find out what replaced or changed the store; `memctl restore` brings a backup back, "
        "`memctl doctor --repair` takes it as it is now"
    )
    yield replace(
        make_problem("witness", fault, cure),
        repaired=f"took the store as it is now, although {fault}",
        repair=lambda: witness.renew_witness(db, config, accept=True),
    )


def check_keys(_db: Database, config: Config) -> Iterator[Finding]:
    """The key file of the store can be used."""
    path = store_key.locate_key(config.db)
    if store_key.is_unusable(path):
        detail = f"the key {path} is unusable: placeholders of secrets carry no hash"
        yield make_problem("key", detail, "move it away; the next command makes a new one")
        return
    yield make_ok("key", "the key of placeholders can be used" if path.exists() else "no key yet")


def check_permissions(_db: Database, config: Config) -> Iterator[Finding]:
    """Only the operator can read the files; a shared folder around them is only a note."""
    readable = [path for path in _list_own_files(config) if read_mode(path) & 0o077]
    finding = find_faults(
        "permissions",
        [path.name for path in readable],
        ok="only you can read the store's files",
        label="files that others can read",
        cure=f"`memctl doctor --repair` makes {len(readable)} files private",
    )
    if readable:
        finding = replace(
            finding,
            repaired=f"made {len(readable)} files private",
            repair=lambda: _make_private(readable),
        )
    yield finding
    folder = config.db.parent
    if read_mode(folder) & 0o077:
        detail = f"others can list {folder} (but not read the files)"
        yield make_note("folder", detail, f"chmod 700 {folder}")


def _list_own_files(config: Config) -> list[Path]:
    paths = file_register.list_private_files(config)
    return [path for path in paths if path.exists() and not path.is_symlink()]


def _make_private(paths: list[Path]) -> None:
    for path in paths:
        path.chmod(0o700 if path.is_dir() else 0o600)


def check_wal(db: Database, _config: Config) -> Iterator[Finding]:
    """Write-ahead logging is on."""
    mode = str(db.pragma("journal_mode")).lower()
    if mode == "wal":
        yield make_ok("wal", "write-ahead logging is on")
        return
    cure = "`memctl doctor --repair` turns write-ahead logging on"
    finding = make_problem("wal", f"the journal mode is {mode}", cure)
    yield replace(finding, repaired="turned write-ahead logging on", repair=db.write_ahead_log)


def check_integrity(db: Database, _config: Config) -> Iterator[Finding]:
    """SQLite's own check of the file, and the references between its rows."""
    yield find_faults(
        "integrity",
        upkeep.find_structure_faults(db),
        ok="SQLite's integrity check passes",
        label="faults in the file",
        cure=RESTORE_CURE,
    )
    yield find_faults(
        "references",
        upkeep.find_dangling(db),
        ok="every reference resolves",
        label="dangling references",
    )
