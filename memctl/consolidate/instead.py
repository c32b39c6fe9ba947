"""Whether one of two like statements says something instead of what the other says. Pure.

The readers that compare answers look at how near two statements are, and what gives something up is
very near to what affirms it; so is what swaps two names, or names another common word. Each of
these forbids that one is taken for a repetition of the other. Wide on purpose: where one of them is
seen in vain, two records stand that say the same, and nothing is lost.
"""

from __future__ import annotations

from memctl.consolidate.features import is_rotation, read_features
from memctl.consolidate.value_pairs import list_named, weigh_rarity
from memctl.consolidate.words import list_numbers, split_words, to_canonical_set
from memctl.text.stop_words import word_set

# What is as common as this, the 200th word of English, names nothing. Chosen by hand.
_LEAST_RARITY = 0.5
# Verbs and nouns that lead to an answer, and how people say that it is as it was: none of them is
# an answer by itself.
_LEADING = to_canonical_set(
    word_set(
        """use run keep store put host place locate live lie sit stay stand go happen take serve
        come handle manage do make work build render write log track publish deploy ship provide
        give send expire time listen rely depend set need allow limit cap maximum most least
        kept held hold responsible charge remember mention say said note always usual usually
        ever before still same again know like as thing way part job site app tool system
        service server current currently today now nowadays please only just here project team
        our every each up long per try day due line kind type value name point"""
    )
)


def keeps_roles(one: str, other: str) -> bool:
    """Do the words that both texts hold play the same parts in both?

    They stand in one order, or one text begins in the middle (`Kamal is what we deploy with`), or
    at most one of them is a name. Names and amounts always stand in one order.
    """
    first, second = read_features(one).sequence, read_features(other).sequence
    shared = set(first) & set(second)
    left = [word for word in dict.fromkeys(first) if word in shared]
    right = [word for word in dict.fromkeys(second) if word in shared]
    if left == right:
        return _have_same_number_order(one, other)
    if not _have_same_number_order(one, other):
        return False
    named = list_named(one) | list_named(other)
    if _order_named(one, named) != _order_named(other, named):
        return False
    return is_rotation(left, right) or len(left) <= 2 or _is_about_one_name(named, left)


def _have_same_number_order(one: str, other: str) -> bool:
    left, right = list_numbers(split_words(one)), list_numbers(split_words(other))
    return left == right or set(left) != set(right)


def _order_named(text: str, named: frozenset[str]) -> list[str]:
    words = (word.strip(".,;:!?()\"'`").lower() for word in text.split())
    return [word for word in dict.fromkeys(words) if word in named]


def _is_about_one_name(named: frozenset[str], shared: list[str]) -> bool:
    """Is there a name, and beside its words few that could change places with it?"""
    return bool(named) and len(shared) <= len(named) + 2


def says_something_else(one: str, other: str) -> bool:
    """Has one of two texts a word of its own that may be another answer, or another condition?

    A word that only leads to the answer is none.
    """
    return bool(list_telling(one, other) or list_telling(other, one))


def list_telling(text: str, beside: str) -> list[str]:
    """The words of a text that another one has not, and that do not only lead to an answer."""
    known = weigh_rarity(beside)
    return [
        word
        for word, rarity in weigh_rarity(text).items()
        if word not in known and word not in _LEADING and rarity >= _LEAST_RARITY
    ]
