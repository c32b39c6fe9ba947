"""How one kind of secret is looked for: from a literal anchor, within a bounded window."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import LazyPattern

# A token stands alone, behind an escaped line end as in JSON inside JSON, or behind a colour of the
# terminal.
LEFT = rb"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=\[\dm)|(?<=\[\d\dm)|(?<=;\dm)|(?<=;\d\dm))"
RIGHT = rb"(?![A-Za-z0-9])"

# What stands between a prefix and the rest of a key: `api03-`, `v1-`.
_VERSION = rb"(?:[a-z]{1,6}\d{1,2}-)?"
_SHORT_BODY = rb"[A-Za-z0-9]{12,400}+" + RIGHT

# Expressions that only those who compile a rule need; `re` keeps them once compiled.
_SET = rb"(?s:\[\^?\]?(?:\\.|[^\]\\])*\]|\\.)"
_CATEGORY = rb"(?s:(?<=.)\\[wsd])"
_CHARACTERS = {rb"\w": rb"A-Za-z0-9_", rb"\s": rb" \t\n\r\f\v", rb"\d": rb"0-9"}

_SOUND = (3, 11, 5)
_POSSESSIVE_GROUP = rb"\)([*+?]|\{[0-9,]{1,9}\})\+"

Check = Callable[[re.Match[bytes]], bool]


def expand_classes(source: bytes) -> bytes:
    r"""Write `\w`, `\s` and `\d` in sets out as characters.

    A set that contains a class is matched five times as slowly.
    """
    return make_portable(re.sub(_SET, _expand_set, source))


def _expand_set(found: re.Match[bytes]) -> bytes:
    return re.sub(_CATEGORY, lambda name: _CHARACTERS[name[0]], found[0])


def make_portable(source: bytes, *, version: tuple[int, ...] = sys.version_info[:3]) -> bytes:
    """Return the expression as this Python reads it.

    Before 3.11.5 a possessive group swallows what its last, failing round had taken.
    """
    return source if version >= _SOUND else re.sub(_POSSESSIVE_GROUP, rb")\1", source)


class SecretPattern(LazyPattern):
    """An expression over bytes, whose classes are written out when it is compiled.

    Few texts hold many anchors, and compiling all takes 40 ms.
    """

    source: bytes

    def build(self) -> re.Pattern[bytes]:
        """Compile the expression."""
        return re.compile(expand_classes(self.source), self._flags)


class Token(SecretPattern):
    """The expression of a token: its prefix and what follows.

    With `takes_short` a shorter body of letters and digits alone matches too, as the group `short`.
    """

    def __init__(self, prefix: str, body: str, *, takes_short: bool = False) -> None:
        self.prefix = prefix
        self.body = body
        self.takes_short = takes_short

    def build(self) -> re.Pattern[bytes]:
        """Compile the expression."""
        bounded = self.body.replace(",}", ",400}+").encode() + (
            b"" if self.body.endswith(",}") else RIGHT
        )
        if self.takes_short:
            bounded = rb"(?:(?P<whole>%s)|%s(?P<short>%s))" % (bounded, _VERSION, _SHORT_BODY)
        left = b"" if self.prefix.startswith(".") or "/" in self.prefix else LEFT
        return re.compile(expand_classes(left + re.escape(self.prefix.encode()) + bounded))


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret: where to look, what must match there, what else to check.

    The search begins `back` bytes before `anchor`. The group `v` is replaced, or the whole match
    without one.
    """

    kind: str
    anchor: bytes
    pattern: SecretPattern
    check: Check | None = None
    back: int = 0
