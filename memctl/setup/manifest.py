"""What setup wrote and where, kept beside the store so that it can be taken out exactly: a private JSON file.

An entry is on disk before the file it speaks of is changed. A manifest that cannot be read is no reason to fail: what was added is then
found by its looks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memctl.core.frozen import asdict, dataclass, replace
from memctl.settings.config import Config
from memctl.setup import disk
from memctl.setup.textedit import Span

VERSION = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: for which agent (and project, by its folder), how it is edited, hashes before and after, and what was inserted.

    `about` is what the editor has to know, such as the file that was put into a list.
    """

    agent: str
    path: str
    editor: str
    before: str
    after: str
    created: bool = False
    root: str | None = None
    about: str = ""
    spans: tuple[Span, ...] = ()
    made: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """All entries by path, and the folders that were made for them."""

    path: Path
    entries: tuple[Entry, ...] = ()
    folders: tuple[Path, ...] = ()

    def entry(self, path: Path) -> Entry | None:
        """The entry of a file."""
        return next((entry for entry in self.entries if entry.path == str(path)), None)

    def with_entry(self, entry: Entry) -> Manifest:
        """The manifest with this entry in place of an older one of the same file."""
        return replace(
            self.without(Path(entry.path)), entries=(*self.without(Path(entry.path)).entries, entry)
        )

    def without(self, path: Path) -> Manifest:
        """The manifest without the entry of a file."""
        return replace(
            self, entries=tuple(entry for entry in self.entries if entry.path != str(path))
        )

    def with_folders(self, folders: Iterable[Path]) -> Manifest:
        """The manifest with more folders that were made."""
        return replace(self, folders=tuple(dict.fromkeys((*self.folders, *folders))))


def digest(text: str) -> str:
    """What a text is known by."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def place(config: Config) -> Path:
    """Where the manifest of a store is kept."""
    return config.db.with_name(f"{config.db.name}.setup.json")


def load(config: Config) -> Manifest:
    """What was written so far; nothing where there is no manifest, or none that can be understood."""
    path = place(config)
    try:
        whole = json.loads(path.read_bytes())
        if whole["version"] != VERSION:
            return Manifest(path)
        return Manifest(
            path,
            tuple(_entry(**one) for one in whole["entries"]),
            tuple(Path(one) for one in whole["folders"]),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Manifest(path)


def save(manifest: Manifest) -> None:
    """Keep the manifest; one that is empty goes, with the folders that were made for it."""
    spot = disk.look(manifest.path)
    if not manifest.entries:
        if spot.data is not None:
            disk.write(spot, None)
        disk.remove_folders(list(manifest.folders))
        return
    missing = disk.missing_folders(manifest.path.parent)
    manifest.path.parent.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        folder.chmod(0o700)
    manifest = manifest.with_folders(missing)
    body = {
        "version": VERSION,
        "entries": [asdict(one) for one in manifest.entries],
        "folders": [str(one) for one in manifest.folders],
    }
    disk.write(spot, json.dumps(body, indent=1).encode() + b"\n", mode=0o600)


def tidied(manifest: Manifest) -> Manifest:
    """The manifest after folders that were made and are empty have been removed."""
    return replace(manifest, folders=tuple(disk.remove_folders(list(manifest.folders))))


def _entry(*, spans: Any, made: Any, **rest: Any) -> Entry:
    return Entry(
        **rest,
        spans=tuple((int(at), str(new)) for at, new in spans),
        made=tuple(tuple(path) for path in made),
    )
