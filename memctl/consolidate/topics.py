"""The topic of a statement: the set of root words that says which question it answers. Pure.

`log retention` and `the retention of logs` are one topic. A time says that something has a time, a
version that something has versions: the word for it tells nothing apart, and is left out where the
topic says something beside it, so that `staging: URL` and `the staging URL is URL` answer one
question. Words that may tell two things apart (start and end, primary and secondary) always stay.
"""

from __future__ import annotations

from collections.abc import Iterable

from memctl.consolidate.lexicon import FILLERS, SINGLE_TOPICS, SLOTS, TOPICS
from memctl.consolidate.words import to_canonical, to_canonical_set, to_root, to_root_set
from memctl.text.stop_words import COMPARISON_STOP_WORDS, NEGATIONS, word_set

# Words that only say whose the thing is, or that it is the newest one.
_FILLERS = to_canonical_set(FILLERS) | to_canonical_set(
    word_set("new it one called we i us what now still current latest suite pipeline")
)
# Stop words that a paraphrase puts in as a topic.
_PARAPHRASED = word_set("home allergy address")

# Topics that have one answer at a time.
SINGLE = to_root_set(SINGLE_TOPICS)
# What somebody does for a thing, and so the question who does it, however it is put.
OFFICES = to_root_set(
    word_set("owns leads manages maintains handles reviews formats lints boss designer")
)
OWNS = to_root("owns")
# What is done with a thing, and so the name of what does it: what tracks issues is the issue
# tracker.
PURPOSES = to_root_set(
    word_set("track format lint deploy release publish monitor document sign limit cap")
)
# Words for the kind of thing that a topic is, which say nothing beside its name.
_VAGUE = to_root_set(
    word_set(
        """platform provider tool system setting module check process value server service job
        command"""
    )
)

# By the kind of answer: first what only names the kind, then what is said of nearly everything that
# has such an answer.
_IMPLIED = {
    kind: tuple(to_root_set(word_set(words)) for words in implied)
    for kind, implied in {
        "time": ("time schedule hour clock utc", "run happen job"),
        "date": ("date day schedule plan planned", "due deadline slip"),
        "pace": ("schedule frequency interval", "run happen job"),
        "path": ("url link address location site uri", "host hostname environment"),
        "version": ("version release", "require target"),
        "region": (
            "region zone aws gcp azure cloud",
            "primary main production deploy run everything",
        ),
        "number ": ("number count version", "port"),
        "number span": ("length duration period", "lifetime"),
        "number size": ("size", ""),
    }.items()
}
_REGION = frozenset({to_root("region")})
# The words of each slot's name, and what it is called beside: what is done with the answers too.
_SLOT_NAMES = {slot.name: to_root_set(slot.name.split()) for slot in SLOTS}
_SLOT_ACTIONS = {
    "ci": "build pipeline job run",
    "editor": "code edit",
    "indentation": "indent style",
}
_SLOT_WORDS = {
    name: words | to_root_set(TOPICS) | to_root_set(_SLOT_ACTIONS.get(name, "").split())
    for name, words in _SLOT_NAMES.items()
}


def to_topic(tokens: Iterable[str]) -> frozenset[str]:
    """The root words that say which question is answered."""
    return frozenset(
        to_root(token)
        for token in tokens
        if (token not in COMPARISON_STOP_WORDS or token in _PARAPHRASED)
        and token not in NEGATIONS
        and to_canonical(token) not in _FILLERS
    )


def drop_vague_words(topic: frozenset[str]) -> frozenset[str]:
    """The topic without vague words, where something else remains; offices always stay."""
    named = topic - OFFICES
    return (named - _VAGUE or named) | (topic & OFFICES)


def drop_implied_words(topic: frozenset[str], kind: str) -> frozenset[str]:
    """The topic without what an answer of this kind implies; a slot is called by its name."""
    if kind.startswith("slot "):
        return _name_slot(topic, kind.removeprefix("slot "))
    for implied in _IMPLIED.get(kind, ()):
        topic = topic - implied or (_REGION if kind == "region" else topic)
    return topic


def find_slot_topic(slot: str) -> frozenset[str]:
    """The topic of a slot's question: `package manager`."""
    return _SLOT_NAMES[slot]


def _name_slot(topic: frozenset[str], slot: str) -> frozenset[str]:
    others = topic - _SLOT_WORDS[slot]
    return others | _SLOT_NAMES[slot] if topic != others else topic
