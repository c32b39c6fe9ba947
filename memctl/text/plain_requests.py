"""Whether a prompt asks for a command in the plainest words: `how do I run the tests`. Pure."""

from __future__ import annotations

import re

from memctl.core.lazy_pattern import compile_later
from memctl.text import tokens

# Characters. A longer prompt says what it wants in words of its own; chosen by hand.
_LONGEST_PROMPT = 120
_VERBS = (
    "run|build|test|start|launch|deploy|release|install|lint|format|check|type-?check|compile|serve"
    "|migrate|seed|publish|package|benchmark|profile|debug|generate|update|upgrade|reset|clean|stop"
    "|restart|watch|bundle|load|set up|bootstrap"
)
_QUESTION = compile_later(
    r"^(?:(?:ok|so|and|now|hey|please|also),? )*"
    r"(?:how (?:do|can|should|would|to)(?: (?:i|we|you|one))?|what(?:'s| is) the (?:command|way) to"
    rf"|which command (?:do i use to|is it to|to)) (?P<verb>{_VERBS})\b(?P<rest>[^.?!]*)[.?!]*$"
)
_ORDER = compile_later(
    r"^(?:(?:ok|so|and|now|hey|please|also|then|can you|could you|let's),? )*"
    rf"(?P<verb>{_VERBS})\b(?P<rest>[^.?!]*)[.?!]*$"
)
# Words beside the verb that name nothing.
_EMPTY = frozenset(
    "the a an all my our your this that these those it them here there now again please thanks"
    " project repo repository app code locally first up in of for on to me us everything thing"
    " things".split()
)


def parse_plain_request(prompt: str) -> frozenset[str] | None:
    """The stems that a command must hold to be what a prompt asks for; None if it asks for none.

    An order must say what to work on (`run the tests`); a question need not (`how do I build it?`).
    """
    text = " ".join(prompt.split()).casefold()
    if len(text) > _LONGEST_PROMPT:
        return None
    question = _QUESTION.match(text)
    match = question or _ORDER.match(text)
    if match is None:
        return None
    objects = [word for word in re.findall(r"[\w-]+", match["rest"]) if word not in _EMPTY]
    if question is None and not objects:
        return None
    return _stem_words(" ".join([match["verb"], *objects]))


def _stem_words(text: str) -> frozenset[str]:
    return frozenset(tokens.list_stems(text))
