"""Slot vectors stand beside the vectors of searches, and maintenance alone makes them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from bench import Bench

from memctl import embed
from memctl.core.frozen import dataclass
from memctl.core.model import Memory
from memctl.core.version import SLOTS_FINGERPRINT
from memctl.retrieve import slot_vectors
from memctl.store import records, semantic


@dataclass(frozen=True, slots=True)
class NextReader:
    """A reader of another version."""

    before: embed.Embedder
    name: str = embed.SLOTS
    dimensions: int = 384
    fingerprint: str = "the next version"
    backend: str = "kernel"
    stamp: str = ""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return self.before.embed(["the next: " + text for text in texts])


@pytest.fixture
def facts(bench: Bench) -> list[Memory]:
    said = (
        "Packages are installed with pnpm",
        "Screens are drawn in Figma",
        "The retro is at nine",
    )
    return [bench.put(text) for text in said]


def read_slots(bench: Bench, memories: Sequence[Memory]) -> list[bytes | None]:
    model = semantic.find_slot_model(bench.db)
    numbers = [records.find_number(bench.db, memory.id) for memory in memories]
    found = semantic.read_vectors(bench.db, model.id, numbers) if model else {}
    return [found.get(n) for n in numbers]


def test_a_write_makes_none_and_maintenance_makes_all(bench: Bench, facts: list[Memory]) -> None:
    assert read_slots(bench, facts) == [None] * len(facts)
    assert slot_vectors.count_waiting(bench.db, bench.config) == len(facts)
    bench.put("On Monday the release was cut", type_="episode")
    bench.operator.maintain()
    vectors = read_slots(bench, facts)
    assert all(vectors) and len(set(vectors)) == len(facts)
    assert slot_vectors.count_waiting(bench.db, bench.config) == 0
    serving = semantic.find_serving_model(bench.db)
    assert serving is not None and serving.name == embed.BUILT_IN
    assert semantic.count_vectors(bench.db, serving.id) == len(facts) + 1


def test_another_version_of_the_reader_reads_all_anew(
    bench: Bench, facts: list[Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.operator.maintain()
    before, first = semantic.find_slot_model(bench.db), read_slots(bench, facts)
    serving = semantic.find_serving_model(bench.db)
    assert before is not None and serving is not None
    newer = NextReader(slot_vectors.find_reader(bench.db, bench.config))
    monkeypatch.setattr(slot_vectors, "find_reader", lambda db, config: newer)
    cut = iter((False, True))
    slot_vectors.make_waiting(bench.db, bench.config, enough=lambda: next(cut, True))
    bench.operator.maintain()
    after = semantic.find_slot_model(bench.db)
    assert after is not None and after.fingerprint == newer.fingerprint
    assert semantic.count_vectors(bench.db, before.id) == 0
    assert semantic.count_vectors(bench.db, serving.id) == len(facts)
    assert all(one != other for one, other in zip(first, read_slots(bench, facts), strict=True))


def test_what_is_erased_or_reworded_leaves_no_slot_vector(
    bench: Bench, facts: list[Memory]
) -> None:
    bench.operator.maintain()
    model = semantic.find_slot_model(bench.db)
    assert model is not None
    gone = records.find_number(bench.db, facts[0].id)
    bench.operator.upkeep.purge([facts[0].id])
    assert semantic.read_vectors(bench.db, model.id, [gone]) == {}
    bench.operator.records.edit(facts[1].id, {"content": "Screens are drawn in Penpot"})
    assert read_slots(bench, facts[1:2]) == [None]
    assert semantic.count_vectors(bench.db, model.id) == len(facts) - 2
    bench.operator.maintain()
    assert semantic.count_vectors(bench.db, model.id) == len(facts) - 1


@pytest.mark.needs("weights")
def test_a_night_with_nothing_to_read_knows_the_version_without_the_reader() -> None:
    assert embed.find_slot_reader().fingerprint == SLOTS_FINGERPRINT
