"""How a sample is written down without a secret in it, and drawn from a seed when a test runs.

In a template `«A36»` stands for 36 drawn characters of the alphabet A (see `ALPHABETS`), other
words for what `WORDS` makes, and `⟦…⟧` around what must not be left after redaction.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_LETTERS = string.ascii_letters + string.digits
ALPHABETS: Mapping[str, str] = {
    "A": _LETTERS,
    "a": string.ascii_letters,
    "l": string.ascii_lowercase + string.digits,
    "c": string.ascii_lowercase,
    "U": string.ascii_uppercase + "234567",
    "h": string.digits + "abcdef",
    "H": string.digits + "ABCDEF",
    "d": string.digits,
    "b": _LETTERS + "+/",
    "w": _LETTERS + "_-",
    "p": _LETTERS + "!@#%^*_-+",
}
_PIECE = re.compile(r"«([a-zA-Z0-9_]+)»")
_MARKED = re.compile(r"⟦(.*?)⟧", re.DOTALL)


def drawn(draw: random.Random, alphabet: str, length: int) -> str:
    """So many characters of an alphabet, a digit and a letter among them as in all that is long
    enough.
    """
    letters = ALPHABETS[alphabet]
    while True:
        text = "".join(draw.choice(letters) for _ in range(length))
        if (
            length < 10
            or alphabet in "acd"
            or (any(map(str.isdigit, text)) and any(map(str.isalpha, text)))
        ):
            return text


def _lines(draw: random.Random, count: int, joint: str) -> str:
    return (
        joint.join(drawn(draw, "b", 64) for _ in range(count)) + joint + drawn(draw, "b", 42) + "=="
    )


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _url64(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _jwt(draw: random.Random) -> str:
    head, body = {"alg": "HS256", "typ": "JWT"}, {"sub": drawn(draw, "d", 10), "iat": 1767225600}
    return f"{_url64(head)}.{_url64(body)}.{drawn(draw, 'w', 43)}"


def _jwe(draw: random.Random) -> str:
    head = _url64({"alg": "RSA-OAEP", "enc": "A256GCM"})
    return ".".join(
        [
            head,
            drawn(draw, "w", 342),
            drawn(draw, "w", 16),
            drawn(draw, "w", 120),
            drawn(draw, "w", 22),
        ]
    )


WORDS: Mapping[str, Callable[[random.Random], str]] = {
    "uuid": lambda draw: str(uuid.UUID(int=draw.getrandbits(128), version=4)),
    "pem": lambda draw: _lines(draw, 5, "\n"),
    "pem_n": lambda draw: _lines(draw, 5, "\\n"),
    "pem_64": lambda draw: _b64(
        f"-----BEGIN PRIVATE KEY-----\n{_lines(draw, 4, chr(10))}\n-----END PRIVATE KEY-----\n"
    ),
    "basic": lambda draw: _b64(f"deploy:{drawn(draw, 'p', 16)}"),
    "value64": lambda draw: _b64(drawn(draw, "p", 24)),
    "jwt": _jwt,
    "jwe": _jwe,
}


@dataclass(frozen=True, slots=True)
class Sample:
    """A drawn text and the secrets in it."""

    text: str
    secrets: tuple[str, ...]


def sample(template: str, seed: str) -> Sample:
    """The template with everything in it drawn; the same seed draws the same."""
    draw = random.Random(seed)
    text = _PIECE.sub(lambda match: _piece(draw, match[1]), template)
    return Sample(_MARKED.sub(r"\1", text), tuple(_MARKED.findall(text)))


def _piece(draw: random.Random, name: str) -> str:
    return WORDS[name](draw) if name in WORDS else drawn(draw, name[0], int(name[1:]))


def left_over(sample: Sample, redacted: str) -> list[str]:
    """Pieces of secrets that are still there: twelve characters of one, or all of a shorter one."""
    return [piece for secret in sample.secrets for piece in _pieces(secret) if piece in redacted]


def _pieces(secret: str) -> list[str]:
    """Twelve-character windows of the secret, from its last two thirds: a vendor's prefix is no
    secret.
    """
    tail = secret[len(secret) // 3 :] if len(secret) > 24 else secret
    return [tail[at : at + 12] for at in range(0, max(1, len(tail) - 11), 4)]
