"""Every file that memctl makes: what it holds of what is remembered, and who removes it and when.

Erasing, the search for secrets, tidying and doctor all go by this table. A test walks the source
for what creates files and fails for one that is not named here.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from memctl.core import process_identity
from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.redact import store_key
from memctl.settings.config import Config, find_temporary_folder
from memctl.setup import manifest
from memctl.store import drafts, files, journal_folders, stamps

# Seconds after which a file is nobody's work any more: where its name does not say whose it is, and
# where it names a process that is there (the number may be another's by now). Chosen by hand.
_NAMELESS_SECONDS = 86400.0
_LONGEST_SECONDS = 7 * 86400.0
# `NAME.PROCESS.partial`; earlier versions named no process.
_PARTIAL = compile_later(r".+?(?:\.(?P<pid>\d+))?\.partial", re.DOTALL)
# What `process_identity.name_temporary` begins, and earlier versions without a process.
_TEMPORARY = compile_later(r"memctl-(?:(?P<pid>\d+)-)?[a-z0-9_]{8}(?:\.yaml)?")
_SETUP_DRAFT = compile_later(r"\..+\.memctl-(?P<pid>\d+)", re.DOTALL)
_KEY_DRAFT = compile_later(r".+\.key\.[0-9a-f]{16}", re.DOTALL)
_HUB_DRAFT = compile_later(r".+\.hubs\.[0-9a-f]{16}", re.DOTALL)
_SYNC_KEY_DRAFT = compile_later(r".+\.sync\.[0-9a-f]{16}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file: where it is, what it holds, and how an erasure deals with it.

    `erasing` is `rows` (through SQLite), `words` (they are cut out), `whole` (removed unless it is
    being written), `named` (the operator decides), `left` (named as still holding it) or `none` (it
    holds nothing to erase). `made_by` names what creates it, each as `module:function`.
    """

    name: str
    place: str
    holds: str
    erasing: str
    removed_by: str
    made_by: tuple[str, ...]
    find: Callable[[Config], Iterable[Path]]


@dataclass(frozen=True, slots=True)
class Leftover:
    """An incomplete file that no living process writes, or that one still does."""

    path: Path
    is_being_written: bool
    draft: drafts.Draft | None = None
    is_confidential: bool = True


def list_files(config: Config, *erasing: str) -> list[Path]:
    """List the files that are there; only those that an erasure deals with in some ways."""
    found = (
        path
        for kind in FILE_KINDS
        if not erasing or kind.erasing in erasing
        for path in kind.find(config)
    )
    return list(dict.fromkeys(path for path in found if path.exists() or path.is_symlink()))


def list_leftovers(config: Config) -> list[Leftover]:
    """List the incomplete files: those of killed processes, and those being written now."""
    noted = drafts.list_drafts(config)
    known = [Leftover(each.path, each.is_being_written, each) for each in noted]
    others = (
        Leftover(path, _is_claimed(path, pattern), is_confidential=is_confidential)
        for find, pattern, is_confidential in _UNFINISHED
        for path in find(config)
    )
    return [*known, *others]


def list_abandoned(config: Config) -> list[Leftover]:
    """List the incomplete files that no living process writes."""
    return [each for each in list_leftovers(config) if not each.is_being_written]


def remove_leftover(leftover: Leftover) -> bool:
    """Overwrite and delete an abandoned file; False if that is impossible."""
    with suppress(OSError):
        if leftover.draft is not None:
            drafts.remove_draft(leftover.draft)
        elif leftover.path.is_dir():
            for inside in leftover.path.rglob("*"):
                if inside.is_file():
                    files.shred_file(inside)
            shutil.rmtree(leftover.path)
        else:
            files.shred_file(leftover.path)
        return True
    return False


def tidy_files(config: Config) -> list[Path]:
    """Remove what killed processes left, and notes that speak of nothing; return the removed."""
    removed = [each.path for each in list_abandoned(config) if remove_leftover(each)]
    drafts.drop_stale_notes(config)
    return removed


def list_kept_copies(config: Config) -> list[Path]:
    """List the copies from before a restore, which nothing removes by itself."""
    return _find_kept(config)


