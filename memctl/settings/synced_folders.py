"""Folders that a program copies to other machines, where a store does not belong.

Such a program copies the store and its write-ahead log at different moments, and puts a second
store beside the first when two machines wrote.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

# The beginnings of the names of folders, and the service that keeps them.
_NAMES = (
    ("Dropbox", "Dropbox"),
    ("OneDrive", "OneDrive"),
    ("Google Drive", "Google Drive"),
    ("GoogleDrive", "Google Drive"),
    ("Nextcloud", "Nextcloud"),
    ("ownCloud", "ownCloud"),
    ("Mobile Documents", "iCloud"),
    ("iCloud", "iCloud"),
    ("CloudStorage", "a cloud drive"),
)
# Names that mean nothing as the beginning of a longer one.
_WHOLE_NAMES = (("Sync", "Syncthing, or another service whose folder has that name"),)
# What a service leaves in the folders that it copies.
_MARKS = (
    (".stfolder", "Syncthing"),
    (".dropbox", "Dropbox"),
    (".dropbox.cache", "Dropbox"),
    (".nextcloudsync.log", "Nextcloud"),
    (".owncloudsync.log", "ownCloud"),
)
# What a service puts between a file's name and its ending where two machines wrote: Dropbox and
# Nextcloud, Google Drive, Syncthing, ownCloud, iCloud.
_CONFLICT = r"( \([^)]*\)| \d{1,3}|\.sync-conflict-.+|_conflict-.+)"


def find_sync_service(folder: Path) -> str | None:
    """Return the service that copies a folder to other machines, or None."""
    for place in (folder, *folder.parents):
        for beginning, service in _NAMES:
            if re.match(rf"{re.escape(beginning)}(?![A-Za-z])", place.name):
                return service
        for name, service in _WHOLE_NAMES:
            if place.name == name:
                return service
        for mark, service in _MARKS:
            if os.path.lexists(place / mark):
                return service
    return None


def list_conflict_copies(store: Path) -> list[str]:
    """Return the names of the copies of a store that a service made beside it."""
    pattern = re.compile(
        rf"{re.escape(store.stem)}{_CONFLICT}{re.escape(store.suffix)}", re.IGNORECASE
    )
    try:
        return sorted(name for name in os.listdir(store.parent) if pattern.fullmatch(name))
    except OSError:
        return []


def describe_sync(store: Path) -> str | None:
    """Say in a sentence that a service copies the store, or None."""
    service = find_sync_service(store.parent) or find_sync_service(store.parent.resolve())
    if service is None:
        return None
    return (
        f"{store.parent} is copied to other machines by {service}, which can damage a store that "
        "is in use and makes a second one where two machines write"
    )
