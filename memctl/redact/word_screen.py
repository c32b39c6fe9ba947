"""Which rules can match in texts whose words repeat, as those of the lines of an export do.

Looking for each anchor in all that a long file says takes longer than all other reading of it. An
anchor, or its longest part without a blank, stands inside of one word. So each word is looked at
once, and a text of known words without a mark needs no look of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memctl.redact.secret_replacer import (
    ALL_RULES,
    Gate,
    RuleSelection,
    narrow_selection,
    select_token_rules,
)

# Words that are remembered, and the longest of them in characters: other words are looked at
# whenever they occur. Chosen by hand.
_MOST_WORDS = 100_000
_LONGEST_WORD = 200
_NOTHING = RuleSelection((), (), ())


def split_by_quotes(text: str) -> list[str]:
    """The words of a text, each with the quotes that it stands in."""
    return text.replace('"', '" "').split()


def _find_longest_part(anchor: bytes) -> bytes:
    """The part of an anchor that stands inside of one word of every text that holds the anchor."""
    return max(split_by_quotes(anchor.decode()), key=len).encode()


def _shorten_anchors(gates: Sequence[Gate]) -> tuple[Gate, ...]:
    return tuple((priority, rule, _find_longest_part(mark)) for priority, rule, mark in gates)


_WORD_RULES = RuleSelection(
    _shorten_anchors(ALL_RULES.tokens),
    _shorten_anchors(ALL_RULES.shapes),
    _shorten_anchors(ALL_RULES.folded),
)


class WordScreen:
    """Remembers which words hold a mark of a rule, and which hold none."""

    def __init__(self, overlooked: re.Pattern[str]) -> None:
        """`overlooked` are the words, with their quotes, that are known to hold no secret."""
        self._overlooked = overlooked
        self._plain: set[str] = set()
        # The priorities of the rules whose mark a word may hold.
        self._marked: dict[str, frozenset[int]] = {}

    def find_marked(self, texts: Sequence[str]) -> dict[int, RuleSelection]:
        """The rules that can match in some of the texts, by the place of each such text."""
        words = set(split_by_quotes("\n".join(texts)))
        words -= self._plain
        new = words.difference(self._marked)
        self._learn([word for word in new if not self._overlooked.fullmatch(word)])
        marked = words.intersection(self._marked)
        if not marked:
            return {}
        found: dict[int, RuleSelection] = {}
        for place, text in enumerate(texts):
            own = marked.intersection(split_by_quotes(text))
            if own:
                found[place] = _choose_rules(self._marked[word] for word in own)
        return found

    def _learn(self, words: Sequence[str]) -> None:
        """Look at words that were not seen before."""
        if len(self._plain) + len(self._marked) > _MOST_WORDS:
            self._plain.clear()
            self._marked.clear()
        known = _find_rules("\n".join(words))
        if not known.is_empty:
            for word in words:
                own = _find_rules(word, known)
                if not own.is_empty:
                    self._marked[word] = _list_priorities(own)
        self._plain.update(
            word for word in words if len(word) <= _LONGEST_WORD and word not in self._marked
        )


def _find_rules(text: str, rules: RuleSelection = _WORD_RULES) -> RuleSelection:
    raw = text.encode("utf-8", "surrogatepass")
    lowered = raw.lower()
    return RuleSelection(
        select_token_rules(rules.tokens, raw),
        tuple([gate for gate in rules.shapes if gate[2] in raw]),
        tuple([gate for gate in rules.folded if gate[2] in lowered]),
    )


def _list_priorities(rules: RuleSelection) -> frozenset[int]:
    return frozenset(gate[0] for gate in (*rules.tokens, *rules.shapes, *rules.folded))


def _choose_rules(priorities: Iterable[frozenset[int]]) -> RuleSelection:
    """The rules, with their whole anchors, that have any of some priorities."""
    wanted = frozenset[int]().union(*priorities)
    return RuleSelection(
        tuple(gate for gate in ALL_RULES.tokens if gate[0] in wanted),
        tuple(gate for gate in ALL_RULES.shapes if gate[0] in wanted),
        tuple(gate for gate in ALL_RULES.folded if gate[0] in wanted),
    )


def narrow_to_text(rules: RuleSelection, text: str) -> RuleSelection:
    """Those of the rules whose anchor occurs in a text."""
    if rules.is_empty:
        return _NOTHING
    return narrow_selection(rules, text.encode("utf-8", "surrogatepass"))
