"""Whether what stands where a secret would stand is one, and not a word, a placeholder or a piece of code."""

from __future__ import annotations

import re
from collections.abc import Callable

from memctl.model import REDACTED
from memctl.redact.pattern import Check, Pattern

_MARK = REDACTED.encode()

# Values that a reader fills in, or that a program computes: nothing to hide.
_BLANKS = frozenset(
    b"your my the example sample change changeme replace insert placeholder dummy fake redacted todo foo bar enter env environ getenv"
    b" secrets process os self this config settings args options req request ctx".split()
)
_ANY_WORD = Pattern(rb"[a-z0-9]+")
_PLACEHOLDER = Pattern(
    rb"[$%<{\[#@/~.]|(?:u|i|f|int|uint|float|bytes|char|varchar|str|utf|base|sha|md|hs|rs|es|ed|aes|rsa)[_-]?\d{1,4}$"
    rb"|(?:none|null|nil|true|false|undefined|string|str|text|bytes|number|int|bool|boolean|any|object|optional|required|password|passwd"
    rb"|passphrase|pass|pwd|secret|token|apikey|api[_-]?key|key|value|hidden|masked|yes|no|default|empty|unset|missing|invalid|user"
    rb"|username|login)$"
)
_FILLERS = (b"${", b"$(", b"{{", b"***", b"...", b"\xe2\x80\xa6", b"xxxx", b"://")
_WORDS = Pattern(rb"[a-z]++(?:[-_./:]++(?:[a-z]++|v?\d{1,4}+))++")
_DIGIT = Pattern(rb"\d")
_SYMBOL = Pattern(rb"[!@#$%^&*+=~?]")


def varied(match: re.Match[bytes]) -> bool:
    """Whether a token has more than a handful of different characters: `xxxx…` and `0000…` are examples."""
    return len(set(match[0][-32:])) > 5


def random(match: re.Match[bytes]) -> bool:
    """Whether a token looks drawn, not written: a digit, many different characters, and not words joined by hyphens."""
    value = match[0]
    return len(set(value[-40:])) > 9 and _DIGIT.compiled.search(value) is not None and not _WORDS.compiled.fullmatch(value.lower())


def _written(value: bytes) -> bool:
    """Whether a value could be a literal secret: not short, no placeholder, no expression, nothing redacted already."""
    return len(value) > 3 and len(set(value[:64])) > 3 and _MARK not in value and not _is_blank(value)


def _is_blank(value: bytes) -> bool:
    """Whether a value stands for one that somebody fills in or a program computes."""
    start = value[:80].lower()
    return (
        bool(_PLACEHOLDER.compiled.match(start))
        or any(map(start.__contains__, _FILLERS))
        or not _BLANKS.isdisjoint(_ANY_WORD.compiled.findall(start))
    )


def _mixed(value: bytes) -> bool:
    """Whether letters stand beside digits or symbols."""
    return value.lower() != value.upper() and bool(_DIGIT.compiled.search(value) or _SYMBOL.compiled.search(value))


def is_password(value: bytes, *, quoted: bool) -> bool:
    """Whether the value given to a password is one; unquoted it must not be a plain word of prose or code."""
    return _written(value) and (quoted or _mixed(value) or (value.isdigit() and len(value) >= 5))


def is_secret(value: bytes, *, quoted: bool) -> bool:
    """Whether the value given to a key, token or secret looks drawn at random."""
    if len(value) < (8 if quoted else 12) or not (_DIGIT.compiled.search(value) or quoted):
        return False
    many = len(set(value[:64]))
    if many < 7 or _WORDS.compiled.fullmatch(value.lower()) or not _written(value):
        return False
    return _mixed(value) or (len(value) >= 24 and many > 14 and value.lower() != value and b"_" not in value)


_NOT_THE_VALUE = Pattern(
    rb"(?:count|url|uri|endpoint|file|path|dir|name|type|kind|len|length|limit|usage|used|ids?|izers?|ize[dr]?|hash|sha\d*|env|field|policy"
    rb"|expir\w*|ttl|ref|regex|pattern|min|max|size|budget|format|prompt|label|placeholder|index|rotation|version|fingerprint|ed|ing|age|enger)$"
)


def given(accept: Callable[..., bool]) -> Check:
    """A check of the assigned value that also looks at the end of the name: `token_count` gives no token."""

    def check(match: re.Match[bytes]) -> bool:
        tail = (match["tail"] or match["tail2"] or b"").lower()
        if _NOT_THE_VALUE.compiled.search(tail) or _inside_marker(match):
            return False
        quoted = match["quoted"]
        return accept(quoted, quoted=True) if quoted is not None else accept(match["plain"], quoted=False)

    return check


def _inside_marker(match: re.Match[bytes]) -> bool:
    before = match.string[max(0, match.start() - 40) : match.start()]
    at = before.rfind(_MARK)
    return at >= 0 and b"]" not in before[at:]


def url_password(match: re.Match[bytes]) -> bool:
    return _MARK not in match["v"] and not _is_blank(match["v"])


def header_value(match: re.Match[bytes]) -> bool:
    value = match["v"]
    return _mixed(value) and _written(value)
