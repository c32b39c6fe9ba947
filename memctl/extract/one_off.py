"""What is asked for once, or holds for this hour only, and is no memory however it is put. Pure."""

from __future__ import annotations

from memctl.core.lazy_pattern import compile_later

# An answer's form, asked for with the question that it answers.
_ANSWER_ONCE = compile_later(
    r"^(?:(?:please|and|then|now|ok),? )*"
    r"(?:reply|answer|respond|return|output|print|give me|tell me|say)"
    r" (?:back )?(?:(?:me|it) )?(?:with |in |using )?"
    r"(?:only|just|exactly|nothing but|a single|one)\b"
)
# `only answer yes or no: ...`
_ONLY_ANSWER = compile_later(
    r"^(?:please )?(?:only|just) (?:reply|answer|respond|return|print|output)\b"
)
_THIS = (
    r"(?:commit|pr|pull request|change|branch|file|diff|patch|task|ticket|issue|run|session|chat"
    r"|step|question|answer|reply|one|time|once|release|demo|experiment|test|function|query)"
)
_HERE_ONLY = compile_later(
    rf"\b(?:in|for|with|on) (?:just |only )?this (?:one )?{_THIS}\b"
    r"(?! (?:repo|repository|project)\b)"
    r"|\bjust this once\b|\b(?:only|just) (?:for )?(?:today|tonight|now)\b|\bfor today\b"
)
_FOR_NOW = compile_later(r"\b(?:for now|for the time being|for the moment|temporarily)\b")
# Where the work stands: `we're on main now`.
_STANDS = compile_later(
    r"^(?:(?:ok|so|and|fyi|now),? )*(?:we're|we are|i'm|i am|it's|you're|you are) "
    r"(?:now |still |back |already )?"
    r"(?:on|in|at) (?:the )?`?[\w./-]+`?(?: branch| commit| tag| step)?"
    r"(?: (?:now|again|at the moment|right now|already))?[.!]*$"
)
_NEXT_SENTENCE = compile_later(r"(?<=[a-z\d)][.!?]) (?=[a-z])")
# What would be if something were so: `if we moved to R2 we'd save money`. What tells somebody to do
# something under a condition is a rule.
_SUPPOSED = compile_later(
    r"^(?:(?:and|but|so|well|hmm+|ok),? )*(?:if|suppose|imagine|what if|in theory|hypothetically)\b"
    r"(?!.*\b(?:must|should|shall|always|never|don't|do not|needs? to|have to)\b)"
    r".*\b(?:we|i|it|that|this|they|one)"
    r"(?:'d| (?:would|could|might|may|saves?|gains?|loses?|wins?|avoids?))\b"
)
_LASTS = compile_later(
    r"\b(?:from now on|going forward|in (?:the )?future|every ?time|each time|whenever|as a rule"
    r"|by default|in general|all (?:future|my|our)|until|never again|from here on|remember)\b"
)


def is_one_off(low: str) -> bool:
    """Whether a sentence in lower case asks for something once or says what holds for an hour, or
    what would be if something were so.

    `always` alone makes no rule of a request: `in this file, always use tabs`.
    """
    if _LASTS.search(low):
        return False
    # Who types in lower case begins sentences so.
    first, *others = _NEXT_SENTENCE.split(low)
    if others:
        return any(is_one_off(part) for part in (first, *others))
    if _SUPPOSED.match(low) or _STANDS.match(low) or _HERE_ONLY.search(low) or _FOR_NOW.search(low):
        return True
    return bool(_ANSWER_ONCE.match(low) or _ONLY_ANSWER.match(low)) and "always" not in low
