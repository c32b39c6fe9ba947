"""Whether a matched text is a secret, and not a word, a placeholder or a piece of code."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import log2

from memctl.core.model import REDACTED
from memctl.redact.pattern import Check, SecretPattern

_MARK = REDACTED.encode()

# Values that a reader fills in, or that a program computes: nothing to hide.
_BLANKS = frozenset(
    b"your my the example sample change changeme replace insert placeholder"
    b" dummy fake redacted todo foo bar enter"
    b" env environ getenv secrets process os self this config settings args options"
    b" req request ctx".split()
)
_ANY_WORD = SecretPattern(rb"[a-z0-9]+")
_PLACEHOLDER = SecretPattern(
    rb"[<{\[/~.]|--|\$(?:[a-z_{(\[]|$)|%(?:[sdrvq]\b|[({]|\w+%)|#(?:[{!]|[0-9a-f]{3,8}$)|@(?:/"
    rb"|[a-z_]\w*(?:$|[.(/-]))|&#|&lt;|arn:|(?:u|i|f|int|uint|float|bytes|char|varchar|str|utf"
    rb"|base|sha|md|hs|rs|es|ed|aes|rsa)[_-]?\d{1,4}$"
    rb"|(?:none|null|nil|true|false|undefined|string|str|text|bytes|number|int|bool|boolean|any"
    rb"|object|optional|required|password|passwd"
    rb"|passphrase|pass|pwd|secret|token|apikey|api[_-]?key|key|value|hidden|masked|yes|no"
    rb"|default|empty|unset|missing|invalid|user"
    rb"|username|login|pass(?:ed)?|fail(?:ed)?|ok|error|success|failure)$"
)
_FILLERS = (b"${", b"$(", b"{{", b"***", b"...", b"\xe2\x80\xa6", b"xxxx", b"://")
_WORDS = SecretPattern(
    rb"[a-z]++(?:[-_]++(?:[a-z]++\d{0,4}+|\d{1,4}+)"
    rb"|[./:]++(?:[a-z]++(?:\d{1,3}+[a-z]{0,8}+){0,2}+|\d{1,4}+))++"
)
_UUID = SecretPattern(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HEX = SecretPattern(rb"[0-9a-f]+|[0-9A-F]+")
# What a path of so many characters, or a sentence in camel case, does not reach.
_BASE_64 = SecretPattern(rb"[A-Za-z0-9+/]{28,}={0,2}")
_MUCH = 4.0  # bits of entropy a character
_DRAWN = SecretPattern(rb"[A-Za-z0-9_+/=-]{20,}")
_TYPE_NAME = SecretPattern(rb"::\w{0,40}$")
_SHELL_NAME = SecretPattern(rb"\$\{\w{0,60}$")
_SECRET_KIND = SecretPattern(rb"kind:\s{1,3}Secret\b")
_AROUND = 3000
# A long value is judged by its beginning.
_ENOUGH = 160  # characters
_TELLING = 64  # characters
# Characters; a longer run of letters is no word.
_LONGEST_WORD = 20
_DIGIT = SecretPattern(rb"\d")
# Where a digit follows a letter, or a letter a digit.
_CLASS_CHANGE = SecretPattern(rb"[A-Za-z](?=\d)|\d(?=[A-Za-z])")
_SMALL_WORD = SecretPattern(rb"[a-z]{8}")
# Of a short key, by hand: `abc123def456` changes three times, `version2of2024` has a long word.
_LEAST_CHANGES = 3
_LEAST_DIFFERENT = 8
_SYMBOL = SecretPattern(rb"[!@#$%^&*+=~?]")


def is_varied(match: re.Match[bytes]) -> bool:
    """Whether a token has more than a few different characters.

    `xxxx...` and `0000...` are examples.
    """
    return len(set(match[0][-32:])) > 5


def is_no_example(match: re.Match[bytes]) -> bool:
    """Whether a token is varied and not one shown in a vendor's manual."""
    return is_varied(match) and b"EXAMPLE" not in match[0]


