"""Texts with signatures below them, and the keys that sign.

A signed text has three parts, a line each: what it is, one JSON object, and a signature for each
key that vouches for it. What was signed is the bytes of the first two lines as they stand there, so
nothing has to be written in the same way twice. The package of the extra `sync` is loaded when it
is first needed.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from memctl.core.errors import MissingExtra

# Bytes of an Ed25519 seed and public key, and of a signature (RFC 8032).
KEY_BYTES = 32
SIGNATURE_BYTES = 64
# What a replica's id is written in, and its length: 128 bits, as those of records.
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ID_BYTES = 16
ID_LENGTH = 26
# Characters of a group's id: 160 bits.
GROUP_LENGTH = 32
_GROUP_BYTES = 20
# What no field of a signed text exceeds.
_MOST_NUMBER = 2**63 - 1
# What installs what is missing.
HINT = "pip install 'memctl[sync]'"


class BadText(ValueError):
    """No signed text of the kind that was expected, or one whose signature does not fit."""


def create_seed() -> bytes:
    """Return a new private key for signatures. Raises MissingExtra."""
    return bytes(_load_ed25519().Ed25519PrivateKey.generate().private_bytes_raw())


def find_public_key(seed: bytes) -> bytes:
    """Return the public key that belongs to a private one. Raises MissingExtra, BadText."""
    if len(seed) != KEY_BYTES:
        raise BadText("a private key has another length")
    private = _load_ed25519().Ed25519PrivateKey.from_private_bytes(seed)
    return bytes(private.public_key().public_bytes_raw())


def sign(seed: bytes, content: bytes) -> bytes:
    """Return the signature under a content. Raises MissingExtra."""
    return bytes(_load_ed25519().Ed25519PrivateKey.from_private_bytes(seed).sign(content))


def is_signed(key: bytes, content: bytes, signature: bytes) -> bool:
    """Whether a signature under a content was made with the private half of a key."""
    from cryptography.exceptions import InvalidSignature

    try:
        _load_ed25519().Ed25519PublicKey.from_public_bytes(key).verify(signature, content)
    except (InvalidSignature, ValueError):
        return False
    return True


def name_replica(key: bytes) -> str:
    """The id of a replica: a hash of its key, so that nobody can claim that of another."""
    return encode_replica(hashlib.sha256(b"memctl replica\n" + key).digest()[:_ID_BYTES])


def name_group(key: bytes) -> str:
    """The id of a group: a hash of its founder's key."""
    digest = hashlib.sha256(b"memctl group\n" + key).digest()[:_GROUP_BYTES]
    return base64.b32encode(digest).decode("ascii").lower()


def is_replica_id(text: object) -> bool:
    """Whether something has the form of a replica's id."""
    return isinstance(text, str) and len(text) == ID_LENGTH and set(text) <= set(_CROCKFORD)


def is_group_id(text: object) -> bool:
    """Whether something has the form of a group's id."""
    letters = set("abcdefghijklmnopqrstuvwxyz234567")
    return isinstance(text, str) and len(text) == GROUP_LENGTH and set(text) <= letters


def encode_replica(content: bytes) -> str:
    """Write the 16 bytes of a replica's id."""
    value = int.from_bytes(content, "big")
    return "".join(_CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))


def decode_replica(name: str) -> bytes:
    """Return the 16 bytes of a replica's id. Raises ValueError."""
    value = 0
    for each in name:
        value = value << 5 | _CROCKFORD.index(each)
    return (value & (1 << 8 * _ID_BYTES) - 1).to_bytes(_ID_BYTES, "big")


def compose_text(kind: str, body: Mapping[str, Any], seeds: Iterable[bytes]) -> bytes:
    """Return a text with the signature of each private key below it. Raises MissingExtra."""
    signed = write_unsigned(kind, body)
    return add_signatures(signed, [sign(seed, signed) for seed in seeds])


def write_unsigned(kind: str, body: Mapping[str, Any]) -> bytes:
    """Return what the signatures of a text are made under."""
    told = json.dumps(body, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return f"memctl-{kind}-1\n{told}\n".encode("ascii")


def add_signatures(signed: bytes, signatures: Iterable[bytes]) -> bytes:
    """Return a text with its signatures."""
    return signed + "".join(f"{_encode_base64(each)}\n" for each in signatures).encode("ascii")


class SignedText:
    """A signed text that was read; nothing is verified yet."""

    def __init__(self, kind: str, content: bytes, most: int) -> None:
        """Raises BadText for what is none of that kind, or is larger than `most` bytes."""
        if len(content) > most:
            raise BadText(f"it is larger than {most} bytes")
        parts = content.split(b"\n")
        if len(parts) < 4 or parts[-1] or parts[0] != f"memctl-{kind}-1".encode("ascii"):
            raise BadText(f"it is no {kind}")
        self._signed = parts[0] + b"\n" + parts[1] + b"\n"
        self._signatures = [decode_base64(line) for line in parts[2:-1]]
        self.body = _read_object(parts[1])
        self.digest = hashlib.sha256(self._signed).hexdigest()[:32]

    def is_signed_by(self, key: bytes) -> bool:
        """Whether one of its signatures was made with the private half of that key."""
        return any(is_signed(key, self._signed, each) for each in self._signatures[:2])

    def read(self, name: str, kind: type, most: int = 4096) -> Any:
        """Return a field of a kind; a text or list of at most so many items. Raises BadText."""
        value = self.body.get(name)
        if type(value) is not kind or (isinstance(value, str | list | dict) and len(value) > most):
            raise BadText(f"its {name!r} is not what it should be")
        if isinstance(value, int) and not 0 <= value <= _MOST_NUMBER:
            raise BadText(f"its {name!r} is out of range")
        return value

    def read_key(self, name: str) -> bytes:
        """Return a field that holds a public key. Raises BadText."""
        key = decode_base64(self.read(name, str, 64).encode("utf-8", "replace"))
        if len(key) != KEY_BYTES:
            raise BadText(f"its {name!r} is no key")
        return key


def encode_key(key: bytes) -> str:
    """A key as it stands in a signed text."""
    return _encode_base64(key)


def decode_base64(line: bytes) -> bytes:
    """Bytes that were written in base64. Raises BadText."""
    try:
        return base64.b64decode(line, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadText("it holds no base64 where it should") from error


def _encode_base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _read_object(line: bytes) -> Mapping[str, Any]:
    try:
        body = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadText("it holds no JSON") from error
    if not isinstance(body, dict):
        raise BadText("it holds no object")
    return body


def _load_ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        raise MissingExtra("sync needs the package cryptography", hint=HINT) from error
    return ed25519
