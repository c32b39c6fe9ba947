"""Vectors in the store: packed, dropped when the words change, found by place, derived table and
truth in step.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from invented import House

from memctl.core.frozen import replace
from memctl.core.model import Memory
from memctl.store import lexical, records, semantic, vector_index

WIDTH = 384
NOW = "2026-05-01T00:00:00.000Z"


def unit(*heads: float) -> bytes:
    """A float32 vector that begins with these numbers."""
    return array("f", [*heads, *[0.0] * (WIDTH - len(heads))]).tobytes()


def cosine(a: bytes, b: bytes) -> float:
    found = semantic.CosineCache().between(a, b)
    assert found is not None
    return found


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    opened = House(tmp_path)
    yield opened
    opened.db.close()


@pytest.fixture
def model(house: House) -> semantic.Model:
    with house.db.write():
        number = semantic.ensure_model(house.db, "toy", WIDTH, "f1", NOW)
        semantic.set_serving_model(house.db, number)
    found = semantic.find_serving_model(house.db)
    assert found is not None and found.id == number
    return found


def keep(house: House, model: semantic.Model, memory: Memory, vector: bytes) -> int:
    with house.db.write():
        n = records.find_number(house.db, memory.id)
        semantic.put_vector(house.db, model.id, n, memory, semantic.pack_vector(vector))
    return n


floats = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=8).filter(
    lambda xs: max(map(abs, xs)) > 0.01
)


@given(floats, floats)
def test_packing_keeps_the_cosine(a: list[float], b: list[float]) -> None:
    x, y = array("f", [*a, *[0.0] * (8 - len(a))]), array("f", [*b, *[0.0] * (8 - len(b))])
    exact = (
        sum(p * q for p, q in zip(x, y, strict=True))
        / (sum(p * p for p in x) * sum(q * q for q in y)) ** 0.5
    )
    assert (
        abs(cosine(semantic.pack_vector(x.tobytes()), semantic.pack_vector(y.tobytes())) - exact)
        < 0.03
    )


def test_a_vector_of_nothing_is_like_nothing() -> None:
    nothing = semantic.pack_vector(unit())
    assert cosine(nothing, nothing) == 0.0 == cosine(nothing, semantic.pack_vector(unit(1.0)))


def test_what_is_embedded_is_what_a_person_would_read(house: House) -> None:
    plain = house.add("The mill grinds at night", title="The mill grinds")
    told = house.add("Use brass", title="Gears", type="decision", rationale="steel sparks")
    assert semantic.compose_text(plain) == "The mill grinds at night"
    assert semantic.compose_text(told) == "Gears\nUse brass\nsteel sparks"


@given(st.text(alphabet="ab. \n", max_size=4 * semantic.PIECE_CHARACTERS))
def test_the_pieces_of_a_text_are_the_text(text: str) -> None:
    pieces = semantic.split_pieces(text)
    assert "".join(pieces) == text and all(
        len(piece) <= semantic.PIECE_CHARACTERS for piece in pieces
    )


def test_a_long_text_is_cut_where_a_sentence_ends() -> None:
    text = "The mill grinds at night. " * 60
    assert (
        all(piece.rstrip().endswith(".") for piece in semantic.split_pieces(text))
        and len(semantic.split_pieces(text)) == 3
    )
    assert len(semantic.split_pieces("x" * 100_000)) == semantic.MAX_PIECES


def test_the_mean_of_vectors_lies_between_them() -> None:
    between = semantic.pack_vector(semantic.compute_mean([unit(1.0), unit(0.0, 1.0)]))
    assert cosine(between, semantic.pack_vector(unit(1.0))) == pytest.approx(0.7071, abs=0.01)


def test_a_changed_text_or_place_loses_its_vector_and_an_untouched_one_keeps_it(
    house: House, model: semantic.Model
) -> None:
    a, b = house.add("The mill grinds at night"), house.add("The mill rests at noon")
    numbers = [keep(house, model, memory, unit(1.0)) for memory in (a, b)]
    with house.db.write():
        records.replace_record(
            house.db,
            a,
            replace(a, content="The mill grinds by day"),
            verb="edited",
            actor="t",
            cause="t",
        )
        records.replace_record(
            house.db, b, replace(b, confidence=0.3), verb="edited", actor="t", cause="t"
        )
    assert set(semantic.read_vectors(house.db, model.id, numbers)) == {numbers[1]}
    assert [row["id"] for row in semantic.list_without_vector(house.db, model.id, 0, 9)] == [a.id]
    with house.db.write():
        moved = records.get_record(house.db, b.id)
        records.replace_record(
            house.db,
            moved,
            replace(moved, scope="global", project_id=None),
            verb="edited",
            actor="t",
            cause="t",
        )
    assert semantic.read_vectors(house.db, model.id, numbers) == {}


def test_the_table_answers_by_place_and_follows_the_truth(
    house: House, model: semantic.Model
) -> None:
    assert vector_index.load_extension(house.db)
    here, everywhere = (
        house.add("The mill grinds at night"),
        house.add("Answer briefly", type="profile"),
    )
    a, b = keep(house, model, here, unit(1.0, 0.2)), keep(house, model, everywhere, unit(1.0))
    with house.db.write():
        vector_index.make_table(house.db, model)
        assert (
            vector_index.index_some(house.db, model.id, 10) == 2
            and vector_index.index_some(house.db, model.id, 10) == 0
        )
    asked, words = (
        semantic.pack_vector(unit(1.0)),
        [lexical.compute_scope_key(memory) for memory in (here, everywhere)],
    )
    assert list(vector_index.find_nearest(house.db, asked, words[:1], 5)) == [a]
    assert (
        set(vector_index.find_nearest(house.db, asked, words, 5))
        == {a, b}
        == set(vector_index.find_nearest(house.db, asked, None, 5))
    )
    assert vector_index.find_nearest(house.db, asked, words, 5)[a] == pytest.approx(
        cosine(asked, semantic.read_vectors(house.db, model.id, [a])[a]), abs=1e-4
    )
    keep(house, model, here, unit(-1.0))
    with house.db.write():
        assert vector_index.index_some(house.db, model.id, 10) == 1
    assert vector_index.find_nearest(house.db, asked, words[:1], 5)[a] == pytest.approx(
        -1.0, abs=1e-4
    )


def test_a_new_model_starts_without_vectors_and_takes_the_place_of_the_old_one(
    house: House, model: semantic.Model
) -> None:
    memory = house.add("The mill grinds at night")
    n = keep(house, model, memory, unit(1.0))
    with house.db.write():
        newer = semantic.ensure_model(house.db, "toy", WIDTH, "f2", NOW)
        assert (
            newer != model.id
            and semantic.ensure_model(house.db, "toy", WIDTH, "f1", NOW) == model.id
        )
        assert (
            semantic.count_without_vector(house.db, newer) == 1
            and semantic.read_vectors(house.db, newer, [n]) == {}
        )
        semantic.put_vector(house.db, newer, n, memory, semantic.pack_vector(unit(0.0, 1.0)))
        semantic.set_serving_model(house.db, newer)
        assert semantic.drop_replaced_models(house.db, newer) == 1
    assert (
        semantic.count_vectors(house.db, newer) == 1
        and semantic.count_vectors(house.db, model.id) == 0
    )
