"""Whether a statement that changes something changes what an earlier one says. Pure.

Two ways: the newer names the old value, which the older one holds, and both speak of the same
thing; or both give the same thing a value of one kind (a day, a clock, a number with its unit), and
the newer says that it changes. What only shares a name (`gRPC calls time out after 5 s` beside
`we drop gRPC`) is a property that may fall with it, and is told apart.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import Literal
from memctl.text.changes import ChangeReading, read_change
from memctl.text.porter import stem
from memctl.text.stop_words import COMPARISON_STOP_WORDS, NEGATIONS, word_set
from memctl.text.typed_values import TypedValue, find_typed_values

# `named`: the older one holds the value that is turned down, for the same thing. `asked`: it gives
# the same thing another value of one kind. `touched`: it speaks of what is turned down.
Overruling = Literal["named", "asked", "touched"]

_TOKEN = compile_later(r"[^\W_](?:[\w'+#]|[.\-/_](?=\w))*")
_EMPTY = (
    COMPARISON_STOP_WORDS
    | NEGATIONS
    | word_set(
        """
        actually instead rather than anymore any more longer again now then from on off
        up down out back over change changes changed changing move moves moved moving
        switch switches switched switching replace replaces replaced replacing drop
        drops dropped dropping make makes made use uses used using take takes took taken
        set sets go goes going went keep keeps stay stays let's lets decided decide
        decision plan update correction sorry wait ok okay yes no please before after
        all today tomorrow yesterday already still just only also really thing things
        stuff way can could might may want wants need needs like new old other one two
        if when because since everything everywhere always never every each get gets got
        put call called says said say we're i'm it's that's there's don't doesn't isn't
        we'll i'll how what end dead point good bad whole asked corrects however while
        where why until per about
        """
    )
)
# Scripts that put no blanks between words, or whose particles cling.
_UNSPACED = compile_later(r"[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")
_TIMES = word_set(
    """january february march april may june july august september october november december
    week month year day night morning evening summer winter spring autumn quarter"""
)
_FORBIDS = compile_later(r"\b(?:never|no|not|don't|do not|must not|mustn't|avoid)\b", re.IGNORECASE)
# Words before a name that say that it is chosen.
_CHOICE = (
    r"(?:us(?:e|es|ed|ing)|go(?:es|ing)?(?: \w+)? with|went with|take|takes|taking|pick(?:ed)?"
    r"|chose|choose"
    r"|run(?:s|ning)?(?: on)?|via|by|with|through|on|in|into|to|is|are|be|as|at|adopt(?:ed)?"
    r"|settled on"
    r"|stay (?:with|on)|stick (?:with|to)|keep|prefer|called|named|moved? to|decided (?:on|for)"
    r"|write)"
)
_FEWEST_SHARED = 2
# Telling words by which two statements of one value each may differ.
_MOST_UNLIKE = 2
# Where the older one says hardly more than its value, in telling words.
_SHORT = 3


@lru_cache(maxsize=8192)
def list_telling_words(text: str) -> frozenset[str]:
    """The stems of the words that tell what a text is about, its values left out."""
    low = _UNSPACED.sub(_split_run, text.lower().replace("’", "'"))
    for value in reversed(find_typed_values(low)):
        low = f"{low[: value.start]} {low[value.end :]}"
    return _stem_words(low)


def _split_run(match: re.Match[str]) -> str:
    """A run of characters without blanks as pairs, because its words cannot be told apart."""
    run = match[0]
    pairs = (run[n : n + 2] for n in range(max(1, len(run) - 1)))
    return f" {' '.join(pairs)} "


@lru_cache(maxsize=8192)
def _stem_words(low: str) -> frozenset[str]:
    tokens = (token.removesuffix("'s").rstrip("'") for token in _TOKEN.findall(low))
    return frozenset(
        stem(token)
        for token in tokens
        if token not in _EMPTY and (len(token) > 1 or token.isdigit())
    )


def list_search_words(text: str) -> list[str]:
    """The words and numbers of a text to ask an index for, in its order."""
    tokens = (token.removesuffix("'s").rstrip("'") for token in _TOKEN.findall(text.lower()))
    return list(dict.fromkeys(token for token in tokens if token not in _EMPTY))


def judge_overruling(change: ChangeReading, said: str, older: str) -> Overruling | None:
    """What `said`, which reads as `change`, does to an earlier statement; None for nothing."""
    if not said or not older or said == older or change.is_near:
        return None
    new, old = list_telling_words(said), list_telling_words(older)
    turned_down = _list_words_turned_down(change)
    shared = (new & old) - turned_down
    if change.sort == "allows":
        return "named" if _forbids(change, older, turned_down) else None
    if change.old and _holds_old(change, older, turned_down):
        return _judge_named(change, older, shared, turned_down)
    if change.sort == "plain" or not change.new:
        return None
    return _judge_asked(change, said, older, shared)


def changes_statement(one: str, other: str) -> bool:
    """Whether one of two statements in nearly the same words changes the other."""
    if is_other_value(one, other):
        return True
    for said, older in ((one, other), (other, one)):
        change = read_change(said)
        if change is not None and judge_overruling(change, said, older) is not None:
            return True
    return False


def is_other_value(one: str, other: str) -> bool:
    """Whether two statements are the same but for one value of one kind."""
    values, others = find_typed_values(one), find_typed_values(other)
    if len(values) != 1 or len(others) != 1 or not values[0].rivals(others[0]):
        return False
    words, more = list_telling_words(one), list_telling_words(other)
    return len(words & more) >= _FEWEST_SHARED and len(words ^ more) <= _MOST_UNLIKE


def find_rival_value(change: ChangeReading, older: str) -> TypedValue | None:
    """The only value of the older statement that the new one could take the place of."""
    news = find_typed_values(change.new)
    if not news:
        return None
    named = find_typed_values(change.old)
    rivals = [
        value
        for value in find_typed_values(older)
        if value.rivals(news[0])
        and (value.unit == news[0].unit or not news[0].unit)
        and (not named or any(value.equals(old) for old in named))
    ]
    return rivals[0] if len({value.value for value in rivals}) == 1 else None


def _list_words_turned_down(change: ChangeReading) -> frozenset[str]:
    """The words of what is turned down; of a value none, because what it counts tells the topic."""
    if not change.old or find_typed_values(change.old):
        return frozenset()
    return _stem_words(_UNSPACED.sub(_split_run, change.old.lower()))


def _holds_old(change: ChangeReading, older: str, turned_down: frozenset[str]) -> bool:
    """Whether the older statement holds what is turned down, and not what takes its place."""
    values, held = find_typed_values(change.old), find_typed_values(older)
    if values:
        if not any(value.equals(other) for value in values for other in held):
            return False
        return not _says_new(change, held)
    words = list_telling_words(older)
    if not turned_down or not turned_down <= words or _denies(older, change.old):
        return False
    new = list_telling_words(change.new) - turned_down
    return not new or not new <= words


def _says_new(change: ChangeReading, held: tuple[TypedValue, ...]) -> bool:
    """Whether the older one says the new value already."""
    news = find_typed_values(change.new)
    return bool(news) and all(any(value.equals(other) for other in held) for value in news)


def _denies(older: str, name: str) -> bool:
    """Whether the older one turns the same thing down."""
    return (
        re.search(
            rf"\b(?:no|not|never|without|instead of|rather than|don't use|from) (?:\w+ "
            rf")?{re.escape(name)}\b",
            older,
            re.IGNORECASE,
        )
        is not None
    )


def _forbids(change: ChangeReading, older: str, turned_down: frozenset[str]) -> bool:
    """Whether the older one forbids what is allowed now."""
    if _FORBIDS.search(older) is None:
        return False
    values, held = find_typed_values(change.old), find_typed_values(older)
    if values:
        return any(value.equals(other) for value in values for other in held)
    return bool(turned_down) and turned_down <= list_telling_words(older)


def turns_round(change: ChangeReading, said: str, older: str) -> bool:
    """Whether words turn round a statement that was made right before them: one topic, and no
    prohibition, beside which something else may well be wanted.
    """
    shared = list_telling_words(said) & list_telling_words(older)
    return change.is_near and bool(shared) and _FORBIDS.search(older) is None


def is_near_change(change: ChangeReading, older: str) -> bool:
    """Whether a change can be meant of a statement that was made just before it.

    It names what that holds, in whatever connection.
    """
    turned_down = _list_words_turned_down(change)
    is_held = bool(turned_down) and turned_down <= list_telling_words(older)
    is_plain = change.sort == "plain" and len(turned_down) < _FEWEST_SHARED
    return is_held and not is_plain and not _denies(older, change.old)


def _judge_named(
    change: ChangeReading, older: str, shared: frozenset[str], turned_down: frozenset[str]
) -> Overruling | None:
    if find_typed_values(change.old):
        is_other = change.sort == "plain" and _speaks_of_another(change, older)
        return "named" if shared and not is_other else None
    if change.is_loose and not shared:
        return None
    beside = list_telling_words(older) - turned_down
    if change.is_foreign:
        return "named" if shared or len(beside) <= _SHORT else "touched"
    chosen = is_choice_of(older, change.old)
    if change.sort == "plain":
        return "named" if shared and chosen else None
    is_short = len(beside) <= _SHORT and (shared or len(turned_down) > 1)
    return "named" if chosen or is_short else "touched"


def _speaks_of_another(change: ChangeReading, older: str) -> bool:
    """Whether a contrast gives a value to another thing: `weights have three decimals, not two`."""
    mine, theirs = list_telling_words(change.new), list_telling_words(older)
    if not mine - theirs or not theirs - mine:
        return False
    told = [stem(word) for word in list_search_words(change.new) if word not in _TIMES]
    head = next((word for word in told if word in mine), "")
    return bool(head) and head not in theirs


def is_choice_of(text: str, name: str) -> bool:
    """Whether a statement says that the thing of this name is what is used."""
    word = re.escape(name)
    if re.search(rf"^(?:the |our )?{word} (?:it is|for|as)\b|: ?{word}\b", text, re.IGNORECASE):
        return True
    return (
        re.search(
            rf"\b{_CHOICE} (?:a |an |the |our |plain |only |just )*{word}\b",
            text,
            re.IGNORECASE,
        )
        is not None
    )


def _judge_asked(
    change: ChangeReading, said: str, older: str, shared: frozenset[str]
) -> Overruling | None:
    """Whether both give one thing a value of one kind, which then differs."""
    rival = find_rival_value(change, older)
    if rival is None or _says_new(change, find_typed_values(older)):
        return None
    if shared and any(rival.equals(value) for value in find_typed_values(said)):
        return "named"
    about = list_telling_words(change.about) if change.about else frozenset()
    is_about = bool(about) and about <= list_telling_words(older)
    return "asked" if is_about or len(shared) >= _FEWEST_SHARED else None
