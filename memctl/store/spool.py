"""The spool: a folder beside the store for what the store cannot take now, one private file each.

Four kinds of file: `capture` (a normalised, redacted conversation), `request` (a transcript for
the next maintenance to read, with what an agent says was said in it), `write` (records written by
hand, drafted) and `log` (a retrieval). Files are written atomically, and removed only after the
store has committed what they held.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from memctl.core import clock
from memctl.core.errors import StoreDamaged, StoreLocked, StoreTooNew
from memctl.core.regular_files import read_regular_file
from memctl.core.typing_lite import TYPE_CHECKING, Any
from memctl.redact.redactor import Redactor, make_redactor
from memctl.settings.config import Config
from memctl.store import logs, records
from memctl.store.database import Database
from memctl.store.migrate import make_private_folder
from memctl.text.private_blocks import PRIVATE, remove_private, remove_private_in_value

if TYPE_CHECKING:
    from memctl.results.captures import CaptureReport

LOG_WAIT_SECONDS = 0.02
# Who said what, as an agent's hook told us.
SaidPieces = Sequence[tuple[str, str]]
# Two requests for one session differ in nothing of these.
_SAME = ("path", "agent", "session_id")
# Characters kept of each text that an agent says was said, and how many of the newest texts.
_MAX_SAID_CHARACTERS = 65_536
_MAX_SAID_PIECES = 8
# The shapes of words, ids, times and checksums: their signs and lengths in characters.
_WORD_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz_:-.")
_LONGEST_WORD = 32
_ID_SIGNS = frozenset("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
_ID_LENGTH = 26
_TIME_SIGNS = frozenset("0123456789-:.TZ")
_TIME_LENGTH = 24
_HEX_SIGNS = frozenset("0123456789abcdef")
_CHECKSUM_LENGTH = 8
_UUID_LENGTHS = (8, 4, 4, 4, 12)
# What a store that cannot take something in raises.
STORE_UNAVAILABLE = (StoreLocked, StoreDamaged, StoreTooNew)


def write_file(config: Config, kind: str, payload: Mapping[str, Any], *, mark: str = "") -> Path:
    """Write one file to the spool: complete and on disk when this returns, or not at all.

    `mark` becomes part of its name.
    """
    make_private_folder(config.spool)
    final = config.spool / f"{clock.new_id()}{mark and '-'}{mark}.{kind}.json"
    partial = final.with_suffix(f".{os.getpid()}.partial")
    handle = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(handle, "wb") as stream:
            os.fchmod(stream.fileno(), 0o600)
            stream.write(json.dumps(payload, ensure_ascii=True).encode())
            stream.flush()
            os.fsync(stream.fileno())
        partial.rename(final)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    _sync_folder(config.spool)
    return final


def request_capture(
    config: Config,
    path: Path | None,
    *,
    agent: str | None,
    session_id: str | None,
    trigger: str,
    cwd: Path | None = None,
    said: SaidPieces = (),
) -> CaptureReport:
    """Leave a transcript for the next maintenance, which looks for it if there is no path yet.

    `said` is what the transcript must come to hold. A request that waits for the same file is
    enough, unless more was said.
    """
    import zlib

    from memctl.results.captures import CaptureReport  # a hook at a prompt makes none

    redactor = make_redactor(config)
    # The key of the placeholders stands beside the folder.
    make_private_folder(config.spool)
    about = {"agent": agent, "session_id": session_id, "trigger": trigger, "cwd": cwd and str(cwd)}
    # Piece by piece, as the turns of a transcript are, so that the two stay comparable.
    words = [
        [role, redactor.redact_value(remove_private(text[:_MAX_SAID_CHARACTERS]))]
        for role, text in said
    ]
    payload = {
        "path": path and _store_path(path, redactor),
        **redactor.redact_value(about),
        "said": words,
        "at": clock.now(),
    }
    mark = f"{zlib.crc32(repr([payload[name] for name in _SAME]).encode('utf-8', 'replace')):08x}"
    before = _find_waiting(config, mark, payload)
    if before is not None:
        file, earlier = before
        if all(piece in earlier["said"] for piece in words):
            return CaptureReport("requested", spool_file=str(file))
        payload["said"] = [
            *earlier["said"],
            *(piece for piece in words if piece not in earlier["said"]),
        ][-_MAX_SAID_PIECES:]
    written = write_file(config, "request", payload, mark=mark)
    if before is not None:
        before[0].unlink(missing_ok=True)
    return CaptureReport("requested", spool_file=str(written))


def _store_path(path: Path, redactor: Redactor) -> str | None:
    """Return the path of a transcript, or None if it holds a secret.

    Maintenance then looks for the session in its usual place.
    """
    told = str(path.absolute())
    return told if redactor.redact(told) == told else None


def withdraw_request(file: Path) -> None:
    """Withdraw a request, unless it also asks for something that was said before."""
    payload = read_file(file)
    if payload is not None and not payload.get("said"):
        file.unlink(missing_ok=True)


def _find_waiting(
    config: Config, mark: str, payload: Mapping[str, Any]
) -> tuple[Path, dict[str, Any]] | None:
    """Return the request for the same session that already waits, with its content."""
    for file in list_files(config, "request"):
        known = read_file(file) if mark in file.name else None
        if (
            known is not None
            and isinstance(known.get("said"), list)
            and all(known.get(name) == payload[name] for name in _SAME)
        ):
            return file, known
    return None


def seal_payload(config: Config, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return a payload with the proof that a process with the store's key wrote it."""
    return {**payload, "seal": _compute_seal(config, payload)}


