"""What setup wrote and where, kept beside the store so that it can be taken out exactly: a private
JSON file.

An entry is on disk before the file it speaks of is changed. A manifest that cannot be read is no
reason to fail: what was added is then found by its looks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from memctl.core.frozen import asdict, dataclass, replace
from memctl.core.typing_lite import Any
from memctl.settings.config import Config
from memctl.setup import disk
from memctl.setup.textedit import Span

VERSION = 1


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One edited file: its agent and project, its editor, hashes before and after, the insertions.

    `about` is what the editor has to know to take them out again.
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
    """All entries, one for each editor of a file, and the folders that were made for them."""

    path: Path
    entries: tuple[ManifestEntry, ...] = ()
    folders: tuple[Path, ...] = ()

    def entry(self, path: Path, editor: str) -> ManifestEntry | None:
        """What an editor did to a file."""
        return next((entry for entry in self.list_at(path) if entry.editor == editor), None)

    def list_at(self, path: Path) -> list[ManifestEntry]:
        """The entries of a file, in the order in which it was edited."""
        return [entry for entry in self.entries if entry.path == str(path)]

    def with_entry(self, entry: ManifestEntry) -> Manifest:
        """The manifest with this entry in place of an older one for the same file and editor."""
        others = self.without(Path(entry.path), (entry.editor,))
        return replace(others, entries=(*others.entries, entry))

    def without(self, path: Path, editors: Iterable[str] | None = None) -> Manifest:
        """The manifest without the entries of a file, or without those of some of its editors."""
        gone = None if editors is None else frozenset(editors)
        return replace(
            self,
            entries=tuple(
                entry
                for entry in self.entries
                if entry.path != str(path) or (gone is not None and entry.editor not in gone)
            ),
        )

    def with_folders(self, folders: Iterable[Path]) -> Manifest:
        """The manifest with more folders that were made."""
        return replace(self, folders=tuple(dict.fromkeys((*self.folders, *folders))))


def hash_text(text: str) -> str:
    """The hash by which a text is recognised."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def manifest_path(config: Config) -> Path:
    """Where the manifest of a store is kept."""
    return config.db.with_name(f"{config.db.name}.setup.json")


def load_manifest(config: Config) -> Manifest:
    """Read the manifest; an empty one where there is none or it cannot be read."""
    path = manifest_path(config)
    try:
        whole = json.loads(path.read_bytes())
        if whole["version"] != VERSION:
            return Manifest(path)
        return Manifest(
            path,
            tuple(_read_entry(**one) for one in whole["entries"]),
            tuple(Path(one) for one in whole["folders"]),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Manifest(path)


def save_manifest(manifest: Manifest) -> None:
    """Write the manifest; an empty one is deleted with the folders that were made for it."""
    spot = disk.look_at(manifest.path)
    if not manifest.entries:
        if spot.data is not None:
            disk.write_file(spot, None)
        disk.remove_empty_folders(list(manifest.folders))
        return
    missing = disk.list_missing_folders(manifest.path.parent)
    manifest.path.parent.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        folder.chmod(0o700)
    manifest = manifest.with_folders(missing)
    body = {
        "version": VERSION,
        "entries": [asdict(one) for one in manifest.entries],
        "folders": [str(one) for one in manifest.folders],
    }
    disk.write_file(spot, json.dumps(body, indent=1).encode() + b"\n", mode=0o600)


def remove_left_folders(manifest: Manifest) -> Manifest:
    """Remove the empty folders that setup made; return the manifest without them."""
    return replace(manifest, folders=tuple(disk.remove_empty_folders(list(manifest.folders))))


def _read_entry(*, spans: Any, made: Any, **rest: Any) -> ManifestEntry:
    return ManifestEntry(
        **rest,
        spans=tuple((int(at), str(new)) for at, new in spans),
        made=tuple(tuple(path) for path in made),
    )
