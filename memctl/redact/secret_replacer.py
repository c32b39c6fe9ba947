"""The search for secrets in text and their replacement by placeholders.

Redacting twice changes nothing more; text without a secret comes back as the same object; time
stays linear on hostile input. Every rule starts at a literal anchor and looks at a bounded window,
so a text without anchors costs a few scans at the speed of `bytes.find`. Text is searched as UTF-8
bytes: lower case then has the same length and costs little.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import REDACTED
from memctl.core.typing_lite import Any
from memctl.redact.pattern import Rule, SecretPattern, make_portable
from memctl.redact.rules import FOLDED, SHAPED

# A run of short words, none of which can be part of a token.
_SHORT_WORDS = compile_later(
    make_portable(rb"[^A-Za-z0-9_./+-]++(?:[A-Za-z0-9_./+-]{1,15}+[^A-Za-z0-9_./+-]++)*+")
)
_TOKEN_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-"
# Replacing one secret can uncover another; real text needs two rounds.
_MAX_ROUNDS = 8
# Levels of nested lists and mappings; deeper values are replaced whole.
_MAX_DEPTH = 100
# Characters. A longer value is never probed as the value of its key.
_MAX_PROBED_VALUE = 2048
_PLACEHOLDER_START = REDACTED.encode()
# Bytes of the keyed hash in a placeholder, shown as eight hex digits.
_HASH_BYTES = 4
_MAX_CACHED_PLACEHOLDERS = 1000
# A placeholder, also one whose end was cut off.
# Few texts hold placeholders, so these are compiled when one does.
_PLACEHOLDER_BYTES = rb"\[REDACTED:[a-z0-9_]{1,40}+(?::[0-9a-f]{0,8}+)?+\]?+"
_PLACEHOLDER_TEXT = r"(\[REDACTED:[a-z0-9_]{1,40}(?::[0-9a-f]{8})?\])"

# Priority, rule, and what must occur in a text for the rule to be tried. Rules without an anchor
# need a dot in a long word.
Gate = tuple[int, Rule, bytes]
_GATES: tuple[Gate, ...] = tuple(
    (priority, rule, rule.anchor or b".") for priority, rule in enumerate(SHAPED)
)

KINDS: tuple[str, ...] = tuple(sorted({rule.kind for rule in (*SHAPED, *FOLDED)}))

# Start, priority, end (byte offsets) and kind of a secret.
Match = tuple[int, int, int, str]
# Called only when a secret was found: most texts hold none, and the key is a file.
KeyReader = Callable[[], bytes | None]


@dataclass(frozen=True, slots=True)
class RuleSelection:
    """The rules worth trying, by where their anchor occurs.

    `tokens`: in a long word; `shapes`: anywhere; `folded`: anywhere in the lower-cased text.
    """

    tokens: tuple[Gate, ...]
    shapes: tuple[Gate, ...]
    folded: tuple[Gate, ...]

    @property
    def is_empty(self) -> bool:
        """Whether no rule needs to be tried."""
        return not (self.tokens or self.shapes or self.folded)


ALL_RULES = RuleSelection(
    tuple(gate for gate in _GATES if not gate[2].strip(_TOKEN_BYTES)),
    tuple(gate for gate in _GATES if gate[2].strip(_TOKEN_BYTES)),
    tuple((priority, rule, rule.anchor) for priority, rule in enumerate(FOLDED, len(SHAPED))),
)

# Bytes. Searching a shorter text once for any anchor is quicker than searching it for each.
_SHORT_TEXT_BYTES = 400
_ANY_FOLDED_ANCHOR = SecretPattern(
    b"|".join(re.escape(anchor) for anchor in sorted({gate[2] for gate in ALL_RULES.folded}))
)


def select_rules(texts: Iterable[str]) -> RuleSelection:
    """Select the rules that can match in any of many short texts.

    Searching each short text for every anchor would take longer than all the rest.
    """
    return narrow_selection(ALL_RULES, "\n".join(texts).encode("utf-8", "surrogatepass"))


def narrow_selection(rules: RuleSelection, raw: bytes) -> RuleSelection:
    """Return those of the rules whose anchor occurs in the text."""
    return RuleSelection(
        select_token_rules(rules.tokens, raw),
        tuple([gate for gate in rules.shapes if gate[2] in raw]),
        _select_folded_rules(rules.folded, raw.lower()),
    )


def select_token_rules(gates: tuple[Gate, ...], raw: bytes) -> tuple[Gate, ...]:
    """Return those of the rules for tokens whose anchor occurs in a long word of the text."""
    long_words = _SHORT_WORDS.sub(b" ", b" %s " % raw)
    if long_words.isspace():
        return ()
    return tuple(
        [gate for gate in gates if gate[2] in long_words and _may_match(gate[1], long_words)]
    )


def _select_folded_rules(gates: tuple[Gate, ...], lowered: bytes) -> tuple[Gate, ...]:
    if len(lowered) < _SHORT_TEXT_BYTES and not _ANY_FOLDED_ANCHOR.compiled.search(lowered):
        return ()
    if lowered.isascii():  # then no anchor in another script needs to be looked for
        gates = tuple([gate for gate in gates if gate[2].isascii()])
    return tuple([gate for gate in gates if gate[2] in lowered])


def _may_match(rule: Rule, long_words: bytes) -> bool:
    return bool(rule.anchor) or rule.pattern.compiled.search(long_words) is not None


class SecretReplacer:
    """Replaces every secret by `[REDACTED:kind:hhhhhhhh]`, or without a key by `[REDACTED:kind]`.

    `patterns` are the operator's own bounded expressions, whose matches are replaced too; `is_deep`
    also asks the package redact-secret, if installed. Most code uses `redactor.Redactor` instead,
    which has all three from the settings.
    """

    def __init__(
        self, read_key: KeyReader, patterns: Sequence[re.Pattern[str]], *, is_deep: bool
    ) -> None:
        self.patterns = patterns
        self._read_key = read_key
        self._is_deep = is_deep
        self._placeholders: dict[tuple[str, bytes], bytes] = {}

    def redact(self, text: str, *, rules: RuleSelection | None = None) -> str:
        """Return the text without secrets; the same object if it holds none.

        `rules` may be what `select_rules` returned for texts that this one is among.
        """
        for pattern in self.patterns:
            text = self._replace_own_pattern(pattern, text)
        selection = ALL_RULES if rules is None else rules
        if not selection.is_empty:
            text = self._apply_rules(text, selection)
        return self._redact_deeper(text) if self._is_deep else text

    def redact_value(self, value: Any, *, rules: RuleSelection | None = None) -> Any:
        """Redact every string in nested lists and mappings, keys included.

        A mapping's key tells what its value is: `{"password": "..."}`.
        """
        return self._redact_nested(value, 0, rules)

    def build_placeholder(self, kind: str, secret: bytes) -> bytes:
        """Return what replaces a secret: its kind and a keyed hash, equal for equal secrets."""
        placeholder = self._placeholders.get((kind, secret))
        if placeholder is None:
            placeholder = self._hash_secret(kind, secret)
            if len(self._placeholders) < _MAX_CACHED_PLACEHOLDERS:
                self._placeholders[kind, secret] = placeholder
        return placeholder

    def _apply_rules(self, text: str, selection: RuleSelection) -> str:
        raw, is_changed = text.encode("utf-8", "surrogatepass"), False
        for _ in range(_MAX_ROUNDS):
            matches = sorted(_skip_placeholders(raw, _find_secrets(raw, selection)))
            if not matches:
                break
            raw, selection, is_changed = self._replace(raw, matches), ALL_RULES, True
        return raw.decode("utf-8", "surrogatepass") if is_changed else text

    def _hash_secret(self, kind: str, secret: bytes) -> bytes:
        key = self._read_key()
        if key is None:
            return b"%s%s]" % (_PLACEHOLDER_START, kind.encode())
        from hashlib import blake2b  # here, because it loads OpenSSL, and most texts hold no secret

        digest = blake2b(secret, digest_size=_HASH_BYTES, key=key).hexdigest()
        return b"%s%s:%s]" % (_PLACEHOLDER_START, kind.encode(), digest.encode())

    def _build_text_placeholder(self, kind: str, secret: str) -> str:
        return self.build_placeholder(kind, secret.encode("utf-8", "surrogatepass")).decode()

    def _replace_own_pattern(self, pattern: re.Pattern[str], text: str) -> str:
        """Replace what an operator's expression matches outside placeholders."""
        if pattern.search(text) is None:
            return text
        # `split` with one group returns the text between placeholders at even positions.
        pieces = re.split(_PLACEHOLDER_TEXT, text)
        pieces[::2] = [pattern.sub(self._replace_own_match, piece) for piece in pieces[::2]]
        return "".join(pieces)

    def _replace_own_match(self, match: re.Match[str]) -> str:
        return self._build_text_placeholder("pattern", match[0]) if match[0] else ""

    def _redact_deeper(self, text: str) -> str:
        from memctl.redact.redact_secret_layer import apply_second_layer

        return apply_second_layer(text, self._build_text_placeholder)

    def _redact_nested(self, value: Any, depth: int, rules: RuleSelection | None) -> Any:
        if isinstance(value, str):
            return self.redact(value, rules=rules)
        if depth > _MAX_DEPTH:
            return f"{REDACTED}depth]"
        if isinstance(value, dict):
            return {
                self._redact_key(key, rules): self._redact_member(key, item, depth + 1, rules)
                for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._redact_nested(item, depth + 1, rules) for item in value]
        return value

    def _redact_key(self, key: Any, rules: RuleSelection | None) -> Any:
        return self.redact(key, rules=rules) if isinstance(key, str) else key

    def _redact_member(self, key: Any, item: Any, depth: int, rules: RuleSelection | None) -> Any:
        """Redact the value of a key; one that is no secret by itself may be one under its key."""
        redacted = self._redact_nested(item, depth, rules)
        if not isinstance(item, str) or not isinstance(key, str) or redacted != item:
            return redacted
        if not 0 < len(item) <= _MAX_PROBED_VALUE:
            return redacted
        prefix = f"{key}: "
        assignment = f"{prefix}{item}" if '"' in item else f'{prefix}"{item}"'
        probed = self.redact(assignment, rules=rules)
        if probed.startswith(f'{prefix}"{REDACTED}'):
            return probed[len(prefix) :].strip('"')
        return redacted

    def _replace(self, raw: bytes, matches: list[Match]) -> bytes:
        """Replace what was found.

        Overlapping matches become one, named by the most specific rule.
        """
        pieces: list[bytes] = []
        done = 0
        start, priority, end, kind = matches[0]
        behind_all = (len(raw) + 1, 0, 0, "")
        for next_start, next_priority, next_end, next_kind in [*matches[1:], behind_all]:
            if next_start < end:
                if next_priority < priority:
                    priority, kind = next_priority, next_kind
                end = max(end, next_end)
                continue
            while end < len(raw) and raw[end] & 0xC0 == 0x80:  # to the end of a UTF-8 character
                end += 1
            pieces += [raw[done:start], self.build_placeholder(kind, raw[start:end])]
            done = end
            start, priority, end, kind = next_start, next_priority, next_end, next_kind
        return b"".join([*pieces, raw[done:]])


