"""How far a statement reaches: the project it was said in, unless its words say that it holds
everywhere.

That a statement is about the operator's way of working says nothing: most such statements are
about the work at hand. Whoever means all projects names them.
"""

from __future__ import annotations

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Scope

_ALL_WORK = (
    r"(?:projects|repos|repositories|code ?bases|workspaces)|work of mine|my (?:\w+ )?work)\b"
)
_EVERY = r"(?:project|repo|repository|code ?base|workspace)\b"
# What is meant by `all projects` is a part of this one: the packages of a monorepo.
_OF_ONE = r"(?! (?:of|in|inside|within|under|below) (?:the|this|our|that|it)\b)"
_NAMES_ALL = compile_later(
    r"\b(?:in|for|across|on|to|with|over|through(?:out)?) (?:(?:absolutely )?all|any)(?: of)?"
    rf"(?: (?:my|our|your|these|the))?(?: \w+)?? (?:{_ALL_WORK}{_OF_ONE}"
    r"|\b(?:across|throughout|in) (?:my|our) (?:projects|repos|repositories|code ?bases)\b"
    r"|\b(?:in|for|on|to|with) (?:every|each)(?: single| other| one of (?:my|our))?"
    rf" (?:{_EVERY}{_OF_ONE}|(?:projects|repos|repositories)\b)"
    rf"|\bin any (?:of (?:my|our) )?(?:\w+ )??(?:{_EVERY}|projects\b|repos\b){_OF_ONE}"
    rf"|\b(?:whatever|whichever|regardless of (?:the|which)|no matter (?:which|what|the)"
    rf"|independent(?:ly)? of (?:the|any)) {_EVERY}"
    rf"|\b(?:not (?:just|only)|beyond) (?:(?:in|for) )?this (?:one )?{_EVERY}"
    r"|\bwherever (?:i|we|you)(?:'re|'m| am| are)? (?:work|code|program|working|coding)\b"
)
# `everywhere` alone means all projects only where it is about how somebody works; of code it means
# everywhere in the code.
_EVERYWHERE = compile_later(
    r"\b(?:everywhere|globally|across the board|for all my work|whatever (?:i|we) work on)"
    r"(?! (?:in|inside|within|that|where|we|it|the|this|you)\b)"
)
_DENIED = compile_later(
    r"(?:(?:\bnot|n't|\bnever)(?: (?:apply|hold|work|mean|be|necessarily|always))?|\bexcept"
    r"|\brather than|\binstead of) $"
)


def choose_scope(low: str, *, is_conduct: bool = False) -> Scope:
    """The scope of a sentence in lower case; `is_conduct`: it is about how somebody works."""
    return "global" if says_everywhere(low, is_conduct=is_conduct) else "project"


def says_everywhere(low: str, *, is_conduct: bool = False) -> bool:
    """Whether the words of a sentence in lower case say that it holds in every project."""
    found = _NAMES_ALL.search(low) or (_EVERYWHERE.search(low) if is_conduct else None)
    return found is not None and not _DENIED.search(low, 0, found.start())


def strip_reach(low: str) -> str:
    """The sentence without an opening that names all projects: `in all my repos, ask first`."""
    found = _NAMES_ALL.match(low)
    return low[found.end() :].lstrip(" ,:;-") if found else low