def is_key(match: re.Match[bytes]) -> bool:
    """Whether what follows a prefix that only keys have is one: no words, and drawn if short."""
    if match["whole"] is None:
        return _looks_drawn(match["short"])
    return is_varied(match) and not _WORDS.compiled.fullmatch(match["whole"].lower())


def _looks_drawn(value: bytes) -> bool:
    """Whether letters and digits, a dozen or more, stand as if drawn: mixed, and not as words."""
    return (
        len(set(value)) >= _LEAST_DIFFERENT
        and len(_CLASS_CHANGE.compiled.findall(value)) >= _LEAST_CHANGES
        and len(_DIGIT.compiled.findall(value)) > 1
        and not _SMALL_WORD.compiled.search(value)
    )


def looks_random(match: re.Match[bytes]) -> bool:
    """Whether a token looks random: a digit, many different characters, no hyphenated words."""
    value = match[0]
    return (
        len(set(value[-40:])) > 9
        and _DIGIT.compiled.search(value) is not None
        and not _WORDS.compiled.fullmatch(value.lower())
    )


def _may_be_literal(value: bytes) -> bool:
    """Whether a value can be a literal secret: not short, no placeholder, no expression, not
    redacted.
    """
    return (
        len(value) > 3
        and len(set(value[:_TELLING])) > 3
        and _MARK not in value
        and not is_blank(value)
    )


def is_blank(value: bytes) -> bool:
    """Whether a value stands for one that somebody fills in or a program computes."""
    start = value[:80].lower()
    if _BASE_64.compiled.fullmatch(value) and compute_entropy(value[:_TELLING]) > _MUCH:
        return False
    return (
        bool(_PLACEHOLDER.compiled.match(start))
        or any(map(start.__contains__, _FILLERS))
        or not _BLANKS.isdisjoint(_ANY_WORD.compiled.findall(start))
    )


def _has_mixed_characters(value: bytes) -> bool:
    """Whether letters stand beside digits or symbols."""
    return value.lower() != value.upper() and bool(
        _DIGIT.compiled.search(value) or _SYMBOL.compiled.search(value)
    )


def is_password(value: bytes, *, quoted: bool) -> bool:
    """Whether the value given to a password is one.

    Unquoted, it must not be a plain word of prose or code.
    """
    return _may_be_literal(value) and (
        quoted or _has_mixed_characters(value) or (value.isdigit() and len(value) >= 5)
    )


def is_secret(value: bytes, *, quoted: bool) -> bool:
    """Whether the value given to a key, token or secret looks drawn at random."""
    if len(value) < (8 if quoted else 12) or not (_DIGIT.compiled.search(value) or quoted):
        return False
    many = len(set(value[:_TELLING]))
    if many < 7 or _WORDS.compiled.fullmatch(value.lower()) or not _may_be_literal(value):
        return False
    return _has_mixed_characters(value) or (
        len(value) >= 24 and many > 14 and value.lower() != value and b"_" not in value
    )


def is_drawn(value: bytes, *, quoted: bool) -> bool:
    """Whether a value whose name says little is just a long random string: no path, id or words."""
    return (
        len(set(value[:_TELLING])) > 8
        and _DRAWN.compiled.fullmatch(value) is not None
        and _DIGIT.compiled.search(value) is not None
        and compute_entropy(value[:_TELLING]) > (3.0 if _HEX.compiled.fullmatch(value) else 3.5)
        and not _UUID.compiled.fullmatch(value.lower())
        and is_secret(value, quoted=quoted)
    )


def compute_entropy(value: bytes) -> float:
    """Bits a character by how often each stands in the value."""
    return -sum(
        count / len(value) * log2(count / len(value)) for count in map(value.count, set(value))
    )


