"""The files besides the store that may hold its words, as `store.file_register` lists them.

Words are cut out of spool, logs and notes; incomplete files of killed processes are removed whole;
complete copies are named. A file is replaced in one step and its old content overwritten first; a
file system may keep copies all the same. Everything here can be done again after a kill.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from memctl.core.errors import ConversationDamaged
from memctl.core.regular_files import read_regular_file
from memctl.core.typing_lite import Any
from memctl.erase import leftover_content
from memctl.erase.rewrite import Rewriter, RewrittenSpot, rewrite_turn
from memctl.settings.config import Config
from memctl.store import drafts, file_register, files, journal_folders, sources, spool
from memctl.text import sealed_notes

_SHORTEST_NEEDLE = 8


def rewrite_files(config: Config, rewriter: Rewriter, *, write: bool) -> Iterator[RewrittenSpot]:
    """Rewrite every spool file, note and log line, and look into incomplete files.

    Yields what changes. With `write`, the incomplete files that nobody writes any more are removed,
    whatever they hold.
    """
    for leftover in file_register.list_leftovers(config):
        yield from leftover_content.find_changes(leftover, rewriter)
        if write and not leftover.is_being_written:
            file_register.remove_leftover(leftover)
    notes = {*journal_folders.list_notes(config)}
    for path in file_register.list_files(config, "words"):
        if path in notes:
            yield from _rewrite_note(path, rewriter, write)
        elif path.parent == config.spool:
            yield from _rewrite_spool_file(path, rewriter, write)
        elif path.parent == drafts.locate_notes(config):
            yield from _drop_note(path, rewriter, write)
        else:
            yield from _rewrite_log(path, rewriter, write)


def explain_untouched(config: Config) -> list[str]:
    """Say which files could not be erased from: those being written, and those out of reach."""
    busy = [
        f"{each.path} is being written or cannot be removed, and may hold it; do this again later"
        for each in file_register.list_leftovers(config)
        if each.is_confidential
    ]
    away = [
        f"{path} is on a disk that is not here, and may hold it"
        for path in drafts.list_unreachable(config)
    ]
    return [*busy, *away]


def drop_sessions(config: Config, sessions: Iterable[str], paths: Iterable[str]) -> list[str]:
    """Delete the spool files of some sessions or paths; return their names."""
    wanted, dropped = {*sessions, *paths}, []
    for path in spool.list_files(config):
        payload = spool.read_file(path) or {}
        if wanted & set(_list_sessions_and_paths(payload)):
            files.shred_file(path)
            dropped.append(path.name)
    return dropped


def drop_lines_naming(config: Config, ids: Iterable[str]) -> list[str]:
    """Leave out the lines of daily notes and MEMORY.md files that name some records; return the
    names of the files.
    """
    wanted, changed = [*ids], []
    for path in journal_folders.list_notes(config) if wanted else ():
        old = read_regular_file(path).decode("utf-8", "surrogateescape")
        new = sealed_notes.drop_naming(old, wanted)
        if new != old:
            _write_file(path, new.encode("utf-8", "surrogateescape"))
            changed.append(path.name)
    return changed


def list_backups(config: Config) -> list[Path]:
    """The known copies of the store, by itself or asked for, and other files that are only named.

    What SQLite keeps beside them counts as theirs.
    """
    return [path for path in file_register.list_files(config, "named") if path.suffix != "-wal"]


def find_files_holding(
    paths: Iterable[Path], needles: Iterable[str], *, shortest: int = _SHORTEST_NEEDLE
) -> list[Path]:
    """The files that contain one of these texts, of so many characters at least, as bytes."""
    wanted = [
        needle.encode("utf-8", "surrogatepass") for needle in needles if len(needle) >= shortest
    ]
    return [
        path
        for path in paths
        if path.is_file()
        and any(_is_holding(each, wanted) for each in (path, *_list_logs_of(path)))
    ]


def _list_logs_of(path: Path) -> Iterator[Path]:
    """The logs that SQLite keeps beside a copy, which hold what is not folded in."""
    for ending in ("-wal", "-journal"):
        log = path.with_name(path.name + ending)
        if log.is_file():
            yield log


def list_own_files(config: Config) -> list[Path]:
    """The files of which an erasure leaves nothing: store, spool, logs, incomplete files."""
    found = file_register.list_files(config, "rows", "words", "whole", "left")
    return [path for path in found if path.is_file()]


def _is_holding(path: Path, needles: list[bytes]) -> bool:
    try:
        is_open = any(each.exists() for each in files.list_companions(path))
        is_open = is_open or path.name.endswith(("-wal", "-shm"))
        text = files.read_open_file(path) if is_open else read_regular_file(path)
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
    except (KeyError, TypeError, ValueError, ConversationDamaged):
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
        old = read_regular_file(path).decode("utf-8", "surrogateescape")
    except OSError:
        return
    new = rewriter.rewrite_text(old)
    if new != old:
        yield RewrittenSpot("spool", path.name, {"text": (old, new)})
        if write:
            _write_file(path, new.encode("utf-8", "surrogateescape"))


def _drop_note(path: Path, rewriter: Rewriter, write: bool) -> Iterator[RewrittenSpot]:
    """Remove a note of a copy whose path holds the words: with others in it, it would be no use."""
    try:
        old = str(json.loads(read_regular_file(path)))
    except (OSError, ValueError, RecursionError):
        return
    new = rewriter.rewrite_text(old)
    if new != old:
        yield RewrittenSpot("note", path.name, {"path": (old, new)})
        if write:
            files.shred_file(path)


def _rewrite_note(path: Path, rewriter: Rewriter, write: bool) -> Iterator[RewrittenSpot]:
    """Rewrite the lines of a daily note or MEMORY.md; what was made there stays known as made."""
    old = read_regular_file(path).decode("utf-8", "surrogateescape")
    new = sealed_notes.edit_lines(old, rewriter.rewrite_text)
    if new != old:
        yield RewrittenSpot("note", path.name, {"text": (old, new)})
        if write:
            _write_file(path, new.encode("utf-8", "surrogateescape"))


def _rewrite_log(path: Path, rewriter: Rewriter, write: bool) -> Iterator[RewrittenSpot]:
    if not path.is_file() or path.is_symlink():
        return
    lines = read_regular_file(path).decode("utf-8", "surrogateescape").split("\n")
    new = [rewriter.rewrite_text(line) for line in lines]
    for number, (old, line) in enumerate(zip(lines, new, strict=True), 1):
        if old != line:
            yield RewrittenSpot("log", f"{path.name} line {number}", {"line": (old, line)})
    if write and new != lines:
        _write_file(path, "\n".join(new).encode("utf-8", "surrogateescape"))


def _write_file(path: Path, content: bytes) -> None:
    """Replace a private file in one step and overwrite its old content."""
    draft = path.with_name(f"{path.name}.{os.urandom(6).hex()}.{os.getpid()}.partial")
    handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    with path.open("r+b") as old:
        draft.rename(path)
        files.overwrite(old.fileno())
