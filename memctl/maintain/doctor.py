"""`doctor`: what could be wrong with a store and its surroundings, each finding with its cure.

Kept true: content is never changed. `repair` mends only what is derived (index entries), what is the store's own by right (file modes, WAL)
and jobs that gave up, and only after a backup; without it, `cure` says what it would do. A store that cannot be opened at all leaves as
the error with its exit code.
"""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memctl.core import clock, timestamps
from memctl.core.errors import StoreDamaged
from memctl.core.frozen import dataclass
from memctl.curate import pinning
from memctl.history import rebuild
from memctl.llm import usage
from memctl.maintain import health
from memctl.records import projects, quality
from memctl.redact import store_key
from memctl.results.store import Check, DoctorReport
from memctl.retrieve import vectors
from memctl.settings.config import RETIRED, Config
from memctl.store import backup, citations, context_records, event_log, files, queue, spool, upkeep
from memctl.store.database import APPLICATION_ID, Db, sqlite_library
from memctl.store.migrate import latest_version, network_file_system, open_store, schema_version

_NAMED = 5
# A hook says nothing to its agent; whoever asks is told what went wrong in it of late.
_HOOK_DAYS, _HOOK_LOG_BYTES, _LATEST = 7.0, 65536, 3


@dataclass(frozen=True, slots=True)
class Finding:
    """A check, and what would mend it: a sentence that says what was done and the deed."""

    check: Check
    done: str = ""
    mend: Callable[[], object] | None = None


def doctor(config: Config, *, repair: bool) -> DoctorReport:
    """Check everything; with `repair`, mend what may be mended and check again. Raises NoStore, StoreTooNew, StoreDamaged, StoreLocked."""
    db = open_store(config.db, create=False)
    try:
        findings = list(_findings(db, config))
        ills = [finding for finding in findings if finding.mend is not None]
        if not repair or not ills:
            return DoctorReport(tuple(finding.check for finding in findings))
        copy = backup.backup(db, config, None).path
        for ill in ills:
            assert ill.mend is not None
            ill.mend()
        after = tuple(finding.check for finding in _findings(db, config))
        return DoctorReport(after, tuple(ill.done for ill in ills), copy)
    finally:
        db.close()


def has_wal_reset_bug(version: tuple[int, ...]) -> bool:
    """Whether this SQLite can lose commits when the write-ahead log starts over (3.7.0 to 3.51.2, fixed in 3.44.6 and 3.50.7)."""
    return (3, 7, 0) <= version <= (3, 51, 2) and version not in ((3, 50, 7), (3, 44, 6))


def _findings(db: Db, config: Config) -> Iterator[Finding]:
    """Every check in turn; what cannot even be read is a finding too."""
    for name, look in _CHECKS.items():
        try:
            yield from look(db, config)
        except StoreDamaged as error:
            yield Finding(Check(name, "problem", f"cannot be checked: {error}", _RESTORE))


def _store(db: Db, config: Config) -> Iterator[Finding]:
    yield Finding(
        Check("store", "ok", f"{db.path}, schema {schema_version(db)} of {latest_version()}")
    )


def _hashes(db: Db, config: Config) -> Iterator[Finding]:
    yield Finding(
        _list(
            "record_hashes",
            upkeep.damaged_records(db),
            "every record matches its hash",
            "damaged records",
            _RESTORE,
        )
    )
    yield Finding(
        _list(
            "evidence_hashes",
            upkeep.damaged_quotes(db),
            "every quote matches its hash",
            "damaged quotes",
            _RESTORE,
        )
    )


def _stream(db: Db, config: Config) -> Iterator[Finding]:
    yield Finding(
        _list(
            "stream",
            event_log.broken_links(db),
            "the chain of the stream is whole",
            "breaks in the stream, at",
            _RESTORE,
        )
    )


def _history(db: Db, config: Config) -> Iterator[Finding]:
    astray = [f"{each.item} ({each.topic} {each.what})" for each in rebuild.differences(db)]
    cure = "look at them with `memctl explain`; `memctl maintain --rebuild-from-history` sets them to what it says"
    yield Finding(
        _list(
            "history",
            astray,
            "the stream leads to all that is stored",
            "things of which history says something else",
            cure,
        )
    )


