"""The file beside a store that holds its private keys as a replica; nobody else may read it.

It is neither in the store nor in its exports and backups: who has a copy of the store cannot speak
for it. It also tells whether this still is the store whose keys they are. A store that was put back
to an earlier state, or copied, would give numbers to its changes that others know for different
ones. So the store and the file hold one token, which changes before anything is published.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from memctl.core import clock, process_identity
from memctl.core.errors import KeysDamaged
from memctl.core.frozen import asdict, dataclass, replace
from memctl.core.regular_files import read_regular_file
from memctl.settings.config import Config
from memctl.store import files, meta
from memctl.store.database import Database
from memctl.sync import signed_texts
from memctl.sync.signed_texts import BadText

# The note of the store that holds its token.
_TOKEN = "sync.token"
# Bytes of a key file: a card, and an identity for each time that the replica began anew.
_MOST_BYTES = 1 << 20
_HINT = "`memctl sync leave` and a new invitation make this store a member again"


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a replica. `former` are identities of replicas that this store was before."""

    group: str
    replica: str
    member: str
    seed: bytes
    identity: str
    card: bytes
    former: tuple[str, ...] = ()
    machine: str = ""
    path: str = ""
    token: str = ""
    next_token: str = ""

    @property
    def identities(self) -> tuple[str, ...]:
        """What opens that which was encrypted for this replica, now or before."""
        return self.identity, *self.former

    def sign(self, content: bytes) -> bytes:
        """Return the signature of this replica under a content."""
        return signed_texts.sign(self.seed, content)

    def __repr__(self) -> str:
        return f"Keys(group={self.group!r}, replica={self.replica!r}, member={self.member!r})"


def load_keys(config: Config) -> Keys | None:
    """Return the keys of the store; None if it belongs to no group. Raises KeysDamaged."""
    path = files.locate_sync_key(config.db)
    try:
        found = json.loads(read_regular_file(path, most=_MOST_BYTES))
        return _read_keys(found)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise KeysDamaged(f"{path} holds no keys any more: {error}", hint=_HINT) from error


def put_keys(db: Database, config: Config, keys: Keys) -> Keys:
    """Let these be the keys of this store, here, as it is now."""
    keys = replace(
        keys,
        machine=_describe_machine(),
        path=_find_path(config),
        token=clock.new_id(),
        next_token="",
    )
    _write_keys(config, keys)
    with db.write():
        meta.put_note(db, _TOKEN, keys.token)
    return keys


def renew_token(db: Database, config: Config, keys: Keys) -> Keys:
    """Give store and file a new token. To be called between giving numbers to changes and writing
    them to any place: an earlier state of the store is known by its token from then on.
    """
    keys = replace(keys, next_token=clock.new_id())
    _write_keys(config, keys)
    with db.write():
        meta.put_note(db, _TOKEN, keys.next_token)
    keys = replace(keys, token=keys.next_token, next_token="")
    _write_keys(config, keys)
    return keys


def find_fork(db: Database, config: Config, keys: Keys) -> str | None:
    """Why this store is another than the one whose keys these are; None if it is the same."""
    machine = _describe_machine()
    if keys.machine and machine and keys.machine != machine:
        return "it was copied from another machine"
    if keys.path != _find_path(config):
        return f"it was copied or moved from {keys.path}"
    if meta.get_note(db, _TOKEN) not in (keys.token, keys.next_token or keys.token):
        return "it was put back to an earlier state"
    return None


def forget_keys(config: Config) -> None:
    """Overwrite and delete the keys: this store belongs to no group any more."""
    files.shred_file(files.locate_sync_key(config.db))


def _describe_machine() -> str:
    """The id of this machine, hashed: it is nobody else's business."""
    found = process_identity.read_machine_id()
    return hashlib.sha256(b"memctl sync\n" + found.encode()).hexdigest()[:32] if found else ""


def _find_path(config: Config) -> str:
    return os.path.realpath(config.db).encode("utf-8", "backslashreplace").decode("utf-8")


def _read_keys(found: Any) -> Keys:
    """Read what a key file holds. Raises ValueError, KeyError, TypeError."""
    texts = {name: found[name] for name in _TEXTS}
    former = tuple(found["former"])
    if not all(isinstance(each, str) for each in (*texts.values(), *former, found["card"])):
        raise BadText("something in it is no text")
    seed = signed_texts.decode_base64(found["seed"].encode("ascii"))
    keys = Keys(seed=seed, card=found["card"].encode("ascii"), former=former, **texts)
    if signed_texts.name_replica(signed_texts.find_public_key(seed)) != keys.replica:
        raise BadText("its key is that of another replica")
    return keys


_TEXTS = ("group", "replica", "member", "identity", "machine", "path", "token", "next_token")


def _write_keys(config: Config, keys: Keys) -> None:
    """Write the key file, whole or not at all, for nobody else to read."""
    told = asdict(keys) | {
        "seed": signed_texts.encode_key(keys.seed),
        "card": keys.card.decode("ascii"),
    }
    path = files.locate_sync_key(config.db)
    draft = path.with_name(f"{path.name}.{os.urandom(8).hex()}")
    handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as stream:
            os.fchmod(stream.fileno(), 0o600)
            stream.write(json.dumps(told, indent=1).encode("ascii"))
            stream.flush()
            os.fsync(stream.fileno())
        os.rename(draft, path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    files.sync_path(path.parent)
