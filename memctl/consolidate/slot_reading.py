"""The slot vectors of records while pairs are compared: which of two answer one question."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.store import records, semantic
from memctl.store.database import Database


class SlotReading:
    """Cosines of slot vectors, each vector read once; nothing where maintenance made none."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._model = semantic.find_slot_model(db)
        self._cosines = semantic.CosineCache()
        self._by_number: dict[int, bytes | None] = {}
        self._numbers: dict[str, int] = {}

    @property
    def is_there(self) -> bool:
        """Whether any record was read."""
        return self._model is not None

    def forget(self) -> None:
        """Read anew what somebody else may have changed."""
        self._by_number.clear()
        self._numbers.clear()

    def forget_missing(self) -> None:
        """Look again for vectors that were not there: they come without an event."""
        self._by_number = {n: vector for n, vector in self._by_number.items() if vector}

    def has_vector(self, memory_id: str) -> bool:
        """Whether a record was read."""
        number = self._find_number(memory_id)
        self._read([number])
        return self._by_number.get(number) is not None

    def measure(self, one_id: str, other_id: str) -> float | None:
        """The cosine of two records' slot vectors; None where one has none."""
        if self._model is None:
            return None
        one, other = self._find_number(one_id), self._find_number(other_id)
        self._read([one, other])
        return self._cosines.between(self._by_number[one], self._by_number[other])

    def pick_nearest(self, own_id: str, numbers: Iterable[int], limit: int) -> list[int]:
        """Those of some records, by index number, whose slot is nearest to that of one."""
        listed = list(numbers)
        if self._model is None or not listed:
            return []
        own = self._find_number(own_id)
        self._read([own, *listed])
        measured = (
            (self._cosines.between(self._by_number[own], self._by_number[n]), n) for n in listed
        )
        known = sorted(((-cosine, n) for cosine, n in measured if cosine is not None))
        return [n for _, n in known[:limit]]

    def _find_number(self, memory_id: str) -> int:
        if memory_id not in self._numbers:
            self._numbers[memory_id] = records.find_number(self._db, memory_id)
        return self._numbers[memory_id]

    def _read(self, numbers: Iterable[int]) -> None:
        unread = [n for n in numbers if n not in self._by_number]
        if unread and self._model is not None:
            found = semantic.read_vectors(self._db, self._model.id, unread)
            self._by_number |= {n: found.get(n) for n in unread}