_RESTORE = "look at them with `memctl explain`; `memctl restore` brings a backup back"


def _identity(db: Db, config: Config) -> Iterator[Finding]:
    """Whether the file is a memctl store and nothing else."""
    strange = upkeep.strange_objects(db, schema_version(db))
    if int(db.pragma("application_id")) != APPLICATION_ID:
        strange.insert(0, "has another program's application id")
    yield Finding(
        _list(
            "schema",
            strange,
            "the schema is memctl's",
            "oddities",
            "restore a backup; something else changed this file",
        )
    )


def _list(name: str, ills: list[Any], fine: str, what: str, cure: str | None = None) -> Check:
    """A check that is fine when a list is empty."""
    if not ills:
        return Check(name, "ok", fine)
    named = ", ".join(map(str, ills[:_NAMED])) + (" ..." if len(ills) > _NAMED else "")
    return Check(name, "problem", f"{len(ills)} {what}: {named}", cure)


def _permissions(db: Db, config: Config) -> Iterator[Finding]:
    """Files of the store are the operator's alone; a shared folder around them is only worth a note."""
    open_ones = [path for path in _own_files(config) if _mode(path) & 0o077]
    cure = f"`memctl doctor --repair` takes the rights of others away from {len(open_ones)}"
    check = _list(
        "permissions",
        [path.name for path in open_ones],
        "only you can read the store's files",
        "files that others may read",
        cure,
    )
    yield Finding(
        check,
        f"made {len(open_ones)} files private",
        (lambda: _make_private(open_ones)) if open_ones else None,
    )
    folder = config.db.parent
    if _mode(folder) & 0o077:
        yield Finding(
            Check(
                "folder",
                "note",
                f"others may look into {folder} (not into the files)",
                f"chmod 700 {folder}",
            )
        )


def _own_files(config: Config) -> list[Path]:
    folders = [folder for folder in (config.spool, config.backups) if folder.is_dir()]
    inside = [path for folder in folders for path in sorted(folder.iterdir())]
    key = store_key.key_file(config.db)
    return [
        path
        for path in (config.db, *files.companions(config.db), key, *folders, *inside)
        if path.exists() and not path.is_symlink()
    ]


def _make_private(paths: list[Path]) -> None:
    for path in paths:
        path.chmod(0o700 if path.is_dir() else 0o600)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _wal(db: Db, config: Config) -> Iterator[Finding]:
    mode = str(db.pragma("journal_mode")).lower()
    if mode == "wal":
        yield Finding(Check("wal", "ok", "write-ahead logging is on"))
        return
    check = Check(
        "wal",
        "problem",
        f"the journal mode is {mode}",
        "`memctl doctor --repair` turns write-ahead logging on",
    )
    yield Finding(check, "turned write-ahead logging on", db.write_ahead_log)


def _structure(db: Db, config: Config) -> Iterator[Finding]:
    cure = "keep the file; `memctl restore` brings a backup back"
    yield Finding(
        _list(
            "integrity",
            upkeep.structure_faults(db),
            "SQLite finds the file sound",
            "faults in the file",
            cure,
        )
    )
    yield Finding(
        _list(
            "references",
            upkeep.dangling(db),
            "every reference leads somewhere",
            "dangling references",
        )
    )


def _index(db: Db, config: Config) -> Iterator[Finding]:
    """Whether the full-text index has exactly what the records say."""
    texts, names = upkeep.drifted(db)
    parts = {
        "missing": len(upkeep.unindexed(db)),
        "without a record": len(upkeep.surplus(db)),
        "drifted": len(texts),
    }
    ills = [] if upkeep.index_is_sound(db) else ["damaged in itself"]
    ills += [f"{count} {what}" for what, count in parts.items() if count]
    state = "problem" if ills else "note"
    ills += [f"{len(names)} with older names of entities"] if names else []
    if not ills:
        yield Finding(Check("index", "ok", "the index has exactly what the records say"))
        return
    cure = (
        f"`memctl doctor --repair` writes {sum(parts.values()) + len(names) or 'all'} entries anew"
    )
    check = Check("index", state, f"entries of the full-text index: {', '.join(ills)}", cure)
    yield Finding(check, f"mended the index: {', '.join(ills)}", lambda: upkeep.mend_index(db))


