"""A transcript as the rules read it: who said what, in order, with each turn split once.

Summaries, system turns, injected blocks and memctl's own context never reach a rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import groupby

from memctl.core.model import SENTINEL_CLOSE, SENTINEL_OPEN, Transcript, Turn
from memctl.extract.sentences import Sentence, split_sentences

# What an agent's harness adds to a human turn, by how its line begins.
_HARNESS = (
    "caveat: the messages below were generated",
    "if you need specific details from before exiting plan mode",
    "this session is being continued from a previous",
    "[request interrupted",
    "the user doesn't want to",
    "base directory for this skill",
    "user has approved your plan",
    "[image",
)
_IDE_PROMPT = "## my request for "
DOCUMENT_CHARS = 900
# Nobody types more than this at once: what follows was pasted in.
PROSE_CHARS = 60_000


class TranscriptView:
    """The turns by role and the sentences of each turn, read on first use."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self._read: dict[int, list[Sentence]] = {}
        self._documents: dict[int, bool] = {}
        # What `pasted` found out about the turns that it was asked about.
        self.pasted: dict[int, tuple[frozenset[int], frozenset[int]]] = {}

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All turns; a span's `turn` is an index into this tuple."""
        return self.transcript.turns

    def sentences(self, index: int) -> list[Sentence]:
        """The prose of one turn, without what a harness or memctl added."""
        if index not in self._read:
            self._read[index] = _list_own_sentences(index, self.turns[index].text[:PROSE_CHARS])
        return self._read[index]

    def paragraphs(self, index: int) -> list[list[Sentence]]:
        """The sentences of one turn, paragraph by paragraph."""
        return [
            list(group) for _, group in groupby(self.sentences(index), key=lambda s: s.paragraph)
        ]

    @cached_property
    def human(self) -> list[int]:
        """Indices of what people typed: prompts and arguments of commands."""
        return [
            i
            for i, turn in enumerate(self.turns)
            if turn.role == "human" and turn.kind in ("text", "command")
        ]

    @cached_property
    def assistant(self) -> list[int]:
        """Indices of the agent's prose."""
        return [
            i
            for i, turn in enumerate(self.turns)
            if turn.role == "assistant" and turn.kind == "text"
        ]

    def said_before(self, index: int) -> int | None:
        """The agent's last prose before a turn, with no other prompt between."""
        for i in range(index - 1, -1, -1):
            if self.turns[i].role == "assistant" and self.turns[i].kind == "text":
                return i
            if i in self.spoken:
                return None
        return None

    def is_document(self, index: int) -> bool:
        """Whether a human turn is a pasted plan or specification."""
        if index not in self._documents:
            self._documents[index] = self._looks_written(index)
        return self._documents[index]

    def _looks_written(self, index: int) -> bool:
        parts = self.sentences(index)
        headings, bullets = (sum(s.kind == kind for s in parts) for kind in ("heading", "bullet"))
        long = len(self.turns[index].text) > DOCUMENT_CHARS and len(parts) >= 6
        return headings >= 3 or (long and headings + bullets / 3 >= 1)

    @cached_property
    def spoken(self) -> frozenset[int]:
        """The turns that people typed, as a set."""
        return frozenset(self.human)


def _list_own_sentences(index: int, text: str) -> list[Sentence]:
    """The sentences outside memctl's own context and a harness's additions."""
    hidden = list(_find_sentinel_ranges(text))
    found = [
        s
        for s in split_sentences(index, text)
        if not any(low <= s.start < high for low, high in hidden)
    ]
    asked = next(
        (
            n
            for n, s in enumerate(found)
            if s.kind == "heading" and ("## " + s.low).startswith(_IDE_PROMPT)
        ),
        None,
    )
    if asked is not None:
        found = found[asked + 1 :]
    added = {s.paragraph for s in found if s.low.startswith(_HARNESS)}
    return [s for s in found if s.paragraph not in added]


def _find_sentinel_ranges(text: str) -> Iterator[tuple[int, int]]:
    """Ranges of memctl's own context; one that is not closed runs to the end."""
    start = text.find(SENTINEL_OPEN)
    while start >= 0:
        close = text.find(SENTINEL_CLOSE, start)
        end = len(text) if close < 0 else close + len(SENTINEL_CLOSE)
        yield start, end
        start = text.find(SENTINEL_OPEN, end)
