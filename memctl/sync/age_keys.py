"""Keys of age: content that only some may read, in a place that need not be trusted.

The package of the extra `sync` is loaded when it is first needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from memctl.core.errors import MissingExtra
from memctl.sync.signed_texts import HINT, KEY_BYTES, BadText

# Digits of Bech32, and its checksum's generator (BIP 173), in which age writes keys.
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_RECIPIENT = "age"


class NotForUs(ValueError):
    """Something that was encrypted for others."""


def create_identity() -> tuple[str, str]:
    """Return a new identity of age and its recipient. Raises MissingExtra."""
    identity = _load_pyrage().x25519.Identity.generate()
    return str(identity), str(identity.to_public())


def check_recipient(text: str) -> str:
    """Return a recipient of age that can be encrypted to. Raises BadText.

    A key of low order lets encryption stop, for everybody in the group: it is refused.
    """
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

    try:
        point = X25519PublicKey.from_public_bytes(_decode_bech32(text, _RECIPIENT))
        X25519PrivateKey.generate().exchange(point)
    except ValueError as error:
        raise BadText("it names no recipient that can be encrypted to") from error
    return text


def encrypt(content: bytes, recipients: Iterable[str]) -> bytes:
    """Encrypt for recipients that were checked. Raises MissingExtra, BadText."""
    pyrage = _load_pyrage()
    try:
        keys = [pyrage.x25519.Recipient.from_str(each) for each in recipients]
        return bytes(pyrage.encrypt(content, keys))
    except (pyrage.RecipientError, pyrage.EncryptError) as error:
        raise BadText(f"cannot be encrypted: {error}") from error


def decrypt(content: bytes, identities: Sequence[str]) -> bytes:
    """Open what was encrypted for one of our identities. Raises NotForUs, BadText, MissingExtra."""
    pyrage = _load_pyrage()
    try:
        keys = [pyrage.x25519.Identity.from_str(each) for each in identities]
        return bytes(pyrage.decrypt(content, keys))
    except pyrage.IdentityError as error:
        raise BadText("a private key of this store is damaged") from error
    except pyrage.DecryptError as error:
        if "No matching keys" in str(error):
            raise NotForUs("it is encrypted for others") from error
        raise BadText(f"it cannot be decrypted: {error}") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # The library gave up, on hostile bytes.
            raise
        raise BadText("it cannot be decrypted") from error


def _load_pyrage() -> Any:
    try:
        import pyrage
    except ImportError as error:
        raise MissingExtra("sync needs the package pyrage", hint=HINT) from error
    return pyrage


def _decode_bech32(text: str, prefix: str) -> bytes:
    """The 32 bytes of a key in Bech32. Raises ValueError."""
    head, _, tail = text.rpartition("1")
    if head != prefix or not set(tail) <= set(_BECH32) or len(tail) != 58:
        raise ValueError("not Bech32")
    digits = [_BECH32.index(each) for each in tail]
    spread = [ord(each) >> 5 for each in head] + [0] + [ord(each) & 31 for each in head]
    if _sum_bech32([*spread, *digits]) != 1:
        raise ValueError("a wrong checksum")
    value = 0
    for digit in digits[:-6]:
        value = value << 5 | digit
    if value & 15:
        raise ValueError("bits left over")
    return (value >> 4).to_bytes(KEY_BYTES, "big")


def _sum_bech32(digits: Iterable[int]) -> int:
    value = 1
    for digit in digits:
        top = value >> 25
        value = (value & 0x1FFFFFF) << 5 ^ digit
        for bit, part in enumerate(_GENERATOR):
            value ^= part if top >> bit & 1 else 0
    return value
