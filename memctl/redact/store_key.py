"""The key file beside a store, by which placeholders show that two secrets are equal.

The key is 32 random bytes in a private file, made once and shared by store, spool and hooks. It is
neither exported nor backed up: with it and the placeholders one could try guesses. If it cannot be
made or read, placeholders carry no hash, and nothing else changes.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from memctl.core.regular_files import IrregularFile, read_regular_file

KEY_BYTES = 32
_KEYS: dict[Path, bytes] = {}


def locate_key(db: Path) -> Path:
    """Return where the key of the store at that path is."""
    return db.with_name(db.name + ".key")


def load_key(db: Path) -> bytes | None:
    """Return the key of a store, made if there is none yet; None if that is impossible."""
    path = locate_key(db)
    if path not in _KEYS:
        with suppress(OSError):
            key = _read_key(path) or _create_key(path)
            if key is None:
                return None
            _KEYS[path] = key
    return _KEYS.get(path)


def is_unusable(path: Path) -> bool:
    """Whether there is something where a key should be that is none."""
    try:
        return len(read_regular_file(path, most=KEY_BYTES)) != KEY_BYTES
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _read_key(path: Path) -> bytes | None:
    try:
        key = read_regular_file(path, most=KEY_BYTES)
    except FileNotFoundError:
        return None
    except IrregularFile:
        return b""
    return key if len(key) == KEY_BYTES else b""


def _create_key(path: Path) -> bytes | None:
    """Make the key file and return its key, or that of another process that was faster."""
    if path.exists():
        return None
    draft = path.with_name(f"{path.name}.{os.urandom(8).hex()}")
    handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(handle, "wb") as stream:
            os.fchmod(stream.fileno(), 0o600)
            stream.write(os.urandom(KEY_BYTES))
            stream.flush()
            os.fsync(stream.fileno())
        _publish_key(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return _read_key(path) or None


def _publish_key(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        draft.rename(path)
