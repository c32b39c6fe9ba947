"""What a text costs in tokens, by a tokenizer that a program brings. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sized

from memctl.core.errors import UsageError
from memctl.core.typing_lite import Any, TypeAlias

# Takes a text and returns how many tokens it has, or the tokens themselves, as many do.
Tokenizer: TypeAlias = Callable[[str], Any]


def count_with(tokenizer: Tokenizer, text: str) -> int:
    """Count the tokens of a text. Raises UsageError for a tokenizer that does not count."""
    counted = tokenizer(text)
    if isinstance(counted, Sized):
        return len(counted)
    if isinstance(counted, bool) or not isinstance(counted, int) or counted < 0:
        raise UsageError(f"the tokenizer returns a number or a list of tokens, not {counted!r:.60}")
    return counted
