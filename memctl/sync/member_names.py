"""Names of members: what may be one, and which two would be taken for one another. Pure.

A name stands before what somebody said (`anna's operator`), in streams and in roles of a hub. So it
may not be one of the words that memctl uses itself, nor look like the name of another member.
"""

from __future__ import annotations

import unicodedata

from memctl.core.errors import UsageError
from memctl.exchange.import_state import is_reserved_name

# Characters of a name, as of whoever an export is from.
MOST_CHARACTERS = 40
# Bytes of a name in UTF-8: with a stream's prefix it must fit into the name of a folder.
MOST_BYTES = 80
# Marks on one letter: several scripts need two, more only hide what is below them.
_MOST_MARKS = 2
# What a name may hold beside letters, their marks and digits.
_SIGNS = frozenset(" -_.'")
# What memctl says of actors, audiences and itself.
_WORDS = (
    "admin administrator agent all anybody anyone capture everybody everyone founder global group "
    "hook hub maintain me member members memctl never nobody none operator own owner root self "
    "system unknown upkeep user you"
).split()
# Scripts whose letters stand in one word together.
_MIXED = {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC"}
# Letters that look like others, by the confusables of Unicode (UTS 39), for the scripts in which
# whole names can be written alike; each with what it is taken for.
_LOOK = str.maketrans(
    # Cyrillic
    dict(zip("абвгеёзикмнопрстухьіјѕԁԛԝһӏѵ", "a6bree3ukmhonpctyxbijsdqwhlv", strict=True))
    # Greek
    | dict(zip("αβγεηικνορτυχωϳς", "abyenikvoptuxwjc", strict=True))
    # Armenian
    | dict(zip("օսցհոզյ", "ougnnqj", strict=True))
    # Latin letters without a decomposition, and digits
    | dict(zip("ıłøđħŋŧ01", "llodhntol", strict=True))
    | {"i": "l", "ß": "ss", "æ": "ae", "œ": "oe", "ð": "d", "þ": "p"}
)
_PAIRS = (("rn", "m"), ("vv", "w"))


def check_name(name: str) -> str:
    """Return a name that a member may have. Raises UsageError that says what is wrong with it."""
    fault = find_fault(name)
    if fault:
        raise UsageError(f"{name[:80]!r} can be nobody's name here: {fault}")
    return name


def find_fault(name: str) -> str | None:
    """Why a name can be nobody's; None for one that is good."""
    size = len(name.encode("utf-8", "replace"))
    if not 0 < size <= MOST_BYTES:
        return f"it has {size} bytes, and may have 1 to {MOST_BYTES}"
    if len(name) > MOST_CHARACTERS:
        return f"it has more than {MOST_CHARACTERS} characters"
    if unicodedata.normalize("NFKC", name) != name:
        return "it is written in characters that stand for others"
    if not name[0].isalpha():
        return "it does not begin with a letter"
    if name[-1] in " -_" or "  " in name:
        return "it has blanks or dashes where they cannot be seen"
    strange = [each for each in name if not _is_usual(each)]
    if strange:
        return f"it holds {unicodedata.name(strange[0], repr(strange[0]))}"
    if _count_marks(name) > _MOST_MARKS:
        return "it has too many marks on one letter"
    scripts = {_find_script(each) for each in name if each.isalpha()}
    if len(scripts) > 1 and not scripts <= _MIXED:
        return f"it mixes letters of {' and '.join(sorted(map(str.capitalize, scripts)))}"
    if reduce_name(name) in _RESERVED or is_reserved_name(name):
        return "the word has a meaning of its own"
    return None


def reduce_name(name: str) -> str:
    """What is left of a name to the eye: two names with the same would be taken for one another."""
    plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", name).casefold())
    plain = "".join(each for each in plain if not "\u0300" <= each <= "\u036f")
    plain = "".join(each for each in plain.translate(_LOOK) if each not in _SIGNS)
    for pair, one in _PAIRS:
        plain = plain.replace(pair, one)
    return plain


def _is_usual(each: str) -> bool:
    kind = unicodedata.category(each)
    return each in _SIGNS or kind in ("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd")


def _count_marks(name: str) -> int:
    most = row = 0
    for each in unicodedata.normalize("NFD", name):
        row = row + 1 if unicodedata.category(each).startswith("M") else 0
        most = max(most, row)
    return most


def _find_script(letter: str) -> str:
    """The script of a letter, as far as its Unicode name tells."""
    name = unicodedata.name(letter, "UNKNOWN")
    return name.split(" ", 1)[0]


_RESERVED = frozenset(map(reduce_name, _WORDS))
