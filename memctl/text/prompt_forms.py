"""What kind of thing a prompt asks for, by its form: an edit of the code at hand, or common
knowledge. Such prompts seldom touch what a memory holds. Pure; no patterns, because every prompt
comes by here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

# What is edited where it stands: parts of a text or of code, whatever they are about.
_PARTS_AT_HAND = frozenset(
    """function method class line lines block loop variable variables paragraph sentence sentences
    statement statements argument arguments parameter pasted snippet regex docstring docstrings
    indentation semicolon quotes brackets comprehension constructor getter prop typo imports
    funktion methode zeile zeilen absatz satz schleife variablen función método línea párrafo bucle
    fonction méthode ligne paragraphe boucle função linha parágrafo""".split()
)
# Words that say nothing of what is asked.
_LEAD_IN = frozenset("ok okay so and hey please hi hallo hola now also".split())
# What makes a question one about this place.
_OF_THIS_PLACE = frozenset("here we our us ours unser unsere wir nuestro nuestra notre nos".split())
# How questions begin that any encyclopedia or manual answers.
_BEGINNINGS = (
    *(("what", "is", "a"), ("what", "is", "an"), ("what", "s", "a"), ("what", "s", "an")),
    *(("explain",), ("how", "do", "you", "say"), ("tell", "me", "a"), ("tell", "me", "about")),
    *(("what", "time"), ("what", "day"), ("what", "year"), ("who", "was"), ("who", "wrote")),
    *(
        ("how", "does", "a"),
        ("what", "s", "new", "in"),
        ("how", "does", "an"),
        ("was", "ist", "ein"),
        ("was", "ist", "eine"),
    ),
    *(("qué", "es", "un"), ("qué", "es", "una"), ("que", "es", "un"), ("o", "que", "é", "um")),
)
# What is asked of a thing by `what is the ... of`, and what ends `what does ... mean`.
_OF_A_THING = frozenset("difference plural capital meaning square mean weather".split())
_MEANING = frozenset("mean do stand".split())
_TONGUES = frozenset(
    """python ruby bash javascript java go rust sql excel vim git css typescript windows latex
    english german french spanish polish italian portuguese dutch swedish danish norwegian finnish
    greek turkish russian ukrainian czech hungarian arabic hebrew hindi chinese japanese korean
    latin welsh irish""".split()
)
_PLAY = frozenset("poem haiku limerick story song joke riddle rhyme cover sonnet".split())
# What a prompt is made of that only says yes, no or thanks, beside what it begins with.
_ACKNOWLEDGING = frozenset(
    """thanks thank you that thats it s is all looks look good great perfect nice fine cool awesome
    yes yep no nope sure right done works lovely excellent for now very much a lot the best me to
    i like love well done danke vielen dank passt super gut gracias vale bien perfecto merci parfait
    obrigado obrigada perfeito""".split()
)
# Beside numbers, what a sum is made of; at least half of it are numbers.
_OF_A_SUM = frozenset("what s is of in plus minus times divided by percent and how much".split())
# How a sentence begins that tells how things are, and how one does in which somebody wants
# something; what failures are told by.
_SPEAKERS = frozenset({"i", "we"})
_TELLING = _SPEAKERS | frozenset(
    """my our the this that these those it there he she they a an some users customers nothing
    everything nobody""".split()
)
_WANTING = frozenset("ll want need d will would must should have ve".split())
_OF_FAILURES = frozenset("error errors exception traceback errno segfault panic".split())
# Words. `write me a short poem` names what is wanted by then.
_PLAY_WITHIN = 5


def names_part_at_hand(words: Sequence[str]) -> bool:
    """Do the words of a prompt, in lower case, name a part of a text that is edited in place?"""
    return not _PARTS_AT_HAND.isdisjoint(words)


def gives_an_order(words: Sequence[str]) -> bool:
    """Do the words of a prompt that is no question, in lower case, want something done? `I'm
    getting a null pointer exception` and what a program printed only tell how things are.
    """
    if not _OF_FAILURES.isdisjoint(words):
        return False
    start = next((n for n, word in enumerate(words) if word not in _LEAD_IN), len(words))
    first, second = (*words[start : start + 2], "", "")[:2]
    return first not in _TELLING or (first in _SPEAKERS and second in _WANTING)


def asks_common_knowledge(words: Sequence[str]) -> bool:
    """Do the words of a prompt, in lower case, ask for what has nothing to do with this place, or
    for nothing at all?
    """
    if not _OF_THIS_PLACE.isdisjoint(words):
        return False
    start = next((n for n, word in enumerate(words) if word not in _LEAD_IN), len(words))
    asked = tuple(words[start:])
    if any(asked[: len(beginning)] == beginning for beginning in _BEGINNINGS):
        return True
    if asked[:1] == ("what",) and asked[1:2] in (("is",), ("s",)) and asked[2:3] == ("the",):
        return asked[3:4] != () and asked[3] in _OF_A_THING
    if asked[:2] == ("what", "does"):
        return not _MEANING.isdisjoint(asked[-2:])
    if (asked and _ACKNOWLEDGING.issuperset(asked)) or _is_sum(asked):
        return True
    if asked[:1] == ("translate",):
        return any(word in _TONGUES for word in asked[1:])
    if asked[:1] in (("write",), ("give",), ("sing",)):
        return not _PLAY.isdisjoint(asked[1:_PLAY_WITHIN])
    return asked[:1] in (("how",), ("wie",), ("cómo",)) and any(
        first in ("in", "en", "on") and second in _TONGUES for first, second in pairwise(asked)
    )


def _is_sum(words: Sequence[str]) -> bool:
    """Are the words of a prompt numbers that are to be reckoned with?"""
    telling = [word for word in words if word not in _OF_A_SUM]
    return bool(telling) and 2 * sum(word[0].isdigit() for word in telling) > len(telling)
