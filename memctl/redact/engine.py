"""The search for secrets and their replacement.

Kept true: redacting twice changes nothing more; text without a secret comes back as the same object; time stays linear on
hostile input. Every rule starts at a literal anchor and looks at a bounded window, so a text without anchors costs a few
scans at the speed of `bytes.find`. Text is searched as UTF-8 bytes, whose lower case has the same length and costs little.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from memctl.core.frozen import dataclass
from memctl.core.model import REDACTED
from memctl.core.typing_lite import Any
from memctl.redact.pattern import Pattern, Rule, portable, spelt_out
from memctl.redact.rules import FOLDED, SHAPED

# A run of short words, of which no token consists.
_SHORT_WORDS = re.compile(spelt_out(rb"[^\w./+-]++(?:[\w./+-]{1,15}+[^\w./+-]++)*+"))
_IN_WORD = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-"
_MAX_ROUNDS = 8
_MAX_DEPTH = 100
_MARK = REDACTED.encode()
_TAG_BYTES = 4
_MOST_KEPT = 1000
# A placeholder, also one whose end was cut off.
_DONE = re.compile(portable(rb"\[REDACTED:[a-z0-9_]{1,40}+(?::[0-9a-f]{0,8}+)?+\]?+"))

_PLACEHOLDERS = re.compile(r"(\[REDACTED:[a-z0-9_]{1,40}(?::[0-9a-f]{8})?\])")

# Priority, rule and what must stand in a text for the rule to be asked. Rules without an anchor want a dot in a long word.
Gate = tuple[int, Rule, bytes]
_GATES: tuple[Gate, ...] = tuple(
    (priority, rule, rule.anchor or b".") for priority, rule in enumerate(SHAPED)
)

KINDS: tuple[str, ...] = tuple(sorted({rule.kind for rule in (*SHAPED, *FOLDED)}))

Found = tuple[int, int, int, str]
# Asked only when a secret was found: most texts hold none, and the key is a file.
Key = Callable[[], bytes | None]


@dataclass(frozen=True, slots=True)
class Marks:
    """The rules that need to be asked: those whose anchor stands in a long word, anywhere, or anywhere in lower case."""

    tokens: tuple[Gate, ...]
    shapes: tuple[Gate, ...]
    folded: tuple[Gate, ...]

    @property
    def is_empty(self) -> bool:
        """Whether no rule needs to be asked."""
        return not (self.tokens or self.shapes or self.folded)


EVERY = Marks(
    tuple(gate for gate in _GATES if not gate[2].strip(_IN_WORD)),
    tuple(gate for gate in _GATES if gate[2].strip(_IN_WORD)),
    tuple((priority, rule, rule.anchor) for priority, rule in enumerate(FOLDED, len(SHAPED))),
)


# Asking a short text once is quicker than asking it for every anchor.
_SHORT = 400
_ANY_FOLDED = Pattern(
    b"|".join(re.escape(anchor) for anchor in sorted({gate[2] for gate in EVERY.folded}))
)


def marks_in(texts: Iterable[str]) -> Marks:
    """What to look for in many short texts: asking each of them for every anchor takes longer than all the rest."""
    return _standing(EVERY, "\n".join(texts).encode("utf-8", "surrogatepass"))


def _standing(marks: Marks, raw: bytes) -> Marks:
    """Those of the marks that stand in a text."""
    low, long_words = raw.lower(), _SHORT_WORDS.sub(b" ", b" %s " % raw)
    return Marks(
        ()
        if long_words.isspace()
        else tuple(
            [
                gate
                for gate in marks.tokens
                if gate[2] in long_words and _may_match(gate[1], long_words)
            ]
        ),
        tuple([gate for gate in marks.shapes if gate[2] in raw]),
        ()
        if len(low) < _SHORT and not _ANY_FOLDED.compiled.search(low)
        else tuple([gate for gate in marks.folded if gate[2] in low]),
    )


def _may_match(rule: Rule, long_words: bytes) -> bool:
    return bool(rule.anchor) or rule.pattern.compiled.search(long_words) is not None


class Redactor:
    """Redaction with one key: `text` and `value` replace every secret by `[REDACTED:kind:hhhhhhhh]`, without a key by `[REDACTED:kind]`.

    `deep` also asks the package redact-secret, if installed; `patterns` are expressions of the operator's own, bounded, whose matches
    go too. `among` may be the `marks_in` of texts that a text belongs to.
    """

    def __init__(
        self,
        key: Key = lambda: None,
        *,
        deep: bool = False,
        patterns: Sequence[re.Pattern[str]] = (),
    ) -> None:
        self.key = key
        self.deep = deep
        self.patterns = patterns
        self._made: dict[tuple[str, bytes], bytes] = {}

    def text(self, text: str, *, among: Marks | None = None) -> str:
        """The text without secrets; the same object where there are none."""
        for pattern in self.patterns:
            text = self._without(pattern, text)
        marks, changed = EVERY if among is None else among, False
        if marks.is_empty:
            return self._deeper(text)
        raw = text.encode("utf-8", "surrogatepass")
        for _ in range(_MAX_ROUNDS):
            found = sorted(_beside_placeholders(raw, _find(raw, marks)))
            if not found:
                break
            raw, marks, changed = self._replace(raw, found), EVERY, True
        result = raw.decode("utf-8", "surrogatepass") if changed else text
        return self._deeper(result)

    def value(self, value: Any, *, among: Marks | None = None) -> Any:
        """The same for every string in nested lists and mappings, keys included; a mapping's key tells what its value is."""
        return self._nested(value, 0, among)

    def placeholder(self, kind: str, secret: bytes) -> bytes:
        """What stands for a secret: its kind, and a keyed hash by which equal ones are known to be equal."""
        made = self._made.get((kind, secret))
        if made is None:
            made = self._tagged(kind, secret)
            if len(self._made) < _MOST_KEPT:
                self._made[kind, secret] = made
        return made

    def _tagged(self, kind: str, secret: bytes) -> bytes:
        key = self.key()
        if key is None:
            return b"%s%s]" % (_MARK, kind.encode())
        from hashlib import blake2b  # here, because it loads OpenSSL, and most texts hold no secret

        return b"%s%s:%s]" % (
            _MARK,
            kind.encode(),
            blake2b(secret, digest_size=_TAG_BYTES, key=key).hexdigest().encode(),
        )

    def _placeholder_of_text(self, kind: str, secret: str) -> str:
        return self.placeholder(kind, secret.encode("utf-8", "surrogatepass")).decode()

    def _without(self, pattern: re.Pattern[str], text: str) -> str:
        """The text without what an operator's expression matches beside placeholders."""
        if pattern.search(text) is None:
            return text
        pieces = _PLACEHOLDERS.split(text)
        kept = [
            piece if place % 2 else pattern.sub(self._own, piece)
            for place, piece in enumerate(pieces)
        ]
        return "".join(kept)

    def _deeper(self, text: str) -> str:
        if not self.deep:
            return text
        from memctl.redact.redact_secret_layer import second_layer

        return second_layer(text, self._placeholder_of_text)

    def _own(self, match: re.Match[str]) -> str:
        return self._placeholder_of_text("pattern", match[0]) if match[0] else ""

    def _nested(self, value: Any, depth: int, among: Marks | None) -> Any:
        if isinstance(value, str):
            return self.text(value, among=among)
        if depth > _MAX_DEPTH:
            return f"{REDACTED}depth]"
        if isinstance(value, dict):
            return {
                self._name(key, among): self._member(key, item, depth + 1, among)
                for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._nested(item, depth + 1, among) for item in value]
        return value

    def _name(self, key: Any, among: Marks | None) -> Any:
        return self.text(key, among=among) if isinstance(key, str) else key

    def _member(self, key: Any, item: Any, depth: int, among: Marks | None) -> Any:
        cleaned = self._nested(item, depth, among)
        if (
            not isinstance(item, str)
            or not isinstance(key, str)
            or cleaned != item
            or len(item) > 2048
            or not item
        ):
            return cleaned
        prefix = f"{key}: "
        probed = self.text(
            f'{prefix}"{item}"' if '"' not in item else f"{prefix}{item}", among=among
        )
        return (
            probed[len(prefix) :].strip('"')
            if probed.startswith(prefix + '"' + REDACTED)
            else cleaned
        )

    def _replace(self, raw: bytes, found: list[Found]) -> bytes:
        """The bytes with the found pieces replaced; overlapping ones become one, named by the most specific rule."""
        pieces: list[bytes] = []
        done = 0
        start, priority, end, kind = found[0]
        for next_start, next_priority, next_end, next_kind in [
            *found[1:],
            (len(raw) + 1, 0, 0, ""),
        ]:
            if next_start < end:
                if next_priority < priority:
                    priority, kind = next_priority, next_kind
                end = max(end, next_end)
                continue
            while end < len(raw) and raw[end] & 0xC0 == 0x80:
                end += 1
            pieces += [raw[done:start], self.placeholder(kind, raw[start:end])]
            done = end
            start, priority, end, kind = next_start, next_priority, next_end, next_kind
        return b"".join([*pieces, raw[done:]])


