"""memctl itself as a system under test: a temporary store, written and searched through the functions that the commands use.

One haystack is one project; a document is a fact of that project, as the operator would have written it by hand, observed on its day.
So scope, trust and confidence are the same for all, and what ranks is what was asked. The relevance floor is off: it decides what is
worth showing, not in what order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.baselines import LIMIT
from benchmarks.haystack import Document, Haystack, Question
from memctl import clock, config, drafts
from memctl.data import replace
from memctl.migrate import open_store
from memctl.model import Actor, Memory, NewMemory, Place, Query
from memctl.retrieve import search
from memctl.store import projects, records

OPERATOR = Actor("operator")
WORDS_ONLY: Mapping[str, Any] = {"embedding.model": "none"}
_NO_FLOOR: Mapping[str, Any] = {"search.floor": 0.0}
_UNDATED = "2026-01-01T00:00:00.000Z"


class Store:
    """An empty store in a folder of its own; `add` fills it, `rank` asks it."""

    def __init__(self, folder: Path) -> None:
        self.db = open_store(folder / "memory.db", create=True)
        self.config = config.load(folder / "memory.db", env={"HOME": str(folder)})
        self._documents: dict[str, str] = {}
        self._places: dict[str, tuple[Place, str]] = {}

    def close(self) -> None:
        """Close the store."""
        self.db.close()

    def add(self, haystack: Haystack) -> None:
        """Write a haystack as a project of its own."""
        with self.db.write():
            project = projects.insert(self.db, haystack.name, None, _UNDATED)
            place = Place(project.id)
            for document in haystack.documents:
                memory = self._memory(document, place)
                self._documents[memory.id] = document.id
                records.insert(self.db, memory, actor=OPERATOR.name, cause="benchmark")
        days = [_moment(document.day) for document in haystack.documents if document.day]
        self._places[haystack.name] = (place, clock.later(max(days, default=_UNDATED), seconds=86400))

    def rank(self, haystack: Haystack, question: Question, settings: Mapping[str, Any], **asked: Any) -> list[str]:
        """The ids of the best documents of a haystack, asked on the question's day (else the day after the last document's)."""
        place, now = self._places[haystack.name]
        chosen = replace(self.config, values={**self.config.values, **_NO_FLOOR, **settings})
        query = Query(question.text, place, limit=LIMIT, **asked)
        with self.db.snapshot():
            found = search.run(self.db, chosen, query, _moment(question.asked) if question.asked else now)
        return [self._documents[item.memory.id] for item in found.returned]

    def _memory(self, document: Document, place: Place) -> Memory:
        at = _moment(document.day) if document.day else _UNDATED
        item = NewMemory("project", document.text[: drafts.LONGEST_CONTENT].strip() or "(nothing)", observed_at=at)
        return drafts.from_new(item, place, OPERATOR)


def systems(_haystacks: Sequence[Haystack]) -> dict[str, Mapping[str, Any]]:
    """The settings under which memctl is measured, by the name of the row."""
    return {"memctl, words only": WORDS_ONLY}


def _moment(day: str) -> str:
    return clock.iso(clock.parse(day))
