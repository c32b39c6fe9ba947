"""Files beside a store that may hold its words: spool, logs, older backups, write-ahead log.

A file is replaced in one step and its old content overwritten first; a file system may keep copies
all the same.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memctl.erase.rewrite import Rewriter, RewrittenSpot, rewrite_turn
from memctl.settings.config import Config
from memctl.store import files, sources, spool

_LOGS = ("hook.log", "hook.log.1")
_SHORTEST_NEEDLE = 8


def rewrite_files(config: Config, rewriter: Rewriter, *, write: bool) -> Iterator[RewrittenSpot]:
    """Rewrite every spool file and log line; yield those that change."""
    for path in sorted(config.spool.iterdir()) if config.spool.is_dir() else ():
        yield from _rewrite_spool_file(path, rewriter, write)
    for name in _LOGS:
        yield from _rewrite_log(config.db.parent / name, rewriter, write)


def drop_sessions(config: Config, sessions: Iterable[str], paths: Iterable[str]) -> list[str]:
    """Delete the spool files of some sessions or paths; return their names."""
    wanted, dropped = {*sessions, *paths}, []
    for path in spool.list_files(config):
        payload = spool.read_file(path) or {}
        if wanted & set(_list_sessions_and_paths(payload)):
            _shred_file(path)
            dropped.append(path.name)
    return dropped


def list_backups(config: Config) -> list[Path]:
    """The known copies of the store: automatic ones, and those that a restore kept."""
    folder = sorted(config.backups.glob("*.db")) if config.backups.is_dir() else []
    return [
        *folder,
        *(
            path
            for path in sorted(config.db.parent.glob(f"{config.db.name}.before-restore-*"))
            if path.suffix != "-wal"
        ),
    ]


def find_files_holding(paths: Iterable[Path], needles: Iterable[str]) -> list[Path]:
    """The files that contain one of these texts as bytes."""
    wanted = [
        needle.encode("utf-8", "surrogatepass")
        for needle in needles
        if len(needle) >= _SHORTEST_NEEDLE
    ]
    return [path for path in paths if path.is_file() and _is_holding(path, wanted)]


def list_own_files(config: Config) -> list[Path]:
    """The store, SQLite's files beside it, the spool and the logs."""
    inside = sorted(config.spool.iterdir()) if config.spool.is_dir() else []
    return [
        config.db,
        *files.list_companions(config.db),
        *inside,
        *(config.db.parent / name for name in _LOGS),
    ]


def _is_holding(path: Path, needles: list[bytes]) -> bool:
    try:
        text = path.read_bytes()
    except OSError:
        return False
    return any(needle in text for needle in needles)


def _list_sessions_and_paths(payload: Mapping[str, Any]) -> Iterator[str]:
    """The sessions and paths that a spool file is about."""
    entry = payload.get("entry")
    about = [
        payload,
        *(payload.get("transcripts") or ()),
        *([entry] if isinstance(entry, dict) else []),
    ]
    for each in about:
        if isinstance(each, dict):
            yield from (str(each[name]) for name in ("session_id", "path") if each.get(name))


def _rewrite_spool_file(path: Path, rewriter: Rewriter, write: bool) -> Iterator[RewrittenSpot]:
    payload = spool.read_file(path) if path.name.endswith(".json") else None
    if payload is None:
        yield from _rewrite_plain_file(path, rewriter, write)
        return
    try:
        new = _rewrite_payload(rewriter, payload)
    except (KeyError, TypeError, ValueError, zlib.error):
        yield from _rewrite_plain_file(path, rewriter, write)
        return
    if new != payload:
        yield RewrittenSpot(
            "spool", path.name, {"payload": (_format_payload(payload), _format_payload(new))}
        )
        if write:
            _write_file(path, json.dumps(new, ensure_ascii=True).encode())


def _rewrite_payload(rewriter: Rewriter, payload: Mapping[str, Any]) -> dict[str, Any]:
    new: dict[str, Any] = {
        name: rewriter.rewrite_value(value)
        for name, value in payload.items()
        if name != "transcripts"
    }
    if "transcripts" in payload:
        new["transcripts"] = [
            _rewrite_transcript(rewriter, item) for item in payload["transcripts"]
        ]
    return new


def _rewrite_transcript(rewriter: Rewriter, item: Mapping[str, Any]) -> dict[str, Any]:
    old = sources.unpack_turns(base64.b64decode(item["turns"]))
    turns = [rewrite_turn(rewriter, turn) for turn in old]
    packed = item["turns"] if turns == old else base64.b64encode(sources.pack_turns(turns)).decode()
    return {
        **{name: rewriter.rewrite_value(value) for name, value in item.items() if name != "turns"},
        "turns": packed,
    }


def _format_payload(payload: Mapping[str, Any]) -> str:
    """All words of a payload, packed turns included."""
    plain = {name: value for name, value in payload.items() if name != "transcripts"}
    turns = [
        turn.text
        for item in payload.get("transcripts", ())
        for turn in sources.unpack_turns(base64.b64decode(item["turns"]))
    ]
    return json.dumps([plain, turns], ensure_ascii=False)


def _rewrite_plain_file(path: Path, rewriter: Rewriter, write: bool) -> Iterator[RewrittenSpot]:
    """Rewrite a file as plain text."""
    try:
        old = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return
    new = rewriter.rewrite_text(old)
    if new != old:
        yield RewrittenSpot("spool", path.name, {"text": (old, new)})
        if write:
            _write_file(path, new.encode("utf-8", "surrogateescape"))


def _rewrite_log(path: Path, rewriter: Rewriter, write: bool) -> Iterator[RewrittenSpot]:
    if not path.is_file() or path.is_symlink():
        return
    lines = path.read_bytes().decode("utf-8", "surrogateescape").split("\n")
    new = [rewriter.rewrite_text(line) for line in lines]
    for number, (old, line) in enumerate(zip(lines, new, strict=True), 1):
        if old != line:
            yield RewrittenSpot("log", f"{path.name} line {number}", {"line": (old, line)})
    if write and new != lines:
        _write_file(path, "\n".join(new).encode("utf-8", "surrogateescape"))


def _write_file(path: Path, content: bytes) -> None:
    """Replace a private file in one step and overwrite its old content."""
    draft = path.with_name(f"{path.name}.{os.urandom(6).hex()}.partial")
    handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    with path.open("r+b") as old:
        draft.rename(path)
        _overwrite(old.fileno())


def _shred_file(path: Path) -> None:
    with suppress(FileNotFoundError):
        with path.open("r+b") as old:
            _overwrite(old.fileno())
        path.unlink()


def _overwrite(handle: int) -> None:
    size = os.fstat(handle).st_size
    os.pwrite(handle, bytes(size), 0)
    os.fsync(handle)
