"""Find why something was said and what it was chosen over, in the speakers' own words."""

from __future__ import annotations

import re

from memctl.core.lazy_pattern import compile_later
from memctl.extract import build, session_cues
from memctl.extract.sentences import COMMON_WORDS, Sentence, flatten, fold_for_cues
from memctl.extract.transcript_view import TranscriptView

LONGEST = 300
_WHY = compile_later(
    r"\b(?:because|since|so that|so we|in order to|to (?:avoid|prevent|reduce|make sure|ensure)"
    r"|otherwise|due to|for (?:better )?(?:clarity"
    r"|consistency|security|simplicity|performance|readability|safety))\b",
    re.IGNORECASE,
)
# These open a reason and say nothing of it: whoever shows it puts its own word there.
_OPENS = compile_later(
    r"^(?:because(?: of)?|since|due to|the reason (?:is|being)(?: that)?|reason:|as)\s+",
    re.IGNORECASE,
)
_AIM = compile_later(r"((?:In order to|To) [a-z]+ [^,]{8,200}), ")
_SINCE_WHEN = compile_later(
    r"^since (?:\d|v\d|then|yesterday|last|the (?:beginning|start)|monday|tuesday)", re.IGNORECASE
)
_GIVES_REASON = compile_later(
    r"^(?:because|since|otherwise|the reason|reason:|that way|this way|(?:this|that|it) "
    r"(?:would |will )?(?:avoids?|keeps?|prevents?|lets?"
    r"|allows?|makes?|saves?|ensures?|reduces?|breaks?|is (?:simpler|easier|clearer|faster|safer"
    r"|cheaper|slower|too))\b)"
)
_ASKED = session_cues.compile_any_of(
    session_cues.QUESTION.pattern, session_cues.ONE_OFF.pattern, r"^let's\b"
)
_FOLLOWS = compile_later(r"^(?:so|therefore|hence|that's why|that is why|thus)\b,? ")
_COMPLAINS = compile_later(
    r"\b(?:duplicat\w+|wrong|broken|(?:too )?slow|confusing|error-prone|fragile|redundant"
    r"|brittle|flaky|leaks?|hard to"
    r"|doesn't (?:work|scale)"
    r"|does not (?:work|scale)|keeps? failing|not (?:the )?best|a mess|but (?:the|it|that|this) "
    r"(?:\w+ )?(?:says|shows|still|gets"
    r"|returns|isn't|doesn't))\b"
)
_OVER = compile_later(
    r"\b(?:instead of|rather than|as opposed to)\s+([^,.;:?!()]{2,80})|\buse \S+ not "
    r"([^,.;:?!()]{2,40})|(?:,|\bbut) (?:not"
    r"|never)\s+([^,.;:?!()]{2,60})"
    r"|\bprefer \S+(?: \S+){0,3} over\s+([^,.;:?!()]{2,60})|\b(?:migrat|switch|mov)\w+ (?:\S+ "
    r"){0,3}from (\S+) to \S+",
    re.IGNORECASE,
)
_REST = compile_later(
    r"\s+(?:for|because|since|so|to (?:avoid|prevent)|when|if|whenever|can|could|should|please"
    r"|here|anymore|any more|yet"
    r"|right now|like)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_NOT_A_THING = compile_later(
    r"^(?:just|only|yet|now|sure|really|yes|no|ok|always|necessarily|all|every\w*|that|this|it"
    r"|so|what|why|how|when|where|use|to)\b",
    re.IGNORECASE,
)
_EITHER = compile_later(
    r"\bor\b|\bvs\.?\b|\brather than\b|\binstead of\b|\beither\b", re.IGNORECASE
)
_TICKED = compile_later(r"`([^`\n]{2,60})`")
_OPTION = compile_later(
    r"(?:^|\n)[ \t]{0,8}(?:[-*] )?(?:\*\*)?(?:\(?([A-Da-d1-4])[.):]"
    r"|option ([A-Da-d1-4])\b[:.)]?)(?:\*\*)?[ \t]+([^\n]{3,200})",
    re.IGNORECASE,
)
_PICKS = compile_later(
    r"^\W*(?:(?:ok(?:ay)?|yes|let's|lets|go|with|do|i'd|prefer|option|choose|pick|take"
    r"|for)\W+)*([a-d1-4])\b",
    re.IGNORECASE,
)
_USING = compile_later(r"^(?:using|to use|use|having|with)\s+", re.IGNORECASE)
_ASKS_WHICH = compile_later(r"\b(?:which|options?|prefer|or|approach|choose)\b", re.IGNORECASE)
# A reason has at least so many words, an alternative at most so many; chosen by hand.
_FEWEST_REASON_WORDS = 2
_MOST_ALTERNATIVE_WORDS = 12


