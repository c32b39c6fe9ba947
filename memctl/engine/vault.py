"""`engine.vault`: folders of Markdown notes that follow the records."""

from __future__ import annotations

from pathlib import Path

from memctl.core.errors import NothingInIt, UsageError
from memctl.core.frozen import replace
from memctl.engine.store_access import OperationGroup
from memctl.results.backfill import MemoriesReport, MemoryFile
from memctl.results.vault import VaultReport


class VaultOperations(OperationGroup):
    """Folders of notes; without a folder it is that of the setting `vault.dir`."""

    def init(self, folder: Path | None = None) -> VaultReport:
        """Make a folder one for notes, and write them. Raises UsageError."""
        from memctl.vault import folder as vault_folder

        access = self._access
        root, db = self._choose(folder), access.open_to_write()
        vault_folder.init_vault(db, access.config, access.actor, root)
        return vault_folder.sync_vault(db, access.config, access.actor, root, dry_run=False)

    def sync(self, folder: Path | None = None) -> VaultReport:
        """Bring a folder and the records in line; only the operator's edits there come in.

        Raises NotFound for a folder that is none, StoreLocked.
        """
        from memctl.vault import folder as vault_folder

        access = self._access
        root, db = self._choose(folder), access.open_to_write()
        return vault_folder.sync_vault(db, access.config, access.actor, root, dry_run=False)

    def status(self, folder: Path | None = None) -> VaultReport:
        """Say what `sync` would do, and which links lead nowhere. Raises NotFound."""
        from memctl.vault import folder as vault_folder

        access = self._access
        root, db = self._choose(folder), access.open_to_read()
        return vault_folder.sync_vault(db, access.config, access.actor, root, dry_run=True)

    def import_notes(self, folder: Path, *, dry_run: bool = False) -> MemoriesReport:
        """Let the notes of a folder that are none of memctl's wait in the inbox, as candidates."""
        from memctl.capture import import_memories
        from memctl.capture.memory_files import ImportOptions
        from memctl.vault import scan

        access = self._access
        paths, left = scan.list_strangers(folder)
        if not paths:
            raise NothingInIt(f"{folder} holds no notes but those of memctl")
        report = import_memories.import_memories(
            access.open_or_create,
            access.config,
            access.actor.name,
            ImportOptions(tuple(paths), kind="vault"),
            dry_run=dry_run,
        )
        ignored = (
            MemoryFile(str(path), "vault", outcome="ignored", note=why)
            for path, why in left.items()
        )
        return replace(report, items=(*report.items, *ignored))

    def _choose(self, folder: Path | None) -> Path:
        if folder is not None:
            return folder
        if not self._access.config["vault.dir"]:
            raise UsageError("name a folder", hint="or set vault.dir in the config")
        return Path(self._access.config["vault.dir"])
