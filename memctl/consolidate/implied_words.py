"""Which words of a topic an answer implies already, so that `staging: URL` and `the staging URL is URL` answer one question. Pure.

A time says that something has a time, a version that something has versions: the word for it tells nothing apart, and is left out where
the topic says something beside it. Words that may tell two things apart (start and end, primary and secondary) are never left out.
"""

from __future__ import annotations

from collections.abc import Callable

from memctl.consolidate.lexicon import SLOTS, TOPICS
from memctl.text.normalize import word_set

# By the kind of answer: first what only names the kind, then what is said of nearly everything that has such an answer.
_IMPLIED = {
    "time": ("time schedule hour clock utc", "run happen job"),
    "date": ("date day schedule plan planned", "due deadline slip"),
    "pace": ("schedule frequency interval", "run happen job"),
    "path": ("url link address location site uri", "host hostname environment"),
    "version": ("version release", "require target"),
    "region": ("region zone aws gcp azure cloud", "primary main production deploy run everything"),
    "number ": ("number count version", "port"),
    "number span": ("length duration period", "lifetime"),
    "number size": ("size", ""),
}
# What is done with the answers to a slot's question, and so names it.
_OF_SLOT = {"ci": "build pipeline job run", "editor": "code edit", "indentation": "indent style"}


class Topics:
    """The lists in the form that topics are in, which `root` gives to a word."""

    def __init__(self, root: Callable[[str], str]) -> None:
        self._implied = {
            kind: tuple(frozenset(map(root, word_set(words))) for words in told)
            for kind, told in _IMPLIED.items()
        }
        self._region = frozenset({root("region")})
        shared = frozenset(map(root, TOPICS))
        self._named = {slot.name: frozenset(map(root, slot.name.split())) for slot in SLOTS}
        self._about = {
            name: named | shared | set(map(root, _OF_SLOT.get(name, "").split()))
            for name, named in self._named.items()
        }

    def question(self, topic: frozenset[str], kind: str) -> frozenset[str]:
        """The topic without what an answer of this kind implies."""
        if kind.startswith("slot "):
            return self._of_slot(topic, kind.removeprefix("slot "))
        for implied in self._implied.get(kind, ()):
            topic = topic - implied or (self._region if kind == "region" else topic)
        return topic

    def _of_slot(self, topic: frozenset[str], slot: str) -> frozenset[str]:
        """The name of the slot in the place of whatever the topic calls it."""
        rest = topic - self._about[slot]
        return rest | self._named[slot] if topic != rest else topic
