"""A folder of notes as a whole: made, found again, and held by one run at a time.

A small file in it says which folder it is. Without that file nothing is done: a folder that is not
there, because a disk is not mounted, say, must not look like one whose notes were all deleted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from memctl.core import clock
from memctl.core.errors import MemctlError, NotFound, UsageError
from memctl.core.model import Actor
from memctl.core.process_identity import name_temporary
from memctl.core.regular_files import read_regular_file
from memctl.results.vault import VaultReport
from memctl.settings.config import Config
from memctl.store import vaults
from memctl.store.database import Database
from memctl.store.lock_file import hold_lock
from memctl.vault.notes_on_disk import make_private_folder
from memctl.vault.scan import MARKER, MOST_BYTES, decode_note, scan_folder
from memctl.vault.sync import VaultRun

# Who writes out without the operator: nothing is taken in for it.
_UPKEEP = Actor("maintain")
# Bytes of the file that marks a folder.
_MOST_BYTES = 4096


def init_vault(db: Database, config: Config, actor: Actor, root: Path) -> VaultReport:
    """Make a folder one for notes; whatever is in it stays. Raises UsageError."""
    root = _resolve(root)
    if root.exists() and not root.is_dir():
        raise UsageError(f"{root} is no folder")
    if config.db.parent.resolve() == root or root in config.db.resolve().parents:
        raise UsageError(f"{root} holds the store: notes need a folder of their own")
    make_private_folder(root)
    vault_id = read_marker(root)
    if vault_id is None:
        vault_id = _find_damaged(db, root) or clock.new_id()
        draft = root / f".{name_temporary()}{clock.new_id()}.draft"
        with draft.open("x", encoding="utf-8") as stream:
            json.dump({"memctl_vault": vault_id}, stream)
        os.replace(draft, root / MARKER)
    with db.write():
        vaults.put_vault(db, vault_id, str(root), clock.now())
    return VaultReport("init", str(root), is_as_operator=actor.is_operator)


def _find_damaged(db: Database, root: Path) -> str | None:
    """Return the id of a folder whose file was cut off or damaged, as far as the store knows it."""
    if not os.path.lexists(root / MARKER):
        return None
    known = (row["id"] for row in vaults.list_vaults(db) if row["path"] == str(root))
    return next(known, None)


def sync_vault(
    db: Database, config: Config, actor: Actor, root: Path, *, dry_run: bool
) -> VaultReport:
    """Bring a folder and the records in line, or say what that would do. Raises NotFound for a
    folder that is none, StoreLocked while another run is at it.
    """
    root = _resolve(root)
    vault_id = read_marker(root)
    if vault_id is None:
        hint = f"`memctl vault init {root}` makes it one"
        raise NotFound(f"{root} is no folder of notes of memctl", hint=hint)
    if dry_run:
        return VaultRun(db, config, actor, root, vault_id, dry_run=True).run()
    with hold_vault(config, vault_id):
        known = vaults.find_vault(db, vault_id)
        if known is None or known["path"] != str(root):
            with db.write():
                vaults.put_vault(db, vault_id, str(root), clock.now())
        return VaultRun(db, config, actor, root, vault_id, dry_run=False).run()


def withdraw_purged(db: Database, config: Config, match: str | None = None) -> list[str]:
    """Let what was purged leave every folder of notes that is known; returns what could not be
    done. Nothing is taken in: a note that waits for that may still name it, and so may words of a
    person's own, which are named if they hold the text `match`.
    """
    problems = []
    for row in vaults.list_vaults(db):
        root = Path(row["path"])
        try:
            if read_marker(root) != row["id"]:
                raise NotFound(f"the folder of notes {root} is not there now")
            report = sync_vault(db, config, _UPKEEP, root, dry_run=False)
        except (MemctlError, OSError) as error:
            problems.append(f"{error}: `memctl vault sync` removes its notes")
            continue
        waiting = [each.path for each in report.changes if each.what in ("waits", "conflict")]
        problems += [f"{root / path}: waits for you, and may name it still" for path in waiting]
        if match:
            problems += [
                f"{root / path}: holds it, in words of yours: take it out there"
                for path in _list_holding(root, match)
                if path not in waiting
            ]
    return problems


def _list_holding(root: Path, text: str) -> Iterator[str]:
    """Yield the notes of a folder, whoever wrote them, that hold a text or are called by it."""
    for path in sorted(scan_folder(root).names):
        try:
            held = decode_note(read_regular_file(root / path, most=MOST_BYTES))
        except (OSError, UnicodeDecodeError):
            held = ""
        if text in held or text in path:
            yield path


def read_marker(root: Path) -> str | None:
    """Return the id of a folder of notes; None if it is none."""
    try:
        read = json.loads(read_regular_file(root / MARKER, most=_MOST_BYTES))
        found = read["memctl_vault"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    is_id = isinstance(found, str) and found.isascii() and found.isalnum() and len(found) <= 64
    return found if is_id else None


def hold_vault(config: Config, vault_id: str) -> AbstractContextManager[None]:
    """Keep other runs of this machine out. Raises StoreLocked."""
    return hold_lock(name_lock(config, vault_id), "another run brings this folder of notes in line")


def name_lock(config: Config, vault_id: str) -> Path:
    """Return the lock of a folder, which is empty."""
    return config.db.with_name(f"{config.db.name}.vault-{vault_id}.lock")


def _resolve(root: Path) -> Path:
    return Path(os.path.realpath(root.expanduser()))
