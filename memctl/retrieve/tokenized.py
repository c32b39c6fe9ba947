"""A context within a budget that somebody else's tokenizer counts.

Lines are weighed by an estimate, which adds up where tokens do not; the budget of the estimate is
sought with which the whole text, as the tokenizer counts it, fits best. Pure but for the tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable

from memctl.retrieve.bundle import Bundle
from memctl.text.token_counts import Tokenizer, count_with

# No tokenizer that is worth the name makes one token of more than so many estimated ones.
_MOST_ESTIMATED = 4
# So many budgets are tried; each halves what is left to seek.
_MOST_TRIES = 10
_NOTHING = Bundle("", (), 0, 0)


def compose_counted(
    compose: Callable[[int], Bundle], most: int, tokenizer: Tokenizer
) -> tuple[Bundle, int]:
    """Compose the fullest text that costs at most `most` tokens, and the budget that gave it.

    Nothing is said where not even the shortest text fits.
    """
    best, best_budget, best_cost = _NOTHING, 0, -1
    low, high, tried = 0, most * _MOST_ESTIMATED, most
    for _ in range(_MOST_TRIES):
        bundle = compose(tried)
        cost = count_with(tokenizer, bundle.text) if bundle.text else 0
        if cost > most:
            high = tried - 1
        else:
            if cost > best_cost:
                best, best_budget, best_cost = bundle, tried, cost
            if not bundle.left_out and bundle.text:
                break
            low = tried + 1
        if low > high:
            break
        tried = (low + high) // 2
    return best, best_budget