def _skip_placeholders(raw: bytes, matches: Iterable[Match]) -> Iterator[Match]:
    """Drop the matches that begin inside a placeholder."""
    if _PLACEHOLDER_START not in raw:
        yield from matches
        return
    spans = [match.span() for match in re.finditer(make_portable(_PLACEHOLDER_BYTES), raw)]
    starts = [start for start, _ in spans]
    for match in matches:
        before = bisect_right(starts, match[0]) - 1
        if before < 0 or match[0] >= spans[before][1]:
            yield match


def _find_secrets(raw: bytes, rules: RuleSelection) -> Iterator[Match]:
    """Find secrets, unsorted and possibly overlapping."""
    selection = narrow_selection(rules, raw)
    for priority, rule, _ in (*selection.tokens, *selection.shapes):
        yield from find_matches(rule, priority, raw, raw)
    lowered = raw.lower() if selection.folded else b""
    for priority, rule, _ in selection.folded:
        yield from find_matches(rule, priority, raw, lowered)


def find_matches(rule: Rule, priority: int, raw: bytes, searched: bytes) -> Iterator[Match]:
    """Find what one rule matches.

    Its anchor is looked for in `searched`, which is `raw` or its lower case.
    """
    look = rule.pattern.compiled.match if rule.anchor else rule.pattern.compiled.search
    at = searched.find(rule.anchor)
    while at >= 0:
        match = look(raw, max(0, at - rule.back))
        after = at + len(rule.anchor)
        if match and (rule.check is None or rule.check(match)):
            start, end = _locate_secret(match)
            after = max(after, end)
            yield start, priority, end, rule.kind
        elif not rule.anchor:
            if not match:
                return
            after = match.end()
        at = searched.find(rule.anchor, after)


def _locate_secret(match: re.Match[bytes]) -> tuple[int, int]:
    for name in ("v", "quoted", "plain"):
        if name in match.re.groupindex and match[name] is not None:
            return match.span(name)
    return match.span()
