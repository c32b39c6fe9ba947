"""memctl itself as a system under test: a temporary store, written, embedded and searched through
the functions that its commands use.

One haystack is one project; a document is a fact of that project, as the operator would have
written it by hand, observed on its day. So scope, trust and confidence are the same for all, and
what ranks is what was asked. The relevance floor is off: it decides what is worth showing, not in
what order. Vectors are made as `maintain` makes them; with a cache file, those of a former run are
put back. MEMCTL_EMBEDDING_MODEL and its like choose the model and how it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.baselines import LIMIT
from benchmarks.haystack import Document, Haystack, Question
from benchmarks.kept import Kept
from memctl.core import clock, timestamps
from memctl.core.frozen import replace
from memctl.core.model import Actor, Evidence, Memory, NewMemory, Place, Query, Source
from memctl.records import drafts, relations
from memctl.records.record_source import PresentRecords
from memctl.redact.redactor import Redactor
from memctl.retrieve import search, vectors
from memctl.settings import config
from memctl.store import evidence, projects, records, semantic, sources
from memctl.store.migrate import open_store

OPERATOR = Actor("operator")
Settings = Mapping[str, Any]
WORDS: dict[str, Settings] = {
    "memctl, words only": {"embedding.model": "none", "search.neighbour_boost": 0.0}
}
HYBRID: dict[str, Settings] = {"memctl, hybrid": {"search.neighbour_boost": 0.0}}
# Where documents were said one after another: what stands beside a hit rises with it, by the share
# that is the default.
NEIGHBOURS: dict[str, Settings] = {"memctl, hybrid with neighbours": {}}
_REDACTOR = Redactor(store=None, patterns=(), is_deep=False)
_NO_FLOOR: Settings = {"search.relevance_threshold": 0.0, "search.similarity_threshold": 0.0}
_UNDATED = "2026-01-01T00:00:00.000Z"


class Store:
    """An empty store in a folder of its own: `add` fills it, `embed` gives it vectors, `rank` asks
    it.
    """

    def __init__(self, folder: Path, kept: Kept) -> None:
        self.db = open_store(folder / "memory.db", create=True)
        self.config = config.load_config(
            folder / "memory.db", env={**_chosen(), "HOME": str(folder)}
        )
        self._kept = kept
        self._written: dict[str, Memory] = {}
        self._documents: dict[str, tuple[str, str]] = {}
        self._places: dict[str, tuple[Place, str]] = {}
        self._is_talk = False
        # An empty store is embedded at once; what comes of it is the model, or word that there is
        # none.
        vectors.embed_waiting(self.db, self.config)
        self._model = semantic.find_serving_model(self.db)

    @property
    def systems(self) -> dict[str, Settings]:
        """What can be measured here, by the name of its row."""
        return (
            WORDS
            | (HYBRID if self._model else {})
            | (NEIGHBOURS if self._model and self._is_talk else {})
        )

    def add(self, haystack: Haystack) -> None:
        """Write a haystack as a project of its own."""
        with self.db.write():
            project = projects.insert(self.db, haystack.name, None, _UNDATED)
            place = Place(project.id)
            talks = self._talks(haystack, place)
            for document in haystack.documents:
                memory = _memory(document, place)
                self._documents[memory.id] = (haystack.name, document.id)
                self._written[f"{haystack.name}/{document.id}"] = memory
                records.insert_record(self.db, memory, actor=OPERATOR.name, cause="benchmark")
                if document.talk is not None:
                    evidence.insert_evidence(
                        self.db, [_said(memory, talks[document.talk], document.turn)]
                    )
        days = [_moment(document.day) for document in haystack.documents if document.day]
        self._places[haystack.name] = (
            place,
            timestamps.add_seconds(max(days, default=_UNDATED), seconds=86400),
        )

    def _talks(self, haystack: Haystack, place: Place) -> dict[str, str]:
        """The conversations that documents are turns of, as sources: their ids by name."""
        names = sorted(
            {document.talk for document in haystack.documents if document.talk is not None}
        )
        self._is_talk |= bool(names)
        made = {name: make_source(f"{haystack.name}/{name}", place) for name in names}
        for source in made.values():
            sources.insert_source(self.db, source)
        return {name: source.id for name, source in made.items()}

    def embed(self) -> None:
        """Make the vectors of all that was added."""
        if self._model is None:
            return
        numbers = {
            records.find_number(self.db, memory.id): memory for memory in self._written.values()
        }
        hashes = {n: semantic.compute_text_hash(memory) for n, memory in numbers.items()}
        known = self._kept.find(self._model.fingerprint, hashes.values())
        with self.db.write():
            for n, hash_ in hashes.items():
                if hash_ in known:
                    semantic.put_vector(self.db, self._model.id, n, numbers[n], known[hash_])
        vectors.embed_waiting(self.db, self.config)
        made = semantic.read_vectors(self.db, self._model.id, hashes)
        self._kept.keep(
            self._model.fingerprint,
            {hashes[n]: vector for n, vector in made.items() if hashes[n] not in known},
        )

    def supersede(self, haystack: Haystack, newer: str, older: str) -> None:
        """Let one document of a haystack supersede another."""
        new, old = (self._written[f"{haystack.name}/{name}"] for name in (newer, older))
        with self.db.write():
            relations.supersede(
                self.db, new, old, reason=None, actor=OPERATOR.name, cause="benchmark"
            )

    def rank(
        self, haystack: Haystack, question: Question, settings: Settings, **asked: Any
    ) -> list[str]:
        """The ids of the best documents of a haystack, asked on the question's day (else the day
        after the last document's).

        What comes from another haystack takes its place, and never counts as found.
        """
        place, now = self._places[haystack.name]
        chosen = replace(self.config, values={**self.config.values, **_NO_FLOOR, **settings})
        query = Query(question.text, place, limit=LIMIT, **asked)
        with self.db.snapshot():
            found = search.run_search(
                PresentRecords(self.db),
                chosen,
                query,
                _moment(question.asked) if question.asked else now,
            )
        told = [self._documents[item.memory.id] for item in found.returned]
        return [name if home == haystack.name else f"{home}/{name}" for home, name in told]


@contextmanager
def opened(folder: Path, cache: Path | None = None) -> Iterator[Store]:
    """A store for the time of a measurement."""
    kept = Kept(cache)
    store = Store(folder, kept)
    try:
        yield store
    finally:
        store.db.close()
        kept.close()


def _chosen() -> dict[str, str]:
    """What the environment says of models and backends; nothing else of the house around may shine
    through.
    """
    return {
        name: value
        for name, value in config.get_environment().items()
        if name.startswith("MEMCTL_EMBEDDING_")
    }


def _memory(document: Document, place: Place) -> Memory:
    at = _moment(document.day) if document.day else _UNDATED
    item = NewMemory(
        "project", document.text[: drafts.LONGEST_CONTENT].strip() or "(nothing)", observed_at=at
    )
    return drafts.build_from_manual(item, place, OPERATOR, _REDACTOR)


def make_source(session: str, place: Place) -> Source:
    fixed: dict[str, Any] = {
        "kind": "conversation",
        "format": "benchmark",
        "agent": "benchmark",
        "is_chat": True,
        "trust": OPERATOR.trust,
    }
    unread: dict[str, Any] = {
        "size_bytes": 0,
        "turn_count": 0,
        "turns_hash": "",
        "observed_at": _UNDATED,
        "updated_at": _UNDATED,
    }
    return Source(
        id=clock.new_id(),
        session_id=session,
        content_hash=session,
        project_id=place.project_id,
        **fixed,
        **unread,
    )


def _said(memory: Memory, source_id: str, turn: int) -> Evidence:
    """A record's own words as evidence, in their place in a conversation."""
    quote = drafts.build_manual_evidence(memory, OPERATOR, _REDACTOR)
    return replace(quote, source_id=source_id, turn=turn, span_start=0, span_end=len(quote.quote))


def _moment(day: str) -> str:
    return timestamps.format_iso(timestamps.parse_iso(day))
