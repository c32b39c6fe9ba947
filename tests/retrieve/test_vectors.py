"""Vectors are made in steps that may stop anywhere, kept only for the words they were made from,
and never mixed between models.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from invented import House

from memctl.core.errors import EmbeddingUnavailable
from memctl.core.frozen import replace
from memctl.retrieve import query_embedding, vectors
from memctl.store import chunks, records, semantic, vector_index

TOPICS = ("tide", "gear", "flour", "invoice")


class Toy:
    """A model that knows four words and counts what it was asked."""

    name, dimensions, backend = "minilm", 384, "kernel"

    def __init__(self, fingerprint: str = "toy 1", stamp: str = "weights 1") -> None:
        self.fingerprint, self.stamp = fingerprint, stamp
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.asked += texts
        heads = [[float(topic in text.lower()) for topic in TOPICS] for text in texts]
        return [array("f", [*head, 0.1, *[0.0] * 379]).tobytes() for head in heads]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    opened = House(tmp_path)
    yield opened
    opened.db.close()


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Toy:
    return use(monkeypatch, Toy())


def use(monkeypatch: pytest.MonkeyPatch, model: Toy) -> Toy:
    monkeypatch.setattr(query_embedding, "_find_embedder_once", lambda *asked: model)
    return model


def set_(house: House, **values: object) -> None:
    dotted = {key.replace("__", "."): value for key, value in values.items()}
    house.config = replace(house.config, values={**house.config.values, **dotted})


def embed(house: House) -> vectors.Embedded:
    return vectors.embed_waiting(house.db, house.config)


def held(house: House) -> int:
    model = semantic.find_serving_model(house.db)
    assert model is not None
    return semantic.count_vectors(house.db, model.id)


@pytest.mark.needs("extension")
def test_every_living_record_gets_a_vector_once(house: House, toy: Toy) -> None:
    for text in ("Tide tables are cached", "Gears are brass", "Flour is weighed"):
        house.add(text)
    house.add("Gears were steel", status="archived")
    assert embed(house) == vectors.Embedded(3, 3) and held(house) == 3
    assert embed(house) == vectors.Embedded(0, 0) and len(toy.asked) == 3


@pytest.mark.needs("extension")
def test_what_means_the_same_is_found_without_a_common_word(house: House, toy: Toy) -> None:
    house.add("Tide tables are cached")
    house.add("Gears are brass")
    embed(house)
    report = house.search("tides")
    assert [hit.record.memory.content for hit in report.items] == [
        "Tide tables are cached"
    ] and report.flags == ()
    assert report.items[0].parts["semantic"] > 0.9


@pytest.mark.needs("extension")
def test_a_run_that_stops_in_the_middle_is_gone_on_with(
    house: House, toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_BATCH", 2)
    for n in range(5):
        house.add(f"Invoice number {n}")

    def stop(done: int, total: int) -> None:
        assert total == 5
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vectors.embed_waiting(house.db, house.config, stop)
    assert held(house) == 4
    assert house.search("invoice").flags == ("no_vector_index", "vectors_pending")
    assert (
        embed(house) == vectors.Embedded(1, 5) and len(toy.asked) == 5 + 1
    )  # the search asked once


def test_a_record_that_changes_while_it_is_read_gets_no_vector_of_its_old_words(
    house: House, toy: Toy
) -> None:
    memory = house.add("Tide tables are cached")
    embedding = toy.embed

    def meanwhile(texts: Sequence[str]) -> list[bytes]:
        with house.db.write():
            now = records.get_record(house.db, memory.id)
            records.replace_record(
                house.db,
                now,
                replace(now, content="Gears are brass"),
                verb="edited",
                actor="t",
                cause="t",
            )
        return embedding(texts)

    toy.embed = meanwhile  # type: ignore[method-assign]
    assert embed(house).made == 0 and held(house) == 0
    toy.embed = embedding  # type: ignore[method-assign]
    assert embed(house).made == 1
    assert house.found("gear") == ["Gears are brass"]


@pytest.mark.needs("extension")
def test_a_new_model_answers_only_when_it_is_complete_and_then_alone(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "_BATCH", 1)
    old, new = Toy("toy 1"), Toy("toy 2", "weights 2")
    use(monkeypatch, old)
    for text in ("Tide tables are cached", "Gears are brass"):
        house.add(text)
    embed(house)
    first = semantic.find_serving_model(house.db)
    use(monkeypatch, new)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vectors.embed_waiting(house.db, house.config, stop)
    assert semantic.find_serving_model(house.db) == first and held(house) == 2
    # The new weights would read a question otherwise than the old vectors were made, so words
    # alone answer; nothing is mixed.
    assert house.search("tide tables").flags == ("no_vectors", "model_changing") and house.found(
        "tide tables"
    )
    embed(house)
    second = semantic.find_serving_model(house.db)
    assert second is not None and second != first and second.fingerprint == "toy 2"
    assert (
        held(house) == 2 and first is not None and semantic.count_vectors(house.db, first.id) == 0
    )
    assert house.search("tides").flags == () and house.found("tides") == ["Tide tables are cached"]


def test_without_the_extension_sense_re_ranks_what_words_found(house: House, toy: Toy) -> None:
    house.add("Tide tables are cached")
    set_(house, embedding__extension=False)
    assert embed(house) == vectors.Embedded(1, 0, ("no_vector_index",))
    assert house.search("tides").items == () or house.search("tides").items[0].parts["lexical"] > 0
    report = house.search("cached tide tables")
    assert report.flags == ("no_vector_index",) and report.items[0].parts["semantic"] > 0.9
    set_(house, embedding__extension=True)
    assert embed(house) == vectors.Embedded(0, 1) and house.search("tides").flags == ()


def test_doctor_counts_what_the_index_lacks(house: House, toy: Toy) -> None:
    house.add("Tide tables are cached")
    set_(house, embedding__extension=False)
    embed(house)
    set_(house, embedding__extension=True)
    assert {check.name: check.state for check in vectors.check_vectors(house.db, house.config)}[
        "vector_index"
    ] == "note"
    embed(house)
    assert {check.name: check.state for check in vectors.check_vectors(house.db, house.config)}[
        "vector_index"
    ] == "ok"


@pytest.mark.needs("extension")
def test_an_index_that_was_dropped_is_made_again(house: House, toy: Toy) -> None:
    house.add("Tide tables are cached")
    embed(house)
    vectors.reset_index(house.db)
    assert embed(house) == vectors.Embedded(0, 1) and house.found("tides") == [
        "Tide tables are cached"
    ]


@pytest.mark.parametrize("flag", ["no_weights", "bad_weights", "no_backend", "no_model"])
def test_what_is_missing_is_said_and_words_go_on(
    house: House, toy: Toy, monkeypatch: pytest.MonkeyPatch, flag: str
) -> None:
    house.add("Tide tables are cached")
    embed(house)

    def missing(*_asked: object) -> Toy:
        raise EmbeddingUnavailable(flag, "gone", hint="bring it back")  # type: ignore[arg-type]

    monkeypatch.setattr(query_embedding, "_find_embedder_once", missing)
    assert house.search("tide tables").flags == ("no_vectors", flag) and house.found(
        "tide tables"
    ) == ["Tide tables are cached"]
    assert embed(house).flags == ("no_vectors", flag)
    (check,) = vectors.check_vectors(house.db, house.config)
    assert (check.state, check.cure) == ("note", "bring it back")


def test_vectors_can_be_turned_off(house: House, toy: Toy) -> None:
    house.add("Tide tables are cached")
    set_(house, embedding__model="none")
    assert embed(house) == vectors.Embedded(flags=("no_vectors", "vectors_off")) and toy.asked == []
    assert house.search("tide tables").flags == ("no_vectors", "vectors_off") and house.found(
        "tide tables"
    )


def test_a_short_write_is_embedded_at_once_and_a_long_one_waits(house: House, toy: Toy) -> None:
    vectors.choose_first_model(house.db, house.config)
    short, long = house.add("Tide tables are cached"), house.add("Gears are brass. " * 100)
    assert vectors.embed_now(house.db, house.config, [short]) == 1 and house.found("tides") == [
        "Tide tables are cached"
    ]
    assert vectors.embed_now(house.db, house.config, [long]) == 0 and held(house) == 1
    assert embed(house).made == 1


def test_weights_that_a_write_verified_are_known_from_then_on(house: House, toy: Toy) -> None:
    vectors.choose_first_model(house.db, house.config)
    with house.db.write():
        semantic.put_weights_stamp(house.db, "where they were before")
    toy.stamp = "where they are now"
    assert vectors.embed_now(house.db, house.config, [house.add("Tide tables are cached")]) == 1
    assert semantic.get_weights_stamp(house.db) == "where they are now"


def test_a_write_is_not_kept_waiting_by_a_slow_way_to_run_the_model(house: House, toy: Toy) -> None:
    vectors.choose_first_model(house.db, house.config)
    toy.backend = "numpy"
    assert (
        vectors.embed_now(house.db, house.config, [house.add("Tide tables are cached")]) == 0
        and toy.asked == []
    )


@pytest.mark.needs("extension")
def test_nobody_is_given_by_sense_what_belongs_to_others(house: House, toy: Toy) -> None:
    elsewhere = house.project("bakery")
    house.add("Flour of the bakery", project_id=elsewhere.id)
    house.add(
        "Flour noted by another agent", scope="agent", agent_id="codex", project_id=house.mill.id
    )
    house.add("Flour noted in another session", scope="session", session_id="s9")
    house.add("Flour of the mill, retired", status="superseded")
    embed(house)
    assert house.found("flourmills") == []
    house.add("Flour of the mill")
    embed(house)
    assert house.found("flourmills") == ["Flour of the mill"]


def count_writes(house: House, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """After each pause between two transactions: how many vectors count as indexed."""
    model = semantic.find_serving_model(house.db)
    assert model is not None
    left: list[int] = []
    monkeypatch.setattr(chunks, "CHUNK_SECONDS", 0.0)
    monkeypatch.setattr(
        chunks,
        "pause_between_chunks",
        lambda: left.append(len(vector_index.list_indexed(house.db, model.id))),
    )
    return left


@pytest.mark.needs("extension")
def test_a_table_made_anew_forgets_its_vectors_in_short_transactions(
    house: House, toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    for topic in TOPICS:
        house.add(f"The {topic} is measured daily")
    assert embed(house).indexed == len(TOPICS)
    vectors.reset_index(house.db)
    left = count_writes(house, monkeypatch)
    assert embed(house).indexed == len(TOPICS)
    assert left == [3, 2, 1]


@pytest.mark.needs("extension")
def test_a_table_that_was_to_be_made_anew_is_made_by_the_next_run_after_a_kill(
    house: House, toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    for topic in TOPICS:
        house.add(f"The {topic} is measured daily")
    embed(house)
    model = semantic.find_serving_model(house.db)
    assert model is not None
    with house.db.write():  # Damaged: the table lacks a vector that counts as indexed.
        vector_index.delete_entry(house.db, vector_index.list_indexed(house.db, model.id)[0])

    def kill() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(chunks, "CHUNK_SECONDS", 0.0)
        patch.setattr(chunks, "pause_between_chunks", kill)
        with pytest.raises(KeyboardInterrupt):
            embed(house)
    assert embed(house).indexed == len(TOPICS)
    assert vector_index.is_sound(house.db, model.id)
