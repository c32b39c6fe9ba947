"""What is asked for once, or holds for this hour only, and is no memory however it is put. Pure."""

from __future__ import annotations

import re

# An answer's form, asked for with the question that it answers.
_ANSWER_ONCE = re.compile(
    r"^(?:(?:please|and|then|now|ok),? )*"
    r"(?:reply|answer|respond|return|output|print|give me|tell me|say)"
    r" (?:back )?(?:(?:me|it) )?(?:with |in |using )?"
    r"(?:only|just|exactly|nothing but|a single|one)\b"
)
# `only answer yes or no: ...`
_ONLY_ANSWER = re.compile(
    r"^(?:please )?(?:only|just) (?:reply|answer|respond|return|print|output)\b"
)
_THIS = (
    r"(?:commit|pr|pull request|change|branch|file|diff|patch|task|ticket|issue|run|session|chat"
    r"|step|question|answer|reply|one|time|once|release|demo|experiment|test|function|query)"
)
_HERE_ONLY = re.compile(
    rf"\b(?:in|for|with|on) (?:just |only )?this (?:one )?{_THIS}\b"
    r"(?! (?:repo|repository|project)\b)"
    r"|\bjust this once\b|\b(?:only|just) (?:for )?(?:today|tonight|now)\b|\bfor today\b"
)
_FOR_NOW = re.compile(r"\b(?:for now|for the time being|for the moment|temporarily)\b")
# Where the work stands: `we're on main now`.
_STANDS = re.compile(
    r"^(?:(?:ok|so|and|fyi|now),? )*(?:we're|we are|i'm|i am|it's|you're|you are) "
    r"(?:now |still |back |already )?"
    r"(?:on|in|at) (?:the )?`?[\w./-]+`?(?: branch| commit| tag| step)?"
    r"(?: (?:now|again|at the moment|right now|already))?[.!]*$"
)
_LASTS = re.compile(
    r"\b(?:from now on|going forward|in (?:the )?future|every ?time|each time|whenever|as a rule"
    r"|by default|in general|all (?:future|my|our)|until|never again|from here on|remember)\b"
)


def is_one_off(low: str) -> bool:
    """Whether a sentence in lower case asks for something once or says what holds for an hour.

    `always` alone makes no rule of a request: `in this file, always use tabs`.
    """
    if _LASTS.search(low):
        return False
    if _STANDS.match(low) or _HERE_ONLY.search(low) or _FOR_NOW.search(low):
        return True
    return bool(_ANSWER_ONCE.match(low) or _ONLY_ANSWER.match(low)) and "always" not in low
