"""Why something was said and what it was chosen over: the reason and the alternatives, in the words of those who said them."""

from __future__ import annotations

import re

from memctl.extract import build, session_cues
from memctl.extract.sentences import COMMON_WORDS, Sentence, lowered
from memctl.extract.transcript_view import View

LONGEST = 300
_WHY = re.compile(
    r"\b(?:because|since|so that|so we|in order to|to (?:avoid|prevent|reduce|make sure|ensure)|otherwise|due to|for (?:better )?(?:clarity"
    r"|consistency|security|simplicity|performance|readability|safety))\b",
    re.IGNORECASE,
)
# These open a reason and say nothing of it: whoever shows it puts its own word there.
_OPENS = re.compile(
    r"^(?:because(?: of)?|since|due to|the reason (?:is|being)(?: that)?|reason:|as)\s+",
    re.IGNORECASE,
)
_AIM = re.compile(r"((?:In order to|To) [a-z]+ [^,]{8,200}), ")
_SINCE_WHEN = re.compile(
    r"^since (?:\d|v\d|then|yesterday|last|the (?:beginning|start)|monday|tuesday)", re.IGNORECASE
)
_GIVES_REASON = re.compile(
    r"^(?:because|since|otherwise|the reason|reason:|that way|this way|(?:this|that|it) (?:would |will )?(?:avoids?|keeps?|prevents?|lets?"
    r"|allows?|makes?|saves?|ensures?|reduces?|breaks?|is (?:simpler|easier|clearer|faster|safer|cheaper|slower|too))\b)"
)
_ASKED = session_cues.any_of(
    session_cues.QUESTION.pattern, session_cues.ONE_OFF.pattern, r"^let's\b"
)
_FOLLOWS = re.compile(r"^(?:so|therefore|hence|that's why|that is why|thus)\b,? ")
_COMPLAINS = re.compile(
    r"\b(?:duplicat\w+|wrong|broken|(?:too )?slow|confusing|error-prone|fragile|redundant|brittle|flaky|leaks?|hard to"
    r"|doesn't (?:work|scale)"
    r"|does not (?:work|scale)|keeps? failing|not (?:the )?best|a mess|but (?:the|it|that|this) (?:\w+ )?(?:says|shows|still|gets"
    r"|returns|isn't|doesn't))\b"
)
_OVER = re.compile(
    r"\b(?:instead of|rather than|as opposed to)\s+([^,.;:?!()]{2,80})|\buse \S+ not ([^,.;:?!()]{2,40})|(?:,|\bbut) (?:not"
    r"|never)\s+([^,.;:?!()]{2,60})"
    r"|\bprefer \S+(?: \S+){0,3} over\s+([^,.;:?!()]{2,60})|\b(?:migrat|switch|mov)\w+ (?:\S+ ){0,3}from (\S+) to \S+",
    re.IGNORECASE,
)
_REST = re.compile(
    r"\s+(?:for|because|since|so|to (?:avoid|prevent)|when|if|whenever|can|could|should|please|here|anymore|any more|yet"
    r"|right now|like)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_NOT_A_THING = re.compile(
    r"^(?:just|only|yet|now|sure|really|yes|no|ok|always|necessarily|all|every\w*|that|this|it|so|what|why|how|when|where|use|to)\b",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\bor\b|\bvs\.?\b|\brather than\b|\binstead of\b|\beither\b", re.IGNORECASE)
_TICKED = re.compile(r"`([^`\n]{2,60})`")
_OPTION = re.compile(
    r"(?:^|\n)[ \t]{0,8}(?:[-*] )?(?:\*\*)?(?:\(?([A-Da-d1-4])[.):]"
    r"|option ([A-Da-d1-4])\b[:.)]?)(?:\*\*)?[ \t]+([^\n]{3,200})",
    re.IGNORECASE,
)
_PICKS = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|yes|let's|lets|go|with|do|i'd|prefer|option|choose|pick|take|for)\W+)*([a-d1-4])\b",
    re.IGNORECASE,
)
_USING = re.compile(r"^(?:using|to use|use|having|with)\s+", re.IGNORECASE)
_ASKS_WHICH = re.compile(r"\b(?:which|options?|prefer|or|approach|choose)\b", re.IGNORECASE)
_FEWEST_WORDS, _LONGEST_OTHER = 2, 12


