"""Whose export a file is, and what follows from that.

Trust rises only by the operator at a terminal, who says that an export is their own, or by the mark
that their own export carries. The mark is an HMAC over the manifest, whose checksums cover every
line, under the key beside the store. It tells a file of this store from a stranger's. It proves
nothing against a program that runs as the operator and can read the key; so it counts for nothing
where the operator does not sit at the terminal, neither in making nor in taking.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from pathlib import Path

from memctl.core.errors import RefusedByPolicy, UsageError
from memctl.core.model import UNKNOWN_ORIGIN, Actor
from memctl.core.typing_lite import Any
from memctl.exchange.import_state import is_reserved_name
from memctl.exchange.reading import holds_checksums, open_export, read_manifest
from memctl.redact import store_key
from memctl.settings.config import Config
from memctl.settings.policy import AT_A_TERMINAL

MINE = "mine"
_MARK = "mark"
_PURPOSE = b"memctl export\0"
# Characters of a name.
_NAME_LENGTH = 40


def read_origin(said: str | None, actor: Actor) -> str | None:
    """Read whose export a file is said to be; None is the operator's own.

    Raises RefusedByPolicy for whoever may not say so, UsageError for what is no name.
    """
    if said is None or said == UNKNOWN_ORIGIN:
        return UNKNOWN_ORIGIN
    if not actor.is_operator:
        raise RefusedByPolicy(
            f"to say whose export this is {AT_A_TERMINAL}",
            hint="without --from it is taken in as of unknown origin",
        )
    if said == MINE:
        return None
    name = " ".join(said.split())
    if not name or len(name) > _NAME_LENGTH or not name.isprintable():
        raise UsageError(f"a name has 1 to {_NAME_LENGTH} printable characters: {said[:80]!r}")
    if is_reserved_name(name):
        raise UsageError(
            f"{said!r} is nobody's name",
            hint=f"say `--from {MINE}` of an export of your own, else the other person's name",
        )
    return name


def describe_import(origin: str | None) -> str | None:
    """One sentence on how a file was taken in; None if it was the operator's own."""
    if origin is None:
        return None
    whose = (
        "its origin is unknown" if origin == UNKNOWN_ORIGIN else f"it is {origin}'s, not your own"
    )
    return (
        f"taken in with the trust of an agent's claim, because {whose}; what is about you or tells "
        "agents what to do waits in the inbox"
    )


def is_own_export(config: Config, path: Path) -> bool:
    """Whether a file is an export of this store that the operator made, every line as it was."""
    if not path.is_file():
        return False
    with open_export(path) as handle:
        manifest = read_manifest(handle, path)
        return holds_mark(manifest, config.db) and holds_checksums(manifest, handle)


def add_mark(manifest: dict[str, Any], db: Path) -> dict[str, Any]:
    """The manifest of an export of the store at a path, with its mark; without one if no key."""
    mark = mark_manifest(manifest, db)
    return manifest if mark is None else {**manifest, _MARK: mark}


def mark_manifest(manifest: Mapping[str, Any], db: Path) -> str | None:
    """Compute the mark of an export of the store at a path; None without a key."""
    key = store_key.load_key(db)
    if not key:
        return None
    told = {name: value for name, value in manifest.items() if name != _MARK}
    body = json.dumps(told, sort_keys=True, separators=(",", ":")).encode()
    return hmac.new(key, _PURPOSE + body, hashlib.sha256).hexdigest()


def holds_mark(manifest: Mapping[str, Any], db: Path) -> bool:
    """Whether a manifest was marked as an export of the store at a path."""
    said, right = manifest.get(_MARK), mark_manifest(manifest, db)
    return (
        isinstance(said, str)
        and right is not None
        and hmac.compare_digest(said.encode("utf-8", "replace"), right.encode())
    )
