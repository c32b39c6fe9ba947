"""Which records hold a word, asked of the full-text index once a word and then kept.

For plans over many records: their words repeat, and an index that counts, weighs and sorts what
holds any of eight words for each record costs more than all other comparing. Rare words tell which
records speak of the same things; where those do not tell, frequent ones are asked for together,
once for all records that have the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log2

from memctl.core.frozen import dataclass
from memctl.core.model import Memory
from memctl.store import lexical
from memctl.store.database import Database
from memctl.text import tokens

# A word that more records hold is frequent. Chosen by hand.
_MOST_HOLDING = 256
# Fewer rare words that others hold too do not tell what a record is about.
_FEWEST_SHARED = 2
# Stems of one term: most have one, a path has several.
_Stems = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sharing:
    """What holds the terms of a record: the index numbers of those that share rare ones, best
    first, and the frequent terms, if the rare ones do not tell enough.
    """

    numbers: list[int]
    frequent: tuple[str, ...]


class WordIndex:
    """The living records that hold the words asked for, by index number."""

    def __init__(self, db: Database) -> None:
        self._db = db
        # By scope key and stems of a term; None for a term that is frequent there.
        self._holding: dict[tuple[str, _Stems], list[int] | None] = {}
        # The terms of several stems, by scope key and the first one.
        self._phrases: dict[tuple[str, str], set[_Stems]] = {}
        self._stems: dict[str, _Stems] = {}

    def clear(self) -> None:
        """Forget everything, because others have written."""
        self._holding.clear()
        self._phrases.clear()

    def foresee(self, wanted: Iterable[tuple[str, str]]) -> None:
        """Learn at once, of words and scope keys that will be asked for, which nobody holds."""
        keys = [(scope_key, self._list_stems(term)) for term, scope_key in wanted]
        new = {key for key in keys if key not in self._holding and all(map(str.isalnum, key[1]))}
        held = lexical.list_held_words(self._db, {stem for _, stems in new for stem in stems})
        if held is None:
            return
        for scope_key, stems in new:
            if stems and held.isdisjoint(stems):
                self._keep(scope_key, stems, [])

    def find_sharing(self, terms: Sequence[str], scope_key: str) -> Sharing:
        """Find the records of a scope that hold rare ones among the terms.

        Of equal ones the newer comes first. The record itself may be among them.
        """
        score: dict[int, float] = {}
        shared, frequent = 0, []
        for term in terms:
            holding = self._list_holding(term, scope_key)
            if holding is None:
                frequent.append(term)
                continue
            shared += len(holding) > 1
            weight = 1.0 + log2(_MOST_HOLDING / (len(holding) or 1))
            for n in holding:
                score[n] = score.get(n, 0.0) + weight
        ranked = sorted(score, key=lambda n: (-score[n], -n))
        return Sharing(ranked, tuple(frequent) if shared < _FEWEST_SHARED else ())

    def add(self, n: int, memory: Memory) -> None:
        """Take up a record that was just written."""
        scope_key = lexical.compute_scope_key(memory)
        texts = (memory.title, memory.summary, memory.content, memory.subject, memory.rationale)
        stems = {stem for text in {*texts} if text for stem in tokens.list_stems(text)}
        for stem in stems:
            self._add_to((scope_key, (stem,)), n)
            for phrase in self._phrases.get((scope_key, stem), ()):
                if stems.issuperset(phrase):
                    self._add_to((scope_key, phrase), n)

    def _add_to(self, key: tuple[str, _Stems], n: int) -> None:
        holding = self._holding.get(key)
        if holding is not None:
            holding.append(n)
            if len(holding) > _MOST_HOLDING:
                self._holding[key] = None

    def _list_holding(self, term: str, scope_key: str) -> list[int] | None:
        stems = self._list_stems(term)
        if (scope_key, stems) not in self._holding:
            found = lexical.list_holding(self._db, term, scope_key, _MOST_HOLDING + 1)
            self._keep(scope_key, stems, None if len(found) > _MOST_HOLDING else found)
        return self._holding[scope_key, stems]

    def _keep(self, scope_key: str, stems: _Stems, holding: list[int] | None) -> None:
        self._holding[scope_key, stems] = holding
        if len(stems) > 1:
            self._phrases.setdefault((scope_key, stems[0]), set()).add(stems)

    def _list_stems(self, term: str) -> _Stems:
        stems = self._stems.get(term)
        if stems is None:
            stems = self._stems[term] = tuple(tokens.list_stems(term))
        return stems