_NOT_THE_VALUE = SecretPattern(
    rb"(?:count|manager|arn|url|uri|endpoint|file|path|dir|name|type|kind|len|length|limit|usage"
    rb"|used|ids?|izers?|ize[dr]?|hash|sha\d*|env|field|policy"
    rb"|expir\w*|ttl|ref|regex|pattern|min|max|size|budget|format|prompt|label|placeholder|index"
    rb"|rotation|version|fingerprint|cls|class|provider|handler|scheme|method|mode|ed|ing|age"
    rb"|enger)$"
)


def check_assignment(accept: Callable[..., bool], *, not_behind: tuple[bytes, ...] = ()) -> Check:
    """Return a check of an assigned value that also looks at the end of the name.

    `token_count` gives no token. `not_behind` are words after which the name means something else.
    """

    def check(match: re.Match[bytes]) -> bool:
        # The value first: hostile text is made of names, and hardly of values.
        quoted = match["quoted"]
        value = match["plain"] if quoted is None else quoted
        return accept(value[:_ENOUGH], quoted=quoted is not None) and not _is_another_name(
            match, not_behind
        )

    return check


def _is_another_name(match: re.Match[bytes], not_behind: tuple[bytes, ...]) -> bool:
    """Whether the name, with what stands around it, is not that of a secret after all."""
    before = (
        match.string[max(0, match.start() - _LONGEST_WORD) : match.start()].lower().rstrip(b"-_")
    )
    if not_behind and before.endswith(not_behind):
        return True
    tail = (match["tail"] or match["tail2"] or b"").lower()
    other = tail and _NOT_THE_VALUE.compiled.search(tail) is not None
    return bool(other) or _is_inside_marker(match) or _asks_for_value(match) or _is_type(match)


def _asks_for_value(match: re.Match[bytes]) -> bool:
    """Whether this is `${NAME:?message}` of a shell."""
    if not (match["plain"] or b"").startswith((b"?", b"+")):
        return False
    return (
        _SHELL_NAME.compiled.search(match.string, max(0, match.start() - 60), match.start())
        is not None
    )


def _is_type(match: re.Match[bytes]) -> bool:
    """Whether the name is the last part of a type's, such as `AWS::IAM::AccessKey`."""
    return (
        _TYPE_NAME.compiled.search(match.string, max(0, match.start() - 42), match.start())
        is not None
    )


def _is_inside_marker(match: re.Match[bytes]) -> bool:
    before = match.string[max(0, match.start() - 40) : match.start()]
    at = before.rfind(_MARK)
    return at >= 0 and b"]" not in before[at:]


def is_literal(match: re.Match[bytes]) -> bool:
    """Whether what stands there is neither blank nor a placeholder already."""
    return _MARK not in match["v"] and not is_blank(match["v"])


def is_header_value(match: re.Match[bytes]) -> bool:
    """Whether a header's value is one, and not prose about the header."""
    value = match["v"]
    return _has_mixed_characters(value) and _may_be_literal(value)


def has_long_cookie(match: re.Match[bytes]) -> bool:
    """Whether any cookie has a value that is long and looks drawn."""
    values = (pair.partition(b"=")[2].strip() for pair in match["v"].split(b";"))
    return any(
        len(value) >= 16 and _has_mixed_characters(value) and _may_be_literal(value)
        for value in values
    )


def is_in_key_set(match: re.Match[bytes]) -> bool:
    """Whether this `d` is the private part of a JSON web key."""
    return b'"kty"' in match.string[max(0, match.start() - _AROUND) : match.end() + _AROUND]


def is_in_secret_manifest(match: re.Match[bytes]) -> bool:
    """Whether these data are those of a Kubernetes secret."""
    around = match.string[max(0, match.start() - _AROUND) : match.end() + _AROUND]
    return _SECRET_KIND.compiled.search(around) is not None


def decodes_to_pair(match: re.Match[bytes]) -> bool:
    """Whether a value is `user:password` in base64."""
    import base64  # here, because few texts hold such a header

    try:
        return b":" in base64.b64decode(match["v"], validate=True)
    except ValueError:
        return False
