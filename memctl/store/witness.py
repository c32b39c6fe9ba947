"""A witness of the store's newest change, outside the store's folder and sealed with a key.

What a store has lost or what was rewritten in it cannot be seen from within: a cut-off write-ahead
log, an older file in its place, and an event log whose chain somebody computed anew all look sound.
So each command that changed records notes the number and chain hash of the newest change here, and
doctor and the next writing command compare. The seal (BLAKE2b with a key of its own) keeps whoever
can write only to the store from writing a fitting witness.

It is evident, not proof: whoever can read the key, which is anything that runs as the operator, can
seal another witness.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from memctl.core import clock, process_identity
from memctl.core.errors import StoreTampered
from memctl.core.frozen import dataclass, replace
from memctl.core.regular_files import IrregularFile, read_regular_file
from memctl.core.typing_lite import Any
from memctl.settings.config import Config
from memctl.store import meta
from memctl.store.database import Database
from memctl.store.migrate import make_private_folder
from memctl.store.rows import to_canonical_json

try:  # without OpenSSL, which takes several milliseconds to load
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

KEY_BYTES = 32
# Bytes of a seal, and of the name that a store's path gives its witness.
_SEAL_BYTES = 32
_NAME_BYTES = 8
_STORE_ID = "store_id"
# Seconds to wait for another command that looks at the witness, and between two tries. It needs a
# few milliseconds; chosen by hand.
_LONGEST_WAIT_SECONDS = 2.0
_PAUSE_SECONDS = 0.002
_FOR_EVER = "9999"


@dataclass(frozen=True, slots=True)
class Witness:
    """What the store held when a command last changed it.

    `rewriting` says that a command is rewriting history, or was when it was killed; `rewriters` are
    the processes that do. `told` is the fault that a command has told of already.
    """

    store: str
    path: str
    seq: int
    chain: str
    records: int
    at: str
    rewriting: str | None = None
    told: str | None = None
    rewriters: Sequence[Mapping[str, Any]] = ()


def locate_key(config: Config) -> Path:
    """Return where the key of all witnesses is."""
    return config.state / "witness.key"


def locate_witness(config: Config) -> Path:
    """Return where the witness of this store is; the file knows nothing of what is remembered."""
    name = blake2b(_find_path(config).encode("utf-8", "surrogateescape"), digest_size=_NAME_BYTES)
    return config.state / f"witness-{name.hexdigest()}.json"


def renew_witness(db: Database, config: Config, *, accept: bool = False) -> None:
    """Note the newest change of the store, unless the store does not fit what was noted before.

    `accept` notes it all the same: the operator has seen the fault. Where the folder cannot be
    written, nothing is noted; nor while another living process rewrites history, which notes it
    when it is done.
    """
    with suppress(OSError):
        key = _read_key(config) or _create_key(config)
        if not key:
            return
        ensure_store_id(db)
        with _hold_witness(config) as is_alone:
            if is_alone:
                _renew(db, config, key, accept)


def _renew(db: Database, config: Config, key: bytes, accept: bool) -> None:
    before = _read_witness(config, key)
    if not accept and _find_fault(db, config, key, before) is not None:
        return
    others = _list_other_rewriters(before)
    if before is not None and others and not accept:
        _write_witness(config, key, replace(before, rewriters=others))
        return
    _write_witness(config, key, _look(db, config))
    if before is None or before.rewriting or accept:
        reason = "accepted by the operator" if accept else (before or _NONE).rewriting
        _append_log(config, f"begun anew: {reason or 'the first of this store'}")


def begin_witness(db: Database, config: Config) -> str | None:
    """Begin the witness of a store that was just created, whatever stood in its place before.

    Returns what is said of a former store that was witnessed here; None if there was none.
    """
    with suppress(OSError):
        key = _read_key(config)
        if not key or not locate_witness(config).exists():
            return None
        ensure_store_id(db)
        with _hold_witness(config) as is_alone:
            before = _read_witness(config, key)
            if not is_alone or _list_other_rewriters(before):
                return None
            _write_witness(config, key, _look(db, config))
            former = f"with {before.records} records at {before.at}" if before else "once"
            told = f"the store that stood here {former} is gone"
            _append_log(config, f"begun anew: a new store was created; {told}")
            return f"{told}; this is a new one"
    return None


def announce_rewriting(config: Config, reason: str) -> None:
    """Note that a command is about to rewrite history or to put another store in this place."""
    with suppress(OSError):
        key = _read_key(config)
        if not key:
            return
        with _hold_witness(config):
            before = _read_witness(config, key)
            if before is not None:
                own = {**process_identity.describe_process(), "until": _FOR_EVER}
                rewriters = (*_list_other_rewriters(before), own)
                if before.rewriting and own in before.rewriters:  # a restore that purges
                    reason = f"{before.rewriting}, {reason}"
                _write_witness(config, key, replace(before, rewriting=reason, rewriters=rewriters))


def find_fault(db: Database, config: Config) -> str | None:
    """Return how the store differs from what its witness saw; None if it does not."""
    path = locate_key(config)
    try:
        key = _read_key(config)
    except OSError as error:
        return f"the key {path} cannot be read: {error.strerror}"
    if key == b"":
        return f"the key {path} is unusable"
    if key is None:
        if locate_witness(config).exists():
            return f"the key {path} is gone, so the witness cannot be checked"
        return None
    with _hold_witness(config):
        return _find_fault(db, config, key, _read_witness(config, key))


def describe_witness(config: Config) -> str | None:
    """Return until when the store is witnessed; None if it is not yet."""
    with suppress(OSError):
        key = _read_key(config)
        seen = _read_witness(config, key) if key else None
        if seen is not None:
            return f"the store holds all that was noted outside it at {seen.at}"
    return None


def warn_once(db: Database, config: Config) -> None:
    """Let the person be told that the store does not fit its witness, once.

    A key or witness that cannot be read is told by doctor alone.
    """
    with suppress(OSError):
        key = _read_key(config)
        if not key:
            return
        with _hold_witness(config) as is_alone:
            seen = _read_witness(config, key)
            if not is_alone or seen is None or seen.told:
                return
            fault = _find_fault(db, config, key, seen)
            if fault is not None:
                db.warnings[_STORE_ID] = StoreTampered(fault, hint="`memctl doctor` says more")
                _write_witness(config, key, replace(seen, told=fault))


def was_witnessed(db: Database) -> bool:
    """Whether there was a witness of the store, here or elsewhere."""
    return meta.get_note(db, _STORE_ID) is not None


def ensure_store_id(db: Database) -> str:
    """Return what the store is known by; made if it has none yet."""
    known = meta.get_note(db, _STORE_ID)
    if known is not None:
        return known
    with db.write():
        # Another process may have named it since; one store has one name.
        known = meta.get_note(db, _STORE_ID) or clock.new_id()
        meta.put_note(db, _STORE_ID, known)
    return known


def _find_fault(db: Database, config: Config, key: bytes, seen: Witness | None) -> str | None:
    if seen is None:
        if locate_witness(config).exists():
            return f"the witness {locate_witness(config)} was changed by something else"
        return None
    if seen.rewriting:
        return None
    if meta.get_note(db, _STORE_ID) != seen.store:
        return f"another store stands where the one of {seen.at} was"
    last = int(db.value("event_log.last") or 0)
    if last < seen.seq:
        return (
            f"changes are gone: at {seen.at} the store ended with change {seen.seq}, "
            f"now it ends with {last}"
        )
    row = db.one("event_log.by_seq", seq=seen.seq) if seen.seq else None
    if seen.seq and (row is None or row["chain"] != seen.chain):
        return f"the past was rewritten: change {seen.seq} is not what it was at {seen.at}"
    if last == seen.seq and int(db.value("lexical_repair.records_count")) < seen.records:
        return f"records are gone: at {seen.at} there were {seen.records}"
    return None


def _look(db: Database, config: Config) -> Witness:
    store = ensure_store_id(db)
    with db.snapshot():
        seq = int(db.value("event_log.last") or 0)
        chain = str(db.value("event_log.head") or "")
        records = int(db.value("lexical_repair.records_count"))
    return Witness(store, _find_path(config), seq, chain, records, clock.now())


def _find_path(config: Config) -> str:
    return os.path.realpath(config.db)


def _read_key(config: Config) -> bytes | None:
    """Return the key; None if there is none, nothing if it is unusable. Raises OSError."""
    try:
        key = read_regular_file(locate_key(config), most=KEY_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IrregularFile:
        return b""
    return key if len(key) == KEY_BYTES else b""


@contextmanager
def _hold_witness(config: Config) -> Iterator[bool]:
    """Let no other command look at the store and its witness, or write that, meanwhile.

    So a restore that announces itself does so before or after a look, never in the middle of one.
    Yields whether that was possible: a process that was stopped may hold it. Raises OSError.
    """
    handle = os.open(locate_key(config), os.O_RDONLY)
    try:
        yield _lock(handle)
    finally:
        os.close(handle)


def _lock(handle: int) -> bool:
    latest = clock.read_monotonic() + _LONGEST_WAIT_SECONDS
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if clock.read_monotonic() > latest:
                return False
            clock.sleep(_PAUSE_SECONDS)


def _list_other_rewriters(seen: Witness | None) -> list[Mapping[str, Any]]:
    """List the living processes, but for this one, that rewrite history."""
    if seen is None or not seen.rewriters:
        return []
    own, now = process_identity.describe_process(), clock.now()
    return [
        each
        for each in seen.rewriters
        if {**each, "until": None} != {**own, "until": None}
        and process_identity.is_alive(each, now)
    ]


def _create_key(config: Config) -> bytes | None:
    path = locate_key(config)
    if path.exists():
        return None
    make_private_folder(config.state)
    with suppress(FileExistsError):
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as stream:
            os.fchmod(stream.fileno(), 0o600)
            stream.write(os.urandom(KEY_BYTES))
    return _read_key(config)


def _read_witness(config: Config, key: bytes) -> Witness | None:
    """Return the witness of the store; None if there is none, or its seal is broken."""
    try:
        told: Mapping[str, Any] = json.loads(
            read_regular_file(locate_witness(config)).decode("utf-8", "surrogatepass")
        )
        values = dict(told)
        seal = values.pop("seal")
        seen = Witness(**values)
    except (
        FileNotFoundError,
        IrregularFile,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
    ):
        return None
    is_own = seen.path == _find_path(config)
    return seen if is_own and seal == _compute_seal(key, values) else None


def _write_witness(config: Config, key: bytes, seen: Witness) -> None:
    values = {name: getattr(seen, name) for name in Witness.__slots__}
    text = to_canonical_json({**values, "seal": _compute_seal(key, values)})
    path = locate_witness(config)
    beside = path.with_name(f"{path.name}.{clock.new_id()}")
    handle = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass") as stream:
        os.fchmod(stream.fileno(), 0o600)
        stream.write(text)
    beside.replace(path)


def _append_log(config: Config, sentence: str) -> None:
    path = config.state / "witness.log"
    handle = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "a", encoding="utf-8", errors="backslashreplace") as stream:
        stream.write(f"{clock.now()} {locate_witness(config).name} {sentence}\n")


def _compute_seal(key: bytes, values: Mapping[str, Any]) -> str:
    text = to_canonical_json(dict(values)).encode("utf-8", "surrogatepass")
    return blake2b(text, key=key, digest_size=_SEAL_BYTES).hexdigest()


_NONE = Witness("", "", 0, "", 0, "")