def reason(
    sentence: Sentence, before: Sentence | None = None, after: Sentence | None = None
) -> str | None:
    """Why, in the statement itself or in a neighbour of the same paragraph that says so."""
    return _within(sentence) or _beside(sentence, before, after)


def _within(sentence: Sentence) -> str | None:
    aim = _AIM.match(sentence.text)
    if aim is not None:
        return plain(aim.group(1))
    for found in _WHY.finditer(sentence.text):
        words = sentence.text[found.start() :]
        if (
            not _SINCE_WHEN.match(words)
            and len(words.split()) >= _FEWEST_WORDS
            and len(words) < len(sentence.text) - 2
        ):
            return plain(words)
        if found.start() == 0 and ", " in words:
            return plain(words.partition(", ")[0])
    return None


def _beside(sentence: Sentence, before: Sentence | None, after: Sentence | None) -> str | None:
    if (
        after is not None
        and after.paragraph == sentence.paragraph
        and _GIVES_REASON.match(after.low)
    ):
        return plain(after.text)
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
        return plain(before.text)
    return None


def plain(words: str) -> str:
    """A reason without the word that opens it and without its full stop."""
    bare = _OPENS.sub("", build.stated(words).partition("; ")[0]).strip(" .!")
    return build.shortened(bare, LONGEST)


def alternatives(sentence: Sentence) -> tuple[str, ...]:
    """What the statement says that it was chosen over."""
    found = []
    for match in _OVER.finditer(sentence.text):
        words = _USING.sub("", build.flat(next(group for group in match.groups() if group)))
        words = words if len(words.split()) <= 5 else _REST.sub("", words)
        if words and not _NOT_A_THING.match(words) and len(words.split()) <= _LONGEST_OTHER:
            found.append(words)
    return tuple(dict.fromkeys(found))[:3]


def offered(view: View, asked: int, answer: str) -> tuple[str, ...]:
    """The ways that the agent's message offered and the answer did not take; none where it cannot be told which it took."""
    text = view.turns[asked].text[-2000:]
    asking = next(
        (s.low for s in reversed(view.sentences(asked)) if session_cues.QUESTION.search(s.low)), ""
    )
    return _other_options(text, answer, bool(_ASKS_WHICH.search(asking))) or _other_names(
        view, asked, answer
    )


def _other_options(text: str, answer: str, asks_which: bool) -> tuple[str, ...]:
    options = {
        (one or two).lower(): build.shortened(words.replace("**", ""), 120)
        for one, two, words in _OPTION.findall(text)
    }
    picked = _PICKS.match(answer)
    letter = (
        picked.group(1).lower()
        if picked
        else max(options, key=lambda key: _shared(options[key], answer), default="")
    )
    asks = picked or (asks_which and _shared(options.get(letter, ""), answer) >= 2)
    if len(options) < 2 or letter not in options or not asks:
        return ()
    return tuple(words for key, words in options.items() if key != letter)[:3]


def _other_names(view: View, asked: int, answer: str) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for sentence in view.sentences(asked)[-5:]:
        if _EITHER.search(sentence.text):
            names.update(dict.fromkeys(_TICKED.findall(sentence.text)))
    if not any(name in answer for name in names):
        return ()
    return tuple(name for name in names if name not in answer)[:3]


def _shared(option: str, answer: str) -> int:
    told = set(re.findall(r"\w{3,}", lowered(option))) - COMMON_WORDS
    return len(told & set(re.findall(r"\w{3,}", lowered(answer))))
