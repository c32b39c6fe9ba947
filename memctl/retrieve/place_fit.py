"""What of a person's profile has to do with the place where a session begins, and which commands
say the same. Pure: no I/O, no clock.

Most of what somebody says of himself holds in every project and matters in few: `I always want
kilometres` is of use where distances are dealt with. Where nothing was asked yet, it comes up only
in a project that knows one of its words, unless it is about working with software, as how to
answer, which editor or what machine. A prompt that calls for it is told it anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Memory
from memctl.text import related_words, tokens
from memctl.text.stop_words import SEARCH_STOP_WORDS

# The kinds that tell of a person; what forbids or demands comes up everywhere.
_PERSONAL_KINDS = frozenset({"preference", "fact"})
# Letters. Shorter words are in every text.
_SHORTEST_WORD = 4
# Letters by which a word is looked for, whatever its ending.
_BEGINNING = 6
_CODE = compile_later(r"`([^`]+)`")
# Words beside its code that make a command say more than another; chosen by hand.
_FEWEST_WORDS_BESIDE = 5


def list_fitting(memories: Iterable[Memory], project_id: str | None) -> Iterator[Memory]:
    """Those that may come up unasked in a project; outside any project all."""
    known = list(memories)
    texts: list[str] | None = None
    for memory in known:
        if project_id is not None and _is_about_a_matter(memory):
            if texts is None:
                texts = [
                    f"{each.title} {each.content}".casefold()
                    for each in known
                    if each.project_id == project_id
                ]
            if not any(word in text for word in _list_telling(memory) for text in texts):
                continue
        yield memory


def list_bare_commands(memory: Memory) -> frozenset[str]:
    """The code of a command that says little beside it; empty for any other record."""
    if memory.kind != "command":
        return frozenset()
    return _list_bare_commands(memory.content)


@lru_cache(maxsize=512)
def _list_bare_commands(content: str) -> frozenset[str]:
    beside = tokens.list_words(_CODE.sub(" ", content))
    if sum(word not in SEARCH_STOP_WORDS for word in beside) >= _FEWEST_WORDS_BESIDE:
        return frozenset()
    return frozenset(" ".join(code.split()) for code in _CODE.findall(content))


def _is_about_a_matter(memory: Memory) -> bool:
    """Whether a record of the profile is about some matter, and not about working with software."""
    return (
        memory.type == "profile"
        and memory.scope == "global"
        and memory.kind in _PERSONAL_KINDS
        and not (memory.always_load or memory.protected)
        and not related_words.has_groups(f"{memory.title}\n{memory.content}")
    )


def _list_telling(memory: Memory) -> list[str]:
    """How the words of a record begin that say what it is about."""
    words = dict.fromkeys(tokens.list_words(memory.content))
    return [
        word[:_BEGINNING]
        for word in words
        if len(word) >= _SHORTEST_WORD and not tokens.is_common(word)
    ]