def list_private_files(config: Config) -> list[Path]:
    """List the files in the data folder, and the folders for them: all are the operator's alone."""
    inside = {config.db.parent, config.spool, config.backups, drafts.locate_notes(config)}
    known = [path for path in list_files(config) if path.parent in inside]
    real = Path(os.path.realpath(config.db))
    linked = [path for path in _find_store(config) if path.parent == real.parent and path.exists()]
    folders = [folder for folder in sorted(inside - {config.db.parent}) if folder.is_dir()]
    return list(dict.fromkeys([*known, *linked, *folders]))


def _is_claimed(path: Path, pattern: re.Pattern[str]) -> bool:
    """Whether somebody may still be writing a file that names its process, or none."""
    named = pattern.fullmatch(path.name)
    pid = named.groupdict().get("pid") if named else None
    if pid is None:
        return not drafts.is_older_than(path, _NAMELESS_SECONDS)
    is_there = process_identity.process_exists(int(pid))
    return is_there and not drafts.is_older_than(path, _LONGEST_SECONDS)


def _list_folder(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern)) if folder.is_dir() else []


def _find_store(config: Config) -> Iterator[Path]:
    log, shared = files.list_companions(config.db)
    yield from (config.db, log, shared, log.with_name(log.name.removesuffix("-wal") + "-journal"))


def _find_drafts(config: Config) -> Iterator[Path]:
    for draft in drafts.list_drafts(config):
        yield from drafts.list_parts(draft)


def _find_kept(config: Config) -> list[Path]:
    return _list_folder(config.db.parent, f"{_escape(config.db.name)}.before-restore-*")


def _find_copies(config: Config) -> list[Path]:
    return _list_folder(config.backups, "*.db")


def _find_spooled(config: Config) -> list[Path]:
    found = _list_folder(config.spool, "*")
    return [path for path in found if not path.name.endswith(".partial")]


def _find_partials(config: Config) -> list[Path]:
    beside = [
        path
        for path in _list_folder(config.db.parent, "*.partial")
        if path.name.startswith(("hook.log", "maintain.log"))
    ]
    return [*_list_folder(config.spool, "*.partial"), *beside]


def _find_logs(config: Config) -> Iterator[Path]:
    for name in ("hook.log", "maintain.log"):
        yield from (config.db.parent / name, config.db.parent / f"{name}.1")


def _find_keys(config: Config) -> Iterator[Path]:
    yield store_key.locate_key(config.db)


def _find_key_drafts(config: Config) -> list[Path]:
    found = _list_folder(config.db.parent, f"{_escape(config.db.name)}.key.*")
    return [path for path in found if _KEY_DRAFT.fullmatch(path.name)]


def _find_sync_keys(config: Config) -> Iterator[Path]:
    yield files.locate_sync_key(config.db)


def _find_sync_key_drafts(config: Config) -> list[Path]:
    found = _list_folder(config.db.parent, f"{_escape(config.db.name)}.sync.*")
    return [path for path in found if _SYNC_KEY_DRAFT.fullmatch(path.name)]


def _find_hub_drafts(config: Config) -> list[Path]:
    found = _list_folder(config.db.parent, f"{_escape(config.db.name)}.hubs.*")
    return [path for path in found if _HUB_DRAFT.fullmatch(path.name)]


def _find_manifest(config: Config) -> Iterator[Path]:
    yield manifest.manifest_path(config)


def _find_setup_drafts(config: Config) -> Iterator[Path]:
    entries = manifest.load_manifest(config).entries
    places = [manifest.manifest_path(config), *(Path(entry.path) for entry in entries)]
    for place in places:
        real = Path(os.path.realpath(place))
        for path in _list_folder(real.parent, f".{_escape(real.name)}.memctl-*"):
            if _SETUP_DRAFT.fullmatch(path.name):
                yield path


def _find_temporary(_config: Config) -> Iterator[Path]:
    """Only what is this user's own: others can put anything into a shared folder."""
    for path in _list_folder(find_temporary_folder(), "memctl-*"):
        with suppress(OSError, AttributeError):
            found = path.lstat()
            is_own = found.st_uid == os.getuid() and not stat.S_ISLNK(found.st_mode)
            if is_own and _TEMPORARY.fullmatch(path.name):
                yield path


def _find_staged_imports(config: Config) -> list[Path]:
    return _list_folder(config.db.parent, f"{_escape(config.db.name)}.import-*")


def _find_notes(config: Config) -> list[Path]:
    return _list_folder(drafts.locate_notes(config), "*.json")


def _find_stamps(config: Config) -> Iterator[Path]:
    yield from (stamps.locate_stamp(config, name) for name in stamps.NAMES)