def _muted(db: Db, config: Config) -> Iterator[Finding]:
    """Rules that propose nothing by the operator's will: nothing is wrong, but whoever misses something ought to know."""
    rules = quality.muted_rules(db)
    if not rules:
        yield Finding(Check("muted_rules", "ok", "no rule of extraction is muted"))
        return
    waiting = sum(rule.waiting for rule in rules)
    detail = f"{', '.join(rule.rule for rule in rules)} propose nothing" + (
        f"; {waiting} of theirs still in the inbox" if waiting else ""
    )
    yield Finding(
        Check(
            "muted_rules",
            "note",
            detail,
            "`memctl stats quality` tells why, `--unmute RULE` lets one propose again",
        )
    )


def _queue(db: Db, config: Config) -> Iterator[Finding]:
    tally = queue.tally(db)
    dead, failed, waiting = (tally.get(state, 0) for state in ("dead", "failed", "queued"))
    if dead:
        detail, cure = (
            f"{dead} ingestions gave up, {failed} will be tried again",
            "`memctl doctor --repair` tries them again",
        )
        yield Finding(
            Check("queue", "problem", detail, cure),
            f"queued {dead + failed} ingestions again",
            lambda: _retry(db),
        )
    elif failed:
        yield Finding(
            Check(
                "queue",
                "note",
                f"{failed} ingestions failed and will be tried again, {waiting} wait",
                "`memctl maintain`",
            )
        )
    else:
        yield Finding(Check("queue", "ok", f"{waiting} ingestions wait, none failed"))


def _retry(db: Db) -> None:
    with db.write():
        queue.retry_all(db, clock.now())


def _surroundings(db: Db, config: Config) -> Iterator[Finding]:
    checks = (
        _spool(config),
        _hooks(config),
        *health.checks(db, config),
        _projects(db),
        _config(config),
        _sqlite(),
        *vectors.checks(db, config),
        *usage.checks(db, config),
        _file_system(config),
        _network(config),
    )
    yield from map(Finding, checks)


def _projects(db: Db) -> Check:
    doubtful = projects.doubts(db)
    if doubtful:
        pairs = "1 pair of projects" if len(doubtful) == 1 else f"{len(doubtful)} pairs of projects"
        return Check(
            "projects", "note", f"{pairs} may be one and the same", "`memctl project settle`"
        )
    return Check("projects", "ok", "no two projects look alike")


def _spool(config: Config) -> Check:
    waiting, bad = spool.files(config), spool.damaged(config)
    if bad:
        return _list(
            "spool",
            [path.name for path in bad],
            "",
            f"unreadable files in {config.spool}",
            "look at them; nothing else will",
        )
    if waiting:
        cure = "`memctl maintain` takes them in; what a transcript does not hold yet is waited for a day"
        return Check("spool", "note", f"{len(waiting)} things wait in {config.spool}", cure)
    return Check("spool", "ok", "nothing waits in the spool folder")


def _hooks(config: Config) -> Check:
    log = config.db.parent / "hook.log"
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - _HOOK_LOG_BYTES))
            lines = stream.read().decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return Check("hooks", "ok", "no hook had trouble")
    except OSError as error:
        return Check("hooks", "note", f"{log} cannot be read: {error.strerror}")
    now = clock.now()
    # Text order is time order.
    late = [
        line
        for line in lines
        if timestamps.add_seconds(now, seconds=-86400 * _HOOK_DAYS) <= line[: len(now)] <= now
    ]
    if late:
        # `TIME AGENT EVENT: what went wrong`
        tally = Counter(
            line[len(now) :].partition(":")[0].strip() or "no agent named" for line in late
        ).most_common(_NAMED)
        detail = f"trouble in the last {_HOOK_DAYS:.0f} days: {len(late)} ({', '.join(f'{call} {count}' for call, count in tally)})"
        return Check(
            "hooks", "note", f"{detail}; the latest: {'; '.join(late[-_LATEST:])}", f"see {log}"
        )
    return Check("hooks", "ok", f"no hook had trouble in the last {_HOOK_DAYS:.0f} days")


