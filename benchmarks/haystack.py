"""What every retrieval benchmark is read into: documents to search and questions with their gold. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Document:
    """One text to find. `day` is its date (ISO), `told` the date as people write it; `talk` names the conversation it is a turn of."""

    id: str
    text: str
    day: str | None = None
    told: str = ""
    talk: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and what answers it with what gain; without gold it is no matter of retrieval and is only counted."""

    id: str
    text: str
    category: str
    gold: Mapping[str, float] = field(default_factory=dict)
    asked: str | None = None


@dataclass(frozen=True, slots=True)
class Haystack:
    """What one set of questions is asked of; documents stand in the order of time where they have one."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]

    def scored(self) -> tuple[Question, ...]:
        """The questions with gold."""
        return tuple(question for question in self.questions if question.gold)
