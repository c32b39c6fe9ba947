"""What incomplete files of this program hold: a store that nobody finished, or plain bytes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from memctl.core.errors import MemctlError
from memctl.core.regular_files import open_regular_file
from memctl.erase.rewrite import Rewriter, RewrittenSpot, StoreRewrite, list_spots
from memctl.store.database import Database, IntegrityError, OperationalError
from memctl.store.file_register import Leftover

# Bytes read at once, and how many the next piece begins with, so that no word is cut in two.
_PIECE_BYTES = 1 << 20
_OVERLAP_BYTES = 4096
_UNREADABLE = (MemctlError, OperationalError, IntegrityError, ValueError, KeyError, TypeError)


def find_changes(leftover: Leftover, rewriter: Rewriter) -> Iterator[RewrittenSpot]:
    """Yield one spot for each file in which the rewriter would change anything."""
    inside = leftover.path.rglob("*") if leftover.path.is_dir() else [leftover.path]
    for path in inside:
        changes: dict[str, tuple[str, str]] = {}
        if leftover.draft is not None and not leftover.is_being_written:
            changes = _read_store(path, rewriter)
        if not changes and path.is_file():
            changes = _read_bytes(path, rewriter)
        if changes:
            yield RewrittenSpot("leftover", leftover.path.name, changes)


def _read_store(path: Path, rewriter: Rewriter) -> dict[str, tuple[str, str]]:
    """What would change in a store, by kind of row; nothing if it is none, or cannot be read."""
    changes: dict[str, tuple[str, str]] = {}
    try:
        with closing(Database(path)) as db:
            for spot in list_spots(StoreRewrite(db, rewriter).find_edits()):
                before, after = changes.get(spot.place, ("", ""))
                for old, new in spot.changes.values():
                    before, after = f"{before}\n{old}", f"{after}\n{new}"
                changes[spot.place] = before, after
    except _UNREADABLE:
        return changes
    return changes


def _read_bytes(path: Path, rewriter: Rewriter) -> dict[str, tuple[str, str]]:
    befores, afters = [], []
    try:
        with open_regular_file(path) as file:
            piece = file.read(_PIECE_BYTES)
            while piece:
                old = piece.decode("utf-8", "surrogateescape")
                new = rewriter.rewrite_text(old)
                if new != old:
                    befores.append(old)
                    afters.append(new)
                more = file.read(_PIECE_BYTES)
                piece = piece[-_OVERLAP_BYTES:] + more if more else b""
    except OSError:
        return {}
    return {"bytes": ("\n".join(befores), "\n".join(afters))} if befores else {}
