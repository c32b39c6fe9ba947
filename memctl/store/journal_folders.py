"""The folders in which daily notes and MEMORY.md are kept, and which files in them are ours.

The folder of the settings is known; any other is noted beside the store before a file is made
there, so that an erasure finds what stands in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from memctl.core.regular_files import read_regular_file
from memctl.settings.config import Config
from memctl.store import drafts
from memctl.text import sealed_notes

# Where notes stand below a folder: of everything, and of one project,
# and what a killed run left of one.
_PLACES = ("", "projects/*/")
_NAMES = ("daily/*.md", "MEMORY.md", "daily/.memctl-*", ".memctl-*")
_PATTERNS = tuple(f"{place}{name}" for place in _PLACES for name in _NAMES)


def locate_list(config: Config) -> Path:
    """Return the file that names the folders."""
    return config.db.with_name(f"{config.db.name}.journal.json")


def list_folders(config: Config) -> list[Path]:
    """List the folders of the settings and of earlier commands."""
    configured = str(config["journal.dir"]).strip()
    found = [*([Path(configured).expanduser()] if configured else []), *_read_list(config)]
    return list(dict.fromkeys(found))


def note_folder(config: Config, folder: Path) -> None:
    """Note that files are made in a folder."""
    known = _read_list(config)
    if folder not in known:
        body = json.dumps([str(each) for each in (*known, folder)]).encode()
        with drafts.write_draft(config, locate_list(config), replaces=True) as draft:
            draft.write_bytes(body)


def list_notes(config: Config) -> list[Path]:
    """List the daily notes and MEMORY.md files in all folders."""
    return [path for folder in list_folders(config) for path in _find_notes(folder)]


def _find_notes(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        for pattern in _PATTERNS:
            for path in sorted(folder.glob(pattern)):
                if _is_ours(path):
                    yield path


def _is_ours(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    try:
        return sealed_notes.is_sealed(read_regular_file(path).decode("utf-8", "surrogateescape"))
    except OSError:
        return False


def _read_list(config: Config) -> list[Path]:
    try:
        found = json.loads(read_regular_file(locate_list(config)))
    except (OSError, ValueError, RecursionError):
        return []
    return (
        [Path(each) for each in found if isinstance(each, str)] if isinstance(found, list) else []
    )
