"""A model of `llm` keeps the same contract, and its errors come with a hint.

Nothing uses the network: the plugin is registered here.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

import llm
import pytest
from llm.plugins import pm
from test_contract import Contract

from memctl.core.errors import EmbeddingUnavailable
from memctl.embed import Embedder, find_embedder


class Letters(llm.EmbeddingModel):
    """Counts a few letters; refuses empty text as services do, and fails when told to."""

    model_id = "letters"

    def embed_batch(self, items: Iterable[str]) -> Iterator[list[float]]:
        for text in items:
            assert text.encode("utf-8")
            if "fail now" in text:
                raise RuntimeError("no key is set")
            yield [float(text.count(letter)) for letter in ("e", "t", "a")]


class Plugin:
    """What a package with an entry point would be."""

    @llm.hookimpl
    def register_embedding_models(self, register: object) -> None:
        register(Letters(), aliases=("abc",))  # type: ignore[operator]


@pytest.fixture(autouse=True)
def plugin() -> Iterator[None]:
    made = Plugin()
    pm.register(made, name="letters")
    yield
    pm.unregister(made)


class TestLlm(Contract):
    @pytest.fixture
    def model(self) -> Embedder:
        return find_embedder("letters")


def test_an_alias_finds_the_same_model() -> None:
    assert find_embedder("abc").fingerprint == find_embedder("letters").fingerprint


def test_the_first_vector_tells_the_dimensions() -> None:
    assert find_embedder("letters").dimensions == 3


def test_vectors_are_brought_to_length_one() -> None:
    (vector,) = find_embedder("letters").embed(["eett"])
    assert struct.unpack("<3f", vector) == pytest.approx((0.5**0.5, 0.5**0.5, 0))


def test_an_unknown_model_is_said_with_its_cure() -> None:
    with pytest.raises(EmbeddingUnavailable, match="nobody-made-this") as raised:
        find_embedder("nobody-made-this")
    assert (raised.value.flag, raised.value.hint) == ("no_model", "llm embed-models")


def test_a_failing_model_is_said_with_its_reason() -> None:
    with pytest.raises(EmbeddingUnavailable, match="no key is set") as raised:
        find_embedder("letters").embed(["fail now"])
    assert raised.value.flag == "no_model"
