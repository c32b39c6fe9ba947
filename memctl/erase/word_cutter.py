"""Cutting purged words out of any text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from memctl.core.typing_lite import Any
from memctl.records.purge_filter import PURGED

# Characters. A text that breaks off with an ellipsis must hold so many first characters of the
# words. Chosen by hand.
_SHORTEST_PREFIX = 16


class WordCutter:
    """Cuts words out of any text, also where a text breaks off inside them with an ellipsis."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = sorted({*words}, key=len, reverse=True)
        forms = sorted(
            {form for word in self._words for form in list_forms(word)}, key=len, reverse=True
        )
        self._pattern = re.compile("|".join(map(re.escape, forms))) if forms else None

    def rewrite_text(self, text: str) -> str:
        """The text with `[PURGED]` in place of the words."""
        if self._pattern is None:
            return text
        return self._cut_beginnings(self._pattern.sub(PURGED, text)) if text else text

    def rewrite_value(self, value: Any) -> Any:
        """The same for every text in nested lists and mappings."""
        if isinstance(value, str):
            return self.rewrite_text(value)
        if isinstance(value, dict):
            return {
                self.rewrite_text(str(key)): self.rewrite_value(item) for key, item in value.items()
            }
        return (
            [self.rewrite_value(item) for item in value]
            if isinstance(value, list | tuple)
            else value
        )

    def narrow_to(self, _pieces: Iterable[str]) -> WordCutter:
        """The same cutter: these words may stand anywhere."""
        return self

    def _cut_beginnings(self, text: str) -> str:
        for match in reversed(list(re.finditer("…", text))):
            before = text[: match.start()].rstrip()
            cut = max((_count_overlap(before, word) for word in self._words), default=0)
            if cut >= _SHORTEST_PREFIX:
                text = f"{before[: len(before) - cut]}{PURGED}{text[match.start() :]}"
        return text


def list_forms(word: str) -> Iterator[str]:
    """The forms of a text: as it is, on one line, inside JSON."""
    for text in (word, re.sub(r"\s+", " ", word)):
        yield from (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])


def _count_overlap(before: str, word: str) -> int:
    """How many first characters of a word end a text."""
    most = min(len(before), len(word))
    return next(
        (
            length
            for length in range(most, _SHORTEST_PREFIX - 1, -1)
            if before.endswith(word[:length])
        ),
        0,
    )
