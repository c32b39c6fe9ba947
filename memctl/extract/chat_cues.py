"""The words by which people in a conversation decide, promise, state and chat. Plain data for the
chat rules, and what a talk is about.

All patterns run over a sentence in the form of `text.lowered` without what it quotes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from memctl.core.lazy_pattern import compile_later
from memctl.extract.sentences import COMMON_WORDS, Sentence, fold_for_cues
from memctl.extract.session_cues import Cue, compile_any_of, make_cue

_WE = r"^(?:(?:ok(?:ay)?|so|then|yes|yeah|well|and|but),? )*we "
_DO = (
    r"(?:use|go with|do|write|keep|stick (?:to|with)|move to|drop|switch|plan|merge|take|pick"
    r"|choose|support|add|leave|require|allow"
    r"|remove|rename)"
)

SAID: tuple[Cue, ...] = (
    make_cue(
        0.3,
        "decision",
        r"\bfinal (?:answer|decision|call)\b",
        r"\b\w+ it is[.!]?$",
        r"\bwe (?:go|went|are going|'re going) with\b",
        r"\b(?:we|you|they) (?:won't|will not|no longer) (?:support|use|need|accept|allow|ship)\b",
        r"\bwe (?:can't|cannot|mustn't|must not) (?:use|ship|merge|release|change|break|support)\b",
    ),
    make_cue(
        0.25,
        "fact",
        r"\b(?:we|i)(?:'ve| have)? (?:moved|renamed|migrated|switched|changed|replaced|removed"
        r"|dropped|upgraded|deprecated|disabled"
        r"|enabled) ",
        r"\bwill be (?:shut down|removed|deprecated|released|deployed|moved|renamed|replaced"
        r"|merged|deleted|turned off)\b",
        r"\bwe(?:'re| are) (?:using|moving|freezing|migrating|switching|dropping|deprecating"
        r"|releasing|shipping)\b",
        r"\b(?:is|are) (?:only |just )?used (?:as|for|by|in|to)\b",
        r"\b\w+ (?:owns|maintains|is responsible for|is the owner of|is on call)\b",
        r"\b(?:is|are|happens?|starts?|ends?) (?:on|every|by) (?:monday|tuesday|wednesday"
        r"|thursday|friday|saturday|sunday)s?\b",
        r"\b(?:turns out|root cause|is broken|are broken)\b",
    ),
    make_cue(
        0.3,
        "pointer",
        r"\b(?:password|credential|key|doc|documentation|spec|config|secret|design|dashboard"
        r"|runbook|wiki|code|source)s? (?:is|are"
        r"|lives?) (?:in|under|at|on)\b",
    ),
    make_cue(
        0.2, "todo", r"\bwe (?:need|have) to\b", r"\blet's (?:postpone|defer|revisit|park|delay)\b"
    ),
    make_cue(
        0.4,
        "decision",
        r"\b(?:we|they)(?: have|'ve)? (?:decided|agreed|settled|concluded)\b",
        r"\b(?:decision|consensus|conclusion|agreement) (?:is|was) (?:that|to)\b",
        r"\bthe plan is (?:to|that)\b",
    ),
    make_cue(
        0.25,
        "decision",
        rf"\blet's (?:not |just |all )?(?:{_DO}|have|make)\b",
        r"\b(?:i suggest|i propose|my suggestion is"
        r"|how about) (?:we|that|to)\b",
    ),
    make_cue(
        0.25,
        "decision",
        rf"{_WE}(?:will |'ll |should |just |only )?{_DO}\b",
        rf"\bwe(?:'ll| will| should| only| now| always) (?:just "
        rf"|only |not )?{_DO}\b",
    ),
    make_cue(
        0.3,
        "decision",
        r"\b(?:is|are) now (?:always|compulsory|mandatory|required|optional|supported|merged"
        r"|deprecated|the default)\b",
        r"\bnow (?:it|they|we|this) (?:is|are|use|uses|has|have)\b",
        r"\b(?:compulsory|mandatory|deprecated)\b",
    ),
    make_cue(
        0.25,
        "decision",
        r"\b(?:whether|regardless of|no matter) .{3,60}\b(?:or not|is set|is on)\b",
        r"\bif (?:both|either|neither"
        r"|everyone) ",
    ),
    make_cue(0.15, "decision", r"\b(?:instead of|rather than)\b"),
    make_cue(
        0.2,
        "decision",
        r"\b(?:bad|wrong|poor|better|best|right) (?:\w+ )?(?:for us|choice|fit|approach|tool|way to"
        r"|option)\b",
        r"\bjust a (?:bad|poor) \w+",
    ),
    make_cue(
        0.2,
        "todo",
        r"\b(?:i|we)(?: will|'ll|'m going to| am going to|'re going to| are going to| plan to| "
        r"intend to) (?:also |then |have to )?"
        r"(?:fix|add|write|do|make|release|ship|test|review|merge|open|create|send|post|push"
        r"|update|implement|publish|move|support"
        r"|remove|try|look into|set up|work on|meet|finish|prepare)\b",
        r"\b(?:i|we) (?:can|could) (?:test|review|fix|write|do) (?:it|that|this)\b",
    ),
    make_cue(
        0.2,
        "todo",
        r"\b(?:i|we) want to (?:make (?!sure)|add|build|support|do|release|ship|implement|write"
        r"|get)\b",
        r"\b(?:working"
        r"|work) on (?:a|an|the|it|that)\b",
    ),
    make_cue(
        0.3,
        "todo",
        r"\b(?:before|by|in|until|for) (?:the |our )?next (?:meeting|release|version|week|month"
        r"|sprint|call)\b",
        r"\bby (?:monday|tuesday|wednesday|thursday|friday|tomorrow|the end of)\b",
        r"\b(?:point|bug-?fix|patch|next) release\b|\brelease \w{0,6} ?soon\b",
    ),
    make_cue(
        0.15,
        "todo",
        r"\bneeds? (?:to|that|this|it|a)\b",
        r"\b(?:has|have|had) to be\b",
        r"\bstill (?:need|missing|have to"
        r"|open)\b",
        r"\b(?:todo|fixme)\b",
        r"\bwould (?:need|have) to\b",
    ),
    make_cue(
        0.35,
        "todo",
        r"\b(?:created|opened|filed|made) (?:an?|the) (?:issue|ticket|pr|pull request|bug)\b",
    ),
    make_cue(
        0.25,
        "todo",
        r"\bblock(?:s|ed|er|ing)\b.{0,40}\b(?:on|by|until|release|merge)\b",
        r"\bbefore (?:it|we|you|this|that) can\b",
    ),
    make_cue(
        0.25,
        "fact",
        r"\bnot (?:yet )?(?:implemented|supported|available|ready|merged|released|mature"
        r"|finished|working)\b",
        r"\bnot as (?:mature|stable|complete|fast)\b",
        r"\bhaven't (?:\w+ )?(?:implemented|done|tested|written|merged|finished|started|\w+ed)\b",
        r"\b(?:doesn't|does not|don't|do not) (?:yet )?(?:exist|work|support|have|handle)\b",
        r"\bisn't (?:ready|there|supported|possible)\b|\bthere(?:'s| is| are) no (?:support|way"
        r"|binar|docs|release)",
    ),
    make_cue(0.15, "fact", r"\b(?:as of (?:today|now)|right now|currently|at the moment)\b"),
    make_cue(
        0.25,
        "fact",
        r"\b(?:is|are) (?:a|an|the|basically a) (?:\w+ ){0,4}(?:implementation|library|tool|node"
        r"|framework|dependency|wrapper|service"
        r"|client|server|project|protocol"
        r"|format|language|daemon|package|plugin|database|standard|proposal)\b",
        r"\b(?:built|based|runs?|written|implemented) (?:on top of|on|in|with|from) \w+",
    ),
    make_cue(
        0.15,
        "fact",
        r"\b(?:supports?|requires?|depends? on|dependency|compatible with|works with|implements?"
        r"|shares?|replaces?"
        r"|stores?|uses?)\b",
    ),
    make_cue(
        0.2,
        "fact",
        r"\bonly (?:difference|way|needs? to|has to|supports?|works?|thing (?:that )?(?:we|you"
        r"|it))\b",
        r"\b(?:main"
        r"|biggest|key) (?:\w+ )?(?:difference|feature|limitation|reason)s?\b",
    ),
    make_cue(
        0.25,
        "pointer",
        r"\b(?:just|simply) (?:copy|reuse|take|install)\b",
        r"\b(?:copy|reuse|take) (?:it|the|that) .{0,30}\bfrom\b",
    ),
    make_cue(
        0.25,
        "pointer",
        r"\bworth reading\b",
        r"\bgood (?:intro\w*|read|overview|summary)\b",
        r"\bhere's (?:an? |the )?(?:example|link"
        r"|doc)",
        r"\bdocument(?:ed|ation) (?:is )?(?:in|at)\b",
    ),
    make_cue(
        0.25,
        "convention",
        r"\b(?:channel|thread|place|repo) (?:to|for) (?:have|put|post|discuss\w*|talk\w*|all)\b",
        r"\bwe (?:always"
        r"|never|usually)\b",
        r"\b(?:by default|as a rule|convention)\b",
    ),
)
IDLE: tuple[Cue, ...] = (
    make_cue(
        -0.12,
        "",
        r"\b(?:maybe|perhaps|might|probably|could|would|i think|i guess|i mean|i suppose|imagine"
        r"|you'd|you could|kind of"
        r"|sort of|hopefully|i don't know|for example|like,)\b",
    ),
    make_cue(
        -0.15,
        "",
        r"\b(?:maybe|perhaps|might|hypothetical\w*|let's say|imagine|i wonder|in theory|not sure"
        r"|my intuition|someday|one day"
        r"|years from now)\b",
    ),
    make_cue(
        -0.3,
        "",
        r"\b(?:thank|thanks|welcome|great to|nice to|happy to|good to|see you|cheers|lol|haha"
        r"|laugh\w*|awesome|funny|weekend"
        r"|joke|tune in|sponsors?)\b",
    ),
    make_cue(
        -0.3,
        "",
        r"\b(?:this|next|last|the|our) (?:episode|show|podcast|segment|panel|talk|conference)\b"
        r"|\blisteners?\b|\bagenda\b",
    ),
    make_cue(
        -0.25,
        "",
        r"\b(?:move on|moving on|next (?:topic|item|one|question)|quick question|go ahead|any "
        r"(?:questions|comments"
        r"|thoughts)|start with intros?|that discussion)\b",
    ),
    make_cue(
        -0.12,
        "",
        r"^(?:(?:and|but|so|then|because|like|well|yeah),? )*(?:you|they|he|she|people|somebody"
        r"|someone|it's like|that's"
        r"|it would|that would|there's|everybody)\b",
    ),
    make_cue(
        -0.2,
        "",
        r"\b(?:i was|i had|i did|we had|we were|used to|back then|last (?:year|summer|time)"
        r"|when i (?:was|had|did|got|started|worked"
        r"|went|came)|i remember|i got|i went"
        r"|years ago)\b",
    ),
    make_cue(-0.06, "", r"^(?:and|but|or|because|like|which) "),
    make_cue(
        -0.15,
        "",
        r"\b(?:i feel like|i love|i like|i hate|honestly|personally|super|crazy|weird"
        r"|interesting)\b",
    ),
)
# Assumed cases, which nobody has agreed on.
SUPPOSES = compile_any_of(
    r"^(?:(?:and|but|so|then|like|because),? )*(?:if|when|unless|suppose|say) (?:you|they"
    r"|somebody|someone|i|he"
    r"|she)\b",
    r"\bif (?:you|they) \w+ .{3,80}\b(?:then|you|we)\b",
)
CONCEDES = compile_any_of(
    r"\b(?:you're right|you are right|i agree|agreed|fair enough|i see what you|makes sense"
    r"|sounds good|that works"
    r"|good point|exactly)\b"
)
ASKS_CHOICE = compile_any_of(
    r"\b(?:what now|so what|which (?:one|way|should)|what (?:should|do|shall) (?:we|it|\S+)"
    r"|should (?:we|i|it)|shall we|do we (?:want"
    r"|need|use|go)|how (?:should|do) we"
    r"|can (?:it|we|i|this))\b.*\?"
)
_QUOTED = compile_later(r"[\"“]([^\"“”]{12,300})[\"”]")
_WORD = compile_later(r"[A-Za-z][\w'-]+")
_EMPTY = COMMON_WORDS | frozenset(
    """
        like think know going get really actually basically kind sort lot little bit thing things
        people something someone way well yeah okay right now first time mean say said want need
        make made good great very much some about out up them their he she his her him when where
        which who also into over back only even still too people's don't it's that's i'm we're
        you're there's can't let's i've they're what's
    """.split()
)
_SHORT_TALK = 60
_MENTIONS = 4


def strip_quotations(sentence: Sentence) -> str:
    """The sentence without longer quotations, as cues read it."""
    return (
        fold_for_cues(_QUOTED.sub(" ", sentence.text))
        if '"' in sentence.text or "“" in sentence.text
        else sentence.low
    )


def find_topics(spoken: Iterable[Sentence]) -> frozenset[str] | None:
    """The names and word pairs that recur in the talk; None for a talk that is too short."""
    counts: Counter[str] = Counter()
    total = 0
    for sentence in spoken:
        total += 1
        counts.update(set(_list_terms(sentence.text)))
    return (
        frozenset(term for term, n in counts.items() if n >= _MENTIONS)
        if total >= _SHORT_TALK
        else None
    )


def touches_topic(sentence: Sentence, about: frozenset[str]) -> bool:
    """Whether the sentence mentions one of the talk's topics."""
    return any(term in about for term in _list_terms(sentence.text))


def _list_terms(text: str) -> list[str]:
    """Names (capitalised inside a sentence) and pairs of neighbouring content words."""
    words = _WORD.findall(text)
    names = [
        w
        for n, w in enumerate(words)
        if n and w[0].isupper() and w.lower() not in _EMPTY and len(w) > 1
    ]
    plain = [w.lower() for w in words]
    pairs = [
        f"{a} {b.rstrip('s')}" for a, b in pairwise(plain) if a not in _EMPTY and b not in _EMPTY
    ]
    return names + pairs
