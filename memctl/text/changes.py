"""What a sentence says that changes: what takes the place of what, or what is taken back. Pure.

People change their minds in a few shapes: from one thing to another, the one instead of the other,
the old one is no good and the new one is taken, a thing is set to another value, a lead-in such as
`change of plan`, or `scrap that`. The patterns stand in `change_patterns`; the first that fits is
the reading.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from memctl.core.lazy_pattern import compile_later
from memctl.text import change_patterns, foreign_changes
from memctl.text.change_patterns import ChangeSort
from memctl.text.typed_values import find_typed_values

# Longer texts state more than one thing: characters.
_LONGEST = 600
# What most sentences have nothing of.
_MAY_CHANGE = compile_later(
    r"instead|no more|rather than|in place of|as opposed to|\bnot\b|n't\b|no longer|\bfrom\b"
    r"|\bback\b"
    r"|\bto\b|\breplac|\bswap|\bexchang|\bout\b|used to|\bmake\b|\bdrop|\bditch|\bdump|\bscrap"
    r"|\bscratch|\babandon|\bforget|\bkill|\bget rid|\bgive up|\bstop|\bretire|\bcancel|\bundo"
    r"|\brevert|\bignore|never ?mind|\bplan|\bmind\b|actually|correction|\bwait\b|\bsorry\b"
    r"|\bwrong\b|\bupdate\b|\bthought|hang on|hold on|\btake\b|\bdead\b|\bgone\b|obsolete"
    r"|outdated|\bdate\b|\btaken\b|\btoo\b|\bstay|\bstick|\bkeep|\bleave|mistake|\bagain\b"
    r"|\bgoes\b|\bgo\b|\blos(?:e|ing)\b|\bfine\b|\bok(?:ay)?\b|allowed|fair game|permitted"
    r"|sounds|feels|seems|looks"
    r"|\bveto|\bhate|\bbann?|\bforb|\breject|stand\b|slept|reflection|enough|\bdone\b|\bthrow"
    r"|after all|any ?more|strike|deprecated|retired|rolled? back",
    re.IGNORECASE,
)
_BLANK_WORDS = frozenset(
    "it that this them those these one so do be what how when where which who there here me you us "
    "all everything anything something nothing much more less now then".split()
)
_TRIMMED = " \t\"'“”‘’`*_,;:.!?-–—"
_ARTICLES = compile_later(
    r"^(?:(?:the|an?|our|my|your|his|her|their|also|just|only|now|still|again|and|but|so|then"
    r"|please|ok|okay|really|plain|simply|we|i|let's|lets) )+",
    re.IGNORECASE,
)
_ASIDE = compile_later(r"\((instead of [^()]{1,80})\)")
_TAKING_BACK = compile_later(r"\b(?:scrap|scratch|forget|strike|never ?mind)\b", re.IGNORECASE)
# Words after `forget it` that say what holds in its place.
_PUTS_IN_PLACE = compile_later(
    r"^(?:(?:so|and|then|just|please|rather|instead|we|i|let's|lets|we'll|i'll),? )*"
    r"(?:use|make|take|keep|put|do|go|set|call|name|write|run|store|start|switch|move|should|must"
    r"|want|need|prefer|are|is|will|can|launch|ship|deploy|call|have)\b|\b(?:is|are|should|must)\b",
    re.IGNORECASE,
)
# `sorry, I meant 8081`, `actually no, English`.
_MEANT = compile_later(
    r"^(?:(?:no|nope|rather|make that|i (?:meant|mean)|it's|it is)\b,? )+", re.IGNORECASE
)
# A value alone after a no: `no, Tuesdays`.
_REFUSED = compile_later(
    r"^(?:no|nope|nah),? (?:(?:on|at|in|make it|rather|use|the) )?"
    r"(?P<new>[^\s,;:!?.]+(?: [^\s,;:!?.]+){0,2})"
    r"(?:[.!,;]|$)",
    re.IGNORECASE,
)
_FEWEST_WORDS = 2
# Announced words so few lean on what was said before.
_FEW_WORDS = 3
# `the spaces part`: the word says only that something was said.
_NAMED_BY = compile_later(r" (?:part|thing|idea|rule|bit|stuff|point|business)$", re.IGNORECASE)
_SAYS_NOW = compile_later(r"\b(?:now|again|after all|finally)\b", re.IGNORECASE)
# The rest of the clause that gives something up, and what joins the next one to it.
_TO_CLAUSE_END = compile_later(r"^[^,;:!.–—]*")
_BETWEEN = compile_later(r"^[,;:!.–— -]+(?:(?:so|and|then|now|but),? )*")
_GIVES_REASON = compile_later(
    r"(?:because|since|as|for|it's|that's|they're|which)\b", re.IGNORECASE
)
_CONCLUDES = compile_later(r"^[,;:.!–— -]+(?:so|then|hence)\b", re.IGNORECASE)
_ORDERS = compile_later(r"(?:go|use|make|take|try|keep|be|pick|call)\b", re.IGNORECASE)
_FEWEST_IN_CLAUSE = 3
# Words, and characters, of a sentence that turns another one round.
_FEWEST_REVERSING = 3
_LONGEST_REVERSING = 160
_REASON_ONLY = compile_later(
    r"^(?:(?:it's|that's|it is|it was|that was|a|an|the|just|really|too|very|not) ){0,3}"
    r"(?:bad|stupid|silly|dumb|wrong|terrible|overkill|worth|needed|necessary|good|kidding|too)\b",
    re.IGNORECASE,
)


class ChangeReading(NamedTuple):
    """What changes, in the words of the text: `new` for `old`; empty where it is not named.

    `about` is the thing that is set to another value, where the words say it. `leans`: `it` or
    `that` stands for what was said before. `is_announced`: a lead-in says that this is a change.
    `is_loose`: the old one is given up in one clause, and another says what holds. `is_near`: right
    after a statement of its topic it turns that round; elsewhere it changes nothing.
    """

    sort: ChangeSort
    new: str = ""
    old: str = ""
    about: str = ""
    leans: bool = False
    is_announced: bool = False
    is_loose: bool = False
    is_foreign: bool = False
    is_near: bool = False


@lru_cache(maxsize=4096)
def read_change(text: str) -> ChangeReading | None:
    """Read one sentence, or two that belong together; None where nothing changes."""
    flat = _ASIDE.sub(r"\1", " ".join(text.replace("’", "'").split()))
    if len(flat) > _LONGEST:
        return None
    return _read_english(flat) or _read_foreign(flat) or _read_reversal(flat)


def is_reason(clause: str) -> bool:
    """Whether a clause says only that something is bad, or why: `bad idea`, `because it leaks`."""
    bare = clause.strip(_TRIMMED)
    return bool(_REASON_ONLY.match(bare) or _GIVES_REASON.match(bare))


def _read_reversal(flat: str) -> ChangeReading | None:
    """Read words that turn round only what was said right before them."""
    is_weighed = change_patterns.WEIGHED.search(flat) or flat.endswith("?")
    if is_weighed or len(flat.split()) < _FEWEST_REVERSING or len(flat) > _LONGEST_REVERSING:
        return None
    if not change_patterns.REVERSES.search(flat):
        return None
    return ChangeReading("changes", new=_trim(flat), is_near=True)


def _read_foreign(flat: str) -> ChangeReading | None:
    """Read a sentence of another language, if it is one by its small words."""
    if not foreign_changes.MAY_CHANGE.search(flat):
        return None
    patterns = (
        one
        for code in foreign_changes.list_languages(flat)
        for one in foreign_changes.compile_templates(code)
    )
    for sort, pattern in patterns:
        match = pattern.search(flat)
        if match is None:
            continue
        if sort != "changes":
            if len(flat) <= foreign_changes.find_longest_return(flat):
                return ChangeReading(sort, leans=True, is_foreign=True)
            continue
        new, old = match["new"].strip(_TRIMMED), match["old"].strip(_TRIMMED)
        if new and old and new.lower() != old.lower():
            return ChangeReading("changes", new, old, is_foreign=True)
    return None


def _read_english(flat: str) -> ChangeReading | None:
    if not _MAY_CHANGE.search(flat):
        return None
    if change_patterns.WEIGHED.search(flat):
        return None
    led = change_patterns.LEADS.search(flat) or change_patterns.ACTUALLY.match(flat)
    rest = led["rest"].strip() if led else flat
    taking_back = led is not None and _TAKING_BACK.search(flat[: led.start("rest")])
    if led is None or taking_back:
        back = _read_taking_back(flat)
        is_all = not led or _REASON_ONLY.match(rest) or not _PUTS_IN_PLACE.search(rest)
        if back is not None and is_all:
            return back
    found = _read_named(rest) or _read_dropped(rest)
    if found is not None:
        is_plain = found.sort == "plain" and led is not None
        sort = "changes" if is_plain else found.sort
        old = found.old or _find_value_before(flat, found.new)
        found = found._replace(sort=sort, old=old, is_announced=led is not None)
        return found if old or found.sort == "takes_back" else _add_ended(found, rest)
    allowed = _compile(change_patterns.ALLOWED).search(rest)
    if allowed is not None and _SAYS_NOW.search(rest):
        return ChangeReading("allows", new=_trim(rest), old=_trim(allowed["old"]))
    ended = _read_ended(rest)
    if ended is not None:
        return ended._replace(is_announced=led is not None)
    bare = _MEANT.sub("", rest)
    if led is None or _REASON_ONLY.match(rest):
        refused = _REFUSED.match(flat)
        new = _trim(refused["new"]) if refused is not None else ""
        return ChangeReading("changes", new, leans=True) if _is_value(new) else None
    if len(rest.split()) < _FEWEST_WORDS and not find_typed_values(bare):
        return None
    leans = bool(taking_back) or bare != rest or bool(change_patterns.LEANS_ON.search(rest))
    leans = leans or len(bare.split()) <= _FEW_WORDS
    return ChangeReading("changes", new=_trim(bare), leans=leans, is_announced=True)


def _add_ended(found: ChangeReading, text: str) -> ChangeReading:
    """A reading with what another clause gives up."""
    ended = _read_ended(text)
    if ended is None or ended.old in found.new or found.new in ended.old:
        return found
    return found._replace(old=ended.old, is_loose=True)


def _read_ended(text: str) -> ChangeReading | None:
    """What one clause says is no good any more, and the clause that says what holds."""
    for pattern in change_patterns.ENDED:
        match = _compile(pattern).search(text)
        old = _NAMED_BY.sub("", _trim(match["old"])) if match is not None else ""
        if match is None or not old:
            continue
        rest = _TO_CLAUSE_END.sub("", text[match.end() :], count=1)
        after = _BETWEEN.sub("", rest).strip(_TRIMMED)
        before = text[: match.start()].strip(_TRIMMED)
        is_conclusion = _CONCLUDES.match(rest) is not None
        for clause, is_sure in ((after, is_conclusion), (before, False)):
            fewest = _FEWEST_IN_CLAUSE - bool(_ORDERS.match(clause))
            if len(clause.split()) >= fewest and (is_sure or not _GIVES_REASON.match(clause)):
                return ChangeReading("changes", clause, old, is_loose=True)
    return None


def _is_value(words: str) -> bool:
    return len(find_typed_values(words)) == 1


def _find_value_before(flat: str, new: str) -> str:
    """The one value of the same kind that the text names before the new one."""
    at = flat.rfind(new) if new else -1
    news = find_typed_values(new)
    if at < 0 or len(news) != 1:
        return ""
    before = [value for value in find_typed_values(flat[:at]) if value.rivals(news[0])]
    return flat[before[0].start : before[0].end] if len(before) == 1 else ""


def _read_taking_back(flat: str) -> ChangeReading | None:
    if _compile(change_patterns.RETURNS).search(flat):
        return ChangeReading("returns", leans=True)
    if _compile(change_patterns.TAKES_BACK).search(flat):
        return ChangeReading("takes_back", leans=True)
    return None


def _read_named(text: str) -> ChangeReading | None:
    """The reading of the first pattern whose words name something."""
    for sort, pattern in change_patterns.CHANGES:
        match = _compile(pattern).search(text)
        if match is None:
            continue
        found = match.groupdict()
        new, old = _trim(found.get("new") or ""), _trim(found.get("old") or "")
        about, leans = _trim(found.get("about") or ""), bool(found.get("it"))
        if not new or new.lower() == old.lower():
            continue
        if not old and not about and not leans:
            leans = len(text[match.start() :].split()) <= len(new.split()) + 4
        return ChangeReading(sort, new, old, about, leans)
    return None


def _read_dropped(text: str) -> ChangeReading | None:
    if _compile(change_patterns.RETURNS).search(text):
        return ChangeReading("returns", leans=True)
    for pattern in change_patterns.DROPS_NAMED:
        match = _compile(pattern).search(text)
        old = _NAMED_BY.sub("", _trim(match["old"])) if match is not None else ""
        if old:
            return ChangeReading("takes_back", old=old)
    return None


def _trim(words: str) -> str:
    """The words without articles and marks around them; empty where they name nothing."""
    bare = _ARTICLES.sub("", words.strip(_TRIMMED)).strip(_TRIMMED)
    return "" if bare.lower() in _BLANK_WORDS else bare


@lru_cache(maxsize=64)
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