def find_reason(
    sentence: Sentence, before: Sentence | None = None, after: Sentence | None = None
) -> str | None:
    """Find the reason in the statement itself or in a neighbouring sentence of its paragraph."""
    return _find_reason_within(sentence) or _find_reason_beside(sentence, before, after)


def _find_reason_within(sentence: Sentence) -> str | None:
    aim = _AIM.match(sentence.text)
    if aim is not None:
        return strip_reason_opening(aim.group(1))
    for found in _WHY.finditer(sentence.text):
        words = sentence.text[found.start() :]
        if (
            not _SINCE_WHEN.match(words)
            and len(words.split()) >= _FEWEST_REASON_WORDS
            and len(words) < len(sentence.text) - 2
        ):
            return strip_reason_opening(words)
        if found.start() == 0 and ", " in words:
            return strip_reason_opening(words.partition(", ")[0])
    return None


def _find_reason_beside(
    sentence: Sentence, before: Sentence | None, after: Sentence | None
) -> str | None:
    if (
        after is not None
        and after.paragraph == sentence.paragraph
        and _GIVES_REASON.match(after.low)
    ):
        return strip_reason_opening(after.text)
    told = (
        before is not None
        and before.paragraph == sentence.paragraph
        and not _ASKED.search(before.low)
    )
    if (
        before is not None
        and told
        and (
            _FOLLOWS.match(sentence.low)
            or (_COMPLAINS.search(before.low) and len(before.low.split()) >= 5)
        )
    ):
        return strip_reason_opening(before.text)
    return None


def strip_reason_opening(words: str) -> str:
    """A reason without its opening word and its full stop."""
    bare = _OPENS.sub("", build.clean_statement(words).partition("; ")[0]).strip(" .!")
    return build.shorten(bare, LONGEST)


def find_alternatives(sentence: Sentence) -> tuple[str, ...]:
    """What the statement says it was chosen over."""
    found = []
    for match in _OVER.finditer(sentence.text):
        words = _USING.sub("", flatten(next(group for group in match.groups() if group)))
        words = words if len(words.split()) <= 5 else _REST.sub("", words)
        if (
            words
            and not _NOT_A_THING.match(words)
            and len(words.split()) <= _MOST_ALTERNATIVE_WORDS
        ):
            found.append(words)
    return tuple(dict.fromkeys(found))[:3]


def find_offered_options(view: TranscriptView, asked: int, answer: str) -> tuple[str, ...]:
    """The options that the agent offered and the answer did not take; none if the choice is
    unclear.
    """
    text = view.turns[asked].text[-2000:]
    asking = next(
        (s.low for s in reversed(view.sentences(asked)) if session_cues.QUESTION.search(s.low)), ""
    )
    return _list_other_options(text, answer, bool(_ASKS_WHICH.search(asking))) or _list_other_names(
        view, asked, answer
    )


def _list_other_options(text: str, answer: str, asks_which: bool) -> tuple[str, ...]:
    options = {
        (one or two).lower(): build.shorten(words.replace("**", ""), 120)
        for one, two, words in _OPTION.findall(text)
    }
    picked = _PICKS.match(answer)
    letter = (
        picked.group(1).lower()
        if picked
        else max(options, key=lambda key: _count_shared(options[key], answer), default="")
    )
    asks = picked or (asks_which and _count_shared(options.get(letter, ""), answer) >= 2)
    if len(options) < 2 or letter not in options or not asks:
        return ()
    return tuple(words for key, words in options.items() if key != letter)[:3]


def _list_other_names(view: TranscriptView, asked: int, answer: str) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for sentence in view.sentences(asked)[-5:]:
        if _EITHER.search(sentence.text):
            names.update(dict.fromkeys(_TICKED.findall(sentence.text)))
    if not any(name in answer for name in names):
        return ()
    return tuple(name for name in names if name not in answer)[:3]


def _count_shared(option: str, answer: str) -> int:
    told = set(re.findall(r"\w{3,}", fold_for_cues(option))) - COMMON_WORDS
    return len(told & set(re.findall(r"\w{3,}", fold_for_cues(answer))))