def has_seal(config: Config, payload: Mapping[str, Any]) -> bool:
    """Whether a process with the store's key wrote this payload, as it is."""
    from hmac import compare_digest

    from memctl.redact import store_key

    seal = payload.get("seal")
    if store_key.load_key(config.db) is None:
        return False
    return isinstance(seal, str) and compare_digest(seal, _compute_seal(config, payload))


def _compute_seal(config: Config, payload: Mapping[str, Any]) -> str:
    from hashlib import blake2b  # here, because it loads OpenSSL, and hardly a call seals anything

    from memctl.redact import store_key

    told = {name: value for name, value in payload.items() if name != "seal"}
    text = json.dumps(told, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    key = store_key.load_key(config.db) or b""
    return blake2b(text.encode(), digest_size=16, key=key, person=b"spool").hexdigest()


def list_files(config: Config, kind: str | None = None) -> list[Path]:
    """List the complete files of the spool, oldest first."""
    ending = f".{kind}.json" if kind else ".json"
    try:
        names = sorted(name for name in os.listdir(config.spool) if name.endswith(ending))
    except OSError:
        return []
    return [config.spool / name for name in names]


def read_file(file: Path) -> dict[str, Any] | None:
    """Return what a spool file holds, or None if it is gone or damaged."""
    try:
        value = json.loads(read_regular_file(file))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def set_aside(file: Path) -> None:
    """Rename a file that cannot be read, for the operator to look at.

    If it is gone, another process took it in.
    """
    with suppress(FileNotFoundError):
        file.rename(file.with_suffix(".bad"))


def list_damaged(config: Config) -> list[Path]:
    """List the files that were set aside."""
    return sorted(config.spool.glob("*.bad")) if config.spool.is_dir() else []


def note_retrieval(db: Database, entry: dict[str, Any], touched: list[str]) -> None:
    """Remember a retrieval's log entry until the answer has been given.

    Lone surrogates, which no file takes, become question marks.
    """
    query = str(entry.get("query") or "").encode("utf-8", "replace").decode()
    db.unwritten.append(({**entry, "query": query}, touched))


def flush_logs(db: Database, config: Config, *, keeps_words: bool = True) -> None:
    """Write the remembered log entries in one short transaction; if the store is busy, to the
    spool.
    """
    redactor = make_redactor(config)
    entries = [
        ({**entry, **_redact_entry(entry, keeps_words, redactor)}, touched)
        for entry, touched in db.unwritten
    ]
    db.unwritten.clear()
    if not entries:
        return
    try:
        with db.write(LOG_WAIT_SECONDS):
            for entry, touched in entries:
                _store_log(db, entry, touched)
        db.shorten_log()
    except STORE_UNAVAILABLE:
        # The answer is given; where not even the spool takes its log line, there is none.
        with suppress(OSError):
            for entry, touched in entries:
                write_file(config, "log", {"entry": entry, "touched": touched})


def _redact_entry(
    entry: Mapping[str, Any], keeps_words: bool, redactor: Redactor
) -> dict[str, Any]:
    """Return what was asked and by whom, fit to be stored: a prompt can hold a secret too."""
    given = {
        name: entry[name] for name in ("query", "filters", "actor", "session_id") if entry.get(name)
    }
    # The start of a session asks nothing, and the rules take longer to load than all else here.
    if redactor.is_plain and "query" not in given and all(map(_is_harmless, _list_texts(given))):
        return given
    from memctl.redact.secret_replacer import select_rules

    said = remove_private_in_value(given)
    rules = select_rules(_list_texts(said))
    replacer = redactor.make_replacer()
    clean = {name: replacer.redact_value(value, rules=rules) for name, value in said.items()}
    if not keeps_words and "query" in clean:
        clean["query"] = PRIVATE
    # The words of a query by which a record was found may be those of the secret.
    hidden = clean.get("query") != entry.get("query") and isinstance(entry.get("candidates"), list)
    return (
        {**clean, "candidates": [{**each, "matched": []} for each in entry["candidates"]]}
        if hidden
        else clean
    )


def _is_harmless(text: str) -> bool:
    """Whether a text is a plain word, an id, a time or a checksum, as memctl itself writes them."""
    signs = frozenset(text)
    return (
        (signs <= _WORD_SIGNS and len(text) <= _LONGEST_WORD)
        or (len(text) == _ID_LENGTH and text[0] in "01" and signs <= _ID_SIGNS)
        or (len(text) == _TIME_LENGTH and signs <= _TIME_SIGNS)
        or (len(text) == _CHECKSUM_LENGTH and signs <= _HEX_SIGNS)
        or (tuple(map(len, text.split("-"))) == _UUID_LENGTHS and signs <= _HEX_SIGNS | {"-"})
    )


def _list_texts(value: Any) -> Iterator[str]:
    """Yield every text in nested mappings and lists, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from _list_texts(part)


def list_waiting_logs(config: Config, most: int) -> list[dict[str, Any]]:
    """Return the newest waiting log entries; damaged ones are skipped."""
    payloads = (read_file(file) for file in list_files(config, "log")[-most:])
    return [payload["entry"] for payload in payloads if payload is not None and _is_log(payload)]


def take_in_logs(db: Database, config: Config) -> int:
    """Move spooled log entries into the store; return how many."""
    waiting = list(_read_logs(config, "log"))
    with db.write():
        for _, payload in waiting:
            _store_log(db, payload["entry"], payload["touched"])
    for file, _ in waiting:
        file.unlink(missing_ok=True)
    return len(waiting)


def _read_logs(config: Config, kind: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    for file in list_files(config, kind):
        payload = read_file(file)
        if payload is not None and _is_log(payload):
            yield file, payload
        else:
            set_aside(file)


def _is_log(payload: dict[str, Any]) -> bool:
    """Whether a payload is a complete log entry that the store can take."""
    entry, touched = payload.get("entry"), payload.get("touched")
    if (
        not isinstance(entry, dict)
        or not isinstance(touched, list)
        or not entry.keys() >= logs.COLUMNS
    ):
        return False
    plain = all(isinstance(entry[name], str) for name in logs.TEXTS) and isinstance(
        entry["duration_ms"], int | float
    )
    plain = plain and isinstance(entry.get("session_id"), str | None)
    try:
        json.dumps(payload, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return plain and all(isinstance(memory_id, str) for memory_id in touched)


def _sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut, if the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _store_log(db: Database, entry: dict[str, Any], touched: list[str]) -> None:
    used = logs.list_new_uses(db, entry, touched)
    logs.insert_log(db, entry)
    if used:
        records.count_access(db, used, entry["at"])
