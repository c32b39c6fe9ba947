"""Read which names a text says mean the same, and which name stands for them all. Pure.

Aliases are only ever read from an explicit statement, never guessed from likeness. A role (`my
boss`) can pass from one person to the next, so it never makes two proper names one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.text import known_names
from memctl.text.normalize import normalise
from memctl.text.stop_words import COMPARISON_STOP_WORDS

# Roles that one person holds at a time; `my colleague` says who someone is, not which one.
ROLES = (
    "boss|manager|supervisor|team lead|tech lead|lead|cofounder|co-founder|ceo|cto|cfo|wife|husband"
    "|partner|spouse|mother|father|"
    "mom|mum|dad|landlord|mentor|assistant|"
    "accountant|lawyer|therapist|doctor|advisor|adviser|product owner|product manager|scrum master"
    "|designer"
)
_PROPER = r"[^\W\d_a-z][\w.'+#-]{0,30}(?: [^\W\d_a-z][\w.'+#-]{0,30}){0,2}"
_NAME = rf"(?:{_PROPER}|[^\W\d_][\w.'+#-]{{0,30}})"
_ROLE = rf"(?i:(?:my|our) (?:{ROLES}))"
_START = r"(?<![\w./-])"
_END = r"(?=[\s,.;:)!\"']|$)"
_ALSO = (
    r"(?i:a\.?k\.?a\.?|also known as|also called|better known as|formerly known as|formerly"
    r"|nicknamed)"
)
_MEANS = (
    r"(?i:is (?:short|a nickname|another name|an alias|an abbreviation) (?:for|of)|"
    r"stands for|goes by|is the same (?:person|thing|project) as)"
)
_PATTERNS = tuple(
    compile_later(pattern)
    for pattern in (
        rf"{_START}(?P<a>{_PROPER}) (?:is|=) (?P<b>{_ROLE})(?! of\b)(?=[\s,.;:)!]|$)",
        rf"{_START}(?P<b>{_ROLE}) (?:is|=) (?:called |named )?(?P<a>{_PROPER}){_END}",
        rf"{_START}(?P<b>{_ROLE}),? (?P<a>{_PROPER})(?=[,.;:)!]|$| (?:said|says|wants|asked|thinks"
        rf"|prefers|told))",
        rf"{_START}(?P<a>{_PROPER}),? \(?(?P<b>{_ROLE})(?=[,).;]|$)",
        rf"^\W{{0,4}}(?P<a>{_PROPER}) ?(?:=|==|\u2261) ?(?P<b>{_PROPER})\W{{0,4}}$",
        rf"{_START}(?P<a>{_NAME}),? \(?(?:is )?{_ALSO} [\"']?(?P<b>{_NAME})",
        rf"{_START}(?P<a>{_PROPER}),? \(?(?:is )?known as [\"']?(?P<b>{_PROPER})",
        rf"{_START}(?P<a>{_NAME}) {_MEANS} (?P<b>{_PROPER})",
        rf"{_START}(?P<a>{_PROPER}) and (?P<b>{_PROPER}) are the same(?: person| thing| "
        rf"project)?{_END}",
    )
)
_LONGEST_LINE = 2_000
_PERSON = compile_later(
    r"[^\W\d_a-z][^\W\d_A-Z]+(?:[-'][^\W\d_]+)?(?: [^\W\d_a-z][^\W\d_A-Z]*\.?){0,2}"
)


@dataclass(frozen=True, slots=True)
class AliasStatement:
    """Two names that somebody says are one; in a chat with who said it and when."""

    a: str
    b: str
    speaker: str | None = None
    at: str | None = None


def _trim_name(name: str) -> str:
    return name.strip(" .,'\"").removesuffix("'s")


def find_alias_statements(text: str) -> list[tuple[str, str]]:
    """The pairs of names that the text says are one, in order.

    A question or a denial says nothing.
    """
    pairs: dict[tuple[str, str], None] = {}
    for line in text.splitlines():
        for sentence in re.split(r"(?<=[.!?]) ", line[:_LONGEST_LINE]):
            if not sentence.rstrip().endswith("?"):
                pairs.update(dict.fromkeys(_find_pairs(sentence)))
    return list(pairs)


def _find_pairs(sentence: str) -> list[tuple[str, str]]:
    matches = [match for pattern in _PATTERNS for match in pattern.finditer(sentence)]
    pairs = (
        (_trim_name(match["a"]), _trim_name(match["b"]))
        for match in sorted(matches, key=lambda match: match.start())
    )
    return [(a, b) for a, b in pairs if _are_aliases(a, b, "=" in sentence)]


def _are_aliases(a: str, b: str, by_sign: bool) -> bool:
    """Are these two different names, of which one may stand for the other?

    By an equals sign alone only if they begin alike: `Theme = Dark` is a setting and no alias.
    """
    one, other = to_name_key(a), to_name_key(b)
    if not one or not other or one == other:
        return False
    if one in COMPARISON_STOP_WORDS or other in COMPARISON_STOP_WORDS:
        return False
    return not by_sign or known_names.is_role(a) or known_names.is_role(b) or one[0] == other[0]


def to_name_key(name: str) -> str:
    """The form in which names are compared: without case, punctuation and article."""
    words = normalise(name).split()
    return " ".join(words[1:] if len(words) > 1 and words[0] == "the" else words)


def may_be_person(name: str) -> bool:
    """Could this be somebody's name, by how it is written?"""
    return known_names.is_role(name) or _PERSON.fullmatch(name) is not None


def choose_canonical_name(names: Iterable[str]) -> str:
    """The name that stands for all: a proper name before a role, then the longest."""

    def rank(name: str) -> tuple[bool, int, str, str]:
        key = to_name_key(name)
        return known_names.is_role(name), -len(key), key, name

    return min(names, key=rank)
