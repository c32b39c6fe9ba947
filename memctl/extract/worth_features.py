"""What a learned model is told about a sentence that a person typed: its words, its place, what the
agent had said before, and what was done and said after.

Pure but for the model that makes the vectors.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memctl.core.frozen import dataclass
from memctl.core.model import Candidate, Turn
from memctl.extract import states
from memctl.extract.sentences import Sentence
from memctl.extract.transcript_view import PROSE_CHARS, TranscriptView
from memctl.extract.worth_cues import AFTER, BEFORE, SAID, TAKES_BACK, TOOLS, compile_cues

_SAID = compile_cues(SAID)
_BEFORE = compile_cues(BEFORE)
_AFTER = compile_cues(AFTER)
# Characters that are read: of a turn, of the end of what came before, of what came next.
_TURN_CHARS = 1500
_BEFORE_CHARS = 600
_AFTER_CHARS = 300
_COMPARED_CHARS = 500
_NEXT_CHARS = 80
_SENTENCE_CHARS = 600
# Sentences at each end of a turn that are read; what lies between in a longer one was pasted.
_SENTENCES_AT_END = 150
# Words.
_FEWEST_WORDS = 4
_FEW_WORDS = 8
_MANY_WORDS = 30
_LONG_TURN_WORDS = 150
_LONGEST_TURN_WORDS = 400


@dataclass(frozen=True, slots=True)
class TypedSentence:
    """A sentence of a human turn, by its place in the turn's text, with what was found about it."""

    turn: int
    start: int
    end: int
    features: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class DialogueAround:
    """What stands around a human turn: the agent's words before and next, what the person typed
    next, and the tools that the agent used in between.
    """

    before: str
    after: str
    said_next: str
    tools: Mapping[str, int]
    place: float
    count: int


def find_dialogue_around(view: TranscriptView, index: int) -> DialogueAround:
    """Find what stands around a human turn."""
    before = view.said_before(index)
    typed = view.human
    at, next_ = bisect_left(typed, index), bisect_right(typed, index)
    end = typed[next_] if next_ < len(typed) else len(view.turns)
    answer = view.turns[index + 1 : end]
    said = [turn.text for turn in answer if turn.role == "assistant" and turn.kind == "text"]
    return DialogueAround(
        before=view.turns[before].text if before is not None else "",
        after=said[0] if said else "",
        said_next=view.turns[end].text if end < len(view.turns) else "",
        tools=Counter(turn.tool.lower() for turn in answer if turn.tool),
        place=at / max(1, len(typed)),
        count=len(typed),
    )


def list_typed_sentences(
    view: TranscriptView, index: int, around: DialogueAround, proposals: Sequence[Candidate]
) -> list[TypedSentence]:
    """List the sentences of a human turn, or all its prose where it has none, with features."""
    turn = view.turns[index]
    said = view.sentences(index)
    if len(said) > 2 * _SENTENCES_AT_END:
        said = [*said[:_SENTENCES_AT_END], *said[-_SENTENCES_AT_END:]]
    places = [(s.start, s.end) for s in said] or [(0, min(len(turn.text), PROSE_CHARS))]
    shared = _describe_turn(turn, around, len(places))
    plain = [_describe_statement(sentence) for sentence in said] or [{}]
    found = []
    for number, (start, end) in enumerate(places):
        features = dict(shared)
        text = turn.text[start : min(end, start + _SENTENCE_CHARS)]
        features.update(_describe_sentence(text, number, len(places), around))
        features.update(_describe_proposals(proposals, index, start, end))
        features.update(plain[number])
        found.append(TypedSentence(index, start, end, features))
    return found


def _describe_turn(turn: Turn, around: DialogueAround, count: int) -> dict[str, float]:
    text = turn.text
    words = len(_list_words(text[:PROSE_CHARS]))
    features = _list_present(_SAID, text[:_TURN_CHARS], "turn_")
    features.update(_list_present(_BEFORE, around.before[-_BEFORE_CHARS:]))
    features.update(_list_present(_AFTER, around.after[:_AFTER_CHARS].strip()))
    features.update(
        {
            "turn_words": math.log1p(words),
            "turn_sentences": math.log1p(count),
            "turn_is_long": float(words > _LONG_TURN_WORDS),
            "turn_is_longest": float(words > _LONGEST_TURN_WORDS),
            "is_answer": float(turn.kind == "answer"),
            "is_rejection": float(turn.kind == "rejection"),
            "before_chars": math.log1p(min(len(around.before), _BEFORE_CHARS)),
            "after_chars": math.log1p(len(around.after)),
            "is_first_turn": float(around.place == 0.0),
            "place": around.place,
            "turns": math.log1p(around.count),
            "nothing_before": float(not around.before),
            "taken_back": float(TAKES_BACK.search(around.said_next[:_NEXT_CHARS]) is not None),
            "tools": math.log1p(sum(around.tools.values())),
        }
    )
    for name, tools in TOOLS.items():
        features[f"tools_{name}"] = math.log1p(sum(around.tools.get(tool, 0) for tool in tools))
    return features


def _describe_sentence(
    text: str, number: int, count: int, around: DialogueAround
) -> dict[str, float]:
    words = _list_words(text)
    told = set(words)
    features = _list_present(_SAID, text)
    features.update(
        {
            "words": math.log1p(len(words)),
            "is_tiny": float(len(words) < _FEWEST_WORDS),
            "is_short": float(len(words) < _FEW_WORDS),
            "is_long": float(len(words) > _MANY_WORDS),
            "number": number / count,
            "is_first": float(number == 0),
            "is_last": float(number == count - 1),
            "shared_before": _share(told, around.before[-_BEFORE_CHARS:]),
            "shared_after": _share(told, around.after[:_COMPARED_CHARS]),
            "shared_next": _share(told, around.said_next[:_COMPARED_CHARS]),
        }
    )
    return features


def _describe_statement(sentence: Sentence) -> dict[str, float]:
    """How plainly it says how something is, or that it changed."""
    return {"says_state": states.score_statement_of_state(sentence.text, sentence.low)}


def _describe_proposals(
    proposals: Iterable[Candidate], index: int, start: int, end: int
) -> dict[str, float]:
    """How sure the rules are of this sentence: by rule, and of the surest."""
    features: dict[str, float] = {}
    for candidate in proposals:
        if any(e.turn == index and e.start < end and start < e.end for e in candidate.evidence):
            name = f"rule_{candidate.rule}"
            features[name] = max(features.get(name, 0.0), candidate.confidence)
    features["rule_surest"] = max(features.values(), default=0.0)
    return features


def _list_present(
    cues: Mapping[str, re.Pattern[str]], text: str, prefix: str = ""
) -> dict[str, float]:
    return {prefix + name: 1.0 for name, pattern in cues.items() if pattern.search(text)}


def _list_words(text: str) -> list[str]:
    return re.findall(r"[\w'-]+", text.lower())


def _share(told: set[str], text: str) -> float:
    return len(told & set(_list_words(text))) / max(1, len(told))