def _escape(name: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", name)


# How incomplete files are found, besides drafts with notes; what in their names is the process; and
# whether they hold anything of what is remembered.
_UNFINISHED: tuple[tuple[Callable[[Config], Iterable[Path]], re.Pattern[str], bool], ...] = (
    (_find_partials, _PARTIAL, True),
    (_find_key_drafts, _KEY_DRAFT, False),
    (_find_sync_key_drafts, _SYNC_KEY_DRAFT, False),
    (_find_hub_drafts, _HUB_DRAFT, False),
    (_find_setup_drafts, _SETUP_DRAFT, False),
    (_find_temporary, _TEMPORARY, True),
)


def _find_witness(config: Config) -> list[Path]:
    return sorted(config.state.glob("witness*"))


def _find_journal_list(config: Config) -> Iterator[Path]:
    yield journal_folders.locate_list(config)


FILE_KINDS: tuple[FileKind, ...] = (
    FileKind(
        "store",
        "STORE, STORE-wal, STORE-shm",
        "everything",
        "rows",
        "you",
        ("store/migrate:touch_private", "store/database:copy_pages_into"),
        _find_store,
    ),
    FileKind(
        "draft",
        ".NAME.ID.tmp beside any file that is being made",
        "everything",
        "whole",
        "its command at its end, else the next `maintain`",
        (
            "store/migrate:touch_private",
            "store/restore:_copy_store",
            "exchange/export:_write_export",
            "store/upkeep:copy_into",
            "store/database:copy_pages_into",
        ),
        _find_drafts,
    ),
    FileKind(
        "lock of a folder of notes",
        "STORE.vault-ID.lock",
        "nothing",
        "none",
        "you, where `memctl vault` is no longer used",
        ("store/lock_file:hold_lock",),
        lambda config: config.db.parent.glob(f"{config.db.name}.vault-*.lock"),
    ),
    FileKind(
        "lock of syncs",
        "STORE.sync.lock",
        "nothing",
        "none",
        "you, once `memctl sync leave` is done",
        ("store/lock_file:hold_lock",),
        lambda config: config.db.parent.glob(f"{config.db.name}.sync.lock"),
    ),
    FileKind(
        "keys of sync",
        "STORE.sync",
        "nothing",
        "none",
        "`memctl sync leave`",
        ("sync/key_file:_write_keys",),
        _find_sync_keys,
    ),
    FileKind(
        "half-written keys of sync",
        "STORE.sync.ID",
        "nothing",
        "none",
        "its command at its end, else the next `maintain`",
        ("sync/key_file:_write_keys",),
        _find_sync_key_drafts,
    ),
    FileKind(
        "passwords of hubs",
        "STORE.hubs",
        "nothing",
        "none",
        "`memctl sync leave`",
        ("sync/addresses:_write_passwords",),
        lambda config: [config.db.with_name(f"{config.db.name}.hubs")],
    ),
    FileKind(
        "half-written passwords of hubs",
        "STORE.hubs.ID",
        "nothing",
        "none",
        "its command at its end, else the next `maintain`",
        ("sync/addresses:_write_passwords",),
        _find_hub_drafts,
    ),
    FileKind(
        "folder of sync",
        "PLACE/memctl-sync/",
        "what you share",
        "named",
        "you; what was purged goes with the next `memctl sync`",
        (
            "sync/folder_files:_write_draft",
            "sync/folder_files:_give_name",
            "sync/folder_files:write",
        ),
        lambda config: (),
    ),
    FileKind(
        "note of a record",
        "VAULT/",
        "the words of a record",
        "named",
        "`memctl purge` and `memctl vault sync`, once its record was purged",
        (
            "vault/notes_on_disk:_write_draft",
            "vault/notes_on_disk:_put_aside",
            "vault/notes_on_disk:_put_in_place",
            "vault/folder:init_vault",
        ),
        lambda config: (),
    ),
    FileKind(
        "note of a draft or copy",
        "STORE.drafts/",
        "a path",
        "words",
        "`maintain`, once there is no such file",
        ("store/drafts:_write_note", "store/drafts:open_scratch"),
        _find_notes,
    ),
    FileKind(
        "stamp",
        "STORE.maintained, STORE.noticed",
        "nothing",
        "none",
        "you",
        ("store/stamps:set_stamp",),
        _find_stamps,
    ),
    FileKind(
        "backup",
        "STORE.backups/",
        "everything",
        "named",
        "`backup.keep`, by their numbers",
        ("store/drafts:_give_name",),
        _find_copies,
    ),
    FileKind(
        "copy kept by a restore",
        "STORE.before-restore-TIME",
        "everything",
        "named",
        "you",
        ("store/restore:keep", "store/restore:_copy_log", "store/handover:_copy_bytes"),
        _find_kept,
    ),
    FileKind(
        "backup or export that was asked for",
        "where you said",
        "everything",
        "named",
        "you",
        ("store/drafts:_give_name",),
        drafts.list_requested_copies,
    ),
    FileKind(
        "staged import",
        "STORE.import-ID",
        "what is being imported",
        "left",
        "its import at its end, else the next `maintain`, which finishes it",
        ("exchange/import_:_run_import",),
        _find_staged_imports,
    ),
    FileKind(
        "spool",
        "STORE.spool/",
        "captures, requests and log lines that wait; paths of sessions",
        "words",
        "`maintain` takes them in; `*.bad`: you",
        (
            "store/spool:write_file",
            "store/spool:set_aside",
            "capture/missed_sessions:_write_requested_sizes",
            "erase/leftovers:_write_file",
        ),
        _find_spooled,
    ),
    FileKind(
        "half-written spool file or log",
        "STORE.spool/*.partial, hook.log.*.partial, maintain.log.*.partial",
        "some words",
        "whole",
        "its command at its end, else the next `maintain`",
        (
            "store/spool:write_file",
            "capture/missed_sessions:_write_requested_sizes",
            "erase/leftovers:_write_file",
        ),
        _find_partials,
    ),
    FileKind(
        "log of the hooks, and of what a timer runs",
        "hook.log, hook.log.1, maintain.log, maintain.log.1",
        "error messages, and what upkeep reports",
        "words",
        "the hook and `maintain --log`, beyond a size",
        ("hook:_append_line", "cli/run_log:open_log", "erase/leftovers:_write_file"),
        _find_logs,
    ),
    FileKind(
        "key",
        "STORE.key",
        "nothing",
        "none",
        "you",
        ("redact/store_key:_create_key", "redact/store_key:_publish_key"),
        _find_keys,
    ),
    FileKind(
        "half-written key",
        "STORE.key.ID",
        "nothing",
        "none",
        "its command at its end, else the next `maintain`",
        ("redact/store_key:_create_key",),
        _find_key_drafts,
    ),
    FileKind(
        "witness and its key",
        "witness* in ~/.local/state/memctl ($XDG_STATE_HOME)",
        "nothing",
        "none",
        "you",
        (
            "store/witness:_create_key",
            "store/witness:_write_witness",
            "store/witness:_append_log",
        ),
        _find_witness,
    ),
    FileKind(
        "daily note or MEMORY.md",
        "daily/ and MEMORY.md in journal.dir, or where you said",
        "words of records, and what you wrote into it",
        "words",
        "you",
        ("vault/notes_on_disk:_write_draft", "erase/leftovers:_write_file"),
        journal_folders.list_notes,
    ),
    FileKind(
        "list of the folders of notes",
        "STORE.journal.json",
        "paths",
        "left",
        "you",
        ("store/journal_folders:note_folder",),
        _find_journal_list,
    ),
    FileKind(
        "manifest of setup",
        "STORE.setup.json",
        "paths of projects",
        "left",
        "`memctl setup --undo`",
        ("setup/disk:_write_fresh", "setup/disk:write_file"),
        _find_manifest,
    ),
    FileKind(
        "half-written settings of an agent",
        ".NAME.memctl-PROCESS beside them",
        "nothing",
        "none",
        "`memctl setup` at its end, else the next `maintain`",
        ("setup/disk:_write_fresh",),
        _find_setup_drafts,
    ),
    FileKind(
        "copy of another tool's database, empty store of a trial, text in your editor, folder in "
        "which an agent answers, conversations out of an archive",
        "memctl-PROCESS-* in the system's temporary folder",
        "conversations of that tool; records that you edit",
        "whole",
        "its command at its end, else the next `maintain`",
        (
            "store/foreign_databases:open_tables",
            "store/foreign_databases:_choose_readable_file",
            "exchange/import_:_open_copy",
            "cli/yaml_editor:edit_text",
            "llm/agent_reader:_make_folders",
            "capture/zipped:unpack_conversations",
            "capture/zipped:_unpack_member",
        ),
        _find_temporary,
    ),
)