def _config(config: Config) -> Check:
    """The settings could be read, else nothing would run; that others may write them is another matter."""
    changed = sum(
        origin != "default" for key, origin in config.origins.items() if key not in RETIRED
    )
    retired = [f"{key} (now {now})" for key, now in RETIRED.items() if key in config.origins]
    if retired:
        return Check(
            "config",
            "note",
            f"{config.path} sets what is not known any more: {', '.join(retired)}",
            "take it out",
        )
    if config.path.exists() and _mode(config.path) & 0o022:
        return Check(
            "config",
            "problem",
            f"others may change {config.path}, and with it what becomes memory",
            f"chmod 600 {config.path}",
        )
    where = str(config.path) if config.path.exists() else "no config file"
    return Check("config", "ok", f"{where}; {changed} settings differ from their defaults")


def _sqlite() -> Check:
    library = sqlite_library()
    version = tuple(int(part) for part in library.sqlite_version.split("."))
    detail = f"SQLite {library.sqlite_version} by {library.__name__}"
    if has_wal_reset_bug(version):
        cure = "pip install pysqlite3 (0.6.1 or newer), or a Python with SQLite 3.51.3"
        return Check(
            "sqlite",
            "note",
            f"{detail} has the WAL-reset bug: rare lost commits among many writers",
            cure,
        )
    return Check("sqlite", "ok", detail)


def _file_system(config: Config) -> Check:
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return Check(
            "file_system", "ok", "this system does not tell its mounts; nothing speaks against it"
        )
    kind = network_file_system(config.db.parent.resolve(), mounts)
    if kind:
        return Check(
            "file_system",
            "problem",
            f"the store lies on {kind}, where write-ahead logging loses data",
            "move it to a local folder",
        )
    return Check("file_system", "ok", "the store lies on a local file system")


def _network(config: Config) -> Check:
    models = (
        [f"the embedding model {model}"]
        if (model := config["embedding.model"]) not in ("minilm", "none")
        else []
    )
    models += [f"the language model {model}"] if (model := config["maintain.model"]) else []
    if models:
        return Check(
            "network", "note", f"{' and '.join(models)} may be reached over the network by `llm`"
        )
    return Check("network", "ok", "nothing is configured that uses the network")


def _citations(db: Db, config: Config) -> Iterator[Finding]:
    """Whether what records cite was there when last looked for."""
    ids = citations.with_missing(db)
    if not ids:
        yield Finding(
            Check("citations", "ok", "nothing that was seen on disk and is cited has gone")
        )
        return
    named = [f"{short} ({', '.join(gone)})" for short, gone in _gone(db, ids[:_NAMED])]
    who = "1 record cites" if len(ids) == 1 else f"{len(ids)} records cite"
    detail = f"{who} what is gone: {', '.join(named)}{' ...' if len(ids) > _NAMED else ''}"
    yield Finding(
        Check("citations", "note", detail, "`memctl correct`, `confirm` or `forget` them")
    )


def _gone(db: Db, ids: list[str]) -> Iterator[tuple[str, list[str]]]:
    for memory_id, short in context_records.short_ids(db, ids).items():
        yield (
            short,
            [one.value for one in citations.of_memory(db, memory_id) if one.state == "missing"],
        )


def _pins(db: Db, config: Config) -> Iterator[Finding]:
    """Whether what contexts must begin with leaves room for anything else."""
    over = list(pinning.over_budget(db, config))
    yield from (
        Finding(
            Check("pins", "note", sentence, "`memctl unpin ID`, or a larger context.always_budget")
        )
        for sentence in over
    )
    if not over:
        yield Finding(Check("pins", "ok", "what is pinned fits into context.always_budget"))


_CHECKS: Mapping[str, Callable[[Db, Config], Iterator[Finding]]] = {
    "store": _store,
    "schema": _identity,
    "permissions": _permissions,
    "wal": _wal,
    "integrity": _structure,
    "hashes": _hashes,
    "stream": _stream,
    "history": _history,
    "index": _index,
    "queue": _queue,
    "muted_rules": _muted,
    "surroundings": _surroundings,
    "citations": _citations,
    "pins": _pins,
}
