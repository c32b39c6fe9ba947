"""What every retrieval benchmark is read into: documents to search and questions with their gold.
No I/O.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Document:
    """One text to find. `day` is its date (ISO), `told` the date as people write it; it was said in
    turn `turn` of `talk`, if anywhere.

    Where it is `part_of` something larger, that is what gold names and what a ranking of documents
    is turned into.
    """

    id: str
    text: str
    day: str | None = None
    told: str = ""
    talk: str | None = None
    turn: int = 0
    part_of: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and what answers it with what gain; without gold it is no matter of retrieval
    and is only counted.
    """

    id: str
    text: str
    category: str
    gold: Mapping[str, float] = field(default_factory=dict)
    asked: str | None = None


@dataclass(frozen=True, slots=True)
class Haystack:
    """What one set of questions is asked of; documents stand in the order of time where they have
    one.
    """

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]

    def found(self, ranking: Iterable[str]) -> list[str]:
        """A ranking of documents as a ranking of what they are part of, each where its best part
        stands.
        """
        whole = {document.id: document.part_of or document.id for document in self.documents}
        return list(dict.fromkeys(whole.get(name, name) for name in ranking))

    def scored(self) -> tuple[Question, ...]:
        """The questions with gold."""
        return tuple(question for question in self.questions if question.gold)
