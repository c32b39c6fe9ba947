"""Change sets as bytes: compressed, signed by the replica that wrote them, maybe encrypted.

    magic line | length of the header | header (JSON) | changes, compressed | signature

The signature stands under everything before it. The changes are one a line as they are known by
their hash; of one whose words were erased a stub is left, which keeps its place in the order. An
encrypted set is the same bytes in an envelope of age. Nothing of a set is unpacked before its
signature was verified, and whatever is wrong with one, reading it raises SetDamaged and nothing
else.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from memctl.core.errors import SetDamaged
from memctl.core.errors import SetGone as SetGone
from memctl.core.errors import SetSealed as SetSealed
from memctl.core.frozen import dataclass
from memctl.store.sync_changes import SHARED_WORDS, StoredChange
from memctl.sync import age_keys, signed_texts
from memctl.sync.age_keys import NotForUs
from memctl.sync.change import BadChange, Change, decode_change
from memctl.sync.key_file import Keys
from memctl.sync.place import SetName
from memctl.sync.roster import Replica, Roster
from memctl.sync.signed_texts import SIGNATURE_BYTES, BadText

_MAGIC = b"memctl-set-1\n"
_AGE = b"age-encryption.org/v1\n"
# Bytes of a change set at a place, and of its changes once unpacked. A set is made far smaller
# (`set_plans`); a single conversation may be as large.
MOST_BYTES = 128 << 20
_MOST_UNPACKED = 256 << 20
_MOST_HEADER = 4096
_LENGTH_BYTES = 4
# Numbers and stamps: what a double holds exactly, as JSON elsewhere reads them.
_MOST_NUMBER = 2**53
# Hexadecimal digits of the hash of a set's bytes in its name, and of the chain over its changes.
DIGEST_DIGITS = 32
# Best compression: a set is written once and read by many.
_LEVEL = 9


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """A change set that was read and verified.

    `entries` are the changes with the numbers from `first` to `last`; one without events is a stub.
    `previous` and `following` are the chain over the ids of all changes before and up to its end.
    """

    stream: str
    replica: str
    member: str
    first: int
    last: int
    previous: str
    following: str
    entries: tuple[Change, ...]


def to_entry(stored: StoredChange) -> bytes:
    """A stored change as it stands in a change set; a stub, if its words were erased."""
    if stored.body is not None:
        return stored.body
    told = [
        stored.id,
        stored.replica,
        stored.member,
        stored.subject,
        stored.stamp,
        list(stored.parents),
    ]
    return json.dumps({"stub": told}, separators=(",", ":")).encode("ascii")


def encode_set(
    keys: Keys,
    stream: str,
    first: int,
    previous: str,
    entries: Sequence[bytes],
    recipients: Iterable[str] = (),
) -> tuple[SetName, bytes]:
    """Return the name and the bytes of a change set; encrypted, if there are recipients.

    Raises ValueError for more than one change set may hold.
    """
    body = b"\n".join(entries)
    if not entries or len(body) > _MOST_UNPACKED:
        raise ValueError(f"{len(entries)} changes of {len(body)} bytes make no change set")
    last = first + len(entries) - 1
    header = json.dumps(
        [keys.group, keys.replica, stream, first, last, previous, len(body)],
        ensure_ascii=True,
        separators=(",", ":"),
    ).encode("ascii")
    signed = b"".join((_MAGIC, len(header).to_bytes(_LENGTH_BYTES, "big"), header, _pack(body)))
    content = signed + keys.sign(signed)
    readers = list(recipients)
    if readers:
        content = age_keys.encrypt(content, readers)
    return SetName(stream, keys.replica, first, last, compute_digest(content)), content


def compute_digest(content: bytes) -> str:
    """The hash of a set's bytes that stands in its name."""
    return hashlib.sha256(content).hexdigest()[:DIGEST_DIGITS]


def extend_chain(previous: str, ids: Iterable[str]) -> str:
    """Extend a chain over the ids of changes; "" is that of none.

    It is the same however the changes are put into sets, and whatever is erased of them.
    """
    for each in ids:
        previous = hashlib.sha256(f"{previous} {each}".encode()).hexdigest()[:DIGEST_DIGITS]
    return previous


def decode_set(
    name: SetName, content: bytes, roster: Roster, identities: Sequence[str]
) -> ChangeSet:
    """Read and verify a change set. Raises SetDamaged, SetSealed.

    Of a member that was removed only the changes that still count are returned.
    """
    try:
        signed = _unseal(name, content, identities)
        writer = _find_writer(name, roster)
        header, packed = _split(signed, writer)
        previous, size = _read_header(header, name, roster.group)
        lines = _unpack(packed, size).split(b"\n")
        if len(lines) != name.last - name.first + 1:
            raise BadText("it holds another number of changes than it says")
        entries = [_read_entry(line) for line in lines]
        for each in entries:
            _check_author(each, writer, roster)
    except (BadText, BadChange) as error:
        raise SetDamaged(str(error)) from error
    following = extend_chain(previous, [each.id for each in entries])
    limit = roster.find_limit(name.stream, name.replica)
    last = name.last if limit is None else min(limit, name.last)
    if last < name.first:
        raise SetDamaged(f"{writer.member} was removed before it came")
    kept = tuple(entries[: last - name.first + 1])
    return ChangeSet(
        name.stream, name.replica, writer.member, name.first, last, previous, following, kept
    )