def redact(
    text: str, *, key: bytes | None = None, deep: bool = False, among: Marks | None = None
) -> str:
    """The text with every secret replaced by `[REDACTED:kind:hhhhhhhh]`, without a key by `[REDACTED:kind]`."""
    return Redactor(lambda: key, deep=deep).text(text, among=among)


def redact_value(
    value: Any, *, key: bytes | None = None, deep: bool = False, among: Marks | None = None
) -> Any:
    """The same for every string in nested lists and mappings."""
    return Redactor(lambda: key, deep=deep).value(value, among=among)


def _beside_placeholders(raw: bytes, found: Iterable[Found]) -> Iterator[Found]:
    """What was found, but for what stands inside a placeholder."""
    if _MARK not in raw:
        yield from found
        return
    spans = [match.span() for match in _DONE.finditer(raw)]
    starts = [start for start, _ in spans]
    for piece in found:
        at = bisect_right(starts, piece[0]) - 1
        if at < 0 or piece[0] >= spans[at][1]:
            yield piece


def _find(raw: bytes, marks: Marks) -> Iterator[Found]:
    """Where secrets stand: start, priority, end and kind, unsorted and possibly overlapping."""
    standing = _standing(marks, raw)
    for priority, rule, _ in (*standing.tokens, *standing.shapes):
        yield from accepted(rule, priority, raw, raw)
    folded = raw.lower() if standing.folded else b""
    for priority, rule, _ in standing.folded:
        yield from accepted(rule, priority, raw, folded)


def accepted(rule: Rule, priority: int, raw: bytes, where: bytes) -> Iterator[Found]:
    """What one rule finds; `where` is the text as its anchor is looked for in it."""
    look = rule.pattern.compiled.match if rule.anchor else rule.pattern.compiled.search
    at = where.find(rule.anchor)
    while at >= 0:
        match = look(raw, max(0, at - rule.back))
        after = at + len(rule.anchor)
        if match and (rule.check is None or rule.check(match)):
            start, end = _replaced(match)
            after = max(after, end)
            yield start, priority, end, rule.kind
        elif not rule.anchor:
            if not match:
                return
            after = match.end()
        at = where.find(rule.anchor, after)


def _replaced(match: re.Match[bytes]) -> tuple[int, int]:
    for name in ("v", "quoted", "plain"):
        if name in match.re.groupindex and match[name] is not None:
            return match.span(name)
    return match.span()
