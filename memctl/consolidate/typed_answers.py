"""Compare claims that fit no pattern by typed answers and semantic similarity. Pure.

Similarity alone tells only that two statements are about the same things: `the upload limit` and
`the download limit` are closer than most. So both must give one answer of one kind (a date, a
version, a number with its unit, a known tool), under the same conditions, and no more than one of
them may name things that the other does not.
"""

from __future__ import annotations

from memctl.consolidate.claim_parser import ParsedClaim
from memctl.consolidate.lexicon import PARTIAL
from memctl.core.typing_lite import Literal

# Cosines of the built-in model, tuned on invented statements whose relation no other reading knew:
# at the first none of 1,400 pairs of two facts of one project was as close; the second is for what
# is told again.
_NEAR_OTHER = 0.55
_NEAR_SAME = 0.7
# How many words may differ where the same is told again.
_MOST_OTHER_WORDS = 2
# Longer texts are not compared: characters.
_LONGEST = 300
# Names of tools that are colours too.
_COLOURS = frozenset(("black", "blue"))

TypedRelation = Literal["same", "other"]


def compare_typed_answers(
    a: ParsedClaim, b: ParsedClaim, nearness: float | None
) -> TypedRelation | None:
    """Do the two give one question the same answer, or another one?

    None where that is not sure, or where `nearness`, the cosine of the two texts, is not known.
    """
    if nearness is None or nearness < _NEAR_OTHER:
        return None
    if max(len(a.statement.text), len(b.statement.text)) > _LONGEST:
        return None
    if len(a.answers) != 1 or len(b.answers) != 1:
        return None
    if a.statement.features.qualifiers != b.statement.features.qualifiers:
        return None
    each_says_more = bool(a.remainder - b.remainder) and bool(b.remainder - a.remainder)
    if a.answers == b.answers:
        is_sure = nearness >= _NEAR_SAME and not each_says_more
        return "same" if is_sure and _is_told_again(a, b) else None
    return "other" if not each_says_more and _are_rival_answers(a, b) else None


def have_rival_answers(a: ParsedClaim, b: ParsedClaim) -> bool:
    """Do two claims about one known subject give it two answers of one kind?"""
    conditions = a.statement.conditions
    if conditions != b.statement.conditions or conditions & PARTIAL:
        return False
    if len(a.answers) != 1 or len(b.answers) != 1:
        return False
    (kind, _), *_ = a.answers
    return not kind.startswith(("slot", "region")) and _are_rival_answers(a, b, may_be_paths=True)


def _is_told_again(a: ParsedClaim, b: ParsedClaim) -> bool:
    if a.turned_down or b.turned_down:
        return False
    if any(kind.startswith("slot") for kind, _ in a.answers):  # may be an ordinary word: `black`
        return False
    if len(a.remainder ^ b.remainder) > _MOST_OTHER_WORDS or not a.remainder & b.remainder:
        return False
    one, other = a.statement.features, b.statement.features
    return (one.numbers, one.identifiers, one.negations) == (
        other.numbers,
        other.identifiers,
        other.negations,
    )


def _are_rival_answers(a: ParsedClaim, b: ParsedClaim, *, may_be_paths: bool = False) -> bool:
    (kind, mine), (other_kind, theirs) = next(iter(a.answers)), next(iter(b.answers))
    if not kind or kind != other_kind or mine <= theirs or theirs <= mine:
        return False
    words = mine | theirs
    if kind == "path" and not may_be_paths and not any("://" in word for word in words):
        return False  # a thing may have many paths, but one address
    return _COLOURS.isdisjoint(words)
