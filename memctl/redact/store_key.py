"""Redaction with the key and the settings of the store at hand; the key file beside the store.

Whoever opens a store or writes beside it enters its settings first; from then on all that is written is redacted with them. The key is
32 random bytes in a private file, made once and shared by store, spool and hooks. It is neither exported nor backed up: with it, and the
placeholders, one could try guesses. Where it cannot be made or read, placeholders carry no hash, and nothing else changes.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path

from memctl.core.typing_lite import TYPE_CHECKING, Any, TypeVar
from memctl.settings.config import Config

if TYPE_CHECKING:
    from memctl.redact import Marks, Redactor
    from memctl.redact.secret_pieces import Remembering

AnyRedactor = TypeVar("AnyRedactor", bound="Redactor")
KEY_BYTES = 32
_AT_HAND: ContextVar[Config | None] = ContextVar("store", default=None)
_KEYS: dict[Path, bytes] = {}
_PATTERNS: dict[str, re.Pattern[str]] = {}


def enter(config: Config) -> None:
    """Redact with the key and settings of this store from here on."""
    _AT_HAND.set(config)


def redactor() -> Redactor:
    """What redacts for the store at hand; without one, placeholders carry no hash."""
    from memctl.redact import Redactor

    return _made_by(Redactor)


def remembering() -> Remembering:
    """The same, and it finds pieces of what it took out before."""
    from memctl.redact.secret_pieces import Remembering

    return _made_by(Remembering)


def _made_by(kind: type[AnyRedactor]) -> AnyRedactor:
    config = _AT_HAND.get()
    if config is None:
        return kind()
    patterns = tuple(map(_compiled, config["capture.ignore"]["patterns"]))
    return kind(lambda: key_of(config.db), deep=config["redact.deep"], patterns=patterns)


def _compiled(text: str) -> re.Pattern[str]:
    from memctl.text.safe_regex import bounded

    return _PATTERNS.get(text) or _PATTERNS.setdefault(text, bounded(text))


def redact(text: str, *, among: Marks | None = None) -> str:
    """The text without secrets."""
    return redactor().text(text, among=among)


def redact_value(value: Any, *, among: Marks | None = None) -> Any:
    """The same for every string in nested lists and mappings."""
    return redactor().value(value, among=among)


def key_file(db: Path) -> Path:
    """Where the key of the store at that path is."""
    return db.with_name(db.name + ".key")


def key_of(db: Path) -> bytes | None:
    """The key of a store, made if there is none yet; None where that is impossible."""
    path = key_file(db)
    if path not in _KEYS:
        with suppress(OSError):
            key = _read(path) or _made(path)
            if key is None:
                return None
            _KEYS[path] = key
    return _KEYS.get(path)


def key_at_hand() -> bytes | None:
    """The key of the store that was entered last."""
    config = _AT_HAND.get()
    return None if config is None else key_of(config.db)


def _read(path: Path) -> bytes | None:
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        return None
    return key if len(key) == KEY_BYTES else b""


def _made(path: Path) -> bytes | None:
    """The key that stands in the file afterwards: ours, or that of another process that was faster."""
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
        _take_name(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return _read(path) or None


def _take_name(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        draft.rename(path)