def recode_set(content: bytes, keys: Keys, recipients: Iterable[str]) -> tuple[SetName, bytes]:
    """Encrypt a change set of anybody for others too: a replica that joined later.

    Nothing in it is verified. Raises SetDamaged, SetSealed.
    """
    try:
        inner = _open(content, keys.identities)
        _group, replica, stream, first, last = _load_header(_cut_header(inner)[0])[:5]
        fresh = age_keys.encrypt(inner, recipients)
    except BadText as error:
        raise SetDamaged(str(error)) from error
    return SetName(stream, replica, first, last, compute_digest(fresh)), fresh


def is_encrypted(content: bytes) -> bool:
    """Whether the bytes of a change set are encrypted."""
    return content.startswith(_AGE)


def _unseal(name: SetName, content: bytes, identities: Sequence[str]) -> bytes:
    """The signed bytes of a set. Raises BadText, SetSealed."""
    if len(content) > MOST_BYTES:
        raise BadText(f"it is larger than {MOST_BYTES} bytes")
    if compute_digest(content) != name.digest:
        raise BadText("it is damaged, or has not arrived as a whole")
    return _open(content, identities)


def _open(content: bytes, identities: Sequence[str]) -> bytes:
    """The signed bytes of a set, decrypted if need be. Raises BadText, SetSealed."""
    if not is_encrypted(content):
        return content
    try:
        return age_keys.decrypt(content, identities)
    except NotForUs as error:
        raise SetSealed("it is encrypted for others, not yet for this store") from error


def _find_writer(name: SetName, roster: Roster) -> Replica:
    writer = roster.replicas.get(name.replica)
    if writer is None:
        raise BadText("nobody who is known wrote it")
    if name.stream.startswith("own:") and name.stream != f"own:{writer.member}":
        raise BadText("it is for own machines of somebody else")
    return writer


def _split(signed: bytes, writer: Replica) -> tuple[bytes, bytes]:
    """The header and the packed changes of a set, whose signature fits. Raises BadText."""
    content, signature = signed[:-SIGNATURE_BYTES], signed[-SIGNATURE_BYTES:]
    if not signed_texts.is_signed(writer.key, content, signature):
        raise BadText("its signature does not fit")
    return _cut_header(content)


def _cut_header(content: bytes) -> tuple[bytes, bytes]:
    """The header of a set, and what follows it. Raises BadText."""
    start = len(_MAGIC) + _LENGTH_BYTES
    if not content.startswith(_MAGIC) or len(content) < start:
        raise BadText("it is no change set")
    size = int.from_bytes(content[len(_MAGIC) : start], "big")
    if size > _MOST_HEADER:
        raise BadText("its header is too long")
    return content[start : start + size], content[start + size :]


def _load_header(header: bytes) -> list[Any]:
    """What a header says: group, replica, stream, numbers, chain, size. Raises BadText."""
    try:
        told = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise BadText("its header cannot be read") from error
    kinds = (str, str, str, int, int, str, int)
    if not isinstance(told, list) or tuple(map(type, told)) != kinds:
        raise BadText("its header says something else than one does")
    return told


def _read_header(header: bytes, name: SetName, group: str) -> tuple[str, int]:
    """The chain before a set, and the bytes of its changes. Raises BadText."""
    *named, previous, size = _load_header(header)
    if named != [group, name.replica, name.stream, name.first, name.last]:
        raise BadText("it is another change set than its name says")
    fits = len(previous) in (0, DIGEST_DIGITS) and 0 < size <= _MOST_UNPACKED
    if not fits or not 0 < name.first <= name.last < _MOST_NUMBER:
        raise BadText("its header says something else than one does")
    return previous, size


def _pack(body: bytes) -> bytes:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zdict=SHARED_WORDS)
    return packer.compress(body) + packer.flush()


def _unpack(packed: bytes, size: int) -> bytes:
    """Unpack changes that have so many bytes. Raises BadText."""
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS, zdict=SHARED_WORDS)
    try:
        body = unpacker.decompress(packed, size + 1)
    except zlib.error as error:
        raise BadText("its changes cannot be unpacked") from error
    if len(body) != size or not unpacker.eof or unpacker.unused_data:
        raise BadText("its changes have another length than it says")
    return body


def _read_entry(line: bytes) -> Change:
    """Read a change, or its stub. Raises BadChange."""
    if not line.startswith(b'{"stub"'):
        return decode_change(line)
    try:
        told: Any = json.loads(line)["stub"]
        id, replica, member, subject, stamp, parents = told
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadChange("a stub in it is none") from error
    texts = (id, replica, member, subject)
    fits = isinstance(parents, list) and all(map(_is_plain, (*texts, *parents)))
    if not fits or type(stamp) is not int or not 0 <= stamp < _MOST_NUMBER:
        raise BadChange("a stub in it is none")
    return Change(id, replica, member, subject, stamp, tuple(parents), None, 0, ())


def _is_plain(text: Any) -> bool:
    if not isinstance(text, str):
        return False
    return text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text)


def _check_author(entry: Change, writer: Replica, roster: Roster) -> None:
    """Refuse what a member says in the name of another. Raises BadText.

    Replicas of one member pass on what the others said, also of those that are not known here, and
    of those that a member had who left and came again under the same name: no two members who take
    part have one name, and what a record's owner is known by is the name.
    """
    author = roster.replicas.get(entry.replica)
    is_own = author is None or author.member == writer.member
    if entry.member != writer.member or not is_own:
        raise BadText(f"{writer.member} says something in the name of {entry.member[:80]}")
