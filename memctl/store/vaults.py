"""What this machine knows of folders of notes: where they are, and what their notes last held."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.store import chunks
from memctl.store.database import Database, Row


def find_vault(db: Database, vault_id: str) -> Row | None:
    """Return a folder by its id, or None."""
    return db.one("vaults.find", id=vault_id)


def list_vaults(db: Database) -> list[Row]:
    """List the folders that were made from this store or synced with it, the newest first."""
    return db.all("vaults.everything")


def put_vault(db: Database, vault_id: str, path: str, at: str) -> None:
    """Note a folder, or where it is now."""
    db.run("vaults.put", id=vault_id, path=path, at=at)


def note_sync(db: Database, vault_id: str, at: str) -> None:
    """Note when a folder was last brought in line."""
    with db.write():
        db.run("vaults.note_sync", id=vault_id, at=at)


def read_notes(db: Database, vault_id: str) -> dict[str, tuple[str, str]]:
    """Return what is known of the notes of a folder by record: its base, and its place's hash."""
    rows = db.all("vaults.notes", vault_id=vault_id)
    return {row["memory_id"]: (row["base_hash"], row["place_hash"]) for row in rows}


def put_notes(
    db: Database, vault_id: str, notes: Iterable[tuple[str, tuple[str, str] | None]]
) -> None:
    """Note what notes and their records hold now, by record; None forgets one."""

    def put(each: tuple[str, tuple[str, str] | None]) -> None:
        memory_id, known = each
        if known is None:
            db.run("vaults.drop_note", vault_id=vault_id, memory_id=memory_id)
        else:
            base, place = known
            db.run(
                "vaults.put_note",
                vault_id=vault_id,
                memory_id=memory_id,
                base_hash=base,
                place_hash=place,
            )

    chunks.change_in_chunks(db, list(notes), put)
